//! Offsets, lines and columns, each looked up in a table that is made once.

use std::ops::Range;

use crate::diagnostic::{Label, Span};

/// Stands before the text in some files and is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Of how many characters one has its offset in the table.
const STEP: usize = 64;

/// The text of a file and where its lines and characters begin.
#[derive(Debug)]
pub(super) struct Places<'s> {
    text: &'s str,
    /// Offset of the first character after a byte order mark, in bytes.
    begin: usize,
    /// Offset of each line's first character.
    lines: Vec<usize>,
    /// Offset of every [`STEP`]th character, counted from `begin`.
    steps: Vec<usize>,
}

impl<'s> Places<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let begin = text.len().saturating_sub(bare.len());
        let from_begin = |at: usize| begin.saturating_add(at);
        let line_ends = bare.match_indices('\n').map(|(at, _)| at.saturating_add(1));
        let lines = std::iter::once(0)
            .chain(line_ends)
            .map(from_begin)
            .collect();
        let characters = bare.char_indices().map(|(at, _)| from_begin(at));
        let steps = characters.step_by(STEP).collect();
        Self {
            text,
            begin,
            lines,
            steps,
        }
    }

    /// The whole file. All offsets are offsets into it, in bytes.
    pub(super) const fn text(&self) -> &'s str {
        self.text
    }

    /// What there is from `offset` on.
    pub(super) fn from(&self, offset: usize) -> &'s str {
        self.text.get(offset..).unwrap_or_default()
    }

    /// Where the text begins, behind a byte order mark.
    pub(super) const fn begin(&self) -> usize {
        self.begin
    }

    /// The offset of the character with this index, counted behind the mark.
    pub(super) fn offset(&self, index: usize) -> usize {
        let Some(from) = self.steps.get(index / STEP) else {
            return self.text.len();
        };
        let characters = self.from(*from).char_indices();
        let found = characters.map(|(at, _)| at).nth(index % STEP);
        found.map_or(self.text.len(), |at| from.saturating_add(at))
    }

    fn index(&self, offset: usize) -> usize {
        let before = self.steps.partition_point(|at| *at <= offset);
        let step = before.saturating_sub(1);
        let from = self.steps.get(step).copied().unwrap_or(self.begin);
        let between = self.text.get(from..offset).unwrap_or_default();
        step.saturating_mul(STEP)
            .saturating_add(between.chars().count())
    }

    /// Line, and column in characters, both from 1.
    pub(super) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|at| *at <= offset).max(1);
        let start = self.lines.get(line.saturating_sub(1));
        let start = start.copied().unwrap_or(self.begin);
        let column = self.index(offset).saturating_sub(self.index(start));
        (line, column.saturating_add(1))
    }

    /// A label without a route.
    pub(super) fn label(&self, range: Range<usize>, remark: impl Into<String>) -> Label {
        let (line, column) = self.line_and_column(range.start);
        Label {
            route: String::new(),
            span: Span {
                line,
                column,
                bytes: range,
            },
            text: remark.into(),
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_counting() {
        let long = "é𝄞a\r\n\nzz, ".repeat(60);
        for text in ["", "a", "\n", "a\nb\n", &long, &format!("\u{feff}{long}")] {
            let places = Places::new(text);
            let bare = text.trim_start_matches(BYTE_ORDER_MARK);
            let begin = text.len() - bare.len();
            for (index, (at, _)) in bare.char_indices().enumerate() {
                let before = &bare[..at];
                let line = before.matches('\n').count() + 1;
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                let column = before[start..].chars().count() + 1;
                assert_eq!(places.offset(index), begin + at);
                assert_eq!(places.line_and_column(begin + at), (line, column));
            }
            assert_eq!(places.offset(bare.chars().count()), text.len());
            assert_eq!(places.offset(usize::MAX), text.len());
        }
    }

    /// What makes a lookup cheap however long the file or the line is.
    #[test]
    fn a_lookup_counts_few_characters() {
        let text = "é".repeat(100_000);
        let places = Places::new(&text);
        assert_eq!(places.steps.len(), 100_000_usize.div_ceil(STEP));
        for pair in places.steps.windows(2) {
            assert_eq!(text[pair[0]..pair[1]].chars().count(), STEP);
        }
        assert_eq!(places.lines, [0]);
        assert_eq!(Places::new("a\nb\n").lines, [0, 2, 4]);
    }
}
