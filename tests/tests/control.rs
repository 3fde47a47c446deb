//! The control: the same Envoy, client and server without the filter. If this
//! did not see a request get through, "nothing reached the server" would mean
//! nothing.

use mcp_boundary_tests::client::{Request, send_bytes};
use mcp_boundary_tests::envoy::Listener;
use mcp_boundary_tests::recorder::ANSWER;
use mcp_boundary_tests::scene::Scene;

const BODY: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_repo"}}"#;

fn request() -> Request {
    Request::mcp("server.test", "/mcp?a=%2e", Some("2025-11-25"), BODY)
}

#[test]
fn without_the_filter_everything_gets_through() {
    let listeners = vec![Listener::new("open")];
    let Some(scene) = Scene::of("the control without the filter", listeners, |_| ()) else {
        return;
    };
    let open = scene.envoy.listener("open");

    let plain = request().send(open).expect("an answer");
    assert_eq!(
        (plain.status, plain.body),
        (200, ANSWER.as_bytes().to_vec())
    );
    let seen = scene.arrived().only();
    assert_eq!(seen.body, BODY.as_bytes());
    assert_eq!(seen.path, "/mcp?a=%2e", "nothing cleans a path");
    assert_eq!(seen.header("host"), Some(&b"server.test"[..]));

    // Any byte may stand in a header that nobody judges.
    let mut odd = request();
    odd.headers.push((b"user-agent".to_vec(), vec![0xe9, 0xff]));
    odd.chunk_sizes = vec![1, 7];
    odd.trailers = vec![(b"x-sum".to_vec(), b"1".to_vec())];
    assert_eq!(odd.send(open).expect("an answer").status, 200);
    let seen = scene.arrived().only();
    assert_eq!(seen.body, BODY.as_bytes());
    assert_eq!(seen.header("user-agent"), Some(&[0xe9, 0xff][..]));

    let mut second = request();
    second.trailers = vec![(b"x-sum".to_vec(), b"1".to_vec())];
    let answer = second.send_h2(open).expect("an answer over HTTP/2");
    assert_eq!(
        (answer.status, answer.body),
        (200, ANSWER.as_bytes().to_vec())
    );
    assert_eq!(scene.arrived().only().body, BODY.as_bytes());

    let garbage = request().header("content-length", "0,5");
    assert_eq!(garbage.send(open).expect("an answer").status, 400);
    let answer = send_bytes(open, b"GET / HTTP/9\r\n\r\n").expect("an answer");
    assert_eq!(answer.status, 400);
    assert_eq!(
        scene.recorder.take().bytes,
        0,
        "the codec refuses these by itself"
    );

    // One pooled connection for all of them: a stray byte would be seen.
    assert_eq!(scene.recorder.connections(), 1);
    assert!(
        scene
            .envoy
            .admin("/stats")
            .expect("statistics")
            .contains("http.mcp.")
    );
}
