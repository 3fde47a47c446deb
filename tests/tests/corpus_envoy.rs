//! The corpus through a real Envoy: one process, every case sent as it is
//! written, every byte behind the filter accounted for.

use mcp_boundary_tests::corpus::{self, Corpus, Runner};
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::report::Report;
use mcp_boundary_tests::{envoy, gateway};

#[test]
fn every_case_gets_its_verdict() {
    let Some(binary) = envoy::or_skip("the corpus through envoy") else {
        return;
    };
    let corpus = Corpus::load(&corpus::folder()).expect("the corpus");
    let known = KnownWrong::load().expect("the list of known failures");
    let outcomes = match gateway::run(&binary, &corpus.cases) {
        Ok(outcomes) => outcomes,
        Err(error) => panic!("{error}"),
    };
    assert!(outcomes.len() > 200, "only {} cases ran", outcomes.len());
    let report = Report::new(known.apply(outcomes, &[Runner::Envoy]));
    assert_eq!(report.failed, 0, "\n{report}");
}
