//! A policy that changes under load: every request is decided by exactly one
//! of the two, and none is lost.

use mcp_boundary_tests::envoy;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load;

#[test]
fn twenty_swaps_under_load() {
    const SWAPS: u64 = 20;
    const REQUESTS: u64 = 4000;
    let Some(binary) = envoy::or_skip("swaps under load") else {
        return;
    };
    let swapped = load::swap(&binary, SWAPS, REQUESTS).unwrap_or_else(|error| panic!("{error}"));
    let mut row = Row::new(
        "under policy swaps every request is decided by exactly one policy",
        "chain end",
    );
    row.run = swapped.sent;
    row.failed = swapped.failed();
    evidence::record("swap", &[row]);
    println!("{swapped:#?}");
    assert_eq!(swapped.failed(), 0, "{swapped:#?}");
    assert!(swapped.sent >= REQUESTS, "{}", swapped.sent);
    // Both decided, both workers worked, and half of all calls were denied.
    assert_eq!(swapped.decided.len(), 2, "{swapped:#?}");
    assert!(
        swapped.workers.iter().all(|count| *count > 10),
        "{swapped:#?}"
    );
    assert!(swapped.answered.iter().all(|count| *count > REQUESTS / 4));
}
