//! The second look: equal to what was admitted, and decided again.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Post, admit, call, endpoint, policy, record, result, tools};
use mcp_boundary_engine::{Effect, Engine, Role};
use mcp_boundary_format::{
    Endpoint, HostPattern, Mode, PathPattern, Policy, Rule, Unmatched, Upstream,
};
use proptest::prelude::*;

fn allowing() -> Endpoint {
    let allow = Rule {
        methods: common::names(&["initialize", "ping"]),
        ..tools("a", &["good"])
    };
    Endpoint {
        allow: vec![allow],
        ..endpoint()
    }
}

fn recheck(endpoint: Endpoint) -> Engine {
    Engine::new(policy(endpoint), Role::Recheck)
}

fn admitted(endpoint: Endpoint, target: &str) -> Vec<u8> {
    record(
        &Post {
            target,
            ..Post::new(&call("good"))
        }
        .to(&admit(endpoint)),
    )
}

#[test]
fn decides_again_on_what_will_be_sent() {
    let kept = admitted(allowing(), "/mcp?a=b");
    let engine = recheck(allowing());
    let version: &[(&str, &str)] = &[("mcp-protocol-version", "2025-11-25")];
    let (good, bad) = (call("good"), call("bad"));
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let length = good.len().to_string();
    let stale = (good.len() + 1).to_string();
    for (why, body, headers, verb, target, expected) in [
        (
            "unchanged",
            good.as_str(),
            version,
            "POST",
            "/mcp?a=b",
            "forward",
        ),
        (
            "right length",
            &good,
            &[version[0], ("content-length", &length)],
            "POST",
            "/mcp?a=b",
            "forward",
        ),
        (
            "denied",
            &bad,
            version,
            "POST",
            "/mcp?a=b",
            "tool_not_allowed",
        ),
        (
            "malformed",
            "{",
            version,
            "POST",
            "/mcp?a=b",
            "json_invalid",
        ),
        (
            "not in the profile",
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
            version,
            "POST",
            "/mcp?a=b",
            "method_unavailable",
        ),
        (
            "another revision",
            &good,
            &[("mcp-protocol-version", "2025-06-18")],
            "POST",
            "/mcp?a=b",
            "forward",
        ),
        (
            "a mirror that lies",
            &good,
            &[version[0], ("mcp-name", "bad")],
            "POST",
            "/mcp?a=b",
            "mirror_mismatch",
        ),
        (
            "a stale length",
            &good,
            &[version[0], ("content-length", &stale)],
            "POST",
            "/mcp?a=b",
            "content_length_mismatch",
        ),
        (
            "another verb",
            "",
            version,
            "DELETE",
            "/mcp?a=b",
            "verb_rewritten",
        ),
        (
            "another path",
            &good,
            version,
            "POST",
            "/other?a=b",
            "path_rewritten",
        ),
        (
            "another query",
            &good,
            version,
            "POST",
            "/mcp?a=c",
            "query_rewritten",
        ),
        (
            "no query",
            &good,
            version,
            "POST",
            "/mcp",
            "query_rewritten",
        ),
        (
            "an initialize",
            initialize,
            version,
            "POST",
            "/mcp?a=b",
            "forward",
        ),
    ] {
        let post = Post {
            headers,
            verb,
            target,
            record: Some(&kept),
            ..Post::new(body)
        };
        assert_eq!(result(&post.to(&engine)), expected, "{why}");
    }
}

#[test]
fn an_initialize_turned_into_a_call_gets_no_exemption() {
    let only_june = || Endpoint {
        revisions: mcp_boundary_format::Revisions::new([
            mcp_boundary_format::Revision::V2025_06_18,
        ])
        .unwrap(),
        ..allowing()
    };
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let kept = record(&Post::new(initialize).to(&admit(only_june())));
    let outcome = Post {
        record: Some(&kept),
        ..Post::new(&call("good"))
    }
    .to(&recheck(only_june()));
    assert_eq!(result(&outcome), "version_not_permitted");
}

#[test]
fn refuses_without_a_record() {
    let engine = recheck(allowing());
    assert_eq!(
        result(&Post::new(&call("good")).to(&engine)),
        "record_missing"
    );
    let post = call("good");
    let with = |record: &[u8]| {
        result(
            &Post {
                record: Some(record),
                ..Post::new(&post)
            }
            .to(&engine),
        )
    };
    let kept = admitted(allowing(), "/mcp");
    assert_eq!(with(&kept), "forward");
    for cut in 0..kept.len() {
        assert_ne!(with(&kept[..cut]), "forward", "{cut}");
    }
    // Whatever a record says, what is denied stays denied.
    let denied = call("bad");
    for at in 0..kept.len() {
        let mut changed = kept.clone();
        changed[at] ^= 1;
        let post = Post {
            record: Some(&changed),
            ..Post::new(&denied)
        };
        assert_ne!(result(&post.to(&engine)), "forward", "{at}");
    }
}

fn inside() -> Upstream {
    Upstream {
        path: Some(PathPattern::Exact("/internal".parse().unwrap())),
        hosts: Vec::new(),
    }
}

#[test]
fn a_route_may_move_the_path_only_where_the_operator_says_so() {
    let moved = |switch: Upstream| {
        let endpoint = move || Endpoint {
            upstream: switch.clone(),
            ..allowing()
        };
        let kept = admitted(endpoint(), "/mcp?q");
        let post = call("good");
        move |target: &str| {
            let post = Post {
                target,
                record: Some(&kept),
                ..Post::new(&post)
            };
            let chain = result(&post.to(&recheck(endpoint())));
            assert_ne!(chain, "forward");
            result(&post.to(&recheck(endpoint()).upstream()))
        }
    };
    assert_eq!(moved(Upstream::default())("/internal?q"), "path_rewritten");
    assert_eq!(moved(inside())("/internal?q"), "forward");
    assert_eq!(moved(inside())("/internal?r"), "query_rewritten");
    assert_eq!(moved(inside())("/internal/x?q"), "path_rewritten");
}

/// `/a` permits a tool that `/b` denies, and so does one host beside another:
/// a call that a filter moves there is refused.
#[test]
fn a_call_moved_to_another_endpoint_is_refused() {
    let at = |name: &str, host: &str, path: &str, tool: &str| Endpoint {
        name: name.parse().unwrap(),
        hosts: vec![HostPattern::Exact(host.parse().unwrap())],
        path: PathPattern::Exact(path.parse().unwrap()),
        allow: vec![tools("a", &[tool])],
        ..endpoint()
    };
    let policy = || {
        let endpoints = vec![
            at("a", "mcp.test", "/a", "bad"),
            at("b", "mcp.test", "/b", "good"),
            at("other", "other.test", "/a", "good"),
        ];
        Policy::seal(Unmatched::Deny, endpoints).unwrap()
    };
    let bad = call("bad");
    let post = |host, target| Post {
        host,
        target,
        ..Post::new(&bad)
    };
    let kept = record(&post("mcp.test", "/a").to(&Engine::new(policy(), Role::Admit)));
    let again = |engine: &Engine, host, target| {
        let post = Post {
            record: Some(&kept),
            ..post(host, target)
        };
        result(&post.to(engine))
    };
    let chain = Engine::new(policy(), Role::Recheck);
    let upstream = Engine::new(policy(), Role::Recheck).upstream();
    for engine in [&chain, &upstream] {
        assert_eq!(again(engine, "mcp.test", "/a"), "forward");
        assert_eq!(again(engine, "mcp.test", "/b"), "path_rewritten");
        assert_eq!(again(engine, "other.test", "/a"), "host_rewritten");
        assert_eq!(again(engine, "", "/a"), "host_rewritten");
    }
    // A port is no other host, behind the route.
    assert_eq!(again(&chain, "mcp.test:81", "/a"), "host_rewritten");
    assert_eq!(again(&upstream, "MCP.test:81", "/a"), "forward");
    // A recheck for one endpoint takes nothing that was admitted for another.
    let only = |name| Engine::new(policy(), Role::Recheck).for_endpoint(name);
    assert_eq!(again(&only("a").unwrap(), "mcp.test", "/a"), "forward");
    let other = only("b").unwrap();
    assert_eq!(again(&other, "mcp.test", "/a"), "endpoint_rewritten");
    assert!(only("none").is_none());
}

#[test]
fn a_filter_may_set_what_clients_must_not_send() {
    let owned = || Endpoint {
        forbidden_arguments: vec!["_admin".into(), "_owner".into()],
        set_by_filters: vec!["_owner".into()],
        ..allowing()
    };
    let kept = admitted(owned(), "/mcp");
    let with = |name: &str, engine: &Engine| {
        let body = call("good").replace("{}", &format!("{{\"{name}\":1}}"));
        let post = Post {
            record: Some(&kept),
            ..Post::new(&body)
        };
        result(&post.to(engine))
    };
    assert_eq!(with("_owner", &recheck(owned())), "forward");
    assert_eq!(with("_admin", &recheck(owned())), "argument_forbidden");
    assert_eq!(with("_owner", &admit(owned())), "argument_forbidden");
}

/// During a roll-out both policies judge a request.
#[test]
fn another_policy_decides_by_its_endpoint_of_that_name() {
    let kept = admitted(allowing(), "/mcp");
    let with = |endpoint: Endpoint| {
        let post = call("good");
        let post = Post {
            record: Some(&kept),
            ..Post::new(&post)
        };
        result(&post.to(&recheck(endpoint)))
    };
    let audit = Endpoint {
        mode: Mode::Audit,
        ..allowing()
    };
    assert_eq!(with(audit), "forward");
    let stricter = Endpoint {
        allow: vec![tools("a", &["other"])],
        ..endpoint()
    };
    assert_eq!(with(stricter), "tool_not_allowed");
    let renamed = Endpoint {
        name: "renamed".parse().unwrap(),
        ..allowing()
    };
    assert_eq!(with(renamed), "endpoint_rewritten");
    let elsewhere = Endpoint {
        path: PathPattern::Exact("/elsewhere".parse().unwrap()),
        ..allowing()
    };
    assert_eq!(with(elsewhere), "endpoint_rewritten");
}

#[test]
fn audit_lets_a_denied_rewrite_pass_but_not_a_malformed_one() {
    let audit = || Endpoint {
        mode: Mode::Audit,
        ..allowing()
    };
    let kept = admitted(audit(), "/mcp");
    let (denied, engine) = (call("bad"), recheck(audit()));
    let with = |body| {
        Post {
            record: Some(&kept),
            ..Post::new(body)
        }
        .to(&engine)
    };
    let outcome = with(&denied);
    assert!(outcome.verdict.is_would_deny());
    assert!(matches!(outcome.effect, Effect::Forward { .. }));
    assert_eq!(result(&with("{}")), "envelope_invalid");
}

#[test]
fn an_unmatched_request_that_may_pass_is_held_to_its_verb_and_target() {
    let policy = || Policy::seal(Unmatched::Pass, vec![allowing()]).unwrap();
    let post = Post {
        verb: "PUT",
        target: "/other?x",
        headers: &[],
        ..Post::new("anything")
    };
    let kept = record(&post.to(&Engine::new(policy(), Role::Admit)));
    let engine = Engine::new(policy(), Role::Recheck);
    let again = |verb, target| {
        result(
            &Post {
                verb,
                target,
                record: Some(&kept),
                ..Post::new("anything")
            }
            .to(&engine),
        )
    };
    assert_eq!(again("PUT", "/other?x"), "forward");
    assert_eq!(again("POST", "/other?x"), "verb_rewritten");
    assert_eq!(again("PUT", "/mcp?x"), "path_rewritten");
}

proptest! {
    #[test]
    fn any_bytes_for_a_record_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let outcome = Post { record: Some(&bytes), ..Post::new(&call("good")) }.to(&recheck(allowing()));
        prop_assert_eq!(result(&outcome), "record_invalid");
    }
}
