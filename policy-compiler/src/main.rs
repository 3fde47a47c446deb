//! `mcp-policy`: see `docs/cli.md`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match mcp_policy::cli::Cli::read() {
        Ok(cli) => cli.run().into(),
        Err(exit) => exit.into(),
    }
}
