//! Places in the text: offsets, lines, and how far a token reaches.

use std::ops::Range;

/// A byte order mark, which the YAML reader takes for a character of the
/// first key.
const MARK: char = '\u{feff}';

/// What the YAML reader gets to see.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The byte offset in `text` of the YAML reader's `index`, which counts the
/// bytes of [`without_mark`].
pub(super) fn offset(text: &str, index: usize) -> usize {
    let mark = text.len().saturating_sub(without_mark(text).len());
    let mut offset = index.saturating_add(mark).min(text.len());
    while !text.is_char_boundary(offset) {
        offset = offset.saturating_sub(1);
    }
    offset
}

/// One-based line and column (in characters) of a byte offset.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let before = without_mark(before);
    let line = before.matches('\n').count().saturating_add(1);
    let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let column = before.get(start..).unwrap_or_default().chars().count();
    (line, column.saturating_add(1))
}

/// The token at `start`, without the anchor or tag before it; never past the
/// end of the line.
pub(super) fn extent(text: &str, start: usize) -> Range<usize> {
    let start = skip_properties(text, start);
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let length = match line.chars().next() {
        Some('"') => quoted(line, '"'),
        Some('\'') => quoted(line, '\''),
        Some('[' | '{') => 1,
        _ => plain(line),
    };
    start..start.saturating_add(length)
}

fn skip_properties(text: &str, mut start: usize) -> usize {
    while let Some(rest) = text.get(start..)
        && rest.starts_with(['&', '!'])
    {
        let end = rest.find([' ', '\n', '\r', '\t']).unwrap_or(rest.len());
        let after = rest.get(end..).unwrap_or_default();
        let blank = after.len().saturating_sub(after.trim_start().len());
        start = start.saturating_add(end).saturating_add(blank);
    }
    start
}

fn quoted(line: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in line.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' && quote == '"' {
            escaped = true;
        } else if character == quote {
            return at.saturating_add(1);
        }
    }
    line.len()
}

/// A plain scalar ends at a comment, at a `: ` and, so that flow lists look
/// right, at a bracket or comma.
fn plain(line: &str) -> usize {
    let end = [" #", ": ", ",", "]", "}"]
        .into_iter()
        .filter_map(|stop| line.find(stop))
        .min()
        .unwrap_or(line.len());
    let token = line.get(..end).unwrap_or(line).trim_end();
    token.strip_suffix(':').unwrap_or(token).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_they_should() {
        for (text, token) in [
            ("a: b", "a"),
            ("a:", "a"),
            ("[a, b]", "["),
            ("a, b]", "a"),
            ("a # b", "a"),
            ("a#b", "a#b"),
            ("\"a, \\\" b\" # c", "\"a, \\\" b\""),
            ("'a: b': c", "'a: b'"),
            ("'open", "'open"),
            ("&x !!str a", "a"),
            ("&x\n  a: b", "a"),
            ("http://a", "http://a"),
            ("", ""),
        ] {
            let range = extent(text, 0);
            assert_eq!(&text[range], token, "{text:?}");
        }
    }

    #[test]
    fn offsets_count_from_after_a_byte_order_mark() {
        assert_eq!(offset("éa", 2), 2);
        assert_eq!(offset("\u{feff}éa", 2), 5);
        assert_eq!(offset("é", 1), 0);
        assert_eq!(offset("a", 9), 1);
        assert_eq!(line_and_column("\u{feff}éa\nb", 5), (1, 2));
        assert_eq!(line_and_column("é\nbc", 4), (2, 2));
    }
}
