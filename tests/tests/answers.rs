//! What the server answers reaches the client as if the filter were not there:
//! status, every header, body, trailers, and nothing is held back.

use mcp_boundary_tests::client::{Request, Response};
use mcp_boundary_tests::envoy::{Bootstrap, Listener};
use mcp_boundary_tests::error::Result;
use mcp_boundary_tests::evidence::Tally;
use mcp_boundary_tests::gateway::Over;
use mcp_boundary_tests::recorder::{Exchange, Recorder, Step};
use mcp_boundary_tests::scene::{HOST, Scene};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    allow: { tools: [get_weather] }
"#;

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{}}}"#;

/// More than any buffer on the way holds.
const LONG: usize = 6 << 20;

/// What the server answers, by the header `x-answer` of the request.
fn answer(exchange: &Exchange) -> Vec<Step> {
    let kind = exchange.header_text("x-answer").unwrap_or_default();
    let json = r#"{"jsonrpc":"2.0","id":1,"result":{"a":"\u00e4",  "a":1}}"#;
    let head = match kind.as_str() {
        "accepted" => "202 Accepted\r\ncontent-length: 0".to_owned(),
        "challenge" => "401 Unauthorized\r\nwww-authenticate: Bearer resource_metadata=\"https://a.example/.well-known/oauth-protected-resource\", error=\"invalid_token\"\r\nwww-authenticate: Basic realm=\"b\"\r\ncontent-type: text/plain\r\ncontent-length: 2".to_owned(),
        "session" => format!("200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s-1\r\nx-odd: \u{e9}\r\ncontent-length: {}", json.len()),
        "failure" => "500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 2".to_owned(),
        "long" => format!("200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {LONG}"),
        "trailers" => "200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked".to_owned(),
        _ => format!("200 OK\r\ncontent-type: application/json\r\ncontent-length: {}", json.len()),
    };
    let body = match kind.as_str() {
        "accepted" => Vec::new(),
        "challenge" | "failure" => b"{}".to_vec(),
        "long" => (0..LONG)
            .map(|at| b'a' + u8::try_from(at % 23).unwrap_or_default())
            .collect(),
        "trailers" => b"2\r\n{}\r\n0\r\nx-checksum: 1\r\nx-other: 2\r\n\r\n".to_vec(),
        _ => json.as_bytes().to_vec(),
    };
    let head = format!("HTTP/1.1 {head}\r\n\r\n").into_bytes();
    vec![Step::Write([head, body].concat())]
}

const ANSWERS: [&str; 7] = [
    "json",
    "session",
    "accepted",
    "challenge",
    "failure",
    "long",
    "trailers",
];

/// An answer without what differs from one to the next.
fn stable(answer: Result<Response>) -> Response {
    let mut answer = answer.unwrap_or_else(|error| panic!("{error}"));
    let own = ["date", "x-envoy-upstream-service-time"];
    answer
        .headers
        .retain(|(name, _)| !own.contains(&name.as_str()));
    answer
}

/// The same answers through a listener without the filter are the measure.
#[test]
fn answers_pass_untouched() {
    let arrange = |bootstrap: &mut Bootstrap| {
        bootstrap.listeners.push(Listener::new("open"));
        bootstrap.upstream_trailers = true;
    };
    let recorder = Recorder::scripted(answer).expect("a server");
    let Some(scene) = Scene::start("answers", POLICY, recorder, arrange) else {
        return;
    };
    let mut tally = Tally::new("answers");
    for over in Over::ALL {
        for kind in ANSWERS {
            let request =
                Request::mcp(HOST, "/mcp", Some("2025-11-25"), CALL).header("x-answer", kind);
            let open = scene.envoy.listener("open");
            let wanted = match over {
                Over::Http11 => request.send(open),
                Over::Http2 | Over::Tls => request.send_h2(open),
            };
            let (wanted, got) = (stable(wanted), stable(scene.send(over, &request)));
            let whole = (kind == "long") == (got.body.len() == LONG)
                && (kind == "trailers") == (got.trailers.len() == 2);
            let fault = (wanted != got || !whole)
                .then(|| format!("{} {:?} {:?}", got.status, got.headers, got.trailers));
            tally.count(
                &format!("answers pass untouched: {kind}"),
                over.column(),
                fault,
            );
        }
    }
    tally.conclude();
}
