//! A verb that newer Envoys read and MCP does not use: `QUERY`, which has a
//! body as POST has. It is refused like any other, whoever reads it.

use mcp_boundary_tests::gateway::Over;
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::recorder::Recorder;
use mcp_boundary_tests::scene::Scene;

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather] }
";

#[test]
fn query_is_no_verb_of_mcp() {
    let recorder = Recorder::start().expect("a server");
    let Some(scene) = Scene::start("QUERY", POLICY, recorder, |_| {}) else {
        return;
    };
    for over in Over::ALL {
        for size in [0, 100_000] {
            let mut request = call("get_weather", size);
            request.method = "QUERY".to_owned();
            let answer = scene.send(over, &request).expect("an answer");
            let reason = answer
                .json()
                .map(|body| body["error"]["data"]["reason"].clone());
            println!("{over:?}, {size} bytes: {} {reason:?}", answer.status);
            match reason {
                Some(reason) => {
                    assert_eq!(answer.status, 405, "{answer:?}");
                    assert_eq!(reason, "verb_not_allowed");
                    assert_eq!(answer.header("allow").as_deref(), Some("POST, GET, DELETE"));
                }
                // Envoy's own codec of HTTP/1.1 up to 1.39.
                None => assert_eq!((over, answer.status), (Over::Http11, 400), "{answer:?}"),
            }
            assert_eq!(scene.arrived().bytes, 0, "{over:?}");
        }
    }
}
