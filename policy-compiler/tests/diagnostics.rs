//! What `mcp-policy check` says about each policy in `diagnostics/`, whole and
//! with its exit code. Review a change with `cargo insta review`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use assert_cmd::Command;

fn check(directory: &Path, file: &str, format: &str) -> String {
    let output = Command::cargo_bin("mcp-policy")
        .unwrap()
        .current_dir(directory)
        .args(["check", file, "--error-format", format])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"", "`check` writes nothing to stdout");
    format!(
        "exit code {}\n{}",
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap()
    )
}

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("diagnostics/expected");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn every_policy_gets_the_same_answer() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut files: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".yaml"))
        .collect();
    files.sort();
    assert!(files.len() > 40, "the policies are there");
    settings().bind(|| {
        for file in &files {
            let answer = check(&directory, file, "human");
            let warning = file.starts_with("warning-") || file.starts_with("fine");
            let expected = if warning {
                "exit code 0"
            } else {
                "exit code 1"
            };
            assert!(answer.starts_with(expected), "{file}: {answer}");
            insta::assert_snapshot!(file.trim_end_matches(".yaml"), answer);
        }
    });
}

#[test]
fn plain_is_one_line_each() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let answer = check(&directory, "words.yaml", "plain");
    settings().bind(|| insta::assert_snapshot!("plain", answer));
    let answer = check(&directory, "empty-file.yaml", "plain");
    settings().bind(|| insta::assert_snapshot!("plain-without-a-place", answer));
    let answer = check(&directory, "errors-and-warnings.yaml", "plain");
    settings().bind(|| insta::assert_snapshot!("plain-errors-and-warnings", answer));
}

#[test]
fn json_is_one_object_each() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let answer = check(&directory, "derived-names-collide.yaml", "json");
    settings().bind(|| insta::assert_snapshot!("json", answer));
    let answer = check(&directory, "errors-and-warnings.yaml", "json");
    settings().bind(|| insta::assert_snapshot!("json-errors-and-warnings", answer));
}
