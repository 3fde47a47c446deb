//! Requests that wait: how long, and how many.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::policy::Part;
use mcp_policy::envoy::Role;

use crate::scene::{is_ours, permitted, serves, start};
use crate::{gate_with, held, of_a_plugin};

#[test]
fn a_request_that_nobody_decides_gets_504() {
    let short = || gate_with(&[Role::Admit], "wait_seconds", 1);
    let chains = vec![
        ("short", vec![held(Part::Admit), short()]),
        (
            "plugin",
            vec![held(Part::Admit), short()]
                .into_iter()
                .map(of_a_plugin)
                .collect(),
        ),
    ];
    let Some(scene) = start("slow bodies", chains) else {
        return;
    };
    for name in ["short", "plugin"] {
        let mut slow = scene.connect(name);
        let begun = Instant::now();
        slow.write(&permitted().halves().0).expect("written");
        let answer = slow.answer(false).expect("an answer");
        assert_eq!(answer.status, 504, "{answer:?}");
        is_ours(&answer);
        let waited = begun.elapsed();
        assert!(waited > Duration::from_millis(900), "{waited:?}");
        assert!(waited < Duration::from_secs(4), "{waited:?}");
        assert_eq!(scene.arrived().bytes, 0, "{name}");
        scene.says("a gate gives a request up");
        serves(&scene, name, &permitted());
    }
}

#[test]
fn no_more_requests_wait_than_may() {
    let few = gate_with(&[Role::Admit], "max_waiting", 2);
    let Some(scene) = start("waiting", vec![("few", vec![held(Part::Admit), few])]) else {
        return;
    };
    let (most, last) = permitted().halves();
    let mut slow: Vec<_> = (0..2).map(|_| scene.connect("few")).collect();
    for connection in &mut slow {
        connection.write(&most).expect("written");
    }
    thread::sleep(Duration::from_millis(200));
    is_ours(&scene.refused("few", &permitted(), 503));
    scene.says("2 wait already");
    for connection in &mut slow {
        connection.write(&last).expect("written");
        assert_eq!(connection.answer(false).expect("an answer").status, 200);
    }
    scene.arrived();
    serves(&scene, "few", &permitted());
}
