//! A module that Envoy fetches by itself, by its checksum: as long as it is not
//! there, or is another one, nothing passes.

use std::fs;
use std::thread;
use std::time::Duration;

use mcp_boundary_tests::envoy::{Listener, filter_module};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::recorder::{Recorder, Step};
use mcp_boundary_tests::scene::{GUARDED, Scene, instance, until};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - { path: /mcp, denial: http, allow: { tools: [get_weather] } }
";

/// A server that has the module at every path.
fn modules() -> (Recorder, String) {
    let module = fs::read(filter_module().expect("a module")).expect("read");
    let digest = Sha256::digest(&module);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let server = Recorder::scripted(move |_| {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
            module.len()
        );
        vec![Step::Write(head.into_bytes()), Step::Write(module.clone())]
    });
    (server.expect("a server"), digest)
}

fn cluster(server: &Recorder) -> Value {
    let address = server.address();
    let socket = json!({ "address": address.ip().to_string(), "port_value": address.port() });
    json!({
        "name": "modules",
        "connect_timeout": "2s",
        "type": "STATIC",
        "load_assignment": {
            "cluster_name": "modules",
            "endpoints": [{ "lb_endpoints": [{ "endpoint": { "address": { "socket_address": socket } } }] }],
        },
    })
}

fn guarded(name: &str, sha256: &str) -> Listener {
    let mut listener = Listener::new(name);
    let mut admit = instance(POLICY, Part::Admit, name);
    admit["typed_config"]["config"]["vm_config"]["code"] = json!({
        "remote": {
            "http_uri": { "uri": "http://modules/filter.wasm", "cluster": "modules", "timeout": "10s" },
            "sha256": sha256,
        },
    });
    listener.admit = Some(admit);
    listener
}

#[test]
fn a_fetched_module_decides_and_another_one_nothing() {
    let (server, digest) = modules();
    let other = "0".repeat(64);
    let listeners = vec![guarded(GUARDED, &digest), guarded("other", &other)];
    let Some(scene) = Scene::of("fetched modules", listeners, |bootstrap| {
        bootstrap.clusters.push(cluster(&server));
    }) else {
        return;
    };
    let served = || scene.ask(GUARDED, &call("get_weather", 0)).status == 200;
    until("fetched", served);
    scene.arrived();
    scene.refused(GUARDED, &call("delete_repo", 0), 403);
    for _ in 0..3 {
        for tool in ["get_weather", "delete_repo"] {
            let answer = call(tool, 0).send(scene.envoy.listener("other"));
            let status = answer.map_or(0, |answer| answer.status);
            assert!(matches!(status, 0 | 500 | 503), "{tool}: {status}");
        }
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(scene.arrived().bytes, 0, "nothing passes another module");
}
