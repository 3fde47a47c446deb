use super::*;
use mcp_boundary_format::HostPattern;

fn exact(path: &str) -> PathPattern {
    PathPattern::Exact(path.parse().unwrap())
}

fn prefix(path: &str) -> PathPattern {
    PathPattern::Prefix(path.parse().unwrap())
}

fn hosts(hosts: &[&str]) -> Vec<HostPattern> {
    let host = |host: &&str| match host.strip_prefix("*.") {
        Some(suffix) => HostPattern::Suffix(suffix.parse().unwrap()),
        None => HostPattern::Exact(host.parse().unwrap()),
    };
    hosts.iter().map(host).collect()
}

fn endpoint(name: &str, on: &[&str], path: PathPattern) -> Endpoint {
    Endpoint {
        name: name.parse().unwrap(),
        hosts: hosts(on),
        path,
        ..Endpoint::default()
    }
}

fn entry(path: PathPattern, on: &[&str]) -> PassEntry {
    PassEntry {
        path,
        hosts: hosts(on),
    }
}

fn selected(policy: &Policy, authority: &str, target: &str) -> String {
    match select(policy, authority.as_bytes(), target.as_bytes()) {
        Ok(Place::Endpoint(seat)) => seat.endpoint.name.to_string(),
        Ok(Place::Passed) => "passed".into(),
        Err(refusal) => refusal.reason.code().into(),
    }
}

fn check(policy: &Policy, rows: &[(&str, &str, &str)]) {
    for (authority, target, name) in rows {
        assert_eq!(
            selected(policy, authority, target),
            *name,
            "{authority} {target}"
        );
    }
}

fn many() -> Vec<Endpoint> {
    vec![
        endpoint("any", &[], exact("/mcp")),
        endpoint("below", &[], prefix("/servers")),
        endpoint("slash", &[], exact("/slash/")),
        endpoint("odd", &[], exact("/a%2Fb%3a")),
        endpoint("scope", &[], exact("/s/%40scope/mcp")),
        endpoint("deeper", &[], prefix("/servers/a")),
        endpoint("host", &["mcp.test"], exact("/mcp")),
        endpoint("long", &["*.b.test"], prefix("/mcp")),
        endpoint("short", &["*.test"], exact("/mcp")),
        endpoint("v6", &["[::1]"], exact("/mcp")),
    ]
}

#[test]
fn most_specific_wins() {
    let policy = Policy::seal(Unmatched::Deny, many()).unwrap();
    check(
        &policy,
        &[
            ("x", "/mcp", "any"),
            ("x", "/mcp?a=/../b", "any"),
            ("mcp.test", "/mcp", "host"),
            ("MCP.Test:8080", "/mcp", "host"),
            ("a.test", "/mcp", "short"),
            ("a.b.test", "/mcp", "long"),
            ("a.b.test", "/mcp/x", "long"),
            ("b.test", "/mcp", "short"),
            ("[::1]:80", "/mcp", "v6"),
            ("x", "/slash/", "slash"),
            ("x", "/a%2Fb%3a", "odd"),
            ("x", "/s/%40scope/mcp", "scope"),
            ("x", "/servers/b%20c", "below"),
            ("x", "/servers", "below"),
            ("x", "/servers/", "below"),
            ("x", "/servers/b", "below"),
            ("x", "/servers/b%40c", "below"),
            ("x", "/servers/a/b", "deeper"),
            ("x", "/servers/ab", "below"),
            ("x", "/serversx", "no_endpoint"),
            ("x", "/mcpx", "no_endpoint"),
            ("x", "/", "no_endpoint"),
            // Near, though another endpoint would judge it.
            ("x", "/servers/A", "no_endpoint"),
            ("x", "/servers/a.json", "no_endpoint"),
            ("mcp.test.", "/mcp", "host_invalid"),
            (".test", "/mcp", "host_invalid"),
            ("u@x", "/mcp", "host_invalid"),
            ("", "/other", "host_invalid"),
        ],
    );
}

#[test]
fn paths_are_never_cleaned() {
    for unmatched in [Unmatched::Deny, Unmatched::Pass] {
        let policy = Policy::seal(unmatched, many()).unwrap();
        for target in [
            "",
            "*",
            "mcp",
            "/mcp/../mcp",
            "/./mcp",
            "//mcp",
            "//a/mcp",
            "/\\a/mcp",
            "/a%3f/../mcp",
            "/a%2fb/../mcp",
            "/a%2Fb%3A",
            "/mcp;%2fx",
            "/mcp/;/..",
            "/%6dcp",
            "/x/..%2fmcp",
            "/x/%2e%2e/mcp",
            "/x/%252e%252e/mcp",
            "\\mcp",
            "/mcp;a=b",
            "/servers//a",
            "/mcp%00",
            "/mcp%23",
            "/mcp%3Fx",
            "/servers/..;/mcp",
            "/servers/a;v=1",
            "/servers/%2561",
            "/servers/admin;%252fx",
        ] {
            assert_eq!(
                selected(&policy, "x", target),
                "path_not_normal",
                "{target}"
            );
        }
    }
}

#[test]
fn near_paths_pass_nobody() {
    let policy = Policy::seal(Unmatched::Pass, many()).unwrap();
    for target in [
        "/MCP",
        "/mcp/",
        "/mcp/x",
        "/MCP/x",
        "/mcp.json",
        "/mcp:x",
        "/mcp%20",
        "/slash",
        "/SLASH/",
        "/a/b:",
        "/A/B:/x",
        "/s/@scope/mcp",
        "/S/%40SCOPE/mcp",
        "/s/@scope/mcp/x",
        "/servers/a%40",
    ] {
        assert_eq!(selected(&policy, "x", target), "no_endpoint", "{target}");
    }
    for target in ["/sse", "/message", "/messages/?session_id=1", "/SSE.x"] {
        assert_eq!(selected(&policy, "x", target), "no_endpoint", "{target}");
    }
    for target in [
        "/",
        "/mcpx",
        "/slashes",
        "/messagesx",
        "/x/sse",
        "/.well-known/x/mcp",
    ] {
        assert_eq!(selected(&policy, "x", target), "passed", "{target}");
    }
}

#[test]
fn an_escape_that_decides_is_not_normal() {
    let endpoints = vec![
        endpoint("wide", &[], prefix("/s")),
        endpoint("narrow", &[], exact("/s/@scope")),
    ];
    let policy = Policy::seal(Unmatched::Pass, endpoints).unwrap();
    check(
        &policy,
        &[
            ("x", "/s/@scope", "narrow"),
            ("x", "/s/%40scope", "path_not_normal"),
            ("x", "/s/%40SCOPE", "no_endpoint"),
            ("x", "/s/%40other", "wide"),
            ("x", "/other/%40scope", "passed"),
        ],
    );
}

#[test]
fn the_host_of_a_guarded_path_does_not_matter() {
    let endpoints = vec![
        endpoint("one", &["one.test"], exact("/mcp")),
        endpoint("two", &["two.test"], prefix("/")),
    ];
    let policy = Policy::seal(Unmatched::Pass, endpoints).unwrap();
    check(
        &policy,
        &[
            ("one.test", "/mcp", "one"),
            ("two.test", "/x", "two"),
            ("two.test", "/mcp", "no_endpoint"),
            ("evil.test", "/mcp", "no_endpoint"),
            ("evil.test", "/x", "no_endpoint"),
        ],
    );
}

#[test]
fn both_forms_may_be_listed() {
    let endpoints = vec![
        endpoint("lower", &[], exact("/mcp")),
        endpoint("upper", &[], exact("/MCP")),
        endpoint("slash", &[], exact("/mcp/")),
        endpoint("below", &[], prefix("/mcp")),
        endpoint("root", &[], exact("/")),
    ];
    let policy = Policy::seal(Unmatched::Deny, endpoints).unwrap();
    check(
        &policy,
        &[
            ("x", "/mcp", "lower"),
            ("x", "/MCP", "upper"),
            ("x", "/mcp/", "slash"),
            ("x", "/mcp/x", "below"),
            ("x", "/", "root"),
            ("x", "/Mcp", "no_endpoint"),
            ("x", "/mcp.x", "no_endpoint"),
        ],
    );
}

#[test]
fn a_list_passes_only_what_it_names() {
    let listed = Unmatched::Listed(vec![
        entry(exact("/healthz"), &[]),
        entry(prefix("/.well-known"), &[]),
        entry(exact("/mcp/"), &[]),
        entry(exact("/MCP"), &["old.test"]),
        entry(prefix("/mcp/health"), &[]),
        entry(prefix("/m"), &[]),
        entry(prefix("/"), &["static.test"]),
        entry(exact("/servers/ADMIN"), &[]),
        entry(exact("/sse"), &[]),
    ]);
    let endpoints = vec![
        endpoint("mcp", &[], exact("/mcp")),
        endpoint("wide", &[], prefix("/servers")),
        endpoint("admin", &[], exact("/servers/admin")),
    ];
    let policy = Policy::seal(listed, endpoints).unwrap();
    check(
        &policy,
        &[
            ("x", "/healthz", "passed"),
            ("x", "/healthz?full", "passed"),
            ("x", "/healthz/", "no_endpoint"),
            ("x", "/HEALTHZ", "no_endpoint"),
            ("x", "/.well-known/oauth-protected-resource/mcp", "passed"),
            ("x", "/.well-known", "passed"),
            ("x", "/.well-knownx", "no_endpoint"),
            ("x", "//.well-known/x", "path_not_normal"),
            ("x", "/.well-known/../mcp", "path_not_normal"),
            ("x", "/mcp/", "passed"),
            ("x", "/mcp/x", "no_endpoint"),
            ("x", "/mcp/health", "passed"),
            ("x", "/mcp/health/live", "passed"),
            ("x", "/mcp/HEALTH", "no_endpoint"),
            ("x", "/MCP", "no_endpoint"),
            ("old.test", "/MCP", "passed"),
            ("x", "/m/x", "passed"),
            ("static.test", "/any", "passed"),
            ("static.test", "/mcp", "mcp"),
            ("static.test", "/mcp/x", "no_endpoint"),
            // It only lifts the rule; the wide endpoint judges.
            ("x", "/servers/ADMIN", "wide"),
            ("x", "/servers/Admin", "no_endpoint"),
            ("x", "/sse", "passed"),
            ("x", "/messages", "no_endpoint"),
        ],
    );
}
