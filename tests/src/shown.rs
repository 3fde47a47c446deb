//! A case and what became of it, laid out for a person.

mod body;
mod yaml;

use std::fmt::{self, Write as _};

use serde_json::{Map, Value, json};

use crate::corpus::{Between, Case, Expected, ExpectedId, Http, Place};
use crate::error::Context;
use crate::report::{Got, Outcome};

/// One case: its request, its policy, and what is expected.
#[derive(Debug)]
pub struct Shown<'a>(pub &'a Case);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = self.0;
        writeln!(f, "{}", case.name())?;
        writeln!(f, "  why:    {}", case.why)?;
        writeln!(f, "  source: {}", case.source)?;
        section(f, "request", &request(case))?;
        if let Some((payload, claims)) = case.token() {
            let claims =
                claims.map_or_else(|| "no token".to_owned(), |claims| json!(claims).to_string());
            section(f, "token", &format!("{payload}: {claims}"))?;
        }
        if let Some(between) = &case.between {
            section(f, "between admit and recheck", &changes(between))?;
        }
        section(f, "policy", &policy(case))?;
        section(f, "expected", &expected(case))
    }
}

/// How one case went in one runner.
#[derive(Debug)]
pub struct Went<'a>(pub &'a Outcome);

impl fmt::Display for Went<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = self.0;
        let runner = outcome.runner.map_or("load", |runner| runner.as_str());
        let verdict = if outcome.problem.is_some() {
            "FAIL"
        } else {
            "ok"
        };
        writeln!(f, "{verdict} [{runner}]")?;
        if let Some(got) = &outcome.got {
            section(f, "got", &answer(got))?;
        }
        match &outcome.problem {
            Some(problem) => section(f, "wrong", problem),
            None => Ok(()),
        }
    }
}

fn section(f: &mut fmt::Formatter<'_>, title: &str, text: &str) -> fmt::Result {
    writeln!(f, "{title}")?;
    for line in text.lines() {
        let line = format!("    {line}");
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The request as it goes on the wire, as far as text can say it.
fn request(case: &Case) -> String {
    if let Some(bytes) = case.raw_bytes() {
        return body::shown(&bytes);
    }
    let version = match case.transport.http {
        Some(Http::H2) => "HTTP/2",
        Some(Http::Http11) | None => "HTTP/1.1",
    };
    let mut text = format!("{} {} {version}\n", case.method, case.path);
    for (name, value) in &case.headers {
        let _ = writeln!(text, "{name}: {}", value.escape_debug());
    }
    match case.body() {
        Some(bytes) => {
            let sizes = &case.transport.chunk_sizes;
            let pieces = if sizes.is_empty() {
                String::new()
            } else {
                format!(", in pieces of {sizes:?}")
            };
            let _ = writeln!(text, "\n[body of {} bytes{pieces}]", bytes.len());
            text.push_str(&body::shown(&bytes));
        }
        None => text.push_str("\n[no body]"),
    }
    for (name, value) in &case.transport.trailers {
        let _ = write!(text, "\ntrailer {name}: {}", value.escape_debug());
    }
    text
}

/// What a filter changes after admit, a line each.
fn changes(between: &Between) -> String {
    let place = match between.place {
        Place::Chain => "in the listener's chain",
        Place::Upstream => "upstream, behind the route",
    };
    let mut text = format!("the recheck stands {place}");
    for (what, value) in [
        ("path", &between.path),
        ("host", &between.host),
        ("method", &between.method),
        ("record", &between.record),
    ] {
        if let Some(value) = value {
            let _ = write!(text, "\n{what} becomes {value:?}");
        }
    }
    for (name, value) in &between.headers.set {
        let _ = write!(text, "\nheader {name} becomes {value:?}");
    }
    for name in &between.headers.remove {
        let _ = write!(text, "\nheader {name} is removed");
    }
    if let Some(body) = &between.body {
        let shown = body::shown(body.as_bytes());
        let _ = write!(
            text,
            "\nthe body becomes these {} bytes\n{shown}",
            body.len()
        );
    }
    text
}

/// The policy as a person would write it, in YAML.
fn policy(case: &Case) -> String {
    let document = case.policy.document();
    let parsed = document.and_then(|text| serde_json::from_str(&text).context("no JSON"));
    match parsed {
        Ok(document) => yaml::written(&document),
        Err(error) => format!("cannot be shown: {error}"),
    }
}

/// Everything a case expects.
fn expected(case: &Case) -> String {
    let mut text = verdict(case.expected, case.expected_code.as_deref());
    let _ = write!(text, ": {}", case.expected_reason);
    let mut more = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            more.insert(name.to_owned(), value);
        }
    };
    put("status", case.expected_status.map(Value::from));
    put("error.code", case.expected_error_code.map(Value::from));
    put(
        "id",
        case.expected_id.as_ref().map(|id| match id {
            ExpectedId::Absent { .. } => json!("(none)"),
            ExpectedId::Value(value) => value.clone(),
        }),
    );
    put("empty", case.expected_empty.then_some(Value::Bool(true)));
    let some = |value: Value| (value != json!([]) && value != json!({})).then_some(value);
    put("headers", some(json!(case.expected_headers)));
    put("error.data", some(json!(case.expected_data)));
    put("error.message holds", some(json!(case.expected_message)));
    for (name, value) in more {
        let _ = write!(text, "\n{name}: {value}");
    }
    text
}

fn verdict(verdict: Expected, code: Option<&str>) -> String {
    match code {
        Some(code) => format!("{} `{code}`", verdict.as_str()),
        None => verdict.as_str().to_owned(),
    }
}

/// What became of the request, and where.
fn answer(got: &Got) -> String {
    let mut text = verdict(got.verdict, got.code.as_deref());
    if !got.through.is_empty() {
        let _ = write!(text, "\nwhere: {}", got.through);
    }
    if let Some(status) = got.status {
        let _ = write!(text, "\nstatus: {status}");
    }
    if !got.detail.is_empty() {
        let _ = write!(text, "\nmessage: {}", got.detail);
    }
    match &got.answer {
        Some(answer) => {
            let _ = write!(text, "\nanswer: {answer}");
        }
        None if got.status.is_some() => text.push_str("\nanswer: no JSON"),
        None => {}
    }
    text
}

#[cfg(test)]
mod tests;
