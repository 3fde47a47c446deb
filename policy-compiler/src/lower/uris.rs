//! Patterns of resource URIs. Contract section 10.
//!
//! Only canonical URIs reach the rules, so a pattern that matches none of
//! them says something and does nothing: a deny in the wrong form would hold
//! nobody. Whether a pattern can match one is found by trying: each star is
//! replaced by what may stand there.

mod canonical;

use mcp_boundary_engine::{UriFault, template_fault};

pub(super) use canonical::form;

/// What may stand for a star: first what suits most places, then parts of
/// escapes, templates, dotted quads and IPv6 addresses.
const PARTS: [&str; 57] = [
    "x", "", "1", "x:", "x:x", "0", "20", "{x", "x}", "1.1", ".1", "1.", ".", ".1.", ".1.1",
    "1.1.", ".1.1.", "1.1.1", "1.1.1.", "0.1.1", ".0.1.1", "0.0.1", ".0", "0.", ".0.", "0:", "1:1",
    "1:", "1.1:1", "1.1.1:1", ".1:1", "[", "[1", "[::1", "[::1]", "::", "::1", ":1", ":", "1::",
    "1::1", "]:", "1]", ":1]", "::1]", "1::1]", "1]:1", ":1]:1", "::1]:1", "1::1]:1", ".1:",
    ".1.1:", "1.1:", "1.1.1:", ".1.1:1", ".1.1.1", ".1.1.1:",
];

/// What may stand before and after those where the star is `**`.
const BEFORE: [&str; 7] = ["", "/", "//", "///", "x://", "https://", "://"];
const AFTER: [&str; 3] = ["", "/x", "/"];

/// With two stars in hard places, one of them takes one of these.
const SIMPLE: [&str; 12] = [
    "x",
    "1",
    "",
    "A",
    "A9",
    "x/x",
    "x://x",
    "/x",
    "1/x",
    "https://x",
    ":",
    "x:",
];

/// Why no canonical URI matches `pattern`; `None` if one does. Letters beside a
/// star are taken as they are, so the URI that is found is one that the
/// pattern matches as sent, whatever it is for.
pub(super) fn fault(pattern: &str) -> Option<UriFault> {
    let parts = parts(pattern);
    let stars = parts.iter().filter(|part| part.starts_with('*')).count();
    let mut said = None;
    let mut values = Vec::new();
    for before in BEFORE {
        for after in AFTER {
            values.extend(PARTS.iter().map(|part| format!("{before}{part}{after}")));
        }
    }
    if stars == 0 {
        values.truncate(1);
    }
    // The first two stars may stand where the form is strict; further ones
    // stand in the path or are all alike.
    let simple = |least: usize| {
        if stars < least {
            &SIMPLE[..1]
        } else {
            &SIMPLE[..]
        }
    };
    for rest in simple(3).iter().take(3) {
        for other in simple(2) {
            for value in values.iter().map(String::as_str) {
                for first in [[value, other], [other, value]] {
                    if let Some(uri) = filled(&parts, &first, rest) {
                        let fault = template_fault(&uri)?;
                        said.get_or_insert(fault);
                    }
                }
            }
        }
    }
    said
}

/// A pattern's literal text and its stars, in order.
fn parts(pattern: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('*') {
        let (literal, tail) = rest.split_at(at);
        let (star, tail) = tail.split_at(if tail.starts_with("**") { 2 } else { 1 });
        parts.extend([literal, star]);
        rest = tail;
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

/// `None` if a single star cannot stand for what it is given.
fn filled(parts: &[&str], first: &[&str], rest: &str) -> Option<String> {
    let mut first = first.iter();
    let mut made = String::new();
    for part in parts {
        if !part.starts_with('*') {
            made.push_str(part);
            continue;
        }
        let value = first.next().copied().unwrap_or(rest);
        if *part == "*" && value.contains('/') {
            return None;
        }
        made.push_str(value);
    }
    Some(made)
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_that_match_some_canonical_uri() {
        for pattern in [
            "**",
            "*",
            "*:**",
            "*://x/**",
            "*://*/*",
            "**/private/**",
            "**.md",
            "**secret**",
            "**@h/**",
            "**:8080/x",
            "docs:**",
            "docs://**",
            "docs://*",
            "docs://*@h/**",
            "docs://[*]/x",
            "file:**",
            "file:/**",
            "file:///**",
            "file:///docs/*.md",
            "https:**",
            "https://**",
            "http*://*/**",
            "http*://*:*/**",
            "https://*.example.com/**",
            "https://h:*/x",
            "https://h:**",
            "https://h**",
            "https://*/",
            "https://10.0.*/x",
            "https://10.*.0.1/x",
            "http://[2001:db8:*]/**",
            "http://[*]/",
            "*ttps://h/",
            "file:///docs/%C3%*",
            "file:///docs/%*",
            "file:**//docs/caf%C3%*9/plan",
            "file:**//docs/caf%C3%*/plan",
            "file:///docs/{page}",
            "file:///docs/{path*}",
            "file:///docs/{*",
            "docs://a/*/b/*/c/**/d",
            "docs://a/**?**#**",
        ] {
            assert_eq!(fault(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_match_none() {
        for (pattern, form) in [
            ("https://h:443/**", Some("https://h/**")),
            ("http://h:80/a*", Some("http://h/a*")),
            ("https://*.h:443/*", Some("https://*.h/*")),
            ("https://h", Some("https://h/")),
            ("https://H.example/**", Some("https://h.example/**")),
            ("HTTPS://h/**", Some("https://h/**")),
            ("FILE:///a", Some("file:///a")),
            ("Docs://A/**", Some("docs://A/**")),
            ("https://u:p@h/**", Some("https://h/**")),
            ("https://h./**", Some("https://h/**")),
            ("https://h:/**", Some("https://h/**")),
            ("https://h/a//b/*", Some("https://h/a/b/*")),
            (
                "https://\u{ff49}nternal.example/**",
                Some("https://internal.example/**"),
            ),
            (
                "https://b\u{fc}cher.example/**",
                Some("https://xn--bcher-kva.example/**"),
            ),
            ("https:h/x", Some("https://h/x")),
            ("http://0x7f.1/", Some("http://127.0.0.1/")),
            ("http://[::0001]/*", Some("http://[::1]/*")),
            ("https://h/?'", Some("https://h/?%27")),
            ("file://localhost/p/**", Some("file:///p/**")),
            ("file:/p/**", Some("file:///p/**")),
            ("file:p", Some("file:///p")),
            ("file:///a/../b", Some("file:///b")),
            ("file:///a/*/../b", None),
            ("file:///caf%c3%a9/**", Some("file:///caf%C3%A9/**")),
            ("file:///caf\u{e9}/**", Some("file:///caf%C3%A9/**")),
            ("file:///%70rivate/**", Some("file:///private/**")),
            ("file:///a b", Some("file:///a%20b")),
            ("file:///a%2Fb", None),
            ("docs://h:/x", Some("docs://h/x")),
            ("docs://@h/x", Some("docs://h/x")),
            ("docs://h:08/x", Some("docs://h:8/x")),
            ("docs:../x", None),
            ("..a://b", None),
            ("/docs/*", None),
            ("docs", None),
            ("https://h*", Some("https://h*/")),
            ("https://h:0*/", None),
        ] {
            assert!(fault(pattern).is_some(), "{pattern}");
            assert_eq!(canonical::form(pattern).as_deref(), form, "{pattern}");
        }
    }

    /// Canonical URIs of every kind.
    const URIS: [&str; 12] = [
        "https://api.example.com/v1/users?id=7#top",
        "https://h.example:8443/a/b/",
        "http://127.0.0.1:8080/x",
        "http://[2001:db8::1]:8080/x",
        "file:///docs/caf%C3%A9/plan(secret).md",
        "docs://user:pw@Host.:99/a//b;c",
        "docs:///a/b",
        "github://PyGithub/PyGithub/issues/1",
        "urn:isbn:0451450523",
        "data:text/plain;base64,SGk=",
        "git+ssh://git@h/x.git",
        "ui://widget/{id}.html",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        /// What matches a canonical URI is never refused.
        #[test]
        fn no_pattern_that_matches_is_refused(
            uri in prop::sample::select(&URIS[..]),
            cuts in prop::collection::vec((0usize..60, 0usize..12), 1..3),
        ) {
            let mut stars: Vec<(usize, usize)> = Vec::new();
            let mut cuts: Vec<_> = cuts
                .into_iter()
                .map(|(at, length)| (at.min(uri.len()), (at + length).min(uri.len())))
                .collect();
            cuts.sort_unstable();
            if uri.contains('[') {
                cuts.truncate(1);
            }
            for (from, to) in cuts {
                // Stars side by side would be another star.
                if stars.last().is_none_or(|(_, end)| *end < from) {
                    stars.push((from, to));
                }
            }
            let mut pattern = String::new();
            let mut done = 0;
            for (from, to) in stars {
                pattern.push_str(&uri[done..from]);
                let taken = &uri[from..to];
                pattern.push_str(if taken.contains(['/', '?', '#']) { "**" } else { "*" });
                done = to;
            }
            pattern.push_str(&uri[done..]);
            prop_assert_eq!(fault(&pattern), None, "{} of {}", pattern, uri);
        }
    }
}
