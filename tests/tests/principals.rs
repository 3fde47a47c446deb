//! Rules with `when`, each with a real source: a token that jwt_authn checked,
//! a header that a filter sets; certificates are in `peers.rs`. What cannot be
//! read permits nothing and lifts no denial.

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::scene::{GUARDED, Scene, guarded};
use serde_json::{Value, json};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /jwt
    denial: http
    allow:
      - id: anyone
        methods: [ping]
      - id: auditors
        tools: [read_log]
        when: { jwt: { payload: jwt_payload, claim: realm.roles, in: [auditor] } }
      - id: everyone
        tools: [get_weather]
    deny:
      - id: no-guests
        tools: [get_weather]
        when: { jwt: { payload: jwt_payload, claim: role, is: guest } }
  - path: /header
    denial: http
    allow:
      - id: operators
        tools: [get_weather]
        when: { header: { name: x-agent-role, in: [operator] } }
"#;

/// The key of the tokens below; it signs nothing else.
const JWKS: &str = r#"{"keys":[{"kty":"oct","alg":"HS256","kid":"test","k":"YSBrZXkgZm9yIHRlc3RzIGFuZCBmb3Igbm90aGluZyBlbHNlLCAyNTYgYml0cyBhbmQgbW9yZQ"}]}"#;

/// `{"role":"guest"}`
const GUEST: &str = "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QifQ.eyJpc3MiOiJ0ZXN0Iiwicm9sZSI6Imd1ZXN0In0.zE3l0na0lrWdyTqZLzBXNC7LSMlX3y7_KBeQa-JaXl8";
/// `{"role":"admin","realm":{"roles":["writer","auditor"]}}`
const ADMIN: &str = "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QifQ.eyJpc3MiOiJ0ZXN0Iiwicm9sZSI6ImFkbWluIiwicmVhbG0iOnsicm9sZXMiOlsid3JpdGVyIiwiYXVkaXRvciJdfX0.m_wHrxRrj2KS4SZrne4NayQ6Bm_-1mGgQLSDOC38xIA";
/// `{"role":["guest","admin"]}`
const BOTH: &str = "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QifQ.eyJpc3MiOiJ0ZXN0Iiwicm9sZSI6WyJndWVzdCIsImFkbWluIl19.aa6-lZ9Rqe6_UiYD5LWqD-9dqCM6XIQJzkq8KuGZDgI";
/// `{"realm":{"roles":"auditor"}}`
const AUDITOR: &str = "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QifQ.eyJpc3MiOiJ0ZXN0IiwicmVhbG0iOnsicm9sZXMiOiJhdWRpdG9yIn19.Tel76fpEYU5iAhnYUgdRsDjZj-eqdn44kYOu0c76NM4";

fn jwt_authn() -> Value {
    json!({
        "name": "envoy.filters.http.jwt_authn",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication",
            "providers": { "test": {
                "issuer": "test",
                "local_jwks": { "inline_string": JWKS },
                "payload_in_metadata": "jwt_payload",
            } },
            "rules": [{
                "match": { "prefix": "/jwt" },
                "requires": { "requires_any": { "requirements": [
                    { "provider_name": "test" },
                    { "allow_missing": {} },
                ] } },
            }],
        },
    })
}

fn call(path: &str, tool: &str) -> Request {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    );
    Request::mcp("server.test", path, Some("2025-11-25"), &body)
}

#[test]
fn claims_of_a_checked_token() {
    let mut listener = guarded(GUARDED, POLICY);
    listener.before = vec![jwt_authn()];
    let Some(scene) = Scene::of("claims of a token", vec![listener], |_| ()) else {
        return;
    };
    let ask = |tool: &str, token: Option<&str>| {
        let request = call("/jwt", tool);
        let request = match token {
            Some(token) => request.header("authorization", &format!("Bearer {token}")),
            None => request,
        };
        scene.status(GUARDED, &request)
    };
    // An allow with `when` needs the claim: one of a list, or the one string.
    assert_eq!(ask("read_log", Some(ADMIN)), 200);
    assert_eq!(ask("read_log", Some(AUDITOR)), 200);
    assert_eq!(ask("read_log", Some(GUEST)), 403);
    assert_eq!(ask("read_log", None), 403);
    // A deny with `when` holds unless the claim is there and another one.
    assert_eq!(ask("get_weather", Some(ADMIN)), 200);
    assert_eq!(ask("get_weather", Some(GUEST)), 403);
    assert_eq!(ask("get_weather", Some(BOTH)), 403);
    assert_eq!(ask("get_weather", Some(AUDITOR)), 403, "no `role` at all");
    assert_eq!(ask("get_weather", None), 403);
    // A token nobody signed is jwt_authn's to refuse.
    let forged = format!("{}x", &ADMIN[..ADMIN.len() - 1]);
    assert_eq!(ask("read_log", Some(&forged)), 401);
}

#[test]
fn a_header_counts_once() {
    let Some(scene) = Scene::guarded("a header as principal", POLICY) else {
        return;
    };
    let with = |values: &[&str]| {
        let request = values
            .iter()
            .fold(call("/header", "get_weather"), |request, value| {
                request.header("x-agent-role", value)
            });
        scene.status(GUARDED, &request)
    };
    assert_eq!(with(&["operator"]), 200);
    assert_eq!(with(&["guest"]), 403);
    assert_eq!(with(&[]), 403);
    assert_eq!(with(&["guest", "operator"]), 400);
    let twin = call("/header", "get_weather")
        .header("x-agent-role", "operator")
        .header("x_agent_role", "guest");
    assert_eq!(scene.status(GUARDED, &twin), 400);
}
