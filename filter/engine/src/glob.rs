//! Names against patterns. Contract section 10.

/// How `*` and letters compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// `*` stops at `/`, `**` does not.
    pub(crate) segments: bool,
    /// ASCII letters compare without case, for denies.
    pub(crate) fold: bool,
}

/// Whether all of `text` matches `pattern`.
///
/// Takes time at most proportional to the product of both lengths, whatever
/// they hold.
pub(crate) fn matches(pattern: &str, text: &str, style: Style) -> bool {
    let equal = |a: u8, b: u8| a == b || (style.fold && a.eq_ignore_ascii_case(&b));
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // Most patterns are told apart by what stands before their first star.
    let literal = pattern.iter().take_while(|byte| **byte != b'*').count();
    let (head, rest) = pattern.split_at_checked(literal).unwrap_or((pattern, b""));
    let Some((start, text)) = text.split_at_checked(literal) else {
        return false;
    };
    if !head.iter().zip(start).all(|(a, b)| equal(*a, *b)) {
        return false;
    }

    // `reached[i]`: the text so far matches the first i tokens.
    let tokens = tokens(rest, style);
    let mut reached = vec![false; tokens.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    skip_stars(&tokens, &mut reached);
    for byte in text {
        // A final star takes the rest; without a way on, nothing will match.
        let before_last = reached.len().checked_sub(2).and_then(|at| reached.get(at));
        if let (Some(Token::Any), Some(true)) = (tokens.last(), before_last) {
            return true;
        }
        if !reached.contains(&true) {
            return false;
        }
        let mut previous = false;
        for (at, slot) in reached.iter_mut().enumerate() {
            let was = *slot;
            let stays = match tokens.get(at) {
                Some(Token::Any) => true,
                Some(Token::InSegment) => *byte != b'/',
                Some(Token::Literal(_)) | None => false,
            };
            let enters = previous
                && matches!(at.checked_sub(1).and_then(|at| tokens.get(at)),
                            Some(Token::Literal(wanted)) if equal(*wanted, *byte));
            *slot = (was && stays) || enters;
            previous = was;
        }
        skip_stars(&tokens, &mut reached);
    }
    reached.last().copied().unwrap_or(false)
}

#[derive(Debug, Clone, Copy)]
enum Token {
    Literal(u8),
    InSegment,
    Any,
}

fn tokens(pattern: &[u8], style: Style) -> Vec<Token> {
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

/// A star also matches nothing.
fn skip_stars(tokens: &[Token], reached: &mut [bool]) {
    let mut before = false;
    for (at, slot) in reached.iter_mut().enumerate() {
        *slot |= before;
        let star = matches!(tokens.get(at), Some(Token::Any | Token::InSegment));
        before = *slot && star;
    }
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
