//! A long run: the corpus over many connections, large bodies, policy swaps.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use mcp_boundary_tests::corpus::{self, Corpus};
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Flags, Listener};
use mcp_boundary_tests::error::{Context, Result};
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load::{self, Drain, Way};
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::recorder::Recorder;
use mcp_boundary_tests::{gateway, usage};

const MIB: usize = 1 << 20;
/// More than this is no longer flat: one percent of what large bodies amount
/// to in the shortest sensible run.
const FLAT: u64 = 16 << 20;
const POLICY: &str = "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    denial: http\n    allow: { tools: [get_weather] }\n";

/// Runs Envoy with the filter for minutes, on loopback, and looks at every
/// verdict and at memory. Fails if any verdict is wrong, any answer is a 5xx,
/// or memory grows.
#[derive(Debug, Parser)]
struct Arguments {
    /// Seconds of the corpus.
    #[arg(long, default_value_t = 300)]
    duration: u64,
    /// The folder of cases; the product's own if absent.
    #[arg(long)]
    cases: Option<PathBuf>,
    /// Connections at once.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Requests of 1 MiB after that.
    #[arg(long, default_value_t = 10_000)]
    large: usize,
    /// Requests during twenty policy swaps after that.
    #[arg(long, default_value_t = 10_000)]
    swapped: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool> {
    let binary = envoy::find().context("no envoy to soak")?;
    let parts: [(&str, Result<Row>); 3] = [
        ("corpus", corpus(&binary, arguments)),
        ("large bodies", large(&binary, arguments.large)),
        ("policy swaps", swaps(&binary, arguments.swapped)),
    ];
    let mut rows = Vec::new();
    for (part, row) in parts {
        rows.push(row.context(part)?);
    }
    evidence::record("soak", &rows);
    Ok(rows.iter().all(|row| row.run > 0 && row.failed == 0))
}

fn corpus(binary: &Path, arguments: &Arguments) -> Result<Row> {
    let folder = arguments.cases.clone().unwrap_or_else(corpus::folder);
    let corpus = Corpus::load(&folder)?;
    let duration = Duration::from_secs(arguments.duration);
    let soaked = gateway::soak(binary, &corpus.cases, arguments.connections, duration)?;
    let (first, last) = (soaked.resident.first(), soaked.resident.last());
    println!(
        "corpus: {} requests of {} cases over {} connections in {} seconds, {} forwarded, {} wrong, {} 5xx, {} faults; server: {:?}; resident bytes {first:?} to {last:?}, grown by {}",
        soaked.requests,
        soaked.cases,
        arguments.connections,
        arguments.duration,
        soaked.forwarded,
        soaked.wrong,
        soaked.server_errors,
        soaked.faults,
        soaked.arrived,
        soaked.growth(),
    );
    for line in &soaked.told {
        println!("  {line}");
    }
    let mut row = Row::new(
        "soak: verdicts of mixed requests are right and memory is flat",
        "HTTP/1.1",
    );
    row.run = soaked.requests;
    row.failed = soaked.failed() + u64::from(soaked.growth() > FLAT);
    Ok(row)
}

fn large(binary: &Path, count: usize) -> Result<Row> {
    let recorder = Recorder::start()?;
    let module = envoy::filter_module()?;
    let mut listener = Listener::new("guarded");
    listener.admit = Some(policy::stanza(POLICY, Part::Admit, "admit", &module)?);
    listener.recheck = Some(policy::stanza(POLICY, Part::Recheck, "recheck", &module)?);
    let text = Bootstrap::new(recorder.address(), vec![listener]).render()?;
    let flags = Flags {
        quiet: true,
        ..Flags::default()
    };
    let envoy = Envoy::start_with(binary, &text, flags)?;
    let to = envoy.listener("guarded");
    let permitted = load::call_text("get_weather", MIB).into_bytes();
    let drain = Drain::start(&recorder, move |exchange| exchange.body == permitted);
    load::large_calls(to, (count / 10).max(80), MIB)?;
    let before = usage::resident(envoy.id())?;
    let begun = Instant::now();
    load::large_calls(to, count, MIB)?;
    let after = usage::resident(envoy.id())?;
    let arrived = drain.finish();
    println!(
        "large bodies: {count} requests of 1 MiB in {:.1?}; server: {arrived:?}; resident bytes {before} to {after}",
        begun.elapsed(),
    );
    let mut row = Row::new("soak: requests of 1 MiB leave memory flat", "HTTP/1.1");
    row.run = count as u64;
    let grown = u64::from(after.saturating_sub(before) > FLAT);
    row.failed = arrived.wrong + arrived.stray + grown;
    Ok(row)
}

/// Each way in which a policy gets to admit and recheck has its share.
fn swaps(binary: &Path, requests: u64) -> Result<Row> {
    let mut row = Row::new(
        "soak: under policy swaps every request is decided by each policy that sees it",
        "chain end",
    );
    for way in Way::ALL {
        let swapped = load::swap(binary, way, 20, requests / Way::ALL.len() as u64)?;
        println!(
            "policy swaps by {}, {}: {} swaps, {} requests, forwarded and denied {:?}, lost {:?}, by policy {:?}, denied by the other policy's recheck {}",
            way.name(),
            way.column(),
            swapped.swaps,
            swapped.sent,
            swapped.answered,
            swapped.lost,
            swapped.decided,
            swapped.between,
        );
        row.run += swapped.sent;
        row.failed += swapped.failed() + u64::from(swapped.decided.len() != 2);
    }
    Ok(row)
}
