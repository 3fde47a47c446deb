//! Policies that people are shown must compile, without a warning.

use mcp_boundary_tests::workspace;

fn compiles(what: &str, policy: &str) {
    match mcp_policy::compile(policy) {
        Ok(compiled) => assert_eq!(compiled.warnings, [], "{what}"),
        Err(errors) => panic!("{what}: {errors:?}"),
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path)).unwrap()
}

#[test]
fn the_example_policy() {
    compiles("envoy/policy.yaml", &read("envoy/policy.yaml"));
}

#[test]
fn the_readme_s_policy() {
    let readme = read("README.md");
    let policies: Vec<&str> = readme
        .split("```yaml\n")
        .skip(1)
        .map(|after| after.split("```").next().unwrap())
        .collect();
    assert_eq!(policies.len(), 1);
    compiles("README.md", policies[0]);
}
