//! The grammar of paths, for blob, compiler and filter alike. Contract section 3.
//!
//! A white-list: what servers read in different ways is not modelled but left
//! out. One predicate for requests, two narrower and wider ones for policies.

use std::borrow::Cow;

/// Characters that stand for themselves, beside letters and digits.
const PLAIN: &[u8] = b"-._~!$&'()*+,=:@";
/// Those of them that clients escape all the same (`encodeURIComponent`).
const OPTIONAL: &[u8] = b"!$&'()*+,:=@";
/// What no escape may stand for, beside controls.
const FORBIDDEN: &[u8] = b"/\\;?#%";

/// Why a path is not in normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFault {
    /// It does not begin with `/`.
    NotAbsolute,
    /// `//`.
    EmptySegment,
    /// `.` or `..` as a segment.
    DotSegment,
    /// `;`.
    Parameter,
    /// A character that needs an escape, or that no path has.
    Character,
    /// `%` without two hexadecimal digits.
    BrokenEscape,
    /// An escape of a letter, a digit, or of `- . _ ~`.
    NeedlessEscape,
    /// An escape of `/ \ ; ? # %` or of a control character.
    ForbiddenEscape,
    /// An escape in lower-case hexadecimal digits.
    LowerCaseEscape,
    /// Escapes that are not UTF-8.
    NotUtf8,
}

impl PathFault {
    /// What is wrong, to follow "the path has" or the like.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAbsolute => "no `/` at its beginning",
            Self::EmptySegment => "an empty segment (`//`)",
            Self::DotSegment => "a `.` or `..` segment",
            Self::Parameter => "a `;`",
            Self::Character => "a character that a path cannot hold unescaped",
            Self::BrokenEscape => "a `%` without two hexadecimal digits after it",
            Self::NeedlessEscape => "an escape of a letter, a digit or one of `- . _ ~`",
            Self::ForbiddenEscape => {
                "an escaped slash, backslash, `;`, `?`, `#`, `%` or control character"
            }
            Self::LowerCaseEscape => "an escape in lower-case digits",
            Self::NotUtf8 => "escapes that are not UTF-8",
        }
    }
}

/// Why a request's path (without query) is not in normal form; none if it is.
///
/// Normal paths may hold escapes of `! $ & ' ( ) * + , : = @`: whether these
/// are legal depends on what the path without them selects.
pub fn path_fault(path: &[u8]) -> Option<PathFault> {
    fault(path, false)
}

/// Whether a path is in normal form and holds no escape that could be left
/// out: the form of prefixes.
pub fn is_plain_path(path: &[u8]) -> bool {
    path_fault(path).is_none() && matches!(decode_optional(path), Cow::Borrowed(_))
}

/// Why a policy's exact path cannot be compared byte for byte; none if it can.
/// As for normal ones, but with any escapes.
pub fn exact_path_fault(path: &[u8]) -> Option<PathFault> {
    fault(path, true)
}

/// The path with every escape decoded, once; broken ones stay.
pub fn decode_path(path: &[u8]) -> Cow<'_, [u8]> {
    decode(path, |_| true)
}

/// The path with those escapes decoded that it could do without.
pub fn decode_optional(path: &[u8]) -> Cow<'_, [u8]> {
    decode(path, |byte| OPTIONAL.contains(&byte))
}

fn fault(path: &[u8], any_escape: bool) -> Option<PathFault> {
    let Some(rest) = path.strip_prefix(b"/") else {
        return Some(PathFault::NotAbsolute);
    };
    let mut segments = rest.split(|byte| *byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            b"." | b".." => return Some(PathFault::DotSegment),
            b"" if segments.peek().is_some() => return Some(PathFault::EmptySegment),
            b"" => {}
            _ if any_escape => {}
            // Some servers drop blanks at the ends of names.
            _ => match decode_path(segment).trim_ascii() {
                b"" => return Some(PathFault::EmptySegment),
                b"." | b".." => return Some(PathFault::DotSegment),
                _ => {}
            },
        }
    }
    if let Some(fault) = units(path).find_map(|unit| unit.fault(any_escape)) {
        return Some(fault);
    }
    if any_escape {
        return None;
    }
    match std::str::from_utf8(&decode_path(path)) {
        Err(_) => Some(PathFault::NotUtf8),
        // Those beyond ASCII too.
        Ok(text) if text.chars().any(char::is_control) => Some(PathFault::ForbiddenEscape),
        Ok(_) => None,
    }
}

/// A character or an escape.
enum Unit {
    Plain(u8),
    Escape { byte: u8, digits: [u8; 2] },
    Broken,
}

impl Unit {
    fn fault(&self, any_escape: bool) -> Option<PathFault> {
        match *self {
            Self::Plain(b'/') => None,
            Self::Plain(b';') => Some(PathFault::Parameter),
            Self::Plain(byte) if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) => None,
            Self::Plain(_) => Some(PathFault::Character),
            Self::Broken => Some(PathFault::BrokenEscape),
            Self::Escape { .. } if any_escape => None,
            Self::Escape { byte, digits } => {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    Some(PathFault::NeedlessEscape)
                } else if FORBIDDEN.contains(&byte) || byte.is_ascii_control() {
                    Some(PathFault::ForbiddenEscape)
                } else if digits.iter().any(u8::is_ascii_lowercase) {
                    Some(PathFault::LowerCaseEscape)
                } else {
                    None
                }
            }
        }
    }
}

fn units(path: &[u8]) -> impl Iterator<Item = Unit> {
    let mut rest = path;
    std::iter::from_fn(move || {
        let (first, tail) = rest.split_first()?;
        rest = tail;
        if *first != b'%' {
            return Some(Unit::Plain(*first));
        }
        let escape = tail.split_first_chunk::<2>().and_then(|(digits, tail)| {
            let [high, low] = digits.map(hex);
            let byte = high? << 4 | low?;
            let digits = *digits;
            Some((Unit::Escape { byte, digits }, tail))
        });
        let Some((escape, tail)) = escape else {
            return Some(Unit::Broken);
        };
        rest = tail;
        Some(escape)
    })
}

fn decode(path: &[u8], wanted: impl Fn(u8) -> bool) -> Cow<'_, [u8]> {
    let any = |unit| matches!(unit, Unit::Escape { byte, .. } if wanted(byte));
    if !path.contains(&b'%') || !units(path).any(any) {
        return Cow::Borrowed(path);
    }
    let mut decoded = Vec::with_capacity(path.len());
    for unit in units(path) {
        match unit {
            Unit::Plain(byte) => decoded.push(byte),
            Unit::Escape { byte, .. } if wanted(byte) => decoded.push(byte),
            Unit::Escape { digits, .. } => {
                decoded.push(b'%');
                decoded.extend(digits);
            }
            Unit::Broken => decoded.push(b'%'),
        }
    }
    Cow::Owned(decoded)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_paths() {
        for path in [
            "/",
            "/a",
            "/a/",
            "/a/b",
            "/a%20b",
            "/..a",
            "/a...",
            "/-._~!$&'()*+,=:@",
            "/%40scope",
            "/%21%24%26%27%28%29%2A%2B%2C%3A%3D",
            "/caf%C3%A9",
            "/%5Bx%5D%7B%7C%7D%5E%60%22%3C%3E",
        ] {
            assert_eq!(path_fault(path.as_bytes()), None, "{path}");
        }
        for (path, fault) in [
            ("", PathFault::NotAbsolute),
            ("a", PathFault::NotAbsolute),
            ("*", PathFault::NotAbsolute),
            ("http://a/mcp", PathFault::NotAbsolute),
            ("//", PathFault::EmptySegment),
            ("/a//b", PathFault::EmptySegment),
            ("//a/mcp", PathFault::EmptySegment),
            ("/./a", PathFault::DotSegment),
            ("/a/..", PathFault::DotSegment),
            ("/x/..%20/mcp", PathFault::DotSegment),
            ("/x/%20.", PathFault::DotSegment),
            ("/%20/mcp", PathFault::EmptySegment),
            ("/%20", PathFault::EmptySegment),
            ("/mcp;x", PathFault::Parameter),
            ("/mcp/;/..", PathFault::DotSegment),
            ("/a\\b", PathFault::Character),
            ("/a?b", PathFault::Character),
            ("/a#b", PathFault::Character),
            ("/a b", PathFault::Character),
            ("/a[b]", PathFault::Character),
            ("/a|b", PathFault::Character),
            ("/ä", PathFault::Character),
            ("/%", PathFault::BrokenEscape),
            ("/%2", PathFault::BrokenEscape),
            ("/%zz", PathFault::BrokenEscape),
            ("/%u002f", PathFault::BrokenEscape),
            ("/%61", PathFault::NeedlessEscape),
            ("/%2d", PathFault::NeedlessEscape),
            ("/%7E", PathFault::NeedlessEscape),
            ("/%2f", PathFault::ForbiddenEscape),
            ("/%5C", PathFault::ForbiddenEscape),
            ("/%3B", PathFault::ForbiddenEscape),
            ("/%3F", PathFault::ForbiddenEscape),
            ("/%23", PathFault::ForbiddenEscape),
            ("/%25", PathFault::ForbiddenEscape),
            ("/%00", PathFault::ForbiddenEscape),
            ("/x%0A", PathFault::ForbiddenEscape),
            ("/%7F", PathFault::ForbiddenEscape),
            ("/%C2%85", PathFault::ForbiddenEscape),
            ("/caf%c3%a9", PathFault::LowerCaseEscape),
            ("/%3a", PathFault::LowerCaseEscape),
            ("/%C3", PathFault::NotUtf8),
            ("/%C0%AE", PathFault::NotUtf8),
            ("/%ED%A0%80", PathFault::NotUtf8),
        ] {
            assert_eq!(path_fault(path.as_bytes()), Some(fault), "{path}");
            assert!(!fault.as_str().is_empty());
        }
    }

    #[test]
    fn policies_write_prefixes_plainly_and_exact_paths_with_any_escape() {
        for path in ["/", "/a%20b", "/s/@scope", "/caf%C3%A9"] {
            assert!(is_plain_path(path.as_bytes()), "{path}");
        }
        for path in ["/s/%40scope", "/a%2Fb", "/a;b", "/%61"] {
            assert!(!is_plain_path(path.as_bytes()), "{path}");
        }
        for path in [
            "/s/%40scope",
            "/a%2Fb",
            "/a%2fb",
            "/%61",
            "/runtimes/arn%3Aaws%3Abedrock%2Fname/invocations",
        ] {
            assert_eq!(exact_path_fault(path.as_bytes()), None, "{path}");
        }
        for path in ["", "a", "//a", "/a/../b", "/a;b", "/%", "/a b", "/ä"] {
            assert!(exact_path_fault(path.as_bytes()).is_some(), "{path}");
        }
    }

    #[test]
    fn decoding_is_done_once() {
        for (path, all, optional) in [
            ("/a", "/a", "/a"),
            ("/%40a%20b%2F", "/@a b/", "/@a%20b%2F"),
            ("/%2540", "/%40", "/%2540"),
            ("/%4%zz%", "/%4%zz%", "/%4%zz%"),
        ] {
            assert_eq!(&*decode_path(path.as_bytes()), all.as_bytes());
            assert_eq!(&*decode_optional(path.as_bytes()), optional.as_bytes());
        }
    }
}
