//! Cases that are known not to be right yet: `tests/known-wrong.txt`.
//!
//! The list cannot go stale: a case on it that passes fails the run, and so
//! does a line about a case that does not exist.

use std::fs;

use crate::corpus::Runner;
use crate::error::{Context, Error, Result};
use crate::report::Outcome;

/// The list.
#[derive(Debug, Default)]
pub struct KnownWrong(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    id: String,
    runner: Runner,
    line: usize,
}

impl KnownWrong {
    /// Reads `tests/known-wrong.txt`.
    ///
    /// # Errors
    /// If the file is missing or a line is not `id runner[,runner] reason`.
    pub fn load() -> Result<Self> {
        let path = crate::workspace().join("tests/known-wrong.txt");
        let text = fs::read_to_string(path).context("cannot read `tests/known-wrong.txt`")?;
        Self::parse(&text)
    }

    /// Reads the list from its text.
    ///
    /// # Errors
    /// If a line is not `id runner[,runner] reason`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || {
                Error::new(format!(
                    "line {line_number} of `tests/known-wrong.txt`: `{line}`; write `id runner[,runner] reason`"
                ))
            };
            let mut words = line.split_whitespace();
            let (Some(id), Some(runners), Some(_reason)) =
                (words.next(), words.next(), words.next())
            else {
                return Err(wrong());
            };
            for word in runners.split(',') {
                let runner = [Runner::Native, Runner::Envoy]
                    .into_iter()
                    .find(|runner| runner.as_str() == word)
                    .ok_or_else(wrong)?;
                entries.push(Entry {
                    id: id.to_owned(),
                    runner,
                    line: line_number,
                });
            }
        }
        Ok(Self(entries))
    }

    /// Turns the outcomes of a run into what counts: each [judged](Self::judge),
    /// and the [lines about nothing](Self::stale). `ran` are the runners of
    /// this run; lines about others are not judged.
    #[must_use]
    pub fn apply(&self, outcomes: Vec<Outcome>, ran: &[Runner]) -> Vec<Outcome> {
        let has_run = |id: &str, runner| {
            let mut outcomes = outcomes.iter();
            outcomes.any(|outcome| outcome.id == id && outcome.runner == Some(runner))
        };
        let stale: Vec<Outcome> = ran
            .iter()
            .flat_map(|runner| self.stale(*runner, |id| has_run(id, *runner)))
            .collect();
        let judged = outcomes.into_iter().map(|outcome| self.judge(outcome));
        judged.chain(stale).collect()
    }

    /// What counts of one outcome: a known failure is none, a known failure
    /// that did not happen is one.
    #[must_use]
    pub fn judge(&self, outcome: Outcome) -> Outcome {
        let about = |entry: &&Entry| entry.id == outcome.id && Some(entry.runner) == outcome.runner;
        let Some(Entry { line, .. }) = self.0.iter().find(about) else {
            return outcome;
        };
        let problem = match outcome.problem {
            Some(_) => None,
            None => Some(format!(
                "passes, but is listed as wrong; remove line {line} of `tests/known-wrong.txt`"
            )),
        };
        Outcome { problem, ..outcome }
    }

    /// A failure for each line about a case that `runner` does not run.
    #[must_use]
    pub fn stale(&self, runner: Runner, runs: impl Fn(&str) -> bool) -> Vec<Outcome> {
        let listed = self.0.iter().filter(|entry| entry.runner == runner);
        let stale = listed.filter(|entry| !runs(&entry.id));
        let failure = |Entry { id, line, .. }: &Entry| Outcome {
            id: id.clone(),
            runner: Some(runner),
            got: None,
            problem: Some(format!(
                "did not run, but line {line} of `tests/known-wrong.txt` lists it; remove the line"
            )),
        };
        stale.map(failure).collect()
    }
}

#[cfg(test)]
mod tests;
