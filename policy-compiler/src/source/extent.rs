//! How far the parts of YAML reach in the text. The parser's places include
//! what stands before a part, such as an anchor, and after it, such as blanks
//! and a comment.

/// Blanks and line ends.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The first offset from `at` on that is neither blank nor in a comment.
pub(super) fn skip_gap(text: &str, mut at: usize) -> usize {
    loop {
        let rest = rest(text, at);
        let begun = rest.trim_start_matches(BLANK);
        let length = match begun.strip_prefix('#') {
            Some(_) => rest
                .len()
                .saturating_sub(begun.len())
                .saturating_add(begun.find('\n').unwrap_or(begun.len())),
            None => return at.saturating_add(rest.len().saturating_sub(begun.len())),
        };
        at = at.saturating_add(length);
    }
}

/// The length of the anchor, alias or tag that `rest` begins with.
pub(super) fn property(rest: &str) -> usize {
    let verbatim = rest.starts_with("!<").then(|| rest.find('>')).flatten();
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}');
    match verbatim {
        Some(end) => end.saturating_add(1),
        None => rest.find(ends).unwrap_or(rest.len()),
    }
}

/// Where the node begins whose anchor or tag is at `at`.
pub(super) fn skip_properties(text: &str, mut at: usize) -> usize {
    while rest(text, at).starts_with(['&', '!']) {
        let end = at.saturating_add(property(rest(text, at)));
        at = skip_gap(text, end);
    }
    at
}

/// Where the tag is among the properties at `at`.
pub(super) fn tag(text: &str, mut at: usize) -> usize {
    while rest(text, at).starts_with('&') {
        let end = at.saturating_add(property(rest(text, at)));
        at = skip_gap(text, end);
    }
    at
}

/// The length of the quoted scalar that `rest` begins with, its quotes
/// included; `None` if it is not closed.
pub(super) fn quoted(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().peekable();
    let (_, quote) = characters.next()?;
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            let doubled = quote == '\'' && characters.peek().is_some_and(|(_, c)| *c == quote);
            if !doubled {
                return Some(at.saturating_add(1));
            }
            characters.next();
        }
    }
    None
}

/// The last dash of those that the line of `behind` begins with. The parser
/// gives as an entry's place what is behind its dash, blanks and comment.
pub(super) fn dash(text: &str, behind: usize) -> Option<usize> {
    let before = text.get(..behind)?;
    let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let line = rest(before, start);
    let content = line.trim_start_matches(['\u{feff}', ' ', '\t', '-', '?', ':']);
    let indicators = line.get(..line.len().saturating_sub(content.len()))?;
    let dash = indicators.trim_end_matches([' ', '\t']).strip_suffix('-')?;
    Some(start.saturating_add(dash.len()))
}

/// The `|` or `>` behind the indicators that follow `at`.
pub(super) fn block_header(text: &str, at: usize) -> Option<usize> {
    let mut at = skip_gap(text, at);
    while rest(text, at).starts_with([':', '-', '?']) {
        at = skip_gap(text, at.saturating_add(1));
    }
    rest(text, at).starts_with(['|', '>']).then_some(at)
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
    fn gaps_end_where_something_begins() {
        for (text, at) in [
            ("a", 0),
            ("  a", 2),
            (" # b\n\t#\r\n  a", 11),
            ("", 0),
            (" # b", 4),
            (":", 0),
        ] {
            assert_eq!(skip_gap(text, 0), at, "{text:?}");
        }
    }

    #[test]
    fn properties_are_skipped() {
        for (text, node) in [
            ("&a b", "b"),
            ("&a !b c", "c"),
            ("!<x, y> c", "c"),
            ("!b &a\n  # d\n  c", "c"),
            ("&a", ""),
            ("&a, b", ", b"),
            ("[&a b]", "[&a b]"),
        ] {
            assert_eq!(&text[skip_properties(text, 0)..], node, "{text:?}");
        }
        for text in ["!t &a x", "&a !t x", "&a # c\n !t x"] {
            assert!(text[tag(text, 0)..].starts_with("!t"), "{text:?}");
        }
    }

    #[test]
    fn quotes_are_closed() {
        for (text, length) in [
            ("\"a\" b", Some(3)),
            (r#""\"" b"#, Some(4)),
            (r#""\\" b"#, Some(4)),
            ("'it''s' b", Some(7)),
            ("''", Some(2)),
            ("'''", None),
            ("'\\'", Some(3)),
            ("\"a\n b\"", Some(6)),
            ("\"a", None),
            ("", None),
        ] {
            assert_eq!(quoted(text), length, "{text:?}");
        }
    }

    #[test]
    fn dashes_are_found() {
        for (text, at) in [
            ("- ", Some(0)),
            ("- # - c", Some(0)),
            ("a\n  - - ", Some(6)),
            ("- ? - ", Some(4)),
            ("\u{feff}-\t", Some(3)),
            ("a - ", None),
            ("- ? ", None),
        ] {
            assert_eq!(dash(text, text.len()), at, "{text:?}");
        }
    }
}
