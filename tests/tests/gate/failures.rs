//! Gates, and instances before them, that fail.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::Connection;
use mcp_boundary_tests::envoy::Bootstrap;
use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::recorder::ANSWER;
use mcp_boundary_tests::scene::{GUARDED, Scene};
use mcp_policy::envoy::Role;
use serde_json::json;

use crate::scene::{denied, permitted, start};
use crate::{VM, gate_with, held, listener, without};

/// What a failed filter answers as long as it has no new VM.
const RELOAD: Duration = Duration::from_secs(10);

fn served_within(scene: &Scene, listener: &str, patience: Duration) {
    let deadline = Instant::now() + patience;
    loop {
        let answer = scene.ask(listener, &permitted());
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
        let Some(scene) = start("failing gates", vec![(name, chain)]) else {
            return;
        };
        let stale = permitted().header("mcp-method", "tools/list");
        scene.refused(name, &stale, 503);
        if name == "edited" {
            scene.says("the gate has failed");
            served_within(&scene, name, RELOAD);
        }
        scene.arrived();
        let answer = scene.ask(name, &denied());
        // In its first second a VM that failed has no successor.
        assert!(matches!(answer.status, 403 | 503), "{name}: {answer:?}");
        assert_eq!(scene.arrived().bytes, 0, "{name}");
    }
}

/// Four workers, clients that leave halfway, and a gate that one request in ten
/// makes fail: nothing denied is sent, and whoever waits gets an answer.
#[test]
fn failing_gates_on_many_workers_hang_nobody() {
    const CLIENTS: u64 = 8;
    const EACH: u64 = 30;
    let gate = without(
        gate_with(&[Role::Admit], "wait_seconds", 1),
        "proxy_remove_header_map_value",
    );
    let listeners = vec![listener(GUARDED, vec![held(Part::Admit), gate])];
    let many = |bootstrap: &mut Bootstrap| bootstrap.flags.workers = 4;
    let Some(scene) = Scene::of("failing gates on many workers", listeners, many) else {
        return;
    };
    let to = scene.envoy.listener(GUARDED);
    let client = |seed: u64| {
        let mut statuses = BTreeMap::new();
        for turn in 0..EACH {
            let status = match (turn * 7 + seed) % 10 {
                0 => permitted().header("mcp-method", "tools/list").send(to),
                1 | 2 => {
                    let mut left = Connection::open(to).expect("a connection");
                    left.write(&permitted().halves().0).expect("written");
                    thread::sleep(Duration::from_millis(5));
                    continue;
                }
                3..=5 => denied().send(to),
                _ => permitted().send(to),
            };
            let status = status
                .unwrap_or_else(|error| panic!("no answer: {error}"))
                .status;
            *statuses.entry(status).or_insert(0) += 1;
        }
        statuses
    };
    let mut answered: BTreeMap<u16, u64> = BTreeMap::new();
    thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..CLIENTS)
            .map(|seed| scope.spawn(move || client(seed)))
            .collect();
        for client in clients {
            for (status, count) in client.join().expect("a client") {
                *answered.entry(status).or_default() += count;
            }
        }
    });
    thread::sleep(Duration::from_millis(200));
    let arrived = scene.recorder.take();
    println!("{answered:?}, {} arrived", arrived.exchanges.len());
    assert!(
        answered
            .keys()
            .all(|status| [200, 403, 503].contains(status)),
        "{answered:?}"
    );
    assert!(
        [200, 403, 503]
            .iter()
            .all(|status| answered.contains_key(status)),
        "{answered:?}"
    );
    assert_eq!(arrived.unattributed(), 0);
    let expected = permitted().body.expect("a body");
    assert!(
        arrived
            .exchanges
            .iter()
            .all(|exchange| exchange.body == expected)
    );
}
