//! Resource URIs near denied ones, and what servers make of a URI.

mod real;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use fastrand::Rng;

pub use real::{NOT_CANONICAL, REAL};

/// What the policy of the property denies. Contract section 10.
pub const DENIED: &[&str] = &[
    "https://internal.example/**",
    "https://h.example:8443/admin/*",
    "https://h.example/secret",
    "http://192.0.2.1/**",
    "http://[2001:db8::1]/**",
    "file:///private/**",
    "file:///docs/caf%C3%A9.md",
    "file:///docs/plan(secret).md",
    "docs://h/secret/**",
    "docs://h/x",
    "docs:passwd",
    "docs:///a/*.key",
    "github://org/repo/keys",
    "urn:secret:*",
    "s3://b//k",
];

/// A URI that is one of the denied or changed from it at random.
pub fn near(rng: &mut Rng) -> String {
    let pattern = DENIED[rng.usize(..DENIED.len())];
    let fill = ["plan", "a/b", "", "k.key", "..", "a%20b"];
    let mut uri = pattern
        .replace("**", fill[rng.usize(..fill.len())])
        .replace('*', ["id", "k", ""][rng.usize(..3)]);
    for _ in 0..rng.usize(..4) {
        uri = changed(&uri, rng);
    }
    uri
}

/// What is put in somewhere.
const PIECES: [&str; 50] = [
    "/", "//", ".", "..", "/../", "/./", ";", ";x=1", "..;", "#", "#x", "?", "?a=b", "?a'b", "%",
    "%2F", "%2E", "%252E", "%2e", "%20", "%09", "%00", "%0A", "%5C", "%28", "%2528", "%25", "%3F",
    "%23", "%3B", "%40", "%3A", "%7C", "@", "u@", "u:p@", ":", ":443", ":80", ":8443", ":0443",
    " ", "\u{9}", "\\", "\u{e9}", "\u{ff49}", "\u{3002}", "|", "%C3%A9", "%2A",
];

fn changed(uri: &str, rng: &mut Rng) -> String {
    let places: Vec<usize> = uri
        .char_indices()
        .map(|(at, _)| at)
        .chain([uri.len()])
        .collect();
    let at = places[rng.usize(..places.len())];
    let (before, after) = uri.split_at(at);
    let piece = PIECES[rng.usize(..PIECES.len())];
    let first = after.chars().next();
    let tail = first.map_or("", |c| &after[c.len_utf8()..]);
    match rng.u8(..14) {
        // Anywhere, then where authorities, paths and hosts end.
        0..=2 => format!("{before}{piece}{after}"),
        3 => format!("{uri}{piece}"),
        4 => uri.replacen("://", &format!("://{piece}"), 1),
        5 => match uri.split_once("://").and_then(|(scheme, rest)| {
            let (host, path) = rest.split_once('/')?;
            Some(format!("{scheme}://{host}{piece}/{path}"))
        }) {
            Some(made) => made,
            None => format!("{uri}{piece}"),
        },
        // One character escaped, as it is read at any level.
        6..=8 => {
            let bytes = first.map(|c| c.to_string()).unwrap_or_default();
            let more = "25".repeat(rng.usize(..5));
            let escaped: String = bytes
                .bytes()
                .map(|byte| format!("%{more}{byte:02X}"))
                .collect();
            format!("{before}{escaped}{tail}")
        }
        9 => uri.replace('%', "%25"),
        10 => {
            let upper = first.map(|c| c.to_ascii_uppercase().to_string());
            format!("{before}{}{tail}", upper.unwrap_or_default())
        }
        11 => uri.replacen(
            "://",
            [":", ":/", ":///", "://localhost/", ":////"][rng.usize(..5)],
            1,
        ),
        12 => decoded(uri),
        _ => format!("{before}{tail}"),
    }
}

/// `text` with its escapes decoded once; what is no UTF-8 then is replaced.
pub fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What servers make of a URI: parts left out, then decoded, and the other way
/// round; each a reader that exists somewhere.
pub fn forms(uri: &str) -> BTreeSet<String> {
    let readers: [fn(&str) -> String; 12] = [
        |uri| uri.to_owned(),
        |uri| cut(uri, &['#']),
        |uri| cut(uri, &['#', '?']),
        without_user,
        without_port,
        |uri| without_port(&without_user(uri)),
        |uri| collapsed(&cut(uri, &['#', '?'])),
        |uri| trimmed(&cut(uri, &['#', '?'])),
        |uri| cut(uri, &['#', '?']).trim_end_matches('/').to_owned(),
        without_parameters,
        resolved,
        |uri| {
            resolved(&collapsed(&trimmed(&without_port(&without_user(&cut(
                uri,
                &['#', '?'],
            ))))))
        },
    ];
    let mut made = BTreeSet::new();
    let mut text = uri.to_owned();
    for _ in 0..4 {
        let first: BTreeSet<String> = readers.iter().map(|reader| reader(&text)).collect();
        for form in &first {
            let form = decoded(form);
            made.extend(readers.iter().skip(1).map(|reader| reader(&form)));
        }
        made.extend(first);
        let next = decoded(&text);
        if next == text {
            break;
        }
        text = next;
    }
    made
}

fn cut(uri: &str, at: &[char]) -> String {
    uri.split(at).next().unwrap_or_default().to_owned()
}

/// What stands before the authority, the authority, and the rest.
fn parts(uri: &str) -> Option<(&str, &str, &str)> {
    let start = uri.find(':')? + 3;
    uri.get(start - 3..start).filter(|begin| *begin == "://")?;
    let end = uri[start..]
        .find(['/', '?', '#'])
        .map_or(uri.len(), |at| start + at);
    Some((&uri[..start], &uri[start..end], &uri[end..]))
}

fn without_user(uri: &str) -> String {
    let Some((before, authority, after)) = parts(uri) else {
        return uri.to_owned();
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{before}{host}{after}")
}

fn without_port(uri: &str) -> String {
    let Some((before, authority, after)) = parts(uri) else {
        return uri.to_owned();
    };
    let (user, host) = authority
        .rsplit_once('@')
        .map_or(("", authority), |(user, host)| {
            (&authority[..=user.len()], host)
        });
    let end = host.find(']').unwrap_or(0);
    let host = host[end..].find(':').map_or(host, |at| &host[..end + at]);
    format!("{before}{user}{host}{after}")
}

/// Runs of `/` as one, in the path.
fn collapsed(uri: &str) -> String {
    let (before, mut path) = match parts(uri) {
        Some((before, authority, path)) => (format!("{before}{authority}"), path.to_owned()),
        None => (String::new(), uri.to_owned()),
    };
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    format!("{before}{path}")
}

/// Without the dots and blanks that end a segment, as Windows opens files.
fn trimmed(uri: &str) -> String {
    let (scheme, rest) = uri.split_once('/').unwrap_or((uri, ""));
    let segments = rest
        .split('/')
        .map(|segment| segment.trim_end_matches(['.', ' ']));
    let rest = segments.collect::<Vec<_>>().join("/");
    if uri.contains('/') {
        format!("{scheme}/{rest}")
    } else {
        uri.to_owned()
    }
}

/// Without what follows a `;` in each segment, as Java's servers do.
fn without_parameters(uri: &str) -> String {
    let uri = cut(uri, &['#', '?']);
    let (scheme, rest) = uri.split_once('/').unwrap_or((&uri, ""));
    let segments = rest.split('/').map(|segment| cut(segment, &[';']));
    let rest = segments.collect::<Vec<_>>().join("/");
    if uri.contains('/') {
        format!("{scheme}/{rest}")
    } else {
        uri.clone()
    }
}

/// Dot segments resolved, also where a query stands before them.
fn resolved(uri: &str) -> String {
    let (before, path) = match parts(uri) {
        Some((before, authority, path)) => (format!("{before}{authority}"), path.to_owned()),
        None => match uri.split_once(':') {
            Some((scheme, path)) => (format!("{scheme}:"), path.to_owned()),
            None => return uri.to_owned(),
        },
    };
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." if kept.len() > 1 || kept.first().is_some_and(|first| !first.is_empty()) => {
                kept.pop();
            }
            ".." => {}
            segment => kept.push(segment),
        }
    }
    format!("{before}{}", kept.join("/"))
}

/// The pattern of [`DENIED`] that means `uri`, by the plain definition: case
/// aside, `*` any run without `/`, `**` any run, as written or decoded.
pub fn denied_by(uri: &str) -> Option<&'static str> {
    static PATTERNS: OnceLock<Vec<(&str, Vec<char>)>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| {
        let folded = |text: String| text.to_lowercase().chars().collect();
        let starred = |text: String| text.replace('*', &STAR.to_string());
        // `%2A` decodes to no star.
        let both = |pattern: &&'static str| {
            let written = starred((*pattern).to_owned());
            let decoded = decoded(&written);
            [(*pattern, folded(written)), (*pattern, folded(decoded))]
        };
        DENIED.iter().flat_map(both).collect()
    });
    let text: Vec<char> = uri.to_lowercase().chars().collect();
    let mut patterns = patterns.iter();
    let found = patterns.find(|(_, pattern)| by_definition(pattern, &text, STAR));
    found.map(|(pattern, _)| *pattern)
}

/// Stands for `*`, which a text may hold.
const STAR: char = '\u{1}';

fn by_definition(pattern: &[char], text: &[char], star: char) -> bool {
    let (stop, rest) = match pattern {
        [] => return text.is_empty(),
        [a, b, rest @ ..] if *a == star && *b == star => (false, rest),
        [a, rest @ ..] if *a == star => (true, rest),
        [first, rest @ ..] => {
            return text
                .split_first()
                .is_some_and(|(c, tail)| c == first && by_definition(rest, tail, star));
        }
    };
    for taken in 0..=text.len() {
        if stop && taken > 0 && text[taken - 1] == '/' {
            return false;
        }
        if by_definition(rest, &text[taken..], star) {
            return true;
        }
    }
    false
}
