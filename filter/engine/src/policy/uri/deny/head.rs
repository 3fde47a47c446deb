//! What tells most patterns from a text before either is read: nearly every
//! deny differs from a URI in its scheme, its host or its first segments.

use super::super::authority::Authority;

/// The literal text that a pattern begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    /// None if there is a star in it: then it may be anything.
    scheme: Option<&'a [u8]>,
    /// What follows the scheme and its slashes, up to the first star, escape
    /// or run of slashes, for which one in the text may stand; without a final
    /// slash, for which none may.
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    pub(super) fn of(pattern: &'a [u8]) -> Self {
        let star = pattern.iter().position(|byte| *byte == b'*');
        let literal = pattern.get(..star.unwrap_or(pattern.len()));
        let Some((scheme, rest)) = literal.and_then(parts) else {
            return Self {
                scheme: None,
                rest: b"",
            };
        };
        let escape = rest.iter().position(|byte| *byte == b'%');
        let run = rest.windows(2).position(|two| two == b"//");
        let end = escape.into_iter().chain(run).min();
        let rest = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        Self {
            scheme: Some(scheme),
            rest: rest.strip_suffix(b"/").unwrap_or(rest),
        }
    }

    /// Whether a text may match a pattern with this head; `plain` is the
    /// text's own, see [`plain`].
    pub(super) fn may_begin(self, text: &[u8], plain: usize) -> bool {
        let (Some(wanted), Some((scheme, rest))) = (self.scheme, parts(text)) else {
            return true;
        };
        let begin = text.len().saturating_sub(rest.len());
        let rest = rest.get(..plain.saturating_sub(begin)).unwrap_or_default();
        let mut pairs = self.rest.iter().zip(rest);
        wanted.eq_ignore_ascii_case(scheme) && pairs.all(|(a, b)| a.eq_ignore_ascii_case(b))
    }
}

/// How much of a text, in bytes, is the same in every reading of it, slashes
/// behind the scheme aside: up to what may be left out, or where that begins.
pub(super) fn plain(text: &[u8], authority: Option<Authority>, idle: &[bool]) -> usize {
    let user = authority.map_or(0..0, |authority| authority.user(text));
    let Some((_, rest)) = parts(text).filter(|_| user.is_empty()) else {
        return 0;
    };
    let begin = text.len().saturating_sub(rest.len());
    let idle = idle.iter().skip(begin);
    let changes = |(byte, idle): (&u8, &bool)| *idle || matches!(byte, b';' | b':' | b'?' | b'#');
    let length = rest.iter().zip(idle).position(changes);
    begin.saturating_add(length.unwrap_or(rest.len()))
}

/// The scheme, and what follows it and its slashes.
fn parts(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    let (scheme, rest) = text.split_at_checked(colon)?;
    let mut rest = rest.get(1..)?;
    while let Some(tail) = rest.strip_prefix(b"/") {
        rest = tail;
    }
    Some((scheme, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_match_is_seen_at_once() {
        let may = |pattern: &str, text: &str| {
            let authority = Authority::find(text.as_bytes());
            let plain = plain(text.as_bytes(), authority, &vec![false; text.len()]);
            Head::of(pattern.as_bytes()).may_begin(text.as_bytes(), plain)
        };
        for (pattern, text) in [
            ("docs://a/x", "docs://a/x"),
            ("docs://a/x", "docs:/A/x"),
            ("docs://a*", "docs://ab"),
            ("docs://a%20b", "docs://a b"),
            ("**/x", "docs://a/x"),
            ("d*://a", "docs://b"),
            ("docs://b", "docs://a@b"),
            ("docs://b/x", "docs://b:1/x"),
            ("docs://b", "docs://b;c"),
            ("docs://b/c/", "docs://b/c"),
            ("docs://b//c", "docs://b/c"),
        ] {
            assert!(may(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("docs://a/x", "file://a/x"),
            ("docs://a/x", "docs://b/x"),
            ("docs:a*", "docs:bc"),
            ("docs://h/a/b1", "docs://h/a/b2"),
        ] {
            assert!(!may(pattern, text), "{pattern} {text}");
        }
    }
}
