//! Warnings beside errors: told, unless the error may have caused them.

use mcp_policy::{Severity, compile};

/// What is said of a policy whose endpoints are `endpoints`: how many errors,
/// and the warnings' messages.
fn said(endpoints: &str) -> (usize, Vec<String>) {
    let found = match compile(&format!("mcp_policy: 1\nendpoints: [{endpoints}]\n")) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => errors,
    };
    let errors = found
        .iter()
        .take_while(|one| one.severity == Severity::Error)
        .count();
    let (_, warnings) = found.split_at(errors);
    assert!(warnings.iter().all(|one| one.severity == Severity::Warning));
    (
        errors,
        warnings.iter().map(|one| one.message.clone()).collect(),
    )
}

#[test]
fn warnings_are_told_beside_errors() {
    let denies = "denying method `tools/lst` has no effect";
    let nothing = "this endpoint allows nothing";
    let unsent = "method `server/discover` never matches";
    for (endpoints, errors, warnings) in [
        ("{path: mcp}", 1, vec![nothing]),
        (
            "{path: /a}, {path: b, allow: {tools: [x]}}",
            1,
            vec![nothing],
        ),
        (
            "{path: mcp, allow: {methods: [server/discover]}}",
            1,
            vec![unsent],
        ),
        (
            "{path: mcp, allow: {tools: [x]}, deny: {methods: [tools/lst]}}",
            1,
            vec![denies],
        ),
        (
            "{path: /a, hosts: [\"[zz]\"], allow: {tools: [\"^x\"]}}",
            1,
            vec!["tool name `^x` looks like a regular expression"],
        ),
    ] {
        let expected = warnings.into_iter().map(str::to_owned).collect();
        assert_eq!(said(endpoints), (errors, expected), "{endpoints}");
    }
}

#[test]
fn what_an_error_may_have_caused_is_not() {
    for endpoints in [
        // What is allowed cannot be read.
        "{path: /mcp, allow: 7}",
        "{path: /mcp, alow: {tools: [x]}}",
        "{path: /mcp, allow: {tools: [no]}}",
        "{path: /mcp, allow: {tools: [x], extensions: no}, deny: {methods: [vendor/x]}}",
        // The revisions cannot.
        "{path: /mcp, versions: [2026-07-29], allow: {methods: [server/discover]}}",
        // The same entry has an error.
        "{path: /mcp, allow: {tools: [\"a\\tb\"]}}",
    ] {
        assert_eq!(said(endpoints), (1, Vec::new()), "{endpoints}");
    }
}

/// Ten endpoints, so that `[1]` is not taken for the beginning of `[10]`.
#[test]
fn an_error_counts_for_its_own_endpoint() {
    let bad = "{path: /bad, allow: 7}";
    let good: Vec<_> = (0..10).map(|it| format!("{{path: /e{it}}}")).collect();
    let (errors, warnings) = said(&format!("{{path: /first}}, {bad}, {}", good.join(", ")));
    assert_eq!((errors, warnings.len()), (1, 11), "{warnings:?}");
}
