//! `make demo-rollout` does what the page about rolling out says of it.

use std::process::Command;

use mcp_boundary_tests::envoy;

#[test]
fn every_request_is_decided_by_the_policy_in_force() {
    if envoy::or_skip("a policy that changes under traffic").is_none() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_demo-rollout"))
        .output()
        .expect("a program");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    for line in [
        "none broke",
        "first     [\"get_weather\"]",
        "second    [\"get_forecast\"]",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}
