//! What operators are told: the line, the fields for the access log, the
//! counter; each would-be denial once.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::metadata::metadata;
use common::{Post, admit, call, endpoint, policy, record, tools, when};
use mcp_boundary_engine::{Engine, Outcome, Role, Seen};
use mcp_boundary_format::{Endpoint, Mode, Rule, Source};
use serde_json::{Value, json};

fn allowing(mode: Mode) -> Endpoint {
    let allow = Rule {
        methods: common::names(&["initialize"]),
        resources: common::names(&["file:///docs/**"]),
        ..tools("some", &["good"])
    };
    Endpoint {
        mode,
        allow: vec![allow],
        ..endpoint()
    }
}

fn line(engine: &Engine, outcome: &Outcome) -> Value {
    let seen = Seen {
        headers: &[
            (b":authority", b"mcp.test:8443"),
            (b":path", b"/mcp?token=s3"),
            (b"x-request-id", b"7c0f6f0e-1\n"),
        ],
        client: Some(b"192.0.2.7:5000"),
        record: None,
    };
    serde_json::from_str(&engine.line(&outcome.verdict, &seen)).expect("JSON")
}

fn state(engine: &Engine, outcome: &Outcome, key: &str) -> Option<String> {
    let state = engine.state(&outcome.verdict);
    let mut found = state.into_iter().filter(|(name, _)| *name == key);
    found.next().map(|(_, value)| value)
}

fn counter(engine: &Engine, outcome: &Outcome) -> Option<String> {
    let counted = engine.counted(&outcome.verdict)?;
    Some(engine.counter(counted))
}

#[test]
fn the_line_says_who_asked_what_where() {
    let engine = admit(allowing(Mode::Enforce));
    let outcome = Post::new(&call("bad")).to(&engine);
    assert!(outcome.verdict.is_news());
    let told = line(&engine, &outcome);
    for (member, value) in [
        ("mcp_boundary", json!("deny")),
        ("reason", json!("tool_not_allowed")),
        ("request_id", json!("7c0f6f0e-1\\n")),
        ("client", json!("192.0.2.7")),
        ("host", json!("mcp.test:8443")),
        ("path", json!("/mcp")),
        ("endpoint", json!("test")),
        ("mode", json!("enforce")),
        ("role", json!("admit")),
        ("methods", json!(["tools/call"])),
        ("names", json!(["bad"])),
        ("principals", json!({})),
        ("policy", json!(engine.digest())),
    ] {
        assert_eq!(told[member], value, "{member} in {told}");
    }
}

#[test]
fn a_uri_is_told_without_what_may_be_secret() {
    let engine = admit(allowing(Mode::Enforce));
    let read = |uri: &str| {
        let params = json!({"uri": uri});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params});
        line(&engine, &Post::new(&body.to_string()).to(&engine))
    };
    for uri in [
        "https://u:s3cr3t@h/p",
        "https://h/p?s3cr3t",
        "x://h/p?s3cr3t#s3cr3t",
        "https://h/p#s3cr3t",
    ] {
        let told = read(uri);
        assert_ne!(told["mcp_boundary"], Value::Null);
        assert!(!told.to_string().contains("s3cr3t"), "{told}");
    }
    assert_eq!(read("x://h/p?s3cr3t")["names"], json!(["x://h/p?…"]));
}

#[test]
fn a_task_id_is_not_told() {
    let engine = admit(allowing(Mode::Enforce));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"taskId": "s3cr3t", "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": params});
    let head = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tasks/get"),
    ];
    for (name, reason) in [
        (Some("other"), "mirror_mismatch"),
        (None, "mirror_missing"),
        (Some("s3cr3t"), "extension_not_allowed"),
    ] {
        let name = name.map(|name| ("mcp-name", name));
        let headers: Vec<_> = head.into_iter().chain(name).collect();
        let outcome = Post {
            headers: &headers,
            ..Post::new(&body.to_string())
        }
        .to(&engine);
        let told = line(&engine, &outcome);
        assert_eq!(told["reason"], reason, "{told}");
        assert!(!told.to_string().contains("s3cr3t"), "{told}");
    }
}

#[test]
fn a_would_be_denial_has_one_word_and_is_told_once() {
    let admits = admit(allowing(Mode::Audit));
    let first = Post::new(&call("bad")).to(&admits);
    assert_eq!(line(&admits, &first)["mcp_boundary"], "would_deny");
    assert_eq!(
        state(&admits, &first, "mcp_boundary_verdict").as_deref(),
        Some("would_deny")
    );
    let counted = counter(&admits, &first).expect("counted");
    assert!(counted.contains("verdict=.=would_deny;.;"), "{counted}");

    let rechecks = Engine::new(policy(allowing(Mode::Audit)), Role::Recheck);
    let kept = record(&first);
    let again = |body: &str, kept: &[u8]| {
        Post {
            record: Some(kept),
            ..Post::new(body)
        }
        .to(&rechecks)
    };
    // The same request: nothing is told or counted a second time.
    let second = again(&call("bad"), &kept);
    assert!(second.verdict.is_would_deny());
    assert!(!second.verdict.is_news());
    assert_eq!(rechecks.state(&second.verdict), []);
    assert_eq!(counter(&rechecks, &second), None);
    // A rejection is news even so.
    let broken = again("{", &kept);
    assert!(broken.verdict.is_news());
    // What became deniable on its way is, too.
    let permitted = record(&Post::new(&call("good")).to(&admits));
    let rewritten = again(&call("bad"), &permitted);
    assert!(rewritten.verdict.is_news());
    assert!(counter(&rechecks, &rewritten).is_some());
    let verdict = state(&rechecks, &rewritten, "mcp_boundary_verdict");
    assert_eq!(verdict.as_deref(), Some("would_deny"));
    // Under enforce, of course.
    let enforces = Engine::new(policy(allowing(Mode::Enforce)), Role::Recheck);
    let denied = Post {
        record: Some(&kept),
        ..Post::new(&call("bad"))
    }
    .to(&enforces);
    assert!(denied.verdict.is_news());
}

#[test]
fn a_recheck_shows_refusals_in_the_place_of_admits_verdict() {
    let admits = admit(allowing(Mode::Enforce));
    let kept = record(&Post::new(&call("good")).to(&admits));
    let post = |tool: &str, engine: &Engine| {
        Post {
            record: Some(&kept),
            ..Post::new(&call(tool))
        }
        .to(engine)
    };
    let chain = Engine::new(policy(allowing(Mode::Enforce)), Role::Recheck);
    let upstream = Engine::new(policy(allowing(Mode::Enforce)), Role::Recheck).upstream();
    for engine in [chain, upstream] {
        assert_eq!(engine.state(&post("good", &engine).verdict), []);
        let refused = post("bad", &engine);
        let shown = |key| state(&engine, &refused, key);
        assert_eq!(shown("mcp_boundary_verdict").as_deref(), Some("deny"));
        assert_eq!(shown("mcp_boundary_role").as_deref(), Some("recheck"));
        // Nothing of admit's may stay.
        assert_eq!(shown("mcp_boundary_rule").as_deref(), Some(""));
        assert_eq!(shown("mcp_boundary_names").as_deref(), Some(r#"["bad"]"#));
    }
    // Behind the route nothing that goes on depends on filter state.
    let upstream = Engine::new(policy(allowing(Mode::Audit)), Role::Recheck).upstream();
    let tried = post("bad", &upstream);
    assert!(tried.verdict.is_news());
    assert_eq!(upstream.state(&tried.verdict), []);
}

#[test]
fn an_initialize_has_no_revision_but_what_it_offers() {
    let engine = admit(allowing(Mode::Enforce));
    let offer = "9999-99-99 and on and on and on and on";
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": offer, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    });
    let outcome = Post {
        headers: &[],
        ..Post::new(&initialize.to_string())
    }
    .to(&engine);
    assert_eq!(common::result(&outcome), "forward");
    let cut = "9999-99-99 and on and on and on …";
    assert_eq!(
        state(&engine, &outcome, "mcp_boundary_revision").as_deref(),
        Some("-")
    );
    assert_eq!(
        state(&engine, &outcome, "mcp_boundary_requested").as_deref(),
        Some(cut)
    );
    let counted = counter(&engine, &outcome).expect("counted");
    assert!(counted.contains("revision=.=-;.;"), "{counted}");
    // Where one governs, there is nothing else to say.
    let outcome = Post::new(&call("bad")).to(&engine);
    assert_eq!(line(&engine, &outcome)["revision"], "2025-11-25");
    assert_eq!(line(&engine, &outcome)["requested"], Value::Null);
    // An unknown one is cut too, also in the sentence about it.
    let unknown = format!("{}s3cr3t", "9".repeat(32));
    let headers = [("mcp-protocol-version", unknown.as_str())];
    let outcome = Post {
        headers: &headers,
        ..Post::new(&call("good"))
    }
    .to(&engine);
    let told = line(&engine, &outcome);
    assert_eq!(told["reason"], "version_unknown");
    assert_eq!(told["requested"], format!("{}…", "9".repeat(32)));
    assert!(!told.to_string().contains("s3cr3t"), "{told}");
}

#[test]
fn principals_are_those_that_the_endpoints_rules_ask_for() {
    let claim = |name: &str| Source::JwtClaim {
        payload: "jwt".into(),
        path: vec![name.into()],
    };
    let token = Source::Header("authorization".into());
    let rules = vec![
        when(claim("role"), &["admin"], tools("a", &["t"])),
        when(claim("missing"), &["x"], tools("b", &["t"])),
        when(token, &["x"], tools("c", &["t"])),
        when(Source::Header("x-user".into()), &["x"], tools("d", &["t"])),
    ];
    let engine = admit(Endpoint {
        allow: rules,
        ..endpoint()
    });
    let long = "y".repeat(200);
    let mut roles: Vec<Value> = (0..20).map(Value::from).collect();
    roles[0] = json!(long);
    roles[1] = json!(true);
    let claims = json!({"role": roles, "email": "s3cr3t@example.com"});
    let outcome = Post {
        attributes: &[Some(metadata("jwt", &claims))],
        headers: &[
            ("mcp-protocol-version", "2025-11-25"),
            ("authorization", "Bearer s3cr3t"),
            ("x-user", "bob"),
        ],
        ..Post::new(&call("t"))
    }
    .to(&engine);
    let told = line(&engine, &outcome);
    let who = &told["principals"];
    assert_eq!(who["header.x-user"], json!(["bob"]));
    assert_eq!(who["header.authorization"], json!(["-"]));
    assert_eq!(who["jwt.jwt.missing"], Value::Null);
    let role = who["jwt.jwt.role"].as_array().expect("a list");
    assert_eq!(role.len(), 17);
    assert_eq!(role[0], format!("{}…", "y".repeat(128)));
    assert_eq!((&role[1], &role[2]), (&json!(true), &json!(2)));
    assert_eq!(role[16], "… 4 more");
    assert!(!told.to_string().contains("s3cr3t"), "{told}");
    let shown = state(&engine, &outcome, "mcp_boundary_principals").expect("shown");
    assert_eq!(&serde_json::from_str::<Value>(&shown).expect("JSON"), who);
}
