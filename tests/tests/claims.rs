//! What Envoy hands a filter of a token that `jwt_authn` checked: the facts
//! that reading claims stands on, for every kind of JSON value.
//!
//! Asked for one claim, Envoy tells bytes without their kind, and several
//! values look the same. Asked for all metadata, it tells a message in which
//! every value has its kind; that one is read.

use mcp_boundary_tests::claims::{Metadata, metadata};
use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::Listener;
use mcp_boundary_tests::rewriter::Rewriter;
use mcp_boundary_tests::scene::Scene;
use mcp_boundary_tests::token;
use prost::Message;
use serde_json::Value;

/// A claim as JSON, and the bytes of it alone: `None` where Envoy tells none.
const TABLE: [(&str, Option<&[u8]>); 29] = [
    (r#""guest""#, Some(b"guest")),
    (r#""12345678""#, Some(b"12345678")),
    (r#""é😀""#, Some(b"\xc3\xa9\xf0\x9f\x98\x80")),
    (r#""""#, None),
    (r#""\u0001""#, Some(b"\x01")),
    (r#""\u0000""#, Some(b"\0")),
    // The same as the list `["admin"]`, below.
    (
        r#""\u0001\u0000\u0000\u0000\u0005\u0000\u0000\u0000\u0000\u0000\u0000\u0000admin\u0000\u0000""#,
        Some(b"\x01\0\0\0\x05\0\0\0\0\0\0\0admin\0\0"),
    ),
    ("8", Some(b"\0\0\0\0\0\0\x20\x40")),
    // The same as the text `AAAAAAAA`.
    ("2261634.5098039214", Some(b"AAAAAAAA")),
    ("1.5", Some(b"\0\0\0\0\0\0\xf8\x3f")),
    ("-3", Some(b"\0\0\0\0\0\0\x08\xc0")),
    ("9007199254740993", Some(b"\0\0\0\0\0\0\x40\x43")),
    ("18446744073709551615", Some(b"\0\0\0\0\0\0\xf0\x43")),
    ("true", Some(b"\x01")),
    ("false", Some(b"\0")),
    ("null", None),
    ("[]", Some(b"\0\0\0\0")),
    ("{}", Some(b"\0\0\0\0")),
    (
        r#"["admin"]"#,
        Some(b"\x01\0\0\0\x05\0\0\0\0\0\0\0admin\0\0"),
    ),
    (
        r#"{"admin":""}"#,
        Some(b"\x01\0\0\0\x05\0\0\0\0\0\0\0admin\0\0"),
    ),
    (r#"{"admin":null}"#, None),
    (
        r#"["a","b"]"#,
        Some(b"\x02\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a\0\0b\0\0"),
    ),
    (
        "[8]",
        Some(b"\x01\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\x20\x40\0\0"),
    ),
    ("[true]", Some(b"\x01\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0")),
    ("[null]", None),
    (r#"["a",null]"#, None),
    (
        r#"[["guest"]]"#,
        Some(b"\x01\0\0\0\x13\0\0\0\0\0\0\0\x01\0\0\0\x05\0\0\0\0\0\0\0guest\0\0\0\0"),
    ),
    (
        r#"[{"guest":"guest"}]"#,
        Some(
            b"\x01\0\0\0\x18\0\0\0\0\0\0\0\x01\0\0\0\x05\0\0\0\x05\0\0\0guest\0guest\0\0\0",
        ),
    ),
    (
        r#"{"a":{"b":1}}"#,
        Some(
            b"\x01\0\0\0\x01\0\0\0\x17\0\0\0a\0\x01\0\0\0\x01\0\0\0\x08\0\0\0b\0\0\0\0\0\0\0\xf0\x3f\0\0",
        ),
    ),
];

#[test]
fn every_kind_of_value() {
    let mut listener = Listener::new("probe");
    listener.before = vec![
        token::jwt_authn("p").expect("a filter"),
        Rewriter::Wasm.filter().expect("a filter"),
    ];
    let mut split = listener.clone();
    split.name = "split".to_owned();
    split.before[0]["typed_config"]["providers"]["test"]["normalize_payload_in_metadata"] =
        serde_json::json!({ "space_delimited_claims": ["scope"] });
    let Some(scene) = Scene::of("what Envoy tells of claims", vec![listener, split], |_| ()) else {
        return;
    };
    let ask = |property: &str, claims: &str| {
        let token = token::sign(claims).expect("a token");
        let request = Request::mcp("server.test", "/mcp", None, "{}")
            .header("x-property", property)
            .header(token::HEADER, &token);
        let answer = request
            .send(scene.envoy.listener("probe"))
            .expect("an answer");
        (answer.status == 200).then_some(answer.body)
    };
    let ask_split = |property: &str, claims: &str| {
        let token = token::sign(claims).expect("a token");
        let request = Request::mcp("server.test", "/mcp", None, "{}")
            .header("x-property", property)
            .header(token::HEADER, &token);
        let answer = request
            .send(scene.envoy.listener("split"))
            .expect("an answer");
        answer.body
    };
    let alone = "metadata|filter_metadata|envoy.filters.http.jwt_authn|p|c";
    for (claim, bytes) in TABLE {
        let claims = format!(r#"{{"c":{claim},"sub":"x"}}"#);
        assert_eq!(ask(alone, &claims).as_deref(), bytes, "{claim}");
        let told = ask("metadata", &claims).expect("metadata");
        let told = Metadata::decode(told.as_slice()).expect("the message");
        let parsed: Value = serde_json::from_str(&claims).expect("JSON");
        let model = metadata("p", parsed.as_object().expect("an object"));
        assert_eq!(told, model, "{claim}");
    }
    // The scopes of `docs/operations.md`, already parted by the provider.
    let told = Metadata::decode(ask_split("metadata", r#"{"scope":"a b"}"#).as_slice());
    let parted = serde_json::json!({ "scope": ["a", "b"] });
    let model = metadata("p", parted.as_object().expect("an object"));
    assert_eq!(told.expect("the message"), model);
    // A way through a list is not ours, but Envoy's when asked for one claim.
    let first = ask(&format!("{alone}|0"), r#"{"c":["a"]}"#);
    assert_eq!(first.as_deref(), Some(&b"a"[..]));
    // A name twice never gets here.
    assert_eq!(ask("metadata", r#"{"c":1,"c":2}"#), None);
}
