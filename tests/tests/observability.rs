//! What operators see: labelled counters, access log fields, one line for
//! each request that is not simply forwarded. And what nobody may see.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::Envoy;
use mcp_boundary_tests::scene::Scene;
use serde_json::Value;

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: live
    path: /live
    denial: http
    allow: { methods: [ping], tools: [get_weather] }
    deny:
      - { id: no-deletes, tools: ["delete_*"] }
  - name: tried
    path: /tried
    mode: audit
    allow: { methods: [ping] }
"#;

/// Must not turn up anywhere but at the server.
const SECRET: &str = "s3cr3t-value";

fn call(path: &str, tool: &str) -> Request {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"{SECRET}":"{SECRET}"}}}}}}"#
    );
    Request::mcp("server.test", path, Some("2025-11-25"), &body)
        .header("authorization", &format!("Bearer {SECRET}"))
}

fn start() -> Option<Scene> {
    Scene::guarded("counters and logs", POLICY)
}

/// The log's JSON objects that have the member `key`, once there are `count`.
fn lines(envoy: &Envoy, key: &str, count: usize) -> Vec<Value> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let log = envoy.log();
        let objects = log.lines().filter_map(|line| {
            let start = line.find('{')?;
            let object: Value = serde_json::from_str(line.get(start..)?.trim_end()).ok()?;
            object.get(key).is_some().then_some(object)
        });
        let objects: Vec<Value> = objects.collect();
        if objects.len() >= count {
            return objects;
        }
        assert!(Instant::now() < deadline, "{key}: {objects:?} in\n{log}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn every_verdict_is_counted_and_logged_without_arguments() {
    let Some(Scene {
        envoy, recorder, ..
    }) = start()
    else {
        return;
    };
    let to = envoy.listener("guarded");
    let mut malformed = call("/live", "get_weather");
    malformed.body = Some(format!("{{\"{SECRET}\":").into_bytes());
    for (request, status) in [
        (call("/live", "get_weather"), 200),
        (call("/live", "delete_repo"), 403),
        (call("/tried", "delete_repo"), 200),
        (malformed, 400),
    ] {
        assert_eq!(request.send(to).expect("an answer").status, status);
    }
    assert_eq!(recorder.take().exchanges.len(), 2);

    let exported = envoy.admin("/stats/prometheus").expect("statistics");
    for labels in [
        [
            r#"verdict="forward""#,
            r#"role="admit""#,
            r#"endpoint="live""#,
        ],
        [
            r#"verdict="forward""#,
            r#"role="recheck""#,
            r#"endpoint="live""#,
        ],
        [
            r#"verdict="deny""#,
            r#"reason="tool_denied""#,
            r#"mode="enforce""#,
        ],
        [
            r#"verdict="would_deny""#,
            r#"endpoint="tried""#,
            r#"mode="audit""#,
        ],
        [
            r#"verdict="reject""#,
            r#"reason="json_invalid""#,
            r#"role="admit""#,
        ],
        [
            r#"verdict="deny""#,
            r#"revision="2025-11-25""#,
            r#"mode="enforce""#,
        ],
    ] {
        let counted = exported.lines().any(|line| {
            line.starts_with("mcp_boundary_requests_total{")
                && line.ends_with(" 1")
                && labels.iter().all(|label| line.contains(label))
        });
        assert!(counted, "{labels:?} in\n{exported}");
    }

    // Once a request, not once an instance.
    let mut would_deny = exported.lines().filter(|line| line.contains("would_deny"));
    let counted = would_deny.next().unwrap_or_default();
    assert!(counted.contains(r#"role="admit""#), "{counted}");
    assert_eq!(would_deny.next(), None);

    let accessed = lines(&envoy, "duration_ms", 4);
    let verdicts: Vec<&str> = accessed
        .iter()
        .filter_map(|l| l["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["forward", "deny", "would_deny", "reject"]);
    let denied = &accessed[1];
    assert_eq!(denied["reason"], "tool_denied");
    assert_eq!(denied["rule"], "no-deletes");
    assert_eq!(denied["revision"], "2025-11-25");
    assert_eq!(denied["role"], "admit");
    assert_eq!(denied["mcp_methods"], r#"["tools/call"]"#);
    assert_eq!(denied["mcp_names"], r#"["delete_repo"]"#);
    assert_eq!(denied["policy"].as_str().map(str::len), Some(64));

    let audited = lines(&envoy, "mcp_boundary", 3);
    assert_eq!(audited.len(), 3, "one line a request: {audited:?}");
    let kinds: Vec<&str> = audited
        .iter()
        .filter_map(|l| l["mcp_boundary"].as_str())
        .collect();
    assert_eq!(kinds, ["deny", "would_deny", "reject"]);
    // Each line belongs to one of the access log.
    for (line, accessed) in audited.iter().zip(&accessed[1..]) {
        for member in [
            "request_id",
            "client",
            "host",
            "path",
            "role",
            "revision",
            "policy",
        ] {
            assert_eq!(
                line[member], accessed[member],
                "{member}: {line} {accessed}"
            );
            assert!(line[member].is_string(), "{member} in {line}");
        }
    }
    assert_eq!(audited[0]["names"], serde_json::json!(["delete_repo"]));

    assert!(!envoy.log().contains(SECRET), "{}", envoy.log());
    assert!(!exported.contains(SECRET));
    assert!(!exported.contains("delete_repo"), "a label must be finite");
}
