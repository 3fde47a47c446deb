//! The corpus through the engine.

mod trials;

use std::cell::RefCell;
use std::process::ExitCode;

use mcp_boundary_tests::corpus::{Case, Runner};
use mcp_boundary_tests::native::{self, Engines};
use mcp_boundary_tests::report::Outcome;

thread_local! {
    /// A thread's own, so that no case waits for another or meets a panic of it.
    static ENGINES: RefCell<Engines> = RefCell::default();
}

fn outcome(case: &Case) -> Result<Outcome, String> {
    Ok(ENGINES.with_borrow_mut(|engines| native::run_one(case, engines)))
}

fn main() -> ExitCode {
    let arguments = trials::arguments();
    let trials = trials::of(Runner::Native, outcome);
    trials::say_what_is_left_out(&arguments, Runner::Native);
    libtest_mimic::run(&arguments, trials).exit_code()
}
