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

    /// Turns the outcomes of a run into what counts: a known failure is none,
    /// a known failure that did not happen is one. `ran` are the runners of
    /// this run; lines about others are not judged.
    #[must_use]
    pub fn apply(&self, outcomes: Vec<Outcome>, ran: &[Runner]) -> Vec<Outcome> {
        let mut judged: Vec<Outcome> = outcomes;
        for entry in self.0.iter().filter(|entry| ran.contains(&entry.runner)) {
            let line = entry.line;
            let found = judged
                .iter_mut()
                .find(|o| o.id == entry.id && o.runner == Some(entry.runner));
            match found {
                Some(outcome) if outcome.problem.is_some() => outcome.problem = None,
                Some(outcome) => {
                    outcome.problem = Some(format!(
                        "passes, but is listed as wrong; remove line {line} of `tests/known-wrong.txt`"
                    ));
                }
                None => judged.push(Outcome {
                    id: entry.id.clone(),
                    runner: Some(entry.runner),
                    problem: Some(format!(
                        "did not run, but line {line} of `tests/known-wrong.txt` lists it; remove the line"
                    )),
                }),
            }
        }
        judged
    }
}

#[cfg(test)]
mod tests;
