//! What runners found, held against what the cases expect.

use std::fmt;

use serde_json::Value;

use crate::corpus::{Case, ENVOY, Expected, ExpectedId, Runner};

/// What became of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Got {
    /// The verdict, as far as the runner can see it.
    pub verdict: Expected,
    /// The reason code; `None` where the answer does not carry one.
    pub code: Option<String>,
    /// The status of the answer; `None` for a forwarded request.
    pub status: Option<u16>,
    /// The answer's headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Whether the answer has no body.
    pub empty: bool,
    /// The answer's body as JSON; `None` if it is empty or not JSON.
    pub answer: Option<Value>,
    /// Where the verdict was given: an engine's role, or a listener and what
    /// stands in it.
    pub through: String,
    /// Anything that helps to understand it.
    pub detail: String,
}

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verdict.as_str())?;
        if let Some(code) = &self.code {
            write!(f, " `{code}`")?;
        }
        if let Some(status) = self.status {
            write!(f, " with {status}")?;
        }
        match (self.through.as_str(), self.detail.as_str()) {
            ("", "") => Ok(()),
            ("", detail) => write!(f, " ({detail})"),
            (through, "") => write!(f, " ({through})"),
            (through, detail) => write!(f, " ({through}; {detail})"),
        }
    }
}

/// How one case went in one runner.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The case.
    pub id: String,
    /// The runner; `None` if the case did not get that far.
    pub runner: Option<Runner>,
    /// What became of the request; `None` if that cannot be said.
    pub got: Option<Got>,
    /// What is wrong, if anything is.
    pub problem: Option<String>,
}

impl Outcome {
    /// The outcome of a case that came to this result.
    pub fn new(case: &Case, runner: Runner, result: Result<Got, impl fmt::Display>) -> Self {
        let (got, problem) = match result {
            Ok(got) => {
                let problem = mismatch(case, &got);
                (Some(got), problem)
            }
            Err(error) => {
                let expected = case.expected.as_str();
                let problem = format!("expected {expected}, got no verdict: {error}");
                (None, Some(problem))
            }
        };
        Self {
            id: case.id.clone(),
            runner: Some(runner),
            got,
            problem,
        }
    }
}

/// What differs between a case's expectations and what became of it.
pub fn mismatch(case: &Case, got: &Got) -> Option<String> {
    if got.verdict != case.expected {
        return Some(format!(
            "expected {} ({}), got {got}",
            case.expected.as_str(),
            case.expected_reason
        ));
    }
    // Only Envoy runs raw cases: no other runner checks what it does not see.
    if case.is_raw()
        && let Some(wanted) = &case.expected_code
        && (wanted == ENVOY) != got.code.is_none()
    {
        return Some(match got.code {
            None => format!("expected the filter's `{wanted}`, got Envoy's own {got}"),
            Some(_) => format!("expected Envoy itself to refuse, got {got}"),
        });
    }
    // An empty body carries no code; the other runner checks it then.
    if let (Some(wanted), Some(code)) = (&case.expected_code, &got.code)
        && wanted != code
    {
        return Some(format!("expected the reason `{wanted}`, got {got}"));
    }
    if case.expected_status.is_some() && case.expected_status != got.status {
        let wanted = case.expected_status.unwrap_or_default();
        return Some(format!("expected the status {wanted}, got {got}"));
    }
    let answer = got.answer.as_ref();
    if let Some(wanted) = case.expected_error_code {
        let code = answer.and_then(|answer| answer["error"]["code"].as_i64());
        if code != Some(wanted) {
            return Some(format!("expected `error.code` {wanted}, got {code:?}"));
        }
    }
    if case.expected_empty && !got.empty {
        return Some(format!("expected an empty body, got {got}"));
    }
    for (name, wanted) in &case.expected_headers {
        let lines = got.headers.iter().filter(|(listed, _)| listed == name);
        let values: Vec<&str> = lines.map(|(_, value)| value.as_str()).collect();
        if values != [wanted] {
            return Some(format!(
                "expected the header `{name}` to be `{wanted}`, got {values:?}"
            ));
        }
    }
    let data = answer.map(|answer| &answer["error"]["data"]);
    for (name, wanted) in &case.expected_data {
        let value = data.and_then(|data| data.get(name));
        if value != Some(wanted) {
            return Some(format!(
                "expected `error.data.{name}` to be {wanted}, got {value:?}"
            ));
        }
    }
    let message = answer.and_then(|answer| answer["error"]["message"].as_str());
    for wanted in &case.expected_message {
        if !message.is_some_and(|message| message.contains(wanted)) {
            return Some(format!(
                "expected `error.message` to hold `{wanted}`, got {message:?}"
            ));
        }
    }
    match (&case.expected_id, answer.map(|answer| answer.get("id"))) {
        (None, _) | (Some(ExpectedId::Absent { .. }), None | Some(None)) => None,
        (Some(ExpectedId::Value(wanted)), Some(Some(id))) if wanted == id => None,
        (Some(wanted), id) => Some(format!("expected the answer's id {wanted:?}, got {id:?}")),
    }
}

/// The end of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases that went as expected in every runner that ran them.
    pub passed: usize,
    /// Everything else, in the order of the cases.
    pub failures: Vec<Outcome>,
    /// Cases with at least one failure.
    pub failed: usize,
}

impl Report {
    /// Sums up outcomes; those of one case follow each other or not.
    pub fn new(outcomes: Vec<Outcome>) -> Self {
        let mut ids: Vec<String> = outcomes.iter().map(|o| o.id.clone()).collect();
        ids.sort();
        ids.dedup();
        let mut failures: Vec<Outcome> = outcomes
            .into_iter()
            .filter(|o| o.problem.is_some())
            .collect();
        failures.sort_by(|a, b| a.id.cmp(&b.id));
        let mut wrong: Vec<&str> = failures.iter().map(|o| o.id.as_str()).collect();
        wrong.dedup();
        let failed = wrong.len();
        Self {
            passed: ids.len() - failed,
            failed,
            failures,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Outcome {
            id,
            runner,
            problem,
            ..
        } in &self.failures
        {
            let runner = runner.map_or("load", Runner::as_str);
            let problem = problem.as_deref().unwrap_or_default();
            writeln!(f, "FAIL {id} [{runner}]: {problem}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests;
