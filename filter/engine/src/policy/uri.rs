//! Whether a resource URI has one meaning. Contract section 10, "URIs".
//!
//! Servers hand URIs to readers that repair them: a WHATWG reader drops
//! default ports, adds slashes and maps hosts; others decode escapes, once or
//! more often. No list of such repairs is complete, so this is a white-list:
//! what every known reader leaves as it is. What they still do to such a URI
//! (decode it, drop its port, its fragment and the like) is for
//! [`deny::Spellings`].
//!
//! # Trust boundary
//!
//! A URI without a fault is ASCII, has a scheme, and at no level of decoding a
//! dot segment, a backslash, a control character or a slash that was escaped.

mod authority;
mod decode;
pub(crate) mod deny;
mod template;

use std::ops::Range;

use authority::Authority;
pub use authority::UriFault;
use template::without_expressions;

/// The first thing that keeps a URI from being canonical.
pub fn uri_fault(uri: &str) -> Option<UriFault> {
    check(uri).err()
}

/// The same of a URI template, of which each expression stands for a value.
pub fn template_fault(template: &str) -> Option<UriFault> {
    check(&without_expressions(template, "x")).err()
}

/// The bytes of a URI's user information, with its `@`.
pub(crate) fn user_information(uri: &str) -> Range<usize> {
    let uri = uri.as_bytes();
    Authority::find(uri).map_or(0..0, |authority| authority.user(uri))
}

fn check(uri: &str) -> Result<(), UriFault> {
    let (scheme, rest) = scheme(uri)?;
    characters(uri)?;
    match scheme {
        "http" | "https" | "ws" | "wss" | "ftp" => network(scheme, rest)?,
        "file" => file(rest)?,
        _ => other(rest)?,
    }
    let levels = decode::levels(uri.as_bytes());
    if levels.too_deep {
        return Err("changes at each of five decodings: escape it once");
    }
    for level in &levels.texts {
        if slashes(level) > slashes(uri.as_bytes()) || has_hidden(level) {
            return Err(
                "escapes a slash, a backslash or a control character: leave it out, or write `/` where it is one",
            );
        }
        if has_dot_segment(level) {
            return Err("has a dot segment: write the URI without it");
        }
        if let Some(authority) = Authority::find(level) {
            authority.check_brackets(level)?;
        }
        if scheme == "file" && level.contains(&b'|') {
            return Err("has a `|`, which may stand for the `:` of a drive: write `:`");
        }
    }
    Ok(())
}

fn slashes(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'/').count()
}

/// RFC 3986 section 3.1.
fn scheme(uri: &str) -> Result<(&str, &str), UriFault> {
    let (scheme, rest) = uri.split_once(':').unwrap_or_default();
    let mut bytes = scheme.bytes();
    if !bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        || !bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return Err("has no scheme: begin it with one, such as `file:///`");
    }
    match scheme.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Err("has capitals in its scheme: write it in lower case"),
        false => Ok((scheme, rest)),
    }
}

/// RFC 3986 section 2.
fn characters(uri: &str) -> Result<(), UriFault> {
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let (high, low) = (bytes.next(), bytes.next());
                let Some(escaped) = decode::byte(high, low) else {
                    return Err("has a `%` that begins no escape: write `%25` for the character");
                };
                if high.is_some_and(|digit| digit.is_ascii_lowercase())
                    || low.is_some_and(|digit| digit.is_ascii_lowercase())
                {
                    return Err("has an escape in lower case: write its letters as capitals");
                }
                if escaped.is_ascii_alphanumeric() || b"-._~".contains(&escaped) {
                    return Err(
                        "escapes a character that needs none: write the character (a `.` so written must not make a dot segment)",
                    );
                }
            }
            b'\\' => return Err("has a backslash: write `/`"),
            b' ' => return Err("has a blank: write `%20`"),
            _ if byte.is_ascii_control() => return Err("has a control character: leave it out"),
            _ if !byte.is_ascii() => {
                return Err(
                    "has characters beyond ASCII: write them as escapes; a host in ASCII, or as punycode",
                );
            }
            _ if !byte.is_ascii_alphanumeric() && !b"-._~:/?#[]@!$&'()*+,;=".contains(&byte) => {
                return Err(
                    "has a character that RFC 3986 wants escaped: write `%` and its hexadecimal digits",
                );
            }
            _ => {}
        }
    }
    match uri.bytes().filter(|byte| *byte == b'#').count() {
        0 | 1 => Ok(()),
        _ => Err("has a second `#`: write `%23`"),
    }
}

/// A URI of the schemes that WHATWG calls special, but `file`.
fn network(scheme: &str, rest: &str) -> Result<(), UriFault> {
    let Some(rest) = rest.strip_prefix("//") else {
        return Err("has no `//` and host after its scheme: write both");
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or_default();
    authority::check_network(scheme, authority)?;
    if !path.starts_with('/') {
        return Err("has no path: write the final `/`, as in `https://example.com/`");
    }
    path_and_query(path)
}

fn file(rest: &str) -> Result<(), UriFault> {
    match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path_and_query(path),
        _ => Err("is not `file:///` and a path: leave out the host, write three slashes"),
    }
}

/// What WHATWG readers change only under the special schemes.
fn path_and_query(rest: &str) -> Result<(), UriFault> {
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if path.contains("//") {
        return Err("has an empty segment: write one `/`");
    }
    if query.contains('\'') {
        return Err("has a `'` in its query: write `%27`");
    }
    Ok(())
}

fn other(rest: &str) -> Result<(), UriFault> {
    match rest.strip_prefix("//") {
        Some(rest) => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            authority::check_other(authority)
        }
        None => Ok(()),
    }
}

/// Control characters, also of the second set, and backslashes.
fn has_hidden(level: &[u8]) -> bool {
    let mut before = 0;
    level.iter().any(|byte| {
        let second_set = before == 0xc2 && (0x80..0xa0).contains(byte);
        before = *byte;
        byte.is_ascii_control() || *byte == b'\\' || second_set
    })
}

/// `.` or `..` between slashes, also where the query or a parameter cuts them
/// off, with blanks behind, or as the host. Queries count: who takes a URI for
/// a path without cutting it resolves them too.
fn has_dot_segment(level: &[u8]) -> bool {
    let is_dots = |text: &[u8]| matches!(text.trim_ascii_end(), b"." | b"..");
    let rest = level.splitn(2, |byte| *byte == b':').nth(1);
    let host = Authority::find(level).is_some_and(|authority| is_dots(authority.host(level)));
    let mut segments = rest.unwrap_or_default().split(|byte| *byte == b'/');
    let cut = |segment: &[u8], ends: &[u8]| {
        let mut parts = segment.split(|byte| ends.contains(byte));
        is_dots(parts.next().unwrap_or_default())
    };
    host || segments.any(|segment| cut(segment, b"") || cut(segment, b"?#") || cut(segment, b"?#;"))
}

#[cfg(test)]
mod tests;
