//! What Envoy hands a filter of a checked token.
use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Listener};
use mcp_boundary_tests::recorder::Recorder;
use mcp_boundary_tests::rewriter::Rewriter;
use mcp_boundary_tests::token;

#[test]
fn table() {
    let Some(binary) = envoy::or_skip("claims") else {
        return;
    };
    let recorder = Recorder::start().unwrap();
    let mut listener = Listener::new("probe");
    listener.before = vec![
        token::jwt_authn("p").unwrap(),
        Rewriter::Wasm.filter().unwrap(),
    ];
    let envoy = Envoy::start(&binary, &Bootstrap::new(recorder.address(), vec![listener]))
        .unwrap_or_else(|e| panic!("{e}"));
    let to = envoy.listener("probe");
    for claim in [
        r#""guest""#,
        r#""""#,
        "8",
        "1.5",
        "-3",
        "9007199254740993",
        "18446744073709551615",
        "1e300",
        "true",
        "false",
        "null",
        "[]",
        "[8]",
        "[true]",
        "[null]",
        r#"["a","b"]"#,
        r#"["a",null]"#,
        r#"[["guest"]]"#,
        r#"[{"guest":"guest"}]"#,
        "{}",
        r#"{"admin":""}"#,
        r#"{"admin":null}"#,
        r#""\u0001\u0000\u0000\u0000\u0005\u0000\u0000\u0000\u0000\u0000\u0000\u0000admin\u0000\u0000""#,
        r#""12345678""#,
        "\"\\u0001\"",
        r#"{"a":{"b":1}}"#,
        r#"{"x":1,"x":2}"#,
        "-0.0",
        r#""é\ud83d\ude00""#,
    ] {
        for path in [
            "metadata|filter_metadata|envoy.filters.http.jwt_authn|p|c",
            "metadata|filter_metadata|envoy.filters.http.jwt_authn|p|c|0",
            "metadata",
        ] {
            let request = Request::mcp("server.test", "/mcp", None, "{}")
                .header("x-property", path)
                .header(
                    token::HEADER,
                    &token::sign(&format!(r#"{{"c":{claim}}}"#)).unwrap(),
                );
            let answer = request.send(to).unwrap();
            println!(
                "{claim:40} {:12} {} {}",
                path.rsplit('|').next().unwrap(),
                answer.status,
                answer.body.escape_ascii()
            );
        }
    }
}
