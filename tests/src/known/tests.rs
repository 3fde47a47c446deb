use super::KnownWrong;
use crate::corpus::Runner;
use crate::report::{Outcome, Report};

fn outcome(id: &str, problem: Option<&str>) -> Outcome {
    Outcome {
        id: id.to_owned(),
        runner: Some(Runner::Native),
        got: None,
        problem: problem.map(str::to_owned),
    }
}

fn judged(list: &str, outcomes: Vec<Outcome>) -> Report {
    let list = KnownWrong::parse(list).expect("a list");
    Report::new(list.apply(outcomes, &[Runner::Native]))
}

#[test]
fn a_listed_failure_is_tolerated() {
    let report = judged("a-1 native why", vec![outcome("a-1", Some("wrong"))]);
    assert_eq!((report.passed, report.failed), (1, 0));
}

#[test]
fn a_listed_case_that_passes_fails() {
    let report = judged("a-1 native,envoy why", vec![outcome("a-1", None)]);
    assert_eq!((report.passed, report.failed), (0, 1));
    assert!(report.to_string().contains("remove line 1"), "{report}");
}

#[test]
fn an_unlisted_failure_fails() {
    let report = judged("a-1 envoy why", vec![outcome("a-1", Some("wrong"))]);
    assert_eq!((report.passed, report.failed), (0, 1));
}

#[test]
fn a_line_about_no_case_fails() {
    let report = judged("# a comment\n\nb-1 native why", vec![outcome("a-1", None)]);
    assert_eq!((report.passed, report.failed), (1, 1));
}

#[test]
fn a_line_needs_a_runner_and_a_reason() {
    for wrong in ["a-1", "a-1 native", "a-1 wasm why"] {
        let error = KnownWrong::parse(wrong).expect_err(wrong).to_string();
        assert!(error.contains("line 1"), "{error}");
    }
}
