//! The corpus through a real Envoy: one process, every case sent as it is
//! written, every byte behind the filter accounted for.
//!
//! The first test that runs has all the cases sent that are asked for; each
//! test says what became of its own.

mod trials;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Trial};
use mcp_boundary_tests::corpus::{Case, Corpus, Runner};
use mcp_boundary_tests::report::Outcome;
use mcp_boundary_tests::{envoy, gateway};

/// The one run, once a test needs it.
#[derive(Debug, Default)]
struct Run {
    /// The Envoy, and the names of the cases to send.
    asked: OnceLock<(PathBuf, BTreeSet<String>)>,
    /// How each went, by id, or why the run as a whole is wrong.
    outcomes: OnceLock<Result<HashMap<String, Outcome>, String>>,
}

impl Run {
    fn outcome(&self, case: &Case) -> Result<Outcome, String> {
        let outcomes = self.outcomes.get_or_init(|| {
            // Said once; the tests only point at it.
            self.send()
                .inspect_err(|error| eprintln!("the run failed: {error}"))
        });
        let Ok(outcomes) = outcomes else {
            return Err("the run failed as a whole, see above".to_owned());
        };
        let found = outcomes.get(&case.id).cloned();
        found.ok_or_else(|| "it was not sent, although its test runs".to_owned())
    }

    fn send(&self) -> Result<HashMap<String, Outcome>, String> {
        let (binary, names) = self.asked.get().ok_or("no case was asked for")?;
        let corpus = Corpus::load_own().map_err(|error| error.to_string())?;
        let asked = |case: &Case| names.contains(&case.name());
        let cases: Vec<Case> = corpus.cases.into_iter().filter(asked).collect();
        let outcomes = gateway::run(binary, &cases).map_err(|error| error.to_string())?;
        let by_id = outcomes
            .into_iter()
            .map(|outcome| (outcome.id.clone(), outcome));
        Ok(by_id.collect())
    }
}

/// The names of the tests that will run.
fn asked(arguments: &Arguments, trials: &[Trial]) -> BTreeSet<String> {
    let run = |trial: &&Trial| !arguments.is_filtered_out(trial);
    let trials = trials.iter().filter(run);
    trials.map(|trial| trial.name().to_owned()).collect()
}

fn main() -> ExitCode {
    let arguments = trials::arguments();
    let run = Arc::new(Run::default());
    let trials = trials::of(Runner::Envoy, {
        let run = Arc::clone(&run);
        move |case| run.outcome(case)
    });
    let names = asked(&arguments, &trials);
    if !arguments.list && !names.is_empty() {
        let Some(binary) = envoy::or_skip("the corpus through envoy") else {
            return ExitCode::SUCCESS;
        };
        run.asked.set((binary, names)).expect("set once");
        trials::say_what_is_left_out(&arguments, Runner::Envoy);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
