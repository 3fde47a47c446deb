//! Chains in which the gate stands wrong, or not at all.

use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::Part;
use mcp_policy::envoy::Role;

use crate::scene::{denied, is_ours, passes_one_head, permitted, start};
use crate::{BOTH, gate, held};

#[test]
fn a_gate_in_the_wrong_place_lets_nothing_pass() {
    let (admit, recheck) = (|| held(Part::Admit), || held(Part::Recheck));
    let misplaced = [
        (
            "before admit",
            vec![gate(&[Role::Admit]), admit()],
            "nothing of `admit` before it",
        ),
        (
            "between the two, awaiting both",
            vec![admit(), gate(BOTH), recheck()],
            "nothing of `recheck` before it",
        ),
        (
            "between the two, awaiting one",
            vec![admit(), gate(&[Role::Admit]), recheck()],
            "recheck refuses a request: the gate stands before it",
        ),
        (
            "alone",
            vec![gate(&[Role::Admit])],
            "nothing of `admit` before it",
        ),
        (
            "a role twice",
            vec![admit(), admit(), gate(&[Role::Admit])],
            "admit refuses a request: another instance with this role",
        ),
    ];
    let chains = misplaced
        .iter()
        .map(|(name, chain, _)| (*name, chain.clone()));
    let Some(scene) = start("gates in the wrong place", chains.collect()) else {
        return;
    };
    for (name, _, said) in &misplaced {
        for request in [permitted(), denied(), call("get_weather", 100_000)] {
            scene.arrived();
            let answer = scene.ask(name, &request);
            assert_eq!(scene.arrived().bytes, 0, "{name}");
            // There admit's own verdict comes first.
            if answer.status == 403 {
                assert!(request == denied() && name == &"between the two, awaiting one");
                continue;
            }
            assert_eq!(answer.status, 503, "{name}: {answer:?}");
            is_ours(&answer);
        }
        scene.says(said);
    }
}

/// The first request with a body has been sent on when this is found out: that
/// is what a gate is for. It is the last one.
#[test]
fn without_a_gate_nothing_passes_but_one_head() {
    let chains = vec![
        ("admit", vec![held(Part::Admit)]),
        ("both", vec![held(Part::Admit), held(Part::Recheck)]),
    ];
    for chain in chains {
        passes_one_head(
            "no gate",
            chain,
            "since no gate stands behind admit",
            "it found no gate before",
        );
    }
}
