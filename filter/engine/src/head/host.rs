//! The host a request names. Contract section 3.

use mcp_boundary_format::{HostPattern, is_host};

/// `:authority` without port, lower case; none if it is not one plain spelling
/// of a host and a port, since readers then differ about which host it is.
pub(crate) fn parse(authority: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(authority).ok()?;
    let end = match text.rfind(']') {
        Some(bracket) => bracket.checked_add(1)?,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (name, port) = text.split_at_checked(end)?;
    if !port.is_empty() && !is_port(port.strip_prefix(':')?) {
        return None;
    }
    // The letters of an IPv6 address have one case only.
    let host = match name.starts_with('[') {
        true => name.to_owned(),
        false => name.to_ascii_lowercase(),
    };
    is_host(&host).then_some(host)
}

/// 1 to 65535, in decimal digits without leading zeros.
fn is_port(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && !text.starts_with('0') && text.parse::<u16>().is_ok()
}

/// How specifically one of `patterns` names the host: exact before a longer
/// suffix before any host (no patterns). None if none does.
pub(crate) fn specificity(patterns: &[HostPattern], host: &str) -> Option<usize> {
    if patterns.is_empty() {
        return Some(0);
    }
    let one = |pattern: &HostPattern| match pattern {
        HostPattern::Exact(wanted) => (wanted == host).then_some(usize::MAX),
        HostPattern::Suffix(suffix) => host
            .strip_suffix(suffix.as_str())?
            .strip_suffix('.')
            .is_some_and(|label| !label.is_empty())
            .then(|| suffix.len().saturating_add(1)),
    };
    patterns.iter().filter_map(one).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_plain_spelling() {
        for (authority, host) in [
            ("a", "a"),
            ("MCP.Example.com:8443", "mcp.example.com"),
            ("a:1", "a"),
            ("a:65535", "a"),
            ("127.0.0.1:80", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("[::1]:80", "[::1]"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(parse(authority.as_bytes()).as_deref(), Some(host));
        }
        for authority in [
            "",
            ":80",
            "a:",
            "a:0",
            "a:080",
            "a:65536",
            "a:99999999999999999999",
            "a:+1",
            "a:1:2",
            "a:80 ",
            "a.",
            "a..",
            "a.:80",
            ".a",
            "a..b",
            "u@a",
            "u:p@a",
            "a@",
            "a/b",
            "a\\b",
            "a?b",
            "a#b",
            "a b",
            "a%41",
            "a,b",
            "b\u{fc}cher.example",
            "\u{ff41}",
            "1",
            "0x7f000001",
            "127.1",
            "0177.0.0.1",
            "127.0.0.1.",
            "1.2.3.256",
            "[::0001]",
            "[::1",
            "::1",
            "[::1]x",
            "[::1]:",
            "x[::1]",
            "[::1]]",
            "[::A]",
            "[::ffff:1.2.3.4]",
            "[fe80::1%25eth0]",
        ] {
            assert_eq!(parse(authority.as_bytes()), None, "{authority}");
        }
        assert_eq!(parse(b"\xff"), None);
    }
}
