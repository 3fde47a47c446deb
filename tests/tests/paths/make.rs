//! Paths and hosts made by changing those of a policy.

use fastrand::Rng;

const PIECES: &[&str] = &[
    "/",
    "//",
    "/./",
    "/../",
    "/x/../",
    "/..",
    "/.",
    "/x",
    "/admin",
    ";",
    ";x=1",
    ";%2f",
    "%2f",
    "%2F",
    "%252f",
    "%5c",
    "\\",
    "%2e",
    "%2E%2E",
    "%2e%2e/",
    ".json",
    ".",
    ":x",
    "~",
    "%00",
    "%20",
    "%09",
    "%3f",
    "%23",
    "%3B",
    "%25",
    "%40",
    "%3A",
    "%2B",
    "@",
    "+",
    "!",
    "'",
    "(",
    ")",
    "*",
    ",",
    "=",
    "&",
    "$",
    "_",
    "-",
    "x",
    "2",
    "%C3%A9",
    "%c3%a9",
    "%E9",
    "%7E",
    "?",
    "?x=/../y",
    "#",
    "|",
    "^",
    "[",
    "%5B",
    "{",
    "%E2%84%AA",
    "%EF%BC%8F",
    "%u002f",
    "%",
    " ",
];
/// Those that leave most paths normal.
const MILD: &[&str] = &[
    "/x", "/admin", "/MCP", ".json", ":x", "~", "%20", "%40", "%3A", "%2B", "@", "+", "(", "_",
    "-", "x", "2", "%C3%A9", "/", ".", "?q", "%28", "=", "'", "%27",
];

/// A path near or far from `base`, seldom the same.
pub(crate) fn path(base: &str, rng: &mut Rng) -> String {
    let mut path = base.to_owned();
    let mild = rng.u8(..3) > 0;
    for _ in 0..rng.usize(1..4) {
        path = change(&path, mild, rng);
    }
    path
}

fn change(path: &str, mild: bool, rng: &mut Rng) -> String {
    let pieces = if mild { MILD } else { PIECES };
    let mut text: Vec<char> = path.chars().collect();
    let at = rng.usize(..=text.len());
    match rng.u8(..if mild { 6 } else { 9 }) {
        // At the end, where most servers are lax.
        0 | 1 => format!("{path}{}", rng.choice(pieces).expect("some")),
        2 => {
            let flip = |c: &char| match c.is_ascii_lowercase() {
                true => c.to_ascii_uppercase(),
                false => c.to_ascii_lowercase(),
            };
            match rng.bool() {
                true => text.iter().map(flip).collect(),
                false => {
                    if let Some(c) = text.get_mut(at) {
                        *c = flip(c);
                    }
                    text.into_iter().collect()
                }
            }
        }
        3 => {
            text.splice(at..at, rng.choice(pieces).expect("some").chars());
            text.into_iter().collect()
        }
        4 => match rng.u8(..3) {
            0 => path.replace('@', "%40").replace(':', "%3A"),
            1 => path
                .replace("%40", "@")
                .replace("%3A", ":")
                .replace("%2F", "/"),
            _ => format!("/x{path}"),
        },
        5 => {
            // A neighbour: the path cut short, and another word.
            let cut: String = text.into_iter().take(at.max(1)).collect();
            format!(
                "{cut}{}",
                rng.choice(["x", "-x", "/other", "s", ".x"]).expect("some")
            )
        }
        6 => {
            if let Some(c) = text.get(at).copied().filter(char::is_ascii) {
                let escape = match rng.u8(..3) {
                    0 => format!("%{:02X}", u32::from(c)),
                    1 => format!("%{:02x}", u32::from(c)),
                    _ => format!("%25{:02X}", u32::from(c)),
                };
                text.splice(at..=at, escape.chars());
            }
            text.into_iter().collect()
        }
        7 => {
            if at < text.len() {
                text.remove(at);
            }
            text.into_iter().collect()
        }
        _ => {
            let before = [
                "//a",
                "/\\a",
                "/a%3f/..",
                "/a%2fb/..",
                "/x/..;",
                "/x/..",
                "/%2e",
                "http://a",
            ];
            format!("{}{path}", rng.choice(before).expect("some"))
        }
    }
}

const HOST_PIECES: &[&str] = &[
    ".", "..", ":", ":80", ":0", ":65536", ":080", "@", "u@", "u:p@", "%2e", "0", "0x", "x", "1",
    "-", "_", "/", "\\", "?", "#", " ", ",", "[", "]", ":0", "::", "A", "f", "xn--", "\u{e9}",
    "\u{3002}", "\u{ff0e}", "\t", "%00", "ffff:",
];

/// A host with or without a port, of one that a policy names.
pub(crate) fn host(base: &str, rng: &mut Rng) -> String {
    let mut text: Vec<char> = base.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..=text.len());
        match rng.u8(..5) {
            0 => text.extend(rng.choice(HOST_PIECES).expect("some").chars()),
            1 | 2 => drop(text.splice(at..at, rng.choice(HOST_PIECES).expect("some").chars())),
            3 if at < text.len() => drop(text.remove(at)),
            4 => text.extend(format!(":{}", rng.u32(..70_000)).chars()),
            _ => {
                for c in &mut text {
                    *c = c.to_ascii_uppercase();
                }
            }
        }
    }
    text.into_iter().collect()
}
