//! `replay LOG… --policy NEW`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use mcp_boundary_engine::{Engine, Outcome, Role};

use super::console::Console;
use super::{input, output};
use crate::cli::Exit;
use crate::explain::selector;
use crate::request::{Logged, Untold};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mcp-policy replay access.log --policy new.yaml --suggest")]
pub(crate) struct Args {
    /// Logs: the access log or the filter's own lines, or `-` for standard input
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// The policy or compiled policy to decide with
    #[arg(long, value_name = "POLICY")]
    policy: PathBuf,
    /// Print the entries that would permit what is denied now and was not
    #[arg(long)]
    suggest: bool,
    /// Fail if anything that was permitted is denied now
    #[arg(long)]
    deny_narrowing: bool,
}

/// What became otherwise: from what to what, where, what, by whom.
type Change = (String, String, String, String, String);

#[derive(Debug, Default)]
struct Seen {
    requests: usize,
    same: usize,
    untold: BTreeMap<String, usize>,
    changed: BTreeMap<Change, usize>,
    /// What would permit what is denied now: by endpoint and selector.
    missing: BTreeMap<(String, &'static str), BTreeMap<String, usize>>,
}

pub(crate) fn run(console: &Console, args: &Args) -> Result<(), Exit> {
    let (policy, _) = input::either(console, &args.policy)?;
    let engine = Engine::new(policy, Role::Admit);
    let mut seen = Seen::default();
    for log in &args.logs {
        let text = input::bytes(console, log)?;
        for line in text.split(|byte| *byte == b'\n') {
            seen.line(&engine, line);
        }
    }
    if seen.requests == 0 {
        return Err(console.fail(
            Exit::Input,
            &args.logs.first().map_or_else(String::new, |log| input::shown(log)),
            "no line of the log is one of a request",
            "give the access log of the shipped configurations, or the filter's own lines of Envoy's log",
        ));
    }
    output::stdout(console, seen.told(args.suggest).as_bytes())?;
    let narrowed = seen
        .changed
        .keys()
        .any(|(before, now, ..)| is_through(before) && !is_through(now));
    match args.deny_narrowing && narrowed {
        true => Err(Exit::Policy),
        false => Ok(()),
    }
}

fn is_through(verdict: &str) -> bool {
    matches!(verdict, "forward" | "would_deny")
}

impl Seen {
    fn line(&mut self, engine: &Engine, line: &[u8]) {
        let logged = match Logged::read(line, engine.policy()) {
            Ok(logged) => logged,
            Err(Untold::Foreign) => return,
            Err(untold) => {
                add(&mut self.untold, untold.to_string());
                return;
            }
        };
        self.requests = self.requests.saturating_add(1);
        if logged.verdict == "reject" {
            add(
                &mut self.untold,
                "it was rejected for what the log does not hold".to_owned(),
            );
            return;
        }
        let outcome = logged.request.decide(engine);
        let now = outcome.verdict.word();
        if now == logged.verdict {
            self.same = self.same.saturating_add(1);
            return;
        }
        let endpoint = engine.endpoint_of(&outcome.verdict);
        let endpoint =
            endpoint.map_or_else(|| "-".to_owned(), |endpoint| endpoint.name.to_string());
        if is_through(&logged.verdict) {
            self.miss(engine, &logged, &outcome);
        }
        let became = format!("{now} {}", outcome.verdict.reason.code());
        add(
            &mut self.changed,
            (logged.verdict, became, endpoint, logged.asked, logged.who),
        );
    }

    /// Never wider than what was seen: what a rule names already, for other
    /// callers, is not named for all.
    fn miss(&mut self, engine: &Engine, logged: &Logged, outcome: &Outcome) {
        let endpoint = engine.endpoint_of(&outcome.verdict);
        let Some(endpoint) = endpoint.filter(|_| outcome.verdict.rule.is_none()) else {
            return;
        };
        for operation in &outcome.verdict.operations {
            let is_named = logged.request.with_head(engine, |head| {
                let said = engine.consider(endpoint, head, operation);
                said.iter().any(|one| !one.named.is_empty())
            });
            if is_named {
                continue;
            }
            if let Some((key, name)) = selector(operation) {
                let place = (endpoint.name.to_string(), key);
                add(self.missing.entry(place).or_default(), name.to_owned());
            }
        }
    }

    fn told(&self, suggest: bool) -> String {
        let changed: usize = self.changed.values().sum();
        let untold: usize = self.untold.values().sum();
        let mut out = format!(
            "{} requests: {} as before, {changed} otherwise",
            self.requests, self.same
        );
        if untold > 0 {
            let _ = write!(out, "; {untold} lines cannot be asked again");
        }
        out.push('\n');
        for ((before, now, endpoint, asked, who), count) in &self.changed {
            let who = if who.is_empty() {
                String::new()
            } else {
                format!("  by {who}")
            };
            let _ = writeln!(
                out,
                "  {count:>6}  {before} -> {now}  {endpoint}  {asked}{who}"
            );
        }
        for (why, count) in &self.untold {
            let _ = writeln!(out, "  {count:>6}  not asked again: {why}");
        }
        if suggest && !self.missing.is_empty() {
            out.push_str(
                "\n# Would permit what is denied now; each line as it was seen, no wider.\n",
            );
            let mut last = "";
            for ((endpoint, key), names) in &self.missing {
                if endpoint != last {
                    let _ = writeln!(out, "# endpoint {endpoint}, under `allow`:");
                    last = endpoint;
                }
                let _ = writeln!(out, "{key}:");
                for (name, count) in names {
                    let _ = writeln!(out, "  - {}  # {count} times", crate::yaml::quoted(name));
                }
            }
        }
        out
    }
}

fn add<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}
