//! Policies changed so that they say less never permit more.

use mcp_boundary_engine::{Effect, Engine, Head, Kind, Role};
use mcp_boundary_format::{Endpoint, Mode, Names, Policy, Revisions, Rule};
use mcp_boundary_tests::corpus::{Case, Corpus, Runner, folder};
use mcp_boundary_tests::native::{Engines, headers};

/// A change of every endpoint, with its name.
struct Change {
    what: String,
    apply: Box<dyn Fn(&mut Endpoint)>,
}

impl Change {
    fn new(what: String, apply: impl Fn(&mut Endpoint) + 'static) -> Self {
        let apply = Box::new(apply);
        Self { what, apply }
    }
}

fn cases() -> Vec<Case> {
    let cases = Corpus::load(&folder()).expect("the corpus loads").cases;
    let natively = |case: &Case| case.runs_in(Runner::Native);
    cases.into_iter().filter(natively).collect()
}

fn decide(case: &Case, engine: &Engine) -> (bool, Kind) {
    let headers = headers(case);
    let headers: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
        .collect();
    let body = case.body().unwrap_or_default();
    let head = Head {
        headers: &headers,
        end_of_stream: body.is_empty(),
        ..Head::default()
    };
    let outcome = engine.decide(head, &body);
    let forwarded = matches!(outcome.effect, Effect::Forward { .. });
    (forwarded, outcome.verdict.kind)
}

fn with(policy: &Policy, change: &dyn Fn(&mut Endpoint)) -> Option<Engine> {
    let endpoints = policy.endpoints().iter();
    let mut endpoints: Vec<_> = endpoints
        .map(|endpoint| Endpoint::clone(endpoint))
        .collect();
    endpoints.iter_mut().for_each(change);
    let policy = Policy::seal(policy.unmatched().clone(), endpoints).ok()?;
    Some(Engine::new(policy, Role::Admit))
}

/// Runs every case before and after each change; `holds` judges the pair.
fn compare(changes: &[Change], holds: impl Fn((bool, Kind), (bool, Kind)) -> bool) -> usize {
    compare_in(cases(), changes, holds)
}

fn compare_in(
    cases: Vec<Case>,
    changes: &[Change],
    holds: impl Fn((bool, Kind), (bool, Kind)) -> bool,
) -> usize {
    let mut engines = Engines::default();
    let mut compared = 0;
    for case in cases {
        // Some cases are about policies that do not compile.
        let Ok(engine) = engines.of(&case) else {
            continue;
        };
        let before = decide(&case, engine);
        for change in changes {
            if let Some(changed) = with(engine.policy(), &change.apply) {
                let after = decide(&case, &changed);
                assert!(
                    holds(before, after),
                    "{} turns {} from {before:?} to {after:?}",
                    change.what,
                    case.id
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn an_added_deny_never_widens() {
    let names =
        |names: &[&str]| Names::new(names.iter().map(|name| (*name).to_owned())).expect("names");
    let denies = [
        (
            "a tool",
            Rule {
                tools: names(&["get_weather"]),
                ..Rule::default()
            },
        ),
        (
            "a tool glob",
            Rule {
                tools: names(&["*e*"]),
                ..Rule::default()
            },
        ),
        (
            "every method",
            Rule {
                methods: names(&["*"]),
                ..Rule::default()
            },
        ),
        (
            "one method",
            Rule {
                methods: names(&["tools/list"]),
                ..Rule::default()
            },
        ),
        (
            "prompts",
            Rule {
                prompts: names(&["*"]),
                ..Rule::default()
            },
        ),
        (
            "resources",
            Rule {
                resources: names(&["**"]),
                ..Rule::default()
            },
        ),
    ];
    let changes: Vec<Change> = denies
        .into_iter()
        .map(|(what, rule)| {
            let rule = Rule {
                id: "added".parse().expect("an id"),
                ..rule
            };
            let change = move |endpoint: &mut Endpoint| endpoint.deny.push(rule.clone());
            Change::new(format!("denying {what}"), change)
        })
        .collect();
    let compared = compare(&changes, |before, after| before.0 || !after.0);
    println!("{compared} comparisons, no added deny widened");
}

#[test]
fn a_removed_revision_never_widens() {
    let changes: Vec<Change> = mcp_boundary_format::Revision::ALL
        .into_iter()
        .map(|removed| {
            let change = move |endpoint: &mut Endpoint| {
                let left = endpoint
                    .revisions
                    .iter()
                    .filter(|revision| *revision != removed);
                if let Some(left) = Revisions::new(left) {
                    endpoint.revisions = left;
                }
            };
            Change::new(format!("removing {removed}"), change)
        })
        .collect();
    // An `initialize` without a header is inspected as the newest legacy
    // revision that is permitted; an older one may know fewer members.
    let governed = |case: &Case| {
        let body = case.body().unwrap_or_default();
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        message["method"] != "initialize" || case.lists("mcp-protocol-version")
    };
    let cases = cases().into_iter().filter(governed).collect();
    let compared = compare_in(cases, &changes, |before, after| before.0 || !after.0);
    println!("{compared} comparisons, no removed revision widened");
}

#[test]
fn audit_never_turns_a_rejection_into_anything_else() {
    let audit = |endpoint: &mut Endpoint| endpoint.mode = Mode::Audit;
    let changes = [Change::new("audit".to_owned(), audit)];
    let compared = compare(&changes, |(_, before), (forwarded, after)| {
        before == after && (after != Kind::Reject || !forwarded)
    });
    println!("{compared} comparisons, no rejection weakened");
}
