//! The corpus over every transport: whatever a request is sent with, nothing of
//! a refused one reaches the server, and a forwarded one arrives as it was
//! sent.
//!
//! `corpus_envoy` sends each case as it says itself; here all of them are sent
//! over HTTP/1.1, over HTTP/2 and over HTTP/2 with TLS, as far as the version
//! of HTTP can express them at all.

use std::collections::BTreeMap;

use mcp_boundary_tests::corpus::{self, Case, Corpus, Expected, Runner};
use mcp_boundary_tests::envoy;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::gateway::{self, Over};
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::report::{Outcome, Report};

/// Fewer would mean that cases are left out by mistake.
const LEAST: u64 = 1800;

fn corpus_over(over: Over, name: &str) {
    let column = over.column();
    let Some(binary) = envoy::or_skip(&format!("the corpus over {column}")) else {
        return;
    };
    let cases = Corpus::load(&corpus::folder()).expect("the corpus").cases;
    let outcomes = gateway::run_over(&binary, &cases, over);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
    let left_out = left_out(over, &cases);
    let known = KnownWrong::load().expect("the list of known failures");
    let outcomes = known.apply(outcomes, &[Runner::Envoy]);
    let rows = rows(over, &cases, &outcomes);
    evidence::record(name, &rows);

    let run: u64 = rows.iter().map(|row| row.run).sum();
    println!("{column}: {rows:?}, left out: {left_out:?}");
    let report = Report::new(outcomes);
    assert_eq!(report.failed, 0, "\n{report}");
    assert!(run > LEAST, "only {run} cases ran over {column}");
}

/// How many cases a version of HTTP cannot express, by the reason.
fn left_out(over: Over, cases: &[Case]) -> BTreeMap<&'static str, u64> {
    let mut reasons = BTreeMap::new();
    for case in cases.iter().filter(|case| case.runs_in(Runner::Envoy)) {
        if let Some(reason) = over.cannot_carry(case) {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    reasons
}

fn rows(over: Over, cases: &[Case], outcomes: &[Outcome]) -> Vec<Row> {
    let row = |guarantee: &str| Row::new(guarantee, over.column());
    let mut denied = row("a denied request puts no byte on the upstream (corpus)");
    let mut rejected = row("a rejected request puts no byte on the upstream (corpus)");
    let mut forwarded = row("a forwarded request arrives byte for byte, rightly framed (corpus)");
    let by_id: BTreeMap<&str, &Case> = cases.iter().map(|case| (case.id.as_str(), case)).collect();
    for outcome in outcomes {
        let row = match by_id.get(outcome.id.as_str()).map(|case| case.expected) {
            Some(Expected::Deny) => &mut denied,
            Some(Expected::Reject) => &mut rejected,
            Some(Expected::Forward) => &mut forwarded,
            None => panic!("no case `{}`", outcome.id),
        };
        row.count(outcome.problem.is_none());
    }
    vec![denied, rejected, forwarded]
}

#[test]
fn corpus_over_http11() {
    corpus_over(Over::Http11, "transport-http11");
}

#[test]
fn corpus_over_http2() {
    corpus_over(Over::Http2, "transport-http2");
}

#[test]
fn corpus_over_tls() {
    corpus_over(Over::Tls, "transport-tls");
}
