//! `when`: what cannot be read never allows and always denies.
#![allow(clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::metadata::metadata;
use common::{Post, admit, call, endpoint, result, tools, when};
use mcp_boundary_engine::{Attribute, Engine};
use mcp_boundary_format::{Endpoint, Rule, Source};
use serde_json::{Value, json};

fn claim() -> Source {
    Source::JwtClaim {
        payload: "jwt".into(),
        path: vec!["role".into()],
    }
}

fn with(allow: Vec<Rule>, deny: Vec<Rule>) -> Engine {
    admit(Endpoint {
        allow,
        deny,
        ..endpoint()
    })
}

/// All metadata of a request whose token has this role.
fn role(value: Value) -> Option<Vec<u8>> {
    Some(metadata("jwt", &json!({ "role": value })))
}

fn known(values: &[&str]) -> Option<Vec<u8>> {
    role(json!(values))
}

fn san(name: &str) -> Option<Vec<u8>> {
    Some(name.as_bytes().to_vec())
}

#[test]
fn an_allow_needs_a_value_that_matches() {
    let engine = with(
        vec![when(claim(), &["admin", "op-*"], tools("a", &["t"]))],
        vec![],
    );
    assert_eq!(engine.attributes(), [Attribute::Metadata]);
    for (attributes, expected) in [
        (vec![known(&["admin"])], "forward"),
        (vec![known(&["guest", "op-1"])], "forward"),
        (vec![known(&["guest"])], "tool_not_allowed"),
        (vec![known(&["Admin"])], "tool_not_allowed"),
        (vec![known(&[])], "tool_not_allowed"),
        (vec![None], "tool_not_allowed"),
        (vec![], "tool_not_allowed"),
    ] {
        let outcome = Post {
            attributes: &attributes,
            ..Post::new(&call("t"))
        }
        .to(&engine);
        assert_eq!(result(&outcome), expected, "{attributes:?}");
    }
}

#[test]
fn a_refusal_tells_an_unmet_condition_from_an_unlisted_name() {
    let engine = with(vec![when(claim(), &["admin"], tools("a", &["t"]))], vec![]);
    let told = |name| {
        let attributes = [known(&["guest"])];
        let outcome = Post {
            attributes: &attributes,
            ..Post::new(&call(name))
        }
        .to(&engine);
        outcome.verdict.detail.into_owned()
    };
    assert!(told("t").contains("for this caller: the condition of rule `a` does not hold"));
    assert!(
        told("u").ends_with(
            "tool `u` is not allowed on endpoint `test`; only the operator can allow it"
        ),
        "{}",
        told("u")
    );
}

#[test]
fn a_deny_holds_unless_a_value_is_known_and_differs() {
    let deny = when(claim(), &["guest"], tools("d", &["t"]));
    let engine = with(vec![tools("a", &["*"])], vec![deny]);
    for (attributes, expected) in [
        (vec![known(&["guest"])], "tool_denied"),
        (vec![None], "tool_denied"),
        (vec![], "tool_denied"),
        (vec![known(&["admin"])], "forward"),
    ] {
        let outcome = Post {
            attributes: &attributes,
            ..Post::new(&call("t"))
        }
        .to(&engine);
        assert_eq!(result(&outcome), expected, "{attributes:?}");
        let other = Post {
            attributes: &attributes,
            ..Post::new(&call("u"))
        }
        .to(&engine);
        assert_eq!(result(&other), "forward");
    }
}

#[test]
fn a_deny_is_not_evaded_by_case_or_length() {
    let header = Source::Header("x-role".into());
    let allow = vec![tools("a", &["*"])];
    let engine = with(allow, vec![when(header, &["guest*"], tools("d", &["t"]))]);
    let long = "x".repeat(5000);
    for (role, expected) in [
        ("GUEST-1", "tool_denied"),
        (&long, "tool_denied"),
        ("admin", "forward"),
    ] {
        let headers = [("mcp-protocol-version", "2025-11-25"), ("x-role", role)];
        let body = call("t");
        let outcome = Post {
            headers: &headers,
            ..Post::new(&body)
        }
        .to(&engine);
        assert_eq!(result(&outcome), expected);
    }
}

#[test]
fn a_header_counts_only_if_there_is_exactly_one() {
    let header = || Source::Header("x-role".into());
    let engine = with(
        vec![
            tools("a", &["u"]),
            when(header(), &["admin"], tools("b", &["t"])),
        ],
        vec![when(header(), &["guest"], tools("d", &["u"]))],
    );
    assert!(engine.attributes().is_empty());
    let version = ("mcp-protocol-version", "2025-11-25");
    for (lines, t, u) in [
        (vec![("x-role", "admin")], "forward", "forward"),
        (vec![("x-role", "guest")], "tool_not_allowed", "tool_denied"),
        (vec![], "tool_not_allowed", "tool_denied"),
        (
            vec![("x-role", "admin"), ("x-role", "admin")],
            "header_ambiguous",
            "header_ambiguous",
        ),
        (
            vec![("x-role", "admin"), ("x_role", "guest")],
            "header_ambiguous",
            "header_ambiguous",
        ),
        (vec![("x-role", "")], "header_ambiguous", "header_ambiguous"),
    ] {
        let headers: Vec<_> = std::iter::once(version).chain(lines.clone()).collect();
        let send = |tool| {
            result(
                &Post {
                    headers: &headers,
                    ..Post::new(&call(tool))
                }
                .to(&engine),
            )
        };
        assert_eq!((send("t"), send("u")), (t, u), "{lines:?}");
    }
}

#[test]
fn a_peer_pattern_stops_at_slashes() {
    let rule = when(
        Source::PeerSan,
        &["spiffe://c/ns/*/sa/agent"],
        tools("a", &["t"]),
    );
    let engine = with(vec![rule], vec![]);
    for (name, expected) in [
        ("spiffe://c/ns/dev/sa/agent", "forward"),
        ("spiffe://c/ns/dev/x/sa/agent", "tool_not_allowed"),
        ("spiffe://c/ns/dev/sa/agent2", "tool_not_allowed"),
    ] {
        let attributes = [san(name), None];
        let outcome = Post {
            attributes: &attributes,
            ..Post::new(&call("t"))
        }
        .to(&engine);
        assert_eq!(result(&outcome), expected, "{name}");
    }
}

#[test]
fn every_condition_of_a_rule_must_hold() {
    let both = || {
        let one = when(claim(), &["admin"], tools("r", &["t"]));
        let mut conditions = one.when.clone();
        conditions.extend(when(Source::PeerSan, &["spiffe://c/a"], tools("x", &[])).when);
        Rule {
            when: conditions,
            ..one
        }
    };
    let allow = with(vec![both()], vec![]);
    let deny = with(vec![tools("a", &["t"])], vec![both()]);
    let [admin, guest] = ["admin", "guest"].map(|value| known(&[value]));
    let [peer, other] = ["spiffe://c/a", "spiffe://c/b"].map(san);
    for (attributes, allowed, denied) in [
        ([admin.clone(), peer.clone()], true, true),
        ([admin.clone(), None], false, true),
        ([None, None], false, true),
        ([admin, other.clone()], false, false),
        ([guest, peer], false, false),
        ([None, other], false, false),
    ] {
        let post = call("t");
        let post = Post {
            attributes: &attributes,
            ..Post::new(&post)
        };
        assert_eq!(
            result(&post.to(&allow)) == "forward",
            allowed,
            "{attributes:?}"
        );
        assert_eq!(
            result(&post.to(&deny)) == "tool_denied",
            denied,
            "{attributes:?}"
        );
    }
}
