//! What an exempt `initialize` selects: nothing. Contract section 7.

use mcp_boundary_engine::{Effect, Engine, Head, Outcome, Role};
use mcp_boundary_tests::policy;
use serde_json::{Value, json};

const OFFER: &str = "2025-06-18";

fn engine(versions: &str, methods: &str) -> Engine {
    let text = format!(
        "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    versions: [{versions}]\n    allow:\n      methods: [{methods}]\n"
    );
    let compiled = policy::compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Engine::new(compiled, Role::Admit)
}

fn initialize(params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

fn hello() -> Value {
    initialize(json!({
        "protocolVersion": OFFER,
        "capabilities": {},
        "clientInfo": { "name": "c", "version": "1" },
    }))
}

fn ask(engine: &Engine, version: Option<&str>, body: &Value) -> Outcome {
    let body = body.to_string();
    let mut headers = vec![
        (":method", "POST"),
        (":path", "/mcp"),
        (":authority", "server.test"),
        ("content-type", "application/json"),
    ];
    headers.extend(version.map(|version| ("mcp-protocol-version", version)));
    let headers: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
        .collect();
    let head = Head {
        headers: &headers,
        end_of_stream: false,
        attributes: &[],
        record: None,
    };
    engine.decide(head, body.as_bytes())
}

/// `error.data` of the answer.
fn data(outcome: &Outcome) -> Value {
    let Effect::Answer { body, .. } = &outcome.effect else {
        panic!("forwarded: {:?}", outcome.verdict);
    };
    let answer: Value = serde_json::from_slice(body).expect("JSON");
    answer["error"]["data"].clone()
}

#[test]
fn it_has_no_revision_whatever_becomes_of_it() {
    let permitting = engine("\"2025-11-25\"", "initialize");
    let denying = engine("\"2025-11-25\"", "ping");
    for version in [None, Some("2025-03-26"), Some("2025-11-25")] {
        for engine in [&permitting, &denying] {
            let outcome = ask(engine, version, &hello());
            assert_eq!(outcome.verdict.revision, None, "{version:?}");
        }
        let outcome = ask(&permitting, version, &initialize(json!({})));
        assert_eq!(outcome.verdict.reason.code(), "params_invalid");
        assert_eq!(outcome.verdict.revision, None, "{version:?}");
    }
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let outcome = ask(&denying, Some("2025-11-25"), &ping);
    let revision = outcome.verdict.revision.map(|revision| revision.as_str());
    assert_eq!(revision, Some("2025-11-25"), "what is selected is told");
}

#[test]
fn requested_is_what_was_offered_or_absent() {
    let modern = engine("\"2026-07-28\"", "server/discover");
    let requested = |version, body: &Value| data(&ask(&modern, version, body))["requested"].clone();
    assert_eq!(requested(None, &hello()), OFFER);
    assert_eq!(requested(Some("2025-11-25"), &hello()), "2025-11-25");
    assert_eq!(requested(Some("1999-01-01"), &hello()), "1999-01-01");
    let offering = |offer: Value| initialize(json!({ "protocolVersion": offer }));
    assert_eq!(
        requested(None, &offering(json!("é".repeat(40)))),
        "é".repeat(16)
    );
    // Nothing was offered, so nothing is told; least of all a default.
    let nothing = [
        offering(json!(5)),
        initialize(json!({})),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "protocolVersion": OFFER } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    for body in nothing {
        let told = data(&ask(&modern, None, &body));
        assert_eq!(told.get("requested"), None, "{body}");
        assert_eq!(told["supported"], json!(["2026-07-28"]), "{body}");
    }
}
