//! Gates, and instances before them, that fail.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::recorder::ANSWER;
use mcp_policy::envoy::Role;
use serde_json::json;

use crate::scene::{Scene, denied, permitted};
use crate::{VM, gate_with, held, without};

/// What a failed filter answers as long as it has no new VM.
const RELOAD: Duration = Duration::from_secs(10);

fn served_within(scene: &Scene, listener: &str, patience: Duration) {
    let deadline = Instant::now() + patience;
    loop {
        let answer = scene.send(listener, &permitted());
        if answer.status == 200 && answer.body == ANSWER.as_bytes() {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:?}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Gates that fail when a request arrives, when it goes on, when it is edited;
/// an admit that fails when it permits one. Where the gate fails while it holds
/// one, nobody but admit answers, once the gate has had its time.
#[test]
fn whoever_fails_sends_nothing_on() {
    let alone = || gate_with(&[Role::Admit], "wait_seconds", 1);
    let failing = |capability| vec![held(Part::Admit), without(alone(), capability)];
    for (name, mut chain) in [
        ("arrives", failing("proxy_set_property")),
        ("goes on", failing("proxy_continue_stream")),
        ("edited", failing("proxy_remove_header_map_value")),
        (
            "permitted",
            vec![
                without(held(Part::Admit), "proxy_enqueue_shared_queue"),
                alone(),
            ],
        ),
    ] {
        // Each has a VM of its own, or a fault in one answers for the others.
        for (at, entry) in chain.iter_mut().enumerate() {
            entry.pointer_mut(VM).expect("a VM")["vm_id"] = json!(format!("{name}-{at}"));
        }
        let Some(scene) = Scene::start("failing gates", vec![(name, chain)]) else {
            return;
        };
        let stale = permitted().header("mcp-method", "tools/list");
        scene.refused(name, &stale, 503);
        if name == "edited" {
            scene.says("the gate has failed");
            served_within(&scene, name, RELOAD);
        }
        scene.arrived();
        let answer = scene.send(name, &denied());
        // In its first second a VM that failed has no successor.
        assert!(matches!(answer.status, 403 | 503), "{name}: {answer:?}");
        assert_eq!(scene.arrived(), 0, "{name}");
    }
}
