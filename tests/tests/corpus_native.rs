//! The corpus through the engine.

use mcp_boundary_tests::corpus::{Corpus, Runner};
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::native;
use mcp_boundary_tests::report::Report;

#[test]
fn every_case_gets_its_verdict() {
    let corpus = Corpus::load_own().expect("the corpus");
    assert!(corpus.broken.is_empty(), "{:?}", corpus.broken);
    let known = KnownWrong::load().expect("the list of known failures");
    let outcomes = native::run(&corpus.cases);
    assert!(outcomes.len() > 200, "only {} cases ran", outcomes.len());
    let report = Report::new(known.apply(outcomes, &[Runner::Native]));
    assert_eq!(report.failed, 0, "\n{report}");
}
