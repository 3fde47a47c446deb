//! Which endpoint a request belongs to. Contract section 3.

use mcp_boundary_format::{Endpoint, HostPattern, PathPattern, is_normal_path};

/// Splits `:path` at the query.
pub(crate) fn split_query(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match target.iter().position(|byte| *byte == b'?') {
        Some(at) => (target.get(..at).unwrap_or_default(), target.get(at + 1..)),
        None => (target, None),
    }
}

/// `:authority` without port and final dot, lower case. None if it cannot be
/// a plain host, such as one with user information.
fn host(authority: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(authority).ok()?;
    let end = match text.rfind(']') {
        Some(bracket) => bracket + 1,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (name, port) = text.split_at_checked(end)?;
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || name.contains('@') {
        return None;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    Some(name.to_ascii_lowercase())
}

/// How specific a match is: an exact host before a longer suffix before any
/// host, then an exact path before a longer prefix.
type Specificity = (usize, usize);

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

fn path_specificity(endpoint: &Endpoint, path: &[u8]) -> Option<usize> {
    match &endpoint.path {
        PathPattern::Exact(wanted) => (wanted.as_bytes() == path).then_some(usize::MAX),
        PathPattern::Prefix(prefix) => {
            let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
            let rest = path.strip_prefix(prefix.as_bytes())?;
            matches!(rest.first(), None | Some(b'/')).then_some(prefix.len() + 1)
        }
    }
}

fn best(endpoints: &[Endpoint], host: Option<&str>, path: &[u8]) -> Option<usize> {
    let specificity = |endpoint: &Endpoint| -> Option<Specificity> {
        Some((
            host_specificity(endpoint, host)?,
            path_specificity(endpoint, path)?,
        ))
    };
    let matching = endpoints.iter().enumerate();
    matching
        .filter_map(|(index, endpoint)| Some((specificity(endpoint)?, index)))
        .max()
        .map(|(_, index)| index)
}

/// What a request's host and path select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// The index of an endpoint.
    Endpoint(usize),
    /// Nothing.
    Unmatched,
    /// Nothing, but a server that cleans paths would land on an endpoint.
    Disguised,
}

pub(crate) fn select(endpoints: &[Endpoint], authority: &[u8], target: &[u8]) -> Selection {
    let host = host(authority);
    let (path, _) = split_query(target);
    if is_normal_path(path)
        && let Some(index) = best(endpoints, host.as_deref(), path)
    {
        return Selection::Endpoint(index);
    }
    let cleaned = cleaned(path);
    let would_match = |endpoint: &Endpoint| {
        let same_host = host.is_none() || host_specificity(endpoint, host.as_deref()).is_some();
        let with_slash = cleaned.as_slice();
        let without = with_slash.strip_suffix(b"/").unwrap_or(with_slash);
        let mut paths = [with_slash, without].into_iter();
        same_host && paths.any(|path| path_specificity(endpoint, path).is_some())
    };
    if endpoints.iter().any(would_match) {
        return Selection::Disguised;
    }
    Selection::Unmatched
}

/// The path as the laxest server would read it: decoded, backslashes as
/// slashes, path parameters dropped, empty and dot segments resolved.
fn cleaned(path: &[u8]) -> Vec<u8> {
    let mut decoded = path.to_vec();
    // Twice, for servers behind proxies that decode once themselves.
    for _ in 0..2 {
        decoded = percent_decoded(&decoded);
    }
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in decoded.split(|byte| matches!(byte, b'/' | b'\\')) {
        let name = segment
            .split(|byte| *byte == b';')
            .next()
            .unwrap_or_default();
        match name {
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
    if path.is_empty() || matches!(decoded.last(), Some(b'/' | b'\\')) {
        path.push(b'/');
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
        ] {
            assert_eq!(selected("x", target), "Disguised", "{target}");
        }
        assert_eq!(selected("x", "/a//b"), "Unmatched");
        assert_eq!(selected("u@x", "/mcp"), "any");
        assert_eq!(selected("u@mcp.test", "/other"), "Unmatched");
    }
}
