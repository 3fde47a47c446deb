//! What `mcp-policy explain` says of rules is what the decision goes by, in
//! every case of the corpus that a request alone makes.

use mcp_boundary_engine::{Engine, Kind, OperationKind, Reason, Role};
use mcp_boundary_tests::corpus::{Corpus, Expected, Runner};
use mcp_boundary_tests::native;
use mcp_policy::explain::Explained;
use mcp_policy::request::{Caller, Request};

#[test]
fn every_case_is_explained_as_it_is_decided() {
    let corpus = Corpus::load_own().expect("a corpus");
    let (mut cases, mut operations) = (0, 0);
    for case in &corpus.cases {
        if case.between.is_some() || !case.runs_in(Runner::Native) {
            continue;
        }
        let Ok(text) = case.policy.document() else {
            continue;
        };
        let Ok(compiled) = mcp_policy::compile(&text) else {
            continue;
        };
        let engine = Engine::new(compiled.policy, Role::Admit);
        let headers = native::headers(case).into_iter();
        let mut caller = Caller::default();
        if let Some((payload, Some(claims))) = case.token() {
            caller.tokens.insert(payload.to_owned(), claims.clone());
        }
        let request = Request {
            headers: headers
                .map(|(name, value)| (String::from_utf8_lossy(&name).into_owned(), value))
                .collect(),
            body: case.body(),
            caller,
        };
        let explained = Explained::new(&engine, &request, &compiled.places);
        let verdict = &explained.outcome().verdict;
        let expected = match case.expected {
            Expected::Forward => Kind::Forward,
            Expected::Deny => Kind::Deny,
            Expected::Reject => Kind::Reject,
        };
        assert!(
            verdict.kind == expected || verdict.is_would_deny(),
            "{}",
            case.id
        );
        assert!(!explained.human("policy.yaml").is_empty());
        cases += 1;

        // What is said of rules leads to the verdict.
        let Some(endpoint) = engine.endpoint_of(verdict) else {
            continue;
        };
        let mut denied_by = None;
        let mut allowed = true;
        for operation in &verdict.operations {
            if operation.kind == OperationKind::Response {
                continue;
            }
            request.with_head(&engine, |head| {
                let said = engine.consider(endpoint, head, operation);
                let denies = said.iter().find(|one| one.denies && one.applies);
                if let Some(one) = denies.filter(|_| denied_by.is_none() && allowed) {
                    denied_by = Some(one.rule.id.to_string());
                }
                allowed &= said.iter().any(|one| !one.denies && one.applies);
            });
            operations += 1;
        }
        match verdict.reason {
            Reason::Allowed => assert!(allowed && denied_by.is_none(), "{}", case.id),
            _ if verdict.kind == Kind::Deny && verdict.rule.is_some() => {
                assert_eq!(verdict.rule, denied_by, "{}", case.id);
            }
            _ => {}
        }
    }
    println!("{cases} cases, {operations} operations");
    assert!(
        cases > 2_000 && operations > 500,
        "{cases} cases, {operations} operations"
    );
}
