//! `completions SHELL`

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::console::Console;
use super::output;
use crate::cli::{Cli, Exit};

pub(crate) fn run(console: &Console, shell: Shell) -> Result<(), Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mcp-policy", &mut script);
    output::stdout(console, &script)
}
