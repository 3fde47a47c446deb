//! A URI without the parts that may hold a secret.

use super::text::{MAX_SHOWN, Part, join};

/// `uri` without user information, query and fragment, escaped and cut; `…`
/// stands for each of them. It may be any text: parts are looked for wherever
/// some reader finds them, with backslashes for slashes and `@`, `?` and `#`
/// escaped however often, so that rather too much is left out than too little.
pub(crate) fn bare(uri: &str) -> String {
    let (path, rest) = split(uri, first(uri, b"?#").unwrap_or(uri.len()));
    let mut parts = Vec::new();
    let mut in_authority = true;
    for segment in path.split_inclusive(['/', '\\']) {
        let user = last(segment, b'@').filter(|at| in_authority && *at > 0);
        let (_, shown) = split(segment, user.unwrap_or(0));
        if user.is_some() {
            parts.push(Part::LeftOut);
        }
        parts.push(Part::Text(shown));
        // The authority is the first segment that is neither empty nor the
        // scheme.
        let name = segment
            .trim_end_matches(['/', '\\'])
            .trim_matches(|c: char| c.is_whitespace() || c.is_control());
        in_authority &= name.is_empty() || name.ends_with(':');
    }
    if !rest.is_empty() {
        if rest.starts_with(['?', '#']) {
            parts.push(Part::Text(split(rest, 1).0));
        }
        parts.push(Part::LeftOut);
    }
    join(&parts, MAX_SHOWN)
}

fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// Where one of `wanted` first stands.
fn first(text: &str, wanted: &[u8]) -> Option<usize> {
    places(text).find_map(|(at, byte)| wanted.contains(&byte).then_some(at))
}

/// Where `wanted` last stands.
fn last(text: &str, wanted: u8) -> Option<usize> {
    places(text)
        .filter_map(|(at, byte)| (byte == wanted).then_some(at))
        .last()
}

/// Every byte with its place; an escape is the byte it decodes to in the end.
fn places(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().map(|(at, byte)| {
        let rest = bytes.get(at..).unwrap_or_default();
        (at, decoded(rest).unwrap_or(*byte))
    })
}

/// The byte that an escape at the beginning of `text` stands for, also if its
/// `%` was escaped again (`%2540`).
fn decoded(text: &[u8]) -> Option<u8> {
    let mut rest = text.strip_prefix(b"%")?;
    while let Some(escaped) = rest.strip_prefix(b"25") {
        rest = escaped;
    }
    let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
    u8::try_from(digit(0)?.checked_mul(16)?.checked_add(digit(1)?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_a_secret_is_left_out() {
        for (uri, shown) in [
            ("file:///docs/a.md", "file:///docs/a.md"),
            ("github://PyGithub/x", "github://PyGithub/x"),
            ("npm://registry/@scope/pkg", "npm://registry/@scope/pkg"),
            (
                "mail://inbox/bob@example.com",
                "mail://inbox/bob@example.com",
            ),
            ("https://h/p?token=s3", "https://h/p?…"),
            ("https://h/p#s3", "https://h/p#…"),
            ("https://h/p%3Ftoken=s3", "https://h/p…"),
            ("https://h/p%252523s3", "https://h/p…"),
            ("https://user:s3@h/p", "https://…@h/p"),
            ("https://user:s3@h/p?s3#s3", "https://…@h/p?…"),
            ("https://a@b:s3@h/", "https://…@h/"),
            ("https://user:s3%40h/", "https://…%40h/"),
            ("https://user:s3%2540h/", "https://…%2540h/"),
            ("https:///user:s3@h/", "https:///…@h/"),
            ("https:\\\\user:s3@h\\p", "https:\\\\\\\\…@h\\\\p"),
            ("https:user:s3@h/", "…@h/"),
            ("user:s3@h/", "…@h/"),
            ("//user:s3@h/", "//…@h/"),
            (" //user:s3@h/", " //…@h/"),
            ("s3@h", "…@h"),
            ("@h", "@h"),
            ("?s3", "?…"),
            ("x://h/{?s3}", "x://h/{?…"),
            ("100%", "100%"),
            ("", ""),
        ] {
            assert_eq!(bare(uri), shown, "{uri:?}");
        }
        assert_eq!(bare(&"x".repeat(200)), format!("{}…", "x".repeat(128)));
    }
}
