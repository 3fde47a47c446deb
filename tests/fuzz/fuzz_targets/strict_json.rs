//! Any bytes as a body, and as the value of a tool's argument, against an
//! ordinary JSON reader.
#![no_main]

#[allow(dead_code)]
#[path = "../../src/readers.rs"]
mod readers;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use mcp_boundary_engine::{Effect, Engine, Head, Reason, Role};
use mcp_boundary_format::{Endpoint, Names, Policy, Rule, Unmatched};
use readers::{Reader, Tree};

static ENGINE: OnceLock<Engine> = OnceLock::new();

fn engine() -> &'static Engine {
    ENGINE.get_or_init(|| {
        let rule = Rule {
            id: "all".parse().unwrap(),
            methods: Names::new(["*".into()]).unwrap(),
            tools: Names::new(["*".into()]).unwrap(),
            ..Rule::default()
        };
        let endpoint = Endpoint {
            name: "fuzz".parse().unwrap(),
            allow: vec![rule],
            ..Endpoint::default()
        };
        let policy = Policy::seal(Unmatched::Deny, vec![endpoint]).expect("a valid policy");
        Engine::new(policy, Role::Admit)
    })
}

/// The reason, and whether the body would be forwarded.
fn decide(body: &[u8]) -> (Reason, bool) {
    let headers: [(&[u8], &[u8]); 5] = [
        (b":method", b"POST"),
        (b":path", b"/mcp"),
        (b":authority", b"fuzz.test"),
        (b"content-type", b"application/json"),
        (b"mcp-protocol-version", b"2025-11-25"),
    ];
    let outcome = engine().decide(
        Head {
            headers: &headers,
            ..Head::default()
        },
        body,
    );
    let forwarded = matches!(outcome.effect, Effect::Forward { .. });
    (outcome.verdict.reason, forwarded)
}

fn is_about_json(reason: Reason) -> bool {
    reason.code().starts_with("json_") || reason == Reason::BodyEmpty
}

/// Whether some object of the tree repeats a name.
fn repeats(tree: &Tree) -> bool {
    match tree {
        Tree::Array(items) => items.iter().any(repeats),
        Tree::Object(members) => {
            let mut names: Vec<_> = members.iter().map(|(name, _)| name).collect();
            names.sort();
            names.windows(2).any(|pair| pair[0] == pair[1])
                || members.iter().any(|(_, value)| repeats(value))
        }
        _ => false,
    }
}

fuzz_target!(|data: &[u8]| {
    let (reason, forwarded) = decide(data);
    let tree = Tree::read(data);
    if forwarded {
        let tree = tree.as_ref().expect("forwarded, but not JSON");
        assert!(!repeats(tree), "forwarded with a repeated name");
        let [first, last, folded] = Reader::ALL.map(|reader| reader.see(tree));
        assert!(first == last && last == folded, "readers disagree");
    }
    match &tree {
        // What is refused as JSON is not JSON, or is ambiguous, or too deep.
        Some(tree) if is_about_json(reason) => assert!(
            repeats(tree)
                || matches!(
                    reason,
                    Reason::JsonTooDeep | Reason::JsonCaseVariant | Reason::JsonControlName
                ),
            "{reason:?} for a JSON text"
        ),
        Some(_) => {}
        // serde_json gives up at 128 levels, beyond every limit here.
        None => assert!(is_about_json(reason) || reason == Reason::ParamsTooLarge, "{reason:?}"),
    }

    let call = [
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":"#,
        data,
        b"}}}",
    ]
    .concat();
    let (reason, forwarded) = decide(&call);
    let tree = Tree::read(&call);
    let plain = tree.as_ref().is_some_and(|tree| !repeats(tree));
    if forwarded {
        assert!(plain, "arguments that are not plain JSON were forwarded");
    } else if plain && reason != Reason::JsonTooDeep {
        // The value may have closed the object and gone on outside of it.
        assert!(serde_json::from_slice::<serde_json::Value>(data).is_err(), "{reason:?}");
    }
});
