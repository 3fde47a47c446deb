//! A real Envoy: found, configured, started and stopped.

mod binary;
mod bootstrap;
mod discovery;
mod module;
mod process;

use std::io::Write as _;

pub use binary::{Missing, find, version};
pub use bootstrap::{Bootstrap, Listener, Place};
pub use discovery::Discovery;
pub use module::{filter_module, gate_module, rewriter_module};
pub use process::{Envoy, Flags, Refused};

/// The Envoy to test with; `None` if there is none and that is acceptable,
/// said in one line on standard error.
///
/// # Panics
/// If there is none and the environment variable `CI` is set: a pipeline that
/// skips the tests that matter must not be green.
pub fn or_skip(test: &str) -> Option<std::path::PathBuf> {
    match find() {
        Ok(path) => Some(path),
        Err(missing) if std::env::var_os("CI").is_some() => panic!("{missing}"),
        Err(missing) => {
            // Past the test harness, which shows no output of passing tests.
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {missing}");
            None
        }
    }
}
