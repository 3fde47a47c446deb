//! `compile POLICY -o OUT`

use std::path::Path;

use super::console::Console;
use super::{input, output};
use crate::cli::Exit;

pub(crate) fn run(
    console: &Console,
    policy: &Path,
    out: &Path,
    deny_warnings: bool,
) -> Result<(), Exit> {
    let bytes = input::bytes(console, policy)?;
    let compiled = input::compile(console, policy, bytes, deny_warnings)?;
    let blob = encode(console, policy, &compiled)?;
    output::output(console, Some(out), policy, &blob)
}

/// The blob of a compiled policy.
pub(super) fn encode(
    console: &Console,
    path: &Path,
    policy: &mcp_boundary_format::Policy,
) -> Result<Vec<u8>, Exit> {
    policy.encode().map_err(|error| {
        let file = input::shown(path);
        console.fail(
            Exit::Policy,
            &file,
            format!("the policy cannot be compiled: {error}"),
            "split it into several policies",
        )
    })
}
