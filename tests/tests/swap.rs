//! A policy that changes under load, by every way that it can get to admit and
//! recheck: every request is decided by each policy that sees it, and none is
//! lost, on open connections either.

use mcp_boundary_tests::envoy;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load::{self, By, Way};

const SWAPS: u64 = 20;
/// Overrides how many requests are sent by each way.
const VARIABLE: &str = "MCP_BOUNDARY_SWAP_REQUESTS";

fn requests() -> u64 {
    let given = std::env::var(VARIABLE).ok();
    given.map_or(1500, |text| {
        let count = text.parse();
        count.unwrap_or_else(|_| panic!("{VARIABLE} is no number: {text}"))
    })
}

fn twenty_swaps(way: Way, name: &str) {
    let Some(binary) = envoy::or_skip("swaps under load") else {
        return;
    };
    let requests = requests();
    let swapped =
        load::swap(&binary, way, SWAPS, requests).unwrap_or_else(|error| panic!("{error}"));
    let guarantee = format!(
        "policy swaps by {}: every request is decided by each policy that sees it, none is lost",
        way.name()
    );
    let mut row = Row::new(guarantee, way.column());
    row.run = swapped.sent;
    row.failed = swapped.failed();
    evidence::record(name, &[row]);
    println!("{way:?}: {swapped:#?}");
    assert_eq!(swapped.failed(), 0, "{swapped:#?}");
    assert!(swapped.sent >= requests, "{}", swapped.sent);
    // Both decided, both workers worked, and some calls were denied.
    assert_eq!(swapped.decided.len(), 2, "{swapped:#?}");
    assert!(
        swapped.workers.iter().all(|count| *count > 10),
        "{swapped:#?}"
    );
    let [forwarded, denied] = swapped.answered;
    assert!(
        forwarded > requests / 2 && denied > requests / 10,
        "{swapped:#?}"
    );
}

#[test]
fn of_listeners() {
    twenty_swaps(Way::new(By::Lds, false), "swap-lds-chain");
}

#[test]
fn of_listeners_and_clusters() {
    twenty_swaps(Way::new(By::Lds, true), "swap-lds-upstream");
}

#[test]
fn of_filters() {
    twenty_swaps(Way::new(By::Ecds, false), "swap-ecds-chain");
}

#[test]
fn of_filters_in_listener_and_cluster() {
    twenty_swaps(Way::new(By::Ecds, true), "swap-ecds-upstream");
}
