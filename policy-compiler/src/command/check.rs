//! `check POLICY`

use std::path::Path;

use super::console::Console;
use super::input;
use crate::cli::Exit;

pub(crate) fn run(console: &Console, policy: &Path, deny_warnings: bool) -> Result<(), Exit> {
    let bytes = input::bytes(console, policy)?;
    input::compile(console, policy, bytes, deny_warnings).map(drop)
}
