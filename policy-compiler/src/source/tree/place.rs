//! Where a node stands, from the parser's places and the text around them.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::super::extent;
use super::Builder;

impl Builder<'_> {
    /// Where the text of a scalar stands, its quotes included. `reach` is where
    /// the parser's event does.
    pub(super) fn scalar_place(
        &self,
        value: &str,
        style: ScalarStyle,
        properties: bool,
        reach: Range<usize>,
    ) -> Range<usize> {
        let text = self.places.text();
        let start = if properties {
            extent::skip_properties(text, reach.start)
        } else {
            reach.start
        };
        match style {
            ScalarStyle::Plain if value.is_empty() && properties => reach.end..reach.end,
            ScalarStyle::Plain if value.is_empty() => {
                let at = self.nothing(reach.start);
                at..at
            }
            ScalarStyle::Plain => start..reach.end.max(start),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let length = extent::quoted(self.places.from(start));
                start..length.map_or(reach.end.max(start), |it| start.saturating_add(it))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                self.block_place(value, properties, start..reach.end)
            }
        }
    }

    /// Where something could be that is not there; `at` is what comes instead.
    pub(super) fn nothing(&self, at: usize) -> usize {
        let text = self.places.text();
        let Some(open) = self.open.last() else {
            return at;
        };
        if !open.map {
            return extent::dash(text, at).map_or(at, |dash| dash.saturating_add(1));
        }
        let is_key = open.children.len().is_multiple_of(2);
        let colon = if is_key {
            at
        } else {
            extent::skip_gap(text, self.behind)
        };
        match (self.places.from(colon).starts_with(':'), is_key) {
            (true, true) => at,
            (true, false) => colon.saturating_add(1),
            (false, true) => text.get(..at).unwrap_or_default().trim_end().len(),
            (false, false) => self.behind,
        }
    }

    /// Where the text of a literal or folded scalar stands, or else its header.
    /// The parser's place begins with the text if there are no properties.
    pub(super) fn block_place(
        &self,
        value: &str,
        properties: bool,
        reach: Range<usize>,
    ) -> Range<usize> {
        let text = self.places.text();
        if value.trim().is_empty() {
            let header = if properties {
                Some(reach.start)
            } else {
                extent::block_header(text, self.behind)
            };
            return header.map_or(reach.start..reach.start, |at| at..at.saturating_add(1));
        }
        let header = text.get(reach.clone()).unwrap_or_default();
        let line = if properties { header.find('\n') } else { None };
        let start = reach.start.saturating_add(line.unwrap_or_default());
        let lines = text.get(start..reach.end).unwrap_or_default();
        let indent = lines.len().saturating_sub(lines.trim_start().len());
        let start = start.saturating_add(indent);
        start..start.saturating_add(lines.trim().len())
    }

    /// The first dash of a list without brackets. Where a key's list is not
    /// indented, the parser gives the place behind it.
    pub(super) fn first_dash(&self, at: usize) -> usize {
        let text = self.places.text();
        let not_indented = match self.open.last() {
            Some(open) if open.map => extent::dash(text, at),
            _ => None,
        };
        not_indented.unwrap_or(at)
    }

    /// A dash and what stands behind it on the same line.
    pub(super) fn entry(&self, dash: Range<usize>, first: Option<Range<usize>>) -> Range<usize> {
        let entry = first.and_then(|first| {
            let text = self.places.text().get(dash.start..first.end)?;
            let (before, _) = text.split_at_checked(first.start.checked_sub(dash.start)?)?;
            let line = text.lines().next().unwrap_or_default();
            (!before.contains('\n')).then(|| dash.start.saturating_add(line.len()))
        });
        dash.start..entry.unwrap_or(dash.end)
    }
}
