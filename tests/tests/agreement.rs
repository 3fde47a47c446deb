//! No body means one thing here and another to a server.
//!
//! Bodies are made by changing the corpus's requests at random. For every one
//! that is forwarded, readers that differ must see the same method, name, URI
//! and id, and these must be what was authorised. `BODIES` sets how many are
//! made, `SEED` starts another sequence.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use mcp_boundary_engine::{Effect, Engine, Head, Kind, Outcome, Reason};
use mcp_boundary_tests::corpus::{Case, Corpus, Http, Runner, folder};
use mcp_boundary_tests::foreign;
use mcp_boundary_tests::mutate::Mutation;
use mcp_boundary_tests::native::{Engines, headers};
use mcp_boundary_tests::readers::{Reader, Seen, Tree};
use serde_json::Value;

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

/// Requests to start from: every POST of the corpus that is not about its size.
fn bases() -> Vec<Case> {
    let cases = Corpus::load(&folder()).expect("the corpus loads").cases;
    let usable = |case: &Case| {
        case.method == "POST"
            && case.runs_in(Runner::Native)
            && case.transport.http != Some(Http::H2)
            && !case.lists("content-length")
            && case
                .body()
                .is_some_and(|body| (1..8192).contains(&body.len()))
    };
    cases.into_iter().filter(usable).collect()
}

fn decide(engine: &Engine, headers: &[(Vec<u8>, Vec<u8>)], body: &[u8]) -> Outcome {
    let lines: Vec<(&[u8], &[u8])> = headers
        .iter()
        .filter(|(name, _)| name != b"content-length")
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
        .collect();
    let head = Head {
        headers: &lines,
        ..Head::default()
    };
    engine.decide(head, body)
}

fn is_forwarded(outcome: &Outcome) -> bool {
    matches!(outcome.effect, Effect::Forward { .. })
}

/// A body that was forwarded, with what the readers here agree on.
struct Forwarded {
    body: Vec<u8>,
    seen: Vec<Seen>,
}

/// Panics if the readers disagree among themselves or with the engine.
fn agreed(body: &[u8], outcome: &Outcome) -> Vec<Seen> {
    let shown = String::from_utf8_lossy(body);
    let tree = Tree::read(body).unwrap_or_else(|| panic!("forwarded, but not JSON: {shown}"));
    let views = Reader::ALL.map(|reader| reader.see(&tree));
    let [first, last, folded] = &views;
    assert_eq!(first, last, "first-wins and last-wins differ: {shown}");
    assert_eq!(last, folded, "case-insensitive and exact differ: {shown}");
    // Each call gives an operation with its method first, in order.
    let mut operations = outcome.verdict.operations.iter();
    for seen in last.iter().filter(|seen| seen.method.is_some()) {
        let same = |operation: &&mcp_boundary_engine::Operation| {
            Some(Value::from(operation.method.as_str()).to_string()) == seen.method
        };
        let operation = operations.find(same);
        let operation = operation.unwrap_or_else(|| panic!("authorised something else: {shown}"));
        let named = match operation.method.as_str() {
            "tools/call" | "prompts/get" => &seen.name,
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &seen.uri,
            _ => continue,
        };
        let name = operation
            .name
            .as_deref()
            .map(|name| Value::from(name).to_string());
        assert_eq!(&name, named, "authorised another name: {shown}");
    }
    views.into_iter().next_back().expect("three views")
}

#[test]
fn readers_agree_on_what_is_forwarded() {
    let count = setting("BODIES", 200_000);
    let mut rng = Rng::with_seed(setting("SEED", 20_260_728));
    let bases = bases();
    let prepared: Vec<_> = bases
        .iter()
        .map(|case| (headers(case), case.body().expect("filtered")))
        .collect();
    let mut engines = Engines::default();
    let mut forwarded = Vec::new();
    for _ in 0..count {
        let at = rng.usize(..bases.len());
        let (headers, original) = &prepared[at];
        let engine = engines.of(&bases[at]).expect("corpus policies compile");
        let mut body = original.clone();
        // Most changes only respell, or too few bodies would be forwarded.
        for _ in 0..rng.usize(1..4) {
            let kinds = if rng.u8(..3) > 0 {
                &Mutation::ALL[..1]
            } else {
                &Mutation::ALL[..]
            };
            body = kinds[rng.usize(..kinds.len())].apply(&body, &mut rng);
        }
        let outcome = decide(engine, headers, &body);
        // serde_json reads 127 levels; an endpoint may permit 128.
        let read = serde_json::from_slice::<Tree>(&body);
        if read.is_err_and(|error| error.to_string().starts_with("recursion limit")) {
            continue;
        }
        if is_forwarded(&outcome) && outcome.verdict.reason != Reason::Unmatched {
            let seen = agreed(&body, &outcome);
            forwarded.push(Forwarded { body, seen });
        }
    }
    assert!(
        forwarded.len() as u64 > count / 50,
        "too few were forwarded to say anything"
    );
    let python = other_reader("python3", "reader.py", &forwarded);
    let node = other_reader("node", "reader.mjs", &forwarded);
    println!(
        "{count} bodies, {} forwarded, 0 disagreements among first-wins, last-wins, case-insensitive{}{}",
        forwarded.len(),
        if python { ", Python" } else { "" },
        if node { ", Node" } else { "" },
    );
}

/// Asks a reader in another language; false if there is none and that is
/// acceptable.
fn other_reader(program: &str, script: &str, bodies: &[Forwarded]) -> bool {
    let lines = bodies.iter().map(|body| STANDARD.encode(&body.body));
    let Some(answers) = foreign::ask(program, script, &lines.collect::<Vec<_>>()) else {
        return false;
    };
    for (forwarded, answer) in bodies.iter().zip(&answers) {
        let answer: Vec<[Value; 4]> = serde_json::from_str(answer).expect("JSON");
        let shown = String::from_utf8_lossy(&forwarded.body);
        assert_eq!(answer.len(), forwarded.seen.len(), "{program}: {shown}");
        for ([method, name, uri, id], seen) in answer.iter().zip(&forwarded.seen) {
            for (theirs, ours) in [
                (method, &seen.method),
                (name, &seen.name),
                (uri, &seen.uri),
                (id, &seen.id),
            ] {
                assert!(
                    same(theirs, ours.as_deref()),
                    "{program} sees {theirs}, not {ours:?}: {shown}"
                );
            }
        }
    }
    true
}

/// Whether another language's value is ours. JavaScript has only doubles.
fn same(theirs: &Value, ours: Option<&str>) -> bool {
    let ours: Value = ours.map_or(Value::Null, |text| {
        serde_json::from_str(text).expect("JSON")
    });
    *theirs == ours || (theirs.is_number() && ours.is_number() && theirs.as_f64() == ours.as_f64())
}

#[test]
fn ambiguity_never_permits_and_spelling_never_decides() {
    let mut rng = Rng::with_seed(setting("SEED", 1));
    let mut engines = Engines::default();
    let (mut ambiguous, mut respelled) = (0, 0);
    for case in bases() {
        let engine = engines.of(&case).expect("corpus policies compile");
        let (headers, body) = (headers(&case), case.body().expect("filtered"));
        let before = decide(engine, &headers, &body);
        if before.verdict.reason == Reason::BodyTooLarge {
            // Rewriting drops white space, and with it this reason.
            continue;
        }
        for _ in 0..20 {
            let mutation = Mutation::AMBIGUOUS[rng.usize(..Mutation::AMBIGUOUS.len())];
            let changed = mutation.apply(&body, &mut rng);
            let after = decide(engine, &headers, &changed);
            if !is_forwarded(&before) && changed != body {
                ambiguous += 1;
                let shown = String::from_utf8_lossy(&changed);
                assert!(
                    !is_forwarded(&after),
                    "{mutation:?} of {} forwards {shown}",
                    case.id
                );
            }
        }
        let strict = |outcome: &Outcome| outcome.verdict.reason.code().starts_with("json_");
        for _ in 0..20 {
            if strict(&before) {
                break;
            }
            let changed = Mutation::Respell.apply(&body, &mut rng);
            let after = decide(engine, &headers, &changed);
            if after.verdict.reason == Reason::BodyTooLarge {
                continue;
            }
            respelled += 1;
            let shown = String::from_utf8_lossy(&changed);
            let (kind, was) = (after.verdict.kind, before.verdict.kind);
            assert_eq!(kind, was, "spelling decides on {}: {shown}", case.id);
            if was != Kind::Reject {
                assert_eq!(
                    after.verdict.reason, before.verdict.reason,
                    "{}: {shown}",
                    case.id
                );
            }
        }
    }
    println!("{ambiguous} ambiguous and {respelled} respelled bodies, 0 verdicts moved");
}
