//! What a forwarded request looks like at the server, how big it may be, and
//! that requests at the same time do not mix.

use std::thread;

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::recorder::Exchange;
use mcp_boundary_tests::scene::{GUARDED, Scene};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { methods: [tools/list], tools: [get_weather] }
  - path: /tolerant
    denial: http
    compat: { equal_version_repeats: true, stale_mirrors: true }
    allow: { methods: [tools/list], tools: [get_weather] }
"#;

const REVISION: Option<&str> = Some("2025-11-25");
const MIB: usize = 1 << 20;

fn call(tool: &str, size: usize) -> String {
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":"{tool}","method":"tools/call","params":{{"name":"{tool}","arguments":{{"x":""#
    );
    let tail = r#""}}}"#;
    let padding = size.saturating_sub(head.len() + tail.len());
    [&head, "y".repeat(padding).as_str(), tail].concat()
}

fn values<'a>(exchange: &'a Exchange, name: &str) -> Vec<&'a [u8]> {
    let named = exchange.headers.iter().filter(|(listed, _)| listed == name);
    named.map(|(_, value)| value.as_slice()).collect()
}

#[test]
fn compat_switches_leave_one_reading_to_the_server() {
    let Some(scene) = Scene::guarded("compat switches", POLICY) else {
        return;
    };
    let body = call("get_weather", 0);
    let repeated = Request::mcp("server.test", "/tolerant", REVISION, &body)
        .header("MCP-Protocol-Version", "2025-11-25");
    let seen = scene.forwarded(GUARDED, &repeated);
    assert_eq!(values(&seen, "mcp-protocol-version"), [b"2025-11-25"]);

    let listed = Request::mcp(
        "server.test",
        "/tolerant",
        Some("2025-11-25, 2025-11-25"),
        &body,
    );
    let seen = scene.forwarded(GUARDED, &listed);
    assert_eq!(values(&seen, "mcp-protocol-version"), [b"2025-11-25"]);

    let stale = Request::mcp("server.test", "/tolerant", REVISION, &body)
        .header("mcp-method", "tools/list")
        .header("mcp-name", "delete_repo");
    let seen = scene.forwarded(GUARDED, &stale);
    assert_eq!(values(&seen, "mcp-method"), [b""; 0]);
    assert_eq!(values(&seen, "mcp-name"), [b""; 0]);
    assert_eq!(seen.body, body.as_bytes());

    // Agreeing mirrors stay, and so does every header the boundary ignores.
    let agreeing = Request::mcp("server.test", "/mcp", REVISION, &body)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "get_weather")
        .header("x-other", "1");
    let seen = scene.forwarded(GUARDED, &agreeing);
    assert_eq!(values(&seen, "mcp-name"), [b"get_weather"]);
    assert_eq!(values(&seen, "x-other"), [b"1"]);
}

#[test]
fn the_default_limit_is_one_mebibyte_and_the_refusal_is_ours() {
    let Some(scene) = Scene::guarded("large bodies", POLICY) else {
        return;
    };
    let to = scene.envoy.listener(GUARDED);
    let request = |size| Request::mcp("server.test", "/mcp", REVISION, &call("get_weather", size));
    let seen = scene.forwarded(GUARDED, &request(MIB));
    assert_eq!(seen.body.len(), MIB);

    for (size, chunk_sizes) in [
        (MIB + 1, vec![]),
        (MIB + 1, vec![65536]),
        (3 * MIB, vec![65536]),
    ] {
        let mut over = request(size);
        over.chunk_sizes = chunk_sizes;
        let answer = over.send(to).expect("an answer");
        let body = String::from_utf8_lossy(&answer.body);
        assert_eq!(answer.status, 413, "{size} bytes: {body}");
        let answer = answer.json().expect("a refusal is JSON");
        assert_eq!(answer["error"]["data"]["reason"], "body_too_large");
        assert_eq!(scene.recorder.take().bytes, 0);
    }
}

#[test]
fn requests_at_the_same_time_do_not_mix() {
    let Some(scene) = Scene::guarded("requests at the same time", POLICY) else {
        return;
    };
    let to = scene.envoy.listener(GUARDED);
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            thread::spawn(move || {
                for round in 0..25 {
                    let permitted = (thread + round) % 2 == 0;
                    let tool = if permitted {
                        "get_weather"
                    } else {
                        "delete_repo"
                    };
                    let body = call(tool, 2000);
                    let mut request = Request::mcp("server.test", "/mcp", REVISION, &body);
                    request.chunk_sizes = vec![1 + thread * 37];
                    let answer = request.send(to).expect("an answer");
                    let wanted = if permitted { 200 } else { 403 };
                    assert_eq!(answer.status, wanted, "{tool}");
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("every request got its own verdict");
    }
    let recording = scene.recorder.take();
    assert_eq!(recording.exchanges.len(), 100);
    assert_eq!(recording.unattributed(), 0);
    let permitted = call("get_weather", 2000).into_bytes();
    assert!(
        recording
            .exchanges
            .iter()
            .all(|exchange| exchange.body == permitted)
    );
}
