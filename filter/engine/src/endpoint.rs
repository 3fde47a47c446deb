//! Which endpoint a request belongs to. Contract section 3.

use mcp_boundary_format::{Endpoint, HostPattern, PathPattern, is_normal_path};

/// Splits `:path` at the query.
pub(crate) fn split_query(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match target.iter().position(|byte| *byte == b'?') {
        Some(at) => (target.get(..at).unwrap_or_default(), target.get(at + 1..)),
        None => (target, None),
    }
}

/// `:authority` without port and final dot, lower case. None if it is no plain
/// host, such as one with user information.
pub(crate) fn host(authority: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(authority).ok()?;
    let end = match text.rfind(']') {
        Some(bracket) => bracket + 1,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (name, port) = text.split_at_checked(end)?;
    let digits = port.strip_prefix(':').unwrap_or(port);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let address = |byte: u8| byte.is_ascii_hexdigit() || b":.".contains(&byte);
    let inner = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let valid = match inner {
        Some(inner) => inner.bytes().all(address),
        None => name.bytes().all(plain),
    };
    if !valid || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    Some(name.to_ascii_lowercase())
}

/// How a path is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As it is sent.
    Literal,
    /// As a lax server might: without case, and on whatever host where the
    /// host cannot be told.
    Lax,
}

/// How specific a match is: an exact host before a longer suffix before any
/// host, then an exact path before a longer prefix.
fn specificity(
    endpoint: &Endpoint,
    host: Option<&str>,
    path: &[u8],
    reading: Reading,
) -> Option<(usize, usize)> {
    let by_host = match (host_specificity(endpoint, host), host, reading) {
        (None, None, Reading::Lax) => usize::MAX,
        (specificity, _, _) => specificity?,
    };
    Some((by_host, path_specificity(endpoint, path, reading)?))
}

fn host_specificity(endpoint: &Endpoint, host: Option<&str>) -> Option<usize> {
    if endpoint.hosts.is_empty() {
        return Some(0);
    }
    let host = host?;
    let one = |pattern: &HostPattern| match pattern {
        HostPattern::Exact(wanted) => (wanted == host).then_some(usize::MAX),
        HostPattern::Suffix(suffix) => host
            .strip_suffix(suffix.as_str())?
            .strip_suffix('.')
            .is_some_and(|label| !label.is_empty())
            .then_some(suffix.len() + 1),
    };
    endpoint.hosts.iter().filter_map(one).max()
}

fn path_specificity(endpoint: &Endpoint, path: &[u8], reading: Reading) -> Option<usize> {
    let (PathPattern::Exact(pattern) | PathPattern::Prefix(pattern)) = &endpoint.path;
    let exact = matches!(endpoint.path, PathPattern::Exact(_));
    let lax;
    let (pattern, below) = match reading {
        Reading::Literal if exact => (pattern.as_bytes(), false),
        Reading::Literal => (pattern.trim_end_matches('/').as_bytes(), true),
        Reading::Lax => {
            lax = cleaned(pattern.as_bytes());
            (lax.as_slice(), !exact)
        }
    };
    let (start, rest) = path.split_at_checked(pattern.len())?;
    let equal = match reading {
        Reading::Literal => start == pattern,
        Reading::Lax => start.eq_ignore_ascii_case(pattern),
    };
    match rest.first() {
        None if equal && exact => Some(usize::MAX),
        None | Some(b'/') if equal && below => Some(pattern.len() + 1),
        _ => None,
    }
}

/// What a request's host and path select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// The index of an endpoint.
    Endpoint(usize),
    /// Nothing.
    Unmatched,
    /// As it is spelled, one endpoint or none; but a server that cleans,
    /// decodes or folds paths would land elsewhere.
    Disguised,
}

pub(crate) fn select(endpoints: &[Endpoint], authority: &[u8], target: &[u8]) -> Selection {
    let host = host(authority);
    let host = host.as_deref();
    let (path, _) = split_query(target);
    let best = |path: &[u8], reading| {
        let all = endpoints.iter().enumerate();
        all.filter_map(|(at, endpoint)| Some((specificity(endpoint, host, path, reading)?, at)))
            .max()
    };
    let literal = match is_normal_path(path) {
        true => best(path, Reading::Literal).map(|(_, index)| index),
        false => None,
    };
    let cleaned = cleaned(path);
    let elsewhere = match (literal, best(&cleaned, Reading::Lax)) {
        (Some(index), Some((lax, _))) => {
            let endpoint = endpoints.get(index);
            let own = endpoint.and_then(|e| specificity(e, host, &cleaned, Reading::Lax));
            own < Some(lax)
        }
        (Some(_), None) => true,
        (None, lax) => lax.is_some(),
    };
    if elsewhere {
        return Selection::Disguised;
    }
    literal.map_or(Selection::Unmatched, Selection::Endpoint)
}

/// The path as the laxest server would read it: decoded, cut at what ends a
/// string or a path once decoded, backslashes as slashes, path parameters and
/// blanks at the end dropped, empty and dot segments resolved. No final slash.
fn cleaned(path: &[u8]) -> Vec<u8> {
    let mut decoded = path.to_vec();
    // Twice, for servers behind proxies that decode once themselves.
    for _ in 0..2 {
        decoded = percent_decoded(&decoded);
    }
    let mut parts = decoded.split(|byte| matches!(byte, 0 | b'?' | b'#'));
    let decoded = parts.next().unwrap_or_default().trim_ascii_end();
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in decoded.split(|byte| matches!(byte, b'/' | b'\\')) {
        let name = segment.split(|byte| *byte == b';').next();
        match name.unwrap_or_default() {
            b"" | b"." => {}
            b".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    let mut path = Vec::with_capacity(decoded.len());
    for segment in segments {
        path.push(b'/');
        path.extend_from_slice(segment);
    }
    path
}

fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let hex = |digit: Option<&u8>| char::from(*digit?).to_digit(16);
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, tail)) = rest.split_first() {
        let pair = (hex(tail.first()), hex(tail.get(1)));
        if let (b'%', (Some(high), Some(low))) = (byte, pair) {
            decoded.push((high << 4 | low) as u8);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            decoded.push(*byte);
            rest = tail;
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_boundary_format::{Policy, Unmatched};

    fn endpoint(name: &str, hosts: &[&str], path: PathPattern) -> Endpoint {
        let host = |host: &&str| match host.strip_prefix("*.") {
            Some(suffix) => HostPattern::Suffix(suffix.into()),
            None => HostPattern::Exact((*host).into()),
        };
        Endpoint {
            name: name.into(),
            hosts: hosts.iter().map(host).collect(),
            path,
            ..Endpoint::default()
        }
    }

    fn selected(authority: &str, target: &str) -> String {
        let exact = |path: &str| PathPattern::Exact(path.into());
        let prefix = |path: &str| PathPattern::Prefix(path.into());
        let endpoints = vec![
            endpoint("any", &[], exact("/mcp")),
            endpoint("below", &[], prefix("/servers")),
            endpoint("slash", &[], exact("/slash/")),
            endpoint("odd", &[], exact("/a%20b;c")),
            endpoint("deeper", &[], prefix("/servers/a")),
            endpoint("host", &["mcp.test"], exact("/mcp")),
            endpoint("long", &["*.b.test"], prefix("/mcp")),
            endpoint("short", &["*.test"], exact("/mcp")),
            endpoint("v6", &["[::1]"], exact("/mcp")),
        ];
        let policy = Policy::seal(Unmatched::Deny, endpoints).unwrap();
        match select(policy.endpoints(), authority.as_bytes(), target.as_bytes()) {
            Selection::Endpoint(index) => policy.endpoints()[index].name.clone(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn most_specific_wins() {
        for (authority, target, name) in [
            ("x", "/mcp", "any"),
            ("x", "/mcp?a=/../b", "any"),
            ("mcp.test", "/mcp", "host"),
            ("MCP.Test:8080", "/mcp", "host"),
            ("mcp.test.", "/mcp", "host"),
            ("a.test", "/mcp", "short"),
            ("a.b.test", "/mcp", "long"),
            ("a.b.test", "/mcp/x", "long"),
            ("b.test", "/mcp", "short"),
            (".test", "/mcp", "any"),
            ("[::1]:80", "/mcp", "v6"),
            ("x", "/slash/", "slash"),
            ("x", "/a%20b;c", "odd"),
            ("x", "/servers/b%20c", "below"),
            ("x", "/servers", "below"),
            ("x", "/servers/", "below"),
            ("x", "/servers/b", "below"),
            ("x", "/servers/a/b", "deeper"),
            ("x", "/serversx", "Unmatched"),
            ("x", "/mcpx", "Unmatched"),
            ("x", "/", "Unmatched"),
            ("x", "*", "Unmatched"),
        ] {
            assert_eq!(selected(authority, target), name, "{authority} {target}");
        }
    }

    #[test]
    fn unclean_paths_never_match_and_are_told_from_others() {
        for target in [
            "/mcp/../mcp",
            "/./mcp",
            "//mcp",
            "/%6dcp",
            "/x/..%2fmcp",
            "/x/%2e%2e/mcp",
            "/x/%252e%252e/mcp",
            "\\mcp",
            "/x\\..\\mcp",
            "/mcp;a=b",
            "/mcp/",
            "/servers//a",
            "/MCP",
            "/slash",
            "/mcp%00",
            "/mcp%20",
            "/mcp%23",
            "/mcp%3Fx",
            "/servers/A",
            "/servers/..;/mcp",
            "/servers/x/..;/a",
            "/servers/a;v=1",
            "/servers/%2561",
            "/servers/%252e%252e/mcp",
        ] {
            assert_eq!(selected("x", target), "Disguised", "{target}");
        }
        assert_eq!(selected("x", "/a//b"), "Unmatched");
        assert_eq!(selected("u@x", "/mcp"), "Disguised");
        assert_eq!(selected("x y.b.test", "/mcp"), "Disguised");
        assert_eq!(selected("x/.b.test", "/servers"), "below");
        assert_eq!(selected("u@mcp.test", "/other"), "Unmatched");
    }
}
