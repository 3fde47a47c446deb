//! `compile POLICY -o OUT`

use std::path::Path;

use super::console::Console;
use super::input::{self, is_dash};
use super::output;
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
    if is_dash(out) {
        output::stdout(console, &blob)
    } else {
        output::replace(console, out, policy, &blob)
    }
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
