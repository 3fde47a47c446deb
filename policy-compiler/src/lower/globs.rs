//! Patterns compared with each other. What a pattern matches, the format's own
//! matcher says ([`mcp_boundary_format::glob`]). ASCII case is ignored, as denies
//! do.

use mcp_boundary_format::glob::is_delimiter;

/// What `*` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stars {
    /// Any run of characters.
    Any,
    /// In resources: `*` stops where a part of a URI ends, `**` does not.
    Segments,
}

/// More pairs of entries than this are not compared for a warning. Lists of
/// thousands are written by programs, and each pair takes time.
const MAX_PAIRS: usize = 4_000_000;

/// Whether each of `some` entries can be held against each of `others`.
pub(super) fn comparable(some: usize, others: usize) -> bool {
    some.saturating_mul(others) <= MAX_PAIRS
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Literal(char),
    InSegment,
    Any,
}

/// Stands for what a star takes; no pattern has it.
const FILLER: Token = Token::Literal('\u{0}');

fn tokens(pattern: &str, stars: Stars) -> Vec<Token> {
    let mut tokens = Vec::new();
    let pattern = pattern.to_ascii_lowercase();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        tokens.push(match (character, stars) {
            ('*', Stars::Any) => Token::Any,
            ('*', Stars::Segments) if characters.next_if_eq(&'*').is_some() => Token::Any,
            ('*', Stars::Segments) => Token::InSegment,
            _ => Token::Literal(character),
        });
    }
    tokens
}

/// Whether some text matches both patterns.
pub(super) fn meet(one: &str, other: &str, stars: Stars) -> bool {
    starts_meet(one, other) && tokens_meet(&tokens(one, stars), &tokens(other, stars))
}

/// Most patterns are told apart by what stands before their first star.
fn starts_meet(one: &str, other: &str) -> bool {
    let starts = one.bytes().zip(other.bytes());
    let mut starts = starts.take_while(|(a, b)| *a != b'*' && *b != b'*');
    starts.all(|(a, b)| a.eq_ignore_ascii_case(&b))
}

/// Whether `outer` matches whatever `inner` does, tried with the least and
/// with several segments in place of each `**`.
pub(super) fn covers(outer: &str, inner: &str, stars: Stars) -> bool {
    if !starts_meet(outer, inner) {
        return false;
    }
    let slash = Token::Literal('/');
    let runs = [
        vec![FILLER],
        vec![FILLER, slash, FILLER],
        vec![FILLER, slash, FILLER, slash, FILLER],
    ];
    let outer = tokens(outer, stars);
    let inner = tokens(inner, stars);
    runs.iter().all(|run| {
        let filled = inner.iter().flat_map(|token| match token {
            Token::Any => run.clone(),
            Token::InSegment => vec![FILLER],
            Token::Literal(_) => vec![*token],
        });
        tokens_meet(&outer, &filled.collect::<Vec<_>>())
    })
}

/// Walks through both at once: a star of one takes what the other has next.
fn tokens_meet(one: &[Token], other: &[Token]) -> bool {
    let width = other.len().saturating_add(1);
    let place = |(a, b): (usize, usize)| a.saturating_mul(width).saturating_add(b);
    let mut seen = vec![false; one.len().saturating_add(1).saturating_mul(width)];
    let mut ways = vec![(0usize, 0usize)];
    while let Some((a, b)) = ways.pop() {
        match seen.get_mut(place((a, b))) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let (next_a, next_b) = (a.saturating_add(1), b.saturating_add(1));
        let takes = |star: Option<&Token>, literal: Option<&Token>| match (star, literal) {
            (Some(Token::Any), Some(Token::Literal(_))) => true,
            (Some(Token::InSegment), Some(Token::Literal(character))) => {
                u8::try_from(*character).map_or(true, |byte| !is_delimiter(byte))
            }
            _ => false,
        };
        let (first, second) = (one.get(a), other.get(b));
        match (first, second) {
            (None, None) => return true,
            (Some(Token::Literal(x)), Some(Token::Literal(y))) if x == y => {
                ways.push((next_a, next_b));
            }
            _ => {}
        }
        if matches!(first, Some(Token::Any | Token::InSegment)) {
            ways.push((next_a, b));
        }
        if matches!(second, Some(Token::Any | Token::InSegment)) {
            ways.push((a, next_b));
        }
        if takes(first, second) {
            ways.push((a, next_b));
        }
        if takes(second, first) {
            ways.push((next_a, b));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_meet() {
        for (one, other, expected) in [
            ("d:/x/**", "d:/x/*/**", true),
            ("d:/x/*", "d:/x/*/**", false),
            ("d:/x/a/b", "d:/x/*/**", true),
            ("d:/*/a/*", "d:/x/*/**", true),
            ("**", "d:/x/*/**", true),
            ("**.md", "d:/x/*/**", true),
            ("d:/y/**", "d:/x/*/**", false),
            ("d:/x*", "d:/*/y", false),
        ] {
            assert_eq!(meet(one, other, Stars::Segments), expected, "{one} {other}");
            assert_eq!(meet(other, one, Stars::Segments), expected, "{other} {one}");
        }
    }

    #[test]
    fn patterns_that_cover() {
        for (outer, inner, expected) in [
            ("d:/x/**", "d:/x/*/**", true),
            ("d:/**/*", "d:/x/*/**", true),
            ("d:/x/*", "d:/x/*/**", false),
            ("d:/x/*/*", "d:/x/*/**", false),
            ("d:/x/*/a", "d:/x/*/**", false),
        ] {
            assert_eq!(covers(outer, inner, Stars::Segments), expected, "{outer}");
        }
    }
}
