//! Runs a folder of case files through the engine and through Envoy.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use mcp_boundary_tests::corpus::{self, Corpus, Runner};
use mcp_boundary_tests::envoy;
use mcp_boundary_tests::error::{Context, Error, Result};
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::report::{Outcome, Report};
use mcp_boundary_tests::{gateway, native};

/// Runs every case of a folder and prints those that do not get the verdict
/// they expect. Without a runner named, both run.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder of case files; their format is described in `tests/corpus`.
    folder: PathBuf,
    /// Runs the cases through the engine.
    #[arg(long)]
    native: bool,
    /// Runs the cases through a real Envoy with the filter.
    #[arg(long)]
    envoy: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(report) => {
            println!("{report}");
            ExitCode::from(u8::from(report.failed > 0))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Report> {
    let both = !arguments.native && !arguments.envoy;
    let own = is_our_own(&arguments.folder);
    let corpus = if own {
        Corpus::load_own()?
    } else {
        Corpus::load(&arguments.folder)?
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
            problem: Some(error.to_string()),
        })
        .collect();
    if arguments.native || both {
        ran.push(Runner::Native);
        outcomes.extend(native::run(&corpus.cases));
    }
    if arguments.envoy || both {
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
    Ok(Report::new(outcomes))
}

/// What is known to be wrong is known of the product's own cases only.
fn is_our_own(folder: &Path) -> bool {
    match (folder.canonicalize(), corpus::folder().canonicalize()) {
        (Ok(given), Ok(own)) => given == own,
        _ => false,
    }
}
