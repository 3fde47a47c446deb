//! Names against patterns, for filter and compiler alike. Contract section 10.

use std::ops::Range;

/// How `*` and letters compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// `*` stops where a part of a URI ends, `**` does not.
    pub segments: bool,
    /// ASCII letters compare without case, for denies.
    pub fold: bool,
}

impl Style {
    /// Plain comparison: `*` is any run of characters, case matters.
    pub const EXACT: Self = Self {
        segments: false,
        fold: false,
    };
    /// `*` stops where a part of a URI ends.
    pub const URIS: Self = Self {
        segments: true,
        ..Self::EXACT
    };
    /// For denies: case does not matter.
    pub const FOLDED: Self = Self {
        fold: true,
        ..Self::EXACT
    };
}

/// Whether all of `text` matches `pattern`.
///
/// Takes time at most proportional to the product of both lengths, whatever
/// they hold.
pub fn matches(pattern: &str, text: &str, style: Style) -> bool {
    matches_literally(pattern, text, style, 0..0)
}

/// The same, where stars do not take the bytes of `text` at `literal`.
pub fn matches_literally(pattern: &str, text: &str, style: Style, literal: Range<usize>) -> bool {
    let equal = |a: u8, b: u8| a == b || (style.fold && a.eq_ignore_ascii_case(&b));
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // Most patterns are told apart by what stands before their first star.
    let first_star = pattern.iter().take_while(|byte| **byte != b'*').count();
    let (head, rest) = pattern
        .split_at_checked(first_star)
        .unwrap_or((pattern, b""));
    let Some((start, text)) = text.split_at_checked(first_star) else {
        return false;
    };
    if !head.iter().zip(start).all(|(a, b)| equal(*a, *b)) {
        return false;
    }

    let tokens = tokens(rest, style);
    let mut now = Reached::new(tokens.len());
    let mut next = Reached::new(tokens.len());
    now.add(0, &tokens);
    for (place, byte) in (first_star..).zip(text) {
        // A final star takes the rest; without a way on, nothing will match.
        if place >= literal.end && now.is_taking_all(&tokens) {
            return true;
        }
        let star = !literal.contains(&place);
        for at in now.list.drain(..) {
            match tokens.get(at) {
                Some(Token::Any) if star => next.add(at, &tokens),
                Some(Token::InSegment) if star && !is_delimiter(*byte) => next.add(at, &tokens),
                Some(Token::Literal(wanted)) if equal(*wanted, *byte) => {
                    next.add(at.saturating_add(1), &tokens)
                }
                _ => {}
            }
        }
        if next.list.is_empty() {
            return false;
        }
        std::mem::swap(&mut now, &mut next);
        next.clear();
    }
    now.has(tokens.len())
}

/// What ends a part of a URI: its authority, a path segment, its path, its
/// query. RFC 3986 section 3; some readers take a backslash for a slash.
pub fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#' | b'\\')
}

/// Which numbers of tokens the text so far matches: usually one to three.
#[derive(Debug)]
pub struct Reached {
    list: Vec<usize>,
    /// The round in which each was last added.
    seen: Vec<usize>,
    round: usize,
}

impl Reached {
    pub fn new(tokens: usize) -> Self {
        Self {
            list: Vec::new(),
            seen: vec![0; tokens.saturating_add(1)],
            round: 1,
        }
    }

    /// Adds a number, and those beyond it that stars reach with nothing.
    pub fn add(&mut self, mut at: usize, tokens: &[Token]) {
        while let Some(seen) = self.seen.get_mut(at).filter(|seen| **seen != self.round) {
            *seen = self.round;
            self.list.push(at);
            match tokens.get(at) {
                Some(Token::Any | Token::InSegment) => at = at.saturating_add(1),
                Some(Token::Literal(_)) | None => return,
            }
        }
    }

    pub fn is_taking_all(&self, tokens: &[Token]) -> bool {
        matches!(tokens.last(), Some(Token::Any)) && self.has(tokens.len())
    }

    pub fn has(&self, at: usize) -> bool {
        self.seen.get(at) == Some(&self.round)
    }

    pub fn list(&self) -> &[usize] {
        &self.list
    }

    pub fn join(&mut self, other: &Self, tokens: &[Token]) {
        for at in &other.list {
            self.add(*at, tokens);
        }
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.round = self.round.saturating_add(1);
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Token {
    Literal(u8),
    InSegment,
    Any,
}

/// A pattern's bytes; `**` in URIs is one token.
pub fn tokens(pattern: &[u8], style: Style) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        tokens.push(if *byte != b'*' {
            Token::Literal(*byte)
        } else if !style.segments {
            Token::Any
        } else if let Some(tail) = rest.strip_prefix(b"*") {
            rest = tail;
            Token::Any
        } else {
            Token::InSegment
        });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: Style = Style {
        segments: false,
        fold: false,
    };
    const URIS: Style = Style {
        segments: true,
        fold: false,
    };

    #[test]
    fn stars() {
        for (pattern, text, name, uri) in [
            ("a", "a", true, true),
            ("a", "ab", false, false),
            ("*", "", true, true),
            ("*", "a/b", true, false),
            ("**", "a/b", true, true),
            ("a*", "a", true, true),
            ("a*c", "abbc", true, true),
            ("a*c", "a/c", true, false),
            ("a**c", "a/b/c", true, true),
            ("a*b*c", "abxbc", true, true),
            ("*.b", "a.b", true, true),
            ("*.b", "axb", false, false),
            ("a.b", "axb", false, false),
            ("file:///d/**", "file:///d/e/f", true, true),
            ("file:///d/*", "file:///d/e/f", true, false),
            ("file:///d/*", "file:///d/", true, true),
            ("file:///*/f", "file:///e/f", true, true),
            ("file:///**/f", "file:///f", false, false),
            ("[a]*", "a", false, false),
            ("https://*.a.b/**", "https://x.a.b/c", true, true),
            ("https://*.a.b/**", "https://evil?.a.b/c", true, false),
            ("https://*.a.b/**", "https://evil#.a.b/c", true, false),
        ] {
            assert_eq!(matches(pattern, text, NAMES), name, "{pattern} {text}");
            assert_eq!(matches(pattern, text, URIS), uri, "{pattern} {text}");
        }
    }

    #[test]
    fn folding_is_for_ascii_letters_only() {
        let fold = Style {
            fold: true,
            ..NAMES
        };
        assert!(matches("Delete_*", "dELETE_x", fold));
        assert!(!matches("delete_*", "DELETE_x", NAMES));
        assert!(!matches("k*", "\u{212a}", fold));
    }

    /// The definition, at exponential cost.
    fn by_definition(pattern: &[u8], text: &[u8], segments: bool) -> bool {
        let (stop, rest) = match pattern {
            [] => return text.is_empty(),
            [b'*', b'*', rest @ ..] if segments => (false, rest),
            [b'*', rest @ ..] => (segments, rest),
            [first, rest @ ..] => {
                return text.split_first().is_some_and(|(byte, tail)| {
                    byte == first && by_definition(rest, tail, segments)
                });
            }
        };
        (0..=text.len()).any(|taken| {
            let (run, tail) = text.split_at(taken);
            !(stop && run.contains(&b'/')) && by_definition(rest, tail, segments)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn agrees_with_the_definition(pattern in "[ab/*]{0,7}", text in "[ab/]{0,8}", segments: bool) {
            let style = Style { segments, fold: false };
            let expected = by_definition(pattern.as_bytes(), text.as_bytes(), segments);
            prop_assert_eq!(matches(&pattern, &text, style), expected);
        }
    }
}
