//! Whatever the file holds: no panic, no runaway, and places that exist.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs;
use std::time::{Duration, Instant};

use mcp_policy::diagnostic::{Format, render};
use mcp_policy::{Diagnostic, Severity, compile};
use proptest::prelude::*;
use proptest::sample::Index;

/// Compiles, checks what is reported, and renders it in every format.
fn examine(text: &str) -> Vec<Diagnostic> {
    let found = match compile(text) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason: {text:?}");
            errors
        }
    };
    for diagnostic in &found {
        assert!(!diagnostic.message.contains('\n'), "{diagnostic}");
        assert!(!diagnostic.message.ends_with('.'), "{diagnostic}");
        assert!(diagnostic.help.is_some(), "{diagnostic}");
        for label in &diagnostic.labels {
            assert!(text.get(label.span.bytes.clone()).is_some(), "{label:?}");
            assert!(label.span.line >= 1 && label.span.column >= 1);
            assert!(label.span.line <= text.matches('\n').count() + 1);
        }
    }
    for format in [Format::Human, Format::Plain, Format::Json] {
        let rendered = render(&found, format, "policy.yaml", text, false);
        assert!(
            !rendered.contains('\u{1b}'),
            "an escape reached the terminal"
        );
        assert_eq!(rendered.is_empty(), found.is_empty());
    }
    found
}

fn seeds() -> Vec<String> {
    let golden = common::golden().into_iter();
    let bad = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diagnostics")).unwrap();
    let bad = bad.map(|entry| entry.unwrap().path());
    golden
        .chain(bad.filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        }))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

const TOKENS: &[&str] = &[
    "\n",
    "  ",
    "- ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|\n",
    ">\n",
    "#",
    "~",
    "\t",
    "---\n",
    "...\n",
    "%",
    "@",
    "`",
    "? ",
    "<<: ",
    "é",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\r",
    "\r\n",
    "\\",
    "\0",
    "\u{1b}[31m",
    "𝄞",
    "no",
    "1.0",
    "*",
    "null",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn edited_policies(
        seed in any::<Index>(),
        edits in prop::collection::vec((any::<Index>(), any::<Index>(), 0..3usize), 1..6),
    ) {
        let seeds = seeds();
        let mut text: Vec<char> = seeds[seed.index(seeds.len())].chars().collect();
        for (at, token, delete) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + delete).min(text.len());
            text.splice(at..end, TOKENS[token.index(TOKENS.len())].chars());
        }
        examine(&text.into_iter().collect::<String>());
    }

    #[test]
    fn heaps_of_tokens(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..40)) {
        examine(&tokens.concat());
    }

    #[test]
    fn any_text(text in any::<String>()) {
        examine(&text);
    }
}

fn policy_with_tools(tools: &str) -> String {
    format!("mcp_policy: 1\nendpoints:\n  - path: /mcp\n    allow:\n      tools: [{tools}]\n")
}

#[test]
fn hundreds_of_errors_are_counted_not_shown() {
    let text = policy_with_tools(&vec!["no"; 250].join(", "));
    let found = examine(&text);
    assert_eq!(found.len(), 101);
    assert!(found.iter().all(|one| one.severity == Severity::Error));
    assert_eq!(found[100].message, "150 more errors are not shown");

    let names: Vec<_> = (0..130).map(|index| format!("a/{index}")).collect();
    let found = examine(&policy_with_tools(&names.join(", ")));
    assert_eq!(found.len(), 101);
    assert!(found.iter().all(|one| one.severity == Severity::Warning));
    assert_eq!(found[100].message, "30 more warnings are not shown");

    // Both kinds, each with a count of its own.
    let entries = [vec!["no".to_owned(); 101], names].concat();
    let found = examine(&policy_with_tools(&entries.join(", ")));
    assert_eq!(found.len(), 202);
    assert_eq!(found[100].message, "1 more error is not shown");
    assert_eq!(found[201].message, "30 more warnings are not shown");
}

/// Few aliases of a long list: not nested, so only the size gives it away.
#[test]
fn flat_alias_bombs_are_stopped() {
    let long = vec!["x"; 3000].join(", ");
    let aliases = vec!["*a"; 3000].join(", ");
    let found = examine(&format!("a: &a [{long}]\nb: [{aliases}]\n"));
    assert_eq!(
        found[0].message,
        "the YAML unfolds to more than 1000000 values"
    );
}

#[test]
fn long_policies_compile_in_a_moment() {
    let names: Vec<_> = (0..20_000).map(|index| format!("tool_{index}")).collect();
    let began = Instant::now();
    assert_eq!(examine(&policy_with_tools(&names.join(", "))), []);
    assert!(began.elapsed() < Duration::from_secs(20));
    // More than the format can count is an error, not a cut list.
    let names: Vec<_> = (0..70_000).map(|index| format!("t{index}")).collect();
    let found = examine(&policy_with_tools(&names.join(", ")));
    assert_eq!(
        found[0].message,
        "the policy cannot be compiled: too many tools: at most 65535"
    );
}

/// A policy whose `allow` is these lines.
fn policy_that_allows(lines: &str) -> String {
    format!("mcp_policy: 1\nendpoints:\n  - path: /mcp\n    allow:\n{lines}\n")
}

/// Files with ten thousand mistakes each.
fn mistaken(count: usize) -> [(&'static str, String); 7] {
    let each = |write: fn(usize) -> String| (0..count).map(write).collect::<String>();
    let tools = |one: &str| policy_with_tools(&vec![one; count].join(", "));
    [
        ("`no`, in one line", tools("no")),
        ("not ASCII, in one line", tools("[é]")),
        (
            "`no`, each in a line",
            policy_that_allows(&format!(
                "      tools:\n{}",
                each(|_| "        - no\n".into())
            )),
        ),
        (
            "methods misspelt",
            policy_that_allows(&format!(
                "      methods:\n{}",
                each(|index| format!("        - tools/lst{index}\n"))
            )),
        ),
        (
            "unknown keys",
            policy_that_allows(&each(|index| format!("      key{index}: 1\n"))),
        ),
        (
            "repeated keys",
            policy_that_allows(&each(|_| "      tools: [a]\n".into())),
        ),
        (
            "rules",
            policy_that_allows(&each(|index| {
                format!("      - {{id: r{index}, tools: [no]}}\n")
            })),
        ),
    ]
}

/// How long the largest files take, for whoever changes the reader:
/// `cargo test --release -p mcp-policy --test robust -- --ignored --nocapture`
#[test]
#[ignore = "prints times, judges nothing"]
fn times() {
    for count in [2_500, 5_000, 10_000] {
        for (what, text) in mistaken(count) {
            let began = Instant::now();
            let found = compile(&text).map_or_else(|errors| errors, |compiled| compiled.warnings);
            let read = began.elapsed();
            render(&found, Format::Human, "policy.yaml", &text, false);
            println!("{count} {what}: {read:?}, rendered {:?}", began.elapsed());
        }
    }
    for count in [25_000, 50_000, 100_000] {
        let names: Vec<_> = (0..count).map(|index| format!("tool_{index}")).collect();
        let (one, other) = names.split_at(count / 2);
        let text = policy_with_tools(&one.join(", "))
            + &format!(
                "  - path: /b\n    allow:\n      tools:\n        - {}\n",
                other.join("\n        - ")
            );
        let began = Instant::now();
        compile(&text).unwrap();
        println!("{count} names: {:?}", began.elapsed());
    }
}

#[test]
fn thousands_of_mistakes_are_counted() {
    for (what, text) in mistaken(2_500) {
        let found = examine(&text);
        let hidden = found
            .iter()
            .find(|it| it.message.ends_with("are not shown"));
        let message = hidden.map(|it| it.message.as_str());
        let (more, kind) = match what {
            "methods misspelt" => (2400, "warnings"),
            "repeated keys" => (2399, "errors"),
            _ => (2400, "errors"),
        };
        let expected = format!("{more} more {kind} are not shown");
        assert_eq!(message, Some(expected.as_str()), "{what}");
    }
}
