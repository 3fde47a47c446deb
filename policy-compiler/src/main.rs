//! `mcp-policy`: see `docs/cli.md`.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    mcp_policy::cli::Cli::parse().run().into()
}
