//! Every entry point with arbitrary bytes. A panic in the VM would cost every
//! request on that worker, so there is none to reach.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::metadata::metadata;
use common::{endpoint, names, tools, when};
use mcp_boundary_engine::{
    Effect, Engine, Head, Kind, Role, Step, is_strict_tool_name, methods, template_fault, uri_fault,
};
use mcp_boundary_format::{
    Compat, Endpoint, Limits, Mode, PathPattern, Policy, Revision, Rule, Source, Switch, ToolNames,
    Unmatched,
};
use proptest::prelude::*;
use serde_json::json;

fn engine(role: Role, mode: Mode, unmatched: Unmatched) -> Engine {
    let claim = Source::JwtClaim {
        payload: "jwt".into(),
        path: vec!["role".into()],
    };
    let allow = Rule {
        methods: names(&["*"]),
        prompts: names(&["p*"]),
        resources: names(&["file:///**/x*"]),
        extensions: vec!["tasks/get".parse().unwrap(), "x/y".parse().unwrap()],
        ..tools("a", &["*e*"])
    };
    let endpoint = Endpoint {
        path: PathPattern::Prefix("/".parse().unwrap()),
        mode,
        tool_names: ToolNames::Any,
        compat: Compat {
            equal_version_repeats: Switch::Allow,
            stale_mirrors: Switch::Allow,
        },
        limits: Limits {
            body_bytes: 300,
            depth: 12,
            batch_members: 3,
        },
        origins: vec!["https://a.test".into()],
        forbidden_arguments: vec!["_owner".into()],
        allow: vec![allow],
        deny: vec![
            when(Source::Header("x-role".into()), &["g*"], tools("d", &["*"])),
            when(claim, &["guest"], tools("e", &["delete*"])),
        ],
        ..endpoint()
    };
    let policy = Policy::seal(unmatched, vec![endpoint]).unwrap();
    Engine::new(policy, role)
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        ":method",
        ":path",
        ":authority",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "content-type",
        "content-encoding",
        "content-length",
        "origin",
        "accept",
        "connection",
        "upgrade",
        "x-role",
        "mcp_name",
        "mcp-param-a",
    ];
    prop_oneof![
        6 => prop::sample::select(known.to_vec()).prop_map(|name| name.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "POST",
        "GET",
        "DELETE",
        "/",
        "/mcp?a",
        "/a/../b",
        "2025-03-26",
        "2025-11-25",
        "2026-07-28",
        "2025-11-25, 2025-11-25",
        "application/json",
        "text/event-stream",
        "tools/call",
        "t",
        "=?base64?dA==?=",
        "=?base64?",
        "mcp.test:80",
        "[::1]:1",
        "guest",
        "https://a.test",
        "mcp-name, x-role",
        "999999999999999999999",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(|value| value.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..24),
    ]
}

/// Bytes, and messages whose members are anything.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let scalar = "null|true|0|-0|1\\.5|1e999|\"[a-z/]{0,12}\"|\"2\\.0\"|\"tools/call\"|\"ping\"|\"resources/read\"|\"\\\\ud800\"";
    let member = "jsonrpc|id|method|params|name|uri|arguments|_meta|result|error|ref|notifications|taskId|Name|x";
    let leaf = scalar.prop_map(|text: String| text);
    let tree = leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((member, inner.clone()), 0..6).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(k, v)| format!("\"{k}\":{v}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    });
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..64),
        4 => tree.prop_map(String::into_bytes),
    ]
}

/// Bytes of any kind, and claims with some of them changed.
fn attribute() -> impl Strategy<Value = Vec<u8>> {
    let claims = json!({"role": ["admin", 8, true, {"a": "b"}], "realm": {"role": "guest"}});
    let whole = metadata("jwt", &claims);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3).prop_map(
            move |edits| {
                let mut bytes = whole.clone();
                for (at, byte) in edits {
                    let at = at.index(bytes.len());
                    bytes[at] = byte;
                }
                bytes
            }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn requests(
        lines in prop::collection::vec((name(), value()), 0..12),
        body in body(),
        end_of_stream: bool,
        attributes in prop::collection::vec(prop::option::of(attribute()), 0..4),
        record in prop::option::of(prop::collection::vec(any::<u8>(), 0..60)),
        recheck: bool,
        audit: bool,
        pass: bool,
    ) {
        let role = if recheck { Role::Recheck } else { Role::Admit };
        let mode = if audit { Mode::Audit } else { Mode::Enforce };
        let unmatched = if pass { Unmatched::Pass } else { Unmatched::Deny };
        let engine = engine(role, mode, unmatched);
        let headers: Vec<(&[u8], &[u8])> = lines.iter().map(|(n, v)| (&n[..], &v[..])).collect();
        let head = Head {
            headers: &headers,
            end_of_stream,
            attributes: &attributes,
            record: record.as_deref(),
        };
        if let Step::Body(pending) = engine.open(head)
            && let Step::Body(pending) = pending.received(body.len())
        {
            let _ = pending.close(&body);
        }
        if let Step::Body(pending) = engine.open(head) {
            let _ = pending.received(usize::MAX);
        }
        let outcome = engine.decide(head, &body);
        let forwarded = matches!(outcome.effect, Effect::Forward { .. });
        prop_assert!(!(forwarded && outcome.verdict.kind == Kind::Reject));
        if let Effect::Answer { body, .. } = engine.fault().effect {
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        }
    }

    #[test]
    fn names_and_methods(text in ".{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = (uri_fault(&text), template_fault(&text), is_strict_tool_name(&text));
        for revision in Revision::ALL {
            let _ = methods::classify(&text, revision);
        }
        prop_assert!(Policy::decode(&bytes).is_err());
    }
}
