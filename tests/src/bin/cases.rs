//! Runs a folder of case files, or one case, through the engine and through
//! Envoy.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use mcp_boundary_tests::corpus::{self, Case, Corpus, Runner};
use mcp_boundary_tests::error::{Context, Error, Result};
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::report::{Outcome, Report};
use mcp_boundary_tests::shown::{Shown, Went};
use mcp_boundary_tests::{envoy, gateway, native};

/// Runs every case of a folder and prints those that do not get the verdict
/// they expect; or runs one case and shows all of it. Without a runner named,
/// both run.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder of case files, which may be in folders of it; their format
    /// is described in `tests/corpus`.
    #[arg(required_unless_present = "case", conflicts_with = "case")]
    folder: Option<PathBuf>,
    /// One case: a file, or the id of one in `tests/corpus`. Where there is no
    /// Envoy, it runs natively.
    #[arg(long, value_name = "ID|FILE")]
    case: Option<String>,
    /// Runs the cases through the engine.
    #[arg(long)]
    native: bool,
    /// Runs the cases through a real Envoy with the filter.
    #[arg(long)]
    envoy: bool,
}

impl Arguments {
    /// Whether to run natively, and whether through Envoy.
    const fn runners(&self) -> (bool, bool) {
        let both = !self.native && !self.envoy;
        (self.native || both, self.envoy || both)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let failed = match (&arguments.case, &arguments.folder) {
        (Some(what), _) => one(what, &arguments),
        (None, Some(folder)) => all(folder, &arguments),
        (None, None) => Err(Error::new("name a folder, or one case with `--case`")),
    };
    match failed {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs a folder; says whether something failed.
fn all(folder: &Path, arguments: &Arguments) -> Result<bool> {
    let (natively, through_envoy) = arguments.runners();
    let own = is_our_own(folder);
    let corpus = if own {
        Corpus::load_own()?
    } else {
        Corpus::load(folder)?
    };
    let without = corpus.cases.iter().filter(|case| case.lacks_code()).count();
    if without > 0 {
        eprintln!(
            "warning: {without} refusing cases name no `expected_code`; a refusal for a wrong reason passes there"
        );
    }
    let mut ran = Vec::new();
    let mut outcomes: Vec<Outcome> = corpus
        .broken
        .into_iter()
        .map(|(id, error)| Outcome {
            id,
            runner: None,
            got: None,
            problem: Some(error.to_string()),
        })
        .collect();
    if natively {
        ran.push(Runner::Native);
        outcomes.extend(native::run(&corpus.cases));
    }
    if through_envoy {
        ran.push(Runner::Envoy);
        let binary = envoy::find().context("no envoy to run the cases with")?;
        outcomes.extend(gateway::run(&binary, &corpus.cases)?);
    }
    if outcomes.is_empty() {
        return Err(Error::new(
            "no cases: none of them runs in the chosen runner",
        ));
    }
    if own {
        outcomes = KnownWrong::load()?.apply(outcomes, &ran);
    }
    let report = Report::new(outcomes);
    println!("{report}");
    if let Some(first) = report.failures.first() {
        let argument = if own { first.id.as_str() } else { "FILE" };
        println!("make cases CASE={argument} shows one of them whole");
    }
    Ok(report.failed > 0)
}

/// What is known to be wrong is known of the product's own cases only.
fn is_our_own(folder: &Path) -> bool {
    match (folder.canonicalize(), corpus::folder().canonicalize()) {
        (Ok(given), Ok(own)) => given == own,
        _ => false,
    }
}

/// Runs one case and shows it; says whether it failed.
fn one(what: &str, arguments: &Arguments) -> Result<bool> {
    let (natively, through_envoy) = arguments.runners();
    let cases = [corpus::find(what)?];
    print!("{}", Shown(&cases[0]));
    let mut outcomes = Vec::new();
    if natively && runs(&cases[0], Runner::Native) {
        outcomes.extend(native::run(&cases));
    }
    if through_envoy && runs(&cases[0], Runner::Envoy) {
        match envoy::find() {
            Ok(binary) => outcomes.extend(gateway::run(&binary, &cases)?),
            Err(missing) if arguments.envoy => return Err(Error::new(missing.to_string())),
            Err(missing) => println!("SKIPPED [envoy]: {missing}"),
        }
    }
    if outcomes.is_empty() {
        return Err(Error::new("the case runs in none of the chosen runners"));
    }
    for outcome in &outcomes {
        print!("{}", Went(outcome));
    }
    Ok(outcomes.iter().any(|outcome| outcome.problem.is_some()))
}

/// Whether a runner runs the case; if not, it is said why.
fn runs(case: &Case, runner: Runner) -> bool {
    let why = case.left_out(runner);
    if let Some(why) = why {
        println!("SKIPPED [{}]: {why}", runner.as_str());
    }
    why.is_none()
}
