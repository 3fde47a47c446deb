//! Every YAML example in the documentation of policies is a whole policy, and
//! compiles as its text says.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;

/// The YAML blocks of a page; each with the line it begins on.
fn examples(page: &str) -> Vec<(usize, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(page);
    let text = fs::read_to_string(path).unwrap();
    let mut examples = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        match &mut open {
            None if line.trim() == "```yaml" => open = Some((index + 2, String::new())),
            None => {}
            Some(_) if line.trim() == "```" => examples.extend(open.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "{page}: an example does not end");
    examples
}

#[test]
fn examples_compile() {
    for (page, least) in [("policy-reference.md", 8), ("cli.md", 1)] {
        let examples = examples(page);
        assert!(examples.len() >= least, "{page} has examples");
        for (line, text) in examples {
            match mcp_policy::compile(&text) {
                Err(errors) => panic!("{page}:{line}: {}", errors[0]),
                Ok(compiled) => {
                    // An example that is meant to show a warning says so.
                    let warned = !compiled.warnings.is_empty();
                    let announced = text.contains("# warning");
                    assert_eq!(warned, announced, "{page}:{line}: {:?}", compiled.warnings);
                }
            }
        }
    }
}

/// What operators copy, and what clients are tried with, passes
/// `check --deny-warnings`.
#[test]
fn policies_of_the_project_have_no_warnings() {
    for file in [
        "envoy/policy.yaml",
        "tests/clients/policy.yaml",
        "tests/conformance/policy.yaml",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let compiled = mcp_policy::compile(&fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(compiled.warnings, [], "{file}");
    }
}

/// The reference names every key that the compiler knows, and no other.
#[test]
fn the_reference_is_complete() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/policy-reference.md");
    let text = fs::read_to_string(path).unwrap();
    let errors = mcp_policy::compile(
        "{x: 1, mcp_policy: 1, unmatched: {x: 1, pass: [{x: 1, path: /}]}, endpoints: [{x: 1, path: /, upstream: {x: 1, path: /}, limits: {x: 1}, compat: {x: 1}, \
         arguments: {x: 1, forbid: [a]}, allow: [{id: a, x: 1, tools: [a], when: [{x: 1}, \
         {jwt: {x: 1, payload: p, claim: c, is: a}}, {peer: {x: 1, is: a}}, \
         {header: {x: 1, name: n, is: a}}]}]}]}",
    )
    .unwrap_err();
    let mut keys = 0;
    for error in errors
        .iter()
        .filter(|error| error.message.contains("no key `x`"))
    {
        let help = error.help.as_deref().unwrap();
        for key in help.split('`').skip(1).step_by(2) {
            assert!(
                text.contains(&format!("`{key}`")),
                "`{key}` is not explained"
            );
            keys += 1;
        }
    }
    assert!(keys > 40, "the compiler lists its keys: {errors:?}");
}
