//! Configurations of gates that change, and that are none.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::Connection;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy};
use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::scene::{GUARDED, Scene};
use mcp_policy::envoy::Role;
use serde_json::{Value, json};

use crate::scene::{denied, permitted};
use crate::{BOTH, VALUE, gate, gate_with, held, listener};

/// A gate's configuration changes while its VM lives on and requests are held.
#[test]
fn a_gate_that_changes_goes_on_releasing() {
    let chains = [
        vec![held(Part::Admit), gate(&[Role::Admit])],
        vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)],
        vec![
            held(Part::Admit),
            gate_with(&[Role::Admit], "wait_seconds", 30),
        ],
    ];
    let listeners = |chain: &[Value]| vec![listener(GUARDED, chain.to_vec())];
    let drain = |bootstrap: &mut Bootstrap| bootstrap.flags.drain_seconds = 1;
    let changing = Scene::changing("a gate that changes", listeners(&chains[0]), drain);
    let Some((Scene { envoy, .. }, discovery)) = changing else {
        return;
    };
    let to = envoy.listener(GUARDED);
    let (most, last) = permitted().halves();
    for round in 0..6 {
        let mut slow = Connection::open(to).expect("a connection");
        slow.write(&most).expect("written");
        thread::sleep(Duration::from_millis(100));
        let before = envoy
            .stat("listener_manager.lds.update_success")
            .expect("statistics");
        let next = &chains[(round + 1) % chains.len()];
        discovery.publish(listeners(next)).expect("published");
        let deadline = Instant::now() + Duration::from_secs(20);
        while envoy
            .stat("listener_manager.lds.update_success")
            .expect("statistics")
            == before
        {
            assert!(Instant::now() < deadline, "the update is not taken");
            thread::sleep(Duration::from_millis(20));
        }
        for request in [permitted(), denied()] {
            let answer = request.send(to).expect("an answer");
            let expected = if request == denied() { 403 } else { 200 };
            assert_eq!(answer.status, expected, "round {round}: {answer:?}");
        }
        slow.write(&last).expect("written");
        let answer = slow.answer(false).expect("an answer");
        assert_eq!(answer.status, 200, "round {round}: {answer:?}");
        // The old listener goes, and with it the gate's old configuration.
        thread::sleep(Duration::from_millis(1500));
        for _ in 0..5 {
            assert_eq!(permitted().send(to).expect("an answer").status, 200);
        }
    }
}

#[test]
fn what_is_no_gate_is_refused() {
    let Some(binary) = envoy::or_skip("configurations of gates") else {
        return;
    };
    let configured = |mut entry: Value, text: &str| {
        *entry.pointer_mut(VALUE).expect("a configuration") = json!(text);
        entry
    };
    let changed = |key: &str, value: Value| {
        let mut entry = held(Part::Admit);
        let text = entry.pointer_mut(VALUE).expect("a configuration");
        let mut own: Value = serde_json::from_str(text.as_str().expect("text")).expect("JSON");
        own[key] = value;
        if key == "place" {
            own["role"] = json!("recheck");
        }
        *text = json!(own.to_string());
        entry
    };
    for (entry, said) in [
        (configured(gate(BOTH), "{}"), "write `\"role\": \"gate\"`"),
        (
            configured(
                gate(BOTH),
                r#"{"role":"gate","awaits":["admit"],"hold":"gate"}"#,
            ),
            "`hold` is no setting of a gate",
        ),
        (
            configured(gate(BOTH), ""),
            "`mcp-policy envoy --role gate` prints a valid one",
        ),
        (
            changed("hold", json!("body")),
            "`hold` is `body`, and nothing says who holds the headers",
        ),
        (
            changed("hold", json!("nobody")),
            "`hold` is neither `headers`, `gate` nor `body`",
        ),
        (
            changed("place", json!("upstream")),
            "behind the route nobody else holds headers",
        ),
    ] {
        let listener = listener("guarded", vec![entry]);
        let bootstrap = Bootstrap::new(envoy::Place::new("127.0.0.1", 9), vec![listener]);
        let refused = match Envoy::launch(&binary, &bootstrap).expect("envoy runs") {
            Ok(_) => panic!("{said}: envoy starts"),
            Err(refused) => refused,
        };
        assert!(refused.log.contains(said), "{said}: {refused}");
    }
}
