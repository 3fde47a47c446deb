//! `lifecycle: true`: what it permits, in which revisions, and where it cannot
//! stand.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use mcp_boundary_format::Names;

fn methods(versions: &str, allow: &str) -> Names {
    let text = format!(
        "{{mcp_policy: 1, endpoints: [{{path: /mcp, versions: [{versions}], allow: {allow}}}]}}"
    );
    let compiled = mcp_policy::compile(&text).unwrap();
    assert_eq!(compiled.warnings, [], "{text}");
    compiled.policy.endpoints()[0].allow[0].methods.clone()
}

const LEGACY: &[&str] = &[
    "initialize",
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "ping",
];

#[test]
fn each_revision_has_its_own() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let found = methods(&format!("{revision:?}"), "{lifecycle: true}");
        assert_eq!(found.iter().collect::<Vec<_>>(), LEGACY, "{revision}");
    }
    let modern = methods("\"2026-07-28\"", "{lifecycle: true}");
    let modern: Vec<_> = modern.iter().collect();
    assert!(modern.contains(&"server/discover"), "{modern:?}");
    assert!(
        !modern.contains(&"initialize") && !modern.contains(&"ping"),
        "{modern:?}"
    );
    let both = methods("\"2025-11-25\", \"2026-07-28\"", "{lifecycle: true}");
    assert_eq!(both.iter().count(), 6, "{both:?}");
}

#[test]
fn it_stands_beside_other_methods() {
    let found = methods(
        "\"2025-11-25\"",
        "{lifecycle: true, methods: [ping, tools/list]}",
    );
    assert_eq!(found.iter().count(), 6, "{found:?}");
    let found = methods("\"2025-11-25\"", "{lifecycle: false, methods: [ping]}");
    assert_eq!(found.iter().collect::<Vec<_>>(), ["ping"]);
}

#[test]
fn it_is_no_word_of_a_deny_and_no_text() {
    for (rules, said) in [
        (
            "allow: {lifecycle: true}, deny: {lifecycle: true}",
            "no key `lifecycle`",
        ),
        ("allow: {lifecycle: \"true\"}", "expected `true` or `false`"),
    ] {
        let text = format!("{{mcp_policy: 1, endpoints: [{{path: /mcp, {rules}}}]}}");
        let errors = mcp_policy::compile(&text).unwrap_err();
        assert!(
            errors.iter().any(|error| error.message.contains(said)),
            "{errors:?}"
        );
    }
}
