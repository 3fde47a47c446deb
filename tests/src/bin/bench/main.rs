//! What the filter costs, beside Envoy without a filter and beside Envoy's own.
//!
//! One Envoy for each chain, all running all the time. A round measures every
//! chain once, in an order that changes; what is compared was measured within
//! a round, so that what the machine does meanwhile meets all alike.

mod chain;
mod request;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Flags};
use mcp_boundary_tests::error::{Context, Error, Result};
use mcp_boundary_tests::load::{Drain, Kept, at_once};
use mcp_boundary_tests::recorder::{ANSWER, Recorder};
use mcp_boundary_tests::usage;

use chain::Chain;
use request::Kind;

/// Clients at once.
const CONNECTIONS: usize = 8;

/// Compares the filter with Envoy's own and with none: processor time of the
/// whole Envoy process for each request, as the kernel counts it.
#[derive(Debug, Parser)]
struct Arguments {
    /// Rounds of each kind of request.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// The page whose table is written anew; without it, it is only printed.
    page: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A chain and its Envoy.
struct Running {
    chain: Chain,
    envoy: Envoy,
}

impl Running {
    fn start(chain: Chain, recorder: &Recorder) -> Result<Self> {
        let binary = envoy::find().context("no envoy to measure")?;
        let text = Bootstrap::new(recorder.address(), vec![chain.listener()?]).render()?;
        let flags = Flags {
            quiet: true,
            ..Flags::default()
        };
        let envoy = Envoy::start_with(&binary, &text, flags)?;
        Ok(Self { chain, envoy })
    }

    /// Processor time of one request of a kind, in microseconds.
    fn measure(&self, kind: &Kind) -> Result<f64> {
        let mut clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| Kept::new(self.envoy.listener("guarded")))
            .collect();
        // Connections, to the server too, are opened before the clock runs.
        self.ask_all(&mut clients, kind, 1)?;
        let before = usage::processor(self.envoy.id())?;
        self.ask_all(&mut clients, kind, kind.count)?;
        let taken = usage::processor(self.envoy.id())?.saturating_sub(before);
        Ok(taken.as_secs_f64() * 1e6 / (kind.count * CONNECTIONS) as f64)
    }

    /// Has every client send `count` requests, all at once.
    fn ask_all(&self, clients: &mut [Kept], kind: &Kind, count: usize) -> Result<()> {
        at_once(
            clients
                .iter_mut()
                .map(|client| || (0..count).try_for_each(|_| self.ask(client, kind))),
        )
    }

    fn ask(&self, client: &mut Kept, kind: &Kind) -> Result<()> {
        let answer = client.ask(&kind.request)?;
        let wanted = if kind.permitted || self.chain == Chain::Plain {
            answer.body == ANSWER.as_bytes()
        } else if self.chain == Chain::Native {
            answer.status == 403
        } else {
            answer
                .json()
                .is_some_and(|body| body["error"]["code"] == -31403)
        };
        if wanted {
            return Ok(());
        }
        Err(Error::new(format!(
            "{}, {}: {} `{}`",
            self.chain.title(),
            kind.title,
            answer.status,
            String::from_utf8_lossy(&answer.body)
        )))
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let recorder = Recorder::start()?;
    let drain = Drain::start(&recorder, |_| true);
    let running: Vec<_> = Chain::ALL
        .into_iter()
        .map(|chain| Running::start(chain, &recorder))
        .collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for kind in request::all() {
        let row = Row::measured(&kind, &running, arguments.rounds)?;
        println!("{}", row.line());
        rows.push(row);
    }
    drain.finish();
    if let Some(page) = &arguments.page {
        let version = running[0].envoy.version()?;
        write(page, &table(&rows, &version, arguments.rounds))?;
    }
    Ok(())
}

/// One kind of request: what each chain took in each round.
struct Row {
    title: &'static str,
    rounds: Vec<[f64; Chain::ALL.len()]>,
}

impl Row {
    fn measured(kind: &Kind, running: &[Running], rounds: usize) -> Result<Self> {
        let mut row = Self {
            title: kind.title,
            rounds: Vec::new(),
        };
        // The first round only warms up.
        for round in 0..=rounds {
            let mut taken = [0.0; Chain::ALL.len()];
            for step in 0..running.len() {
                let index = (round + step) % running.len();
                taken[index] = running[index].measure(kind)?;
            }
            if round > 0 {
                row.rounds.push(taken);
            }
        }
        Ok(row)
    }

    /// The median over the rounds of what `of` makes of one.
    fn median(&self, of: impl Fn(&[f64; Chain::ALL.len()]) -> f64) -> f64 {
        let mut values: Vec<f64> = self.rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    fn line(&self) -> String {
        let [plain, native, admit, both] =
            [0, 1, 2, 3].map(|index| self.median(|taken| taken[index]));
        // What a chain adds to Envoy without a filter, held against what the
        // native one adds.
        let added = |index: usize| {
            self.median(move |taken| (taken[index] - taken[0]) / (taken[1] - taken[0]))
        };
        format!(
            "| {} | {plain:.0} | {native:.0} | {admit:.0} | {both:.0} | {:.1} | {:.1} |",
            self.title,
            added(2),
            added(3)
        )
    }
}

const BEGIN: &str = "<!-- generated by `make bench` -->\n";
const END: &str = "<!-- end of the table -->";

fn table(rows: &[Row], version: &str, rounds: usize) -> String {
    let mut text = format!("Envoy {version}, {rounds} rounds.\n\n| request |");
    for chain in Chain::ALL {
        text.push_str(&format!(" {} |", chain.title()));
    }
    text.push_str(" share: admit | share: admit and recheck |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    for row in rows {
        text.push_str(&row.line());
        text.push('\n');
    }
    text
}

/// Puts the table between the page's markers.
fn write(page: &Path, table: &str) -> Result<()> {
    let name = page.display();
    let text = fs::read_to_string(page).context(format!("cannot read `{name}`"))?;
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) =
        parts.ok_or_else(|| Error::new(format!("`{name}` has lost its markers")))?;
    let text = [before, BEGIN, "\n", table, END, after].concat();
    fs::write(page, text).context(format!("cannot write `{name}`"))
}
