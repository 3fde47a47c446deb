//! The pages about deploying: each policy compiles, each command does what its
//! page says, and each object is what Kubernetes takes.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod objects;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands for every program that is not ours: it takes what it is given.
const OTHER: &str = "#!/bin/sh\n# `-f FILE` must be there.\nwhile [ $# -gt 0 ]; do\n  case $1 in -f|--config-path) test -s \"$2\" || exit 9 ;; esac\n  shift\ndone\n";

fn page(name: &str) -> (PathBuf, String) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/deploy");
    let path = docs.join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    (docs, text)
}

/// The blocks of a page in order: their language, and what is in them.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                blocks.push((language.to_owned(), String::new()));
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let (_, text) = blocks.last_mut().unwrap();
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!open, "a block does not end");
    blocks
}

/// A folder in which a reader follows a page.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(
        assert_cmd::cargo::cargo_bin("mcp-policy"),
        bin.join("mcp-policy"),
    )
    .unwrap();
    for name in ["kubectl", "curl", "envoy", "docker", "make"] {
        let path = bin.join(name);
        fs::write(&path, OTHER).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(folder.path().join("mcp_boundary_filter.wasm"), "\0asm").unwrap();
    folder
}

/// Runs a block as the reader does; what it prints.
fn follow(folder: &Path, script: &str) -> String {
    let digest = "0123456789abcdef".repeat(4);
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-eu", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env(
            "IMAGE",
            format!("oci://registry.example/mcp-boundary@sha256:{digest}"),
        )
        .env(
            "GATE",
            format!("oci://registry.example/mcp-boundary-gate@sha256:{digest}"),
        )
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// How many objects and how many commands of ours a page has.
fn followed(name: &str) -> (usize, usize) {
    let (_, text) = page(name);
    let folder = folder();
    let (mut made, mut commands) = (0, 0);
    for (language, block) in blocks(&text) {
        match language.as_str() {
            "yaml" if block.starts_with("# policy.yaml\n") => {
                let compiled = mcp_policy::compile(&block).unwrap_or_else(|errors| {
                    panic!("{name}: {}", errors.first().unwrap());
                });
                assert_eq!(compiled.warnings, [], "{name}");
                fs::write(folder.path().join("policy.yaml"), block).unwrap();
            }
            "sh" => {
                commands += block.matches("mcp-policy ").count();
                let printed = follow(folder.path(), &block);
                made += objects::check(&printed);
                let file = folder.path().join("boundary.yaml");
                if let Ok(text) = fs::read_to_string(&file) {
                    made += objects::check(&text);
                    fs::remove_file(file).unwrap();
                }
            }
            "mermaid" => {}
            other => panic!("{name}: nobody tries a block of `{other}`"),
        }
    }
    (made, commands)
}

#[test]
fn pages_do_what_they_say() {
    for (name, made, commands) in [
        ("envoy.md", 0, 4),
        ("istio.md", 24, 8),
        ("envoy-gateway.md", 6, 3),
    ] {
        assert_eq!(followed(name), (made, commands), "{name}");
    }
}

#[test]
fn the_page_about_rolling_out_does_too() {
    let (_, text) = page("rollout.md");
    let folder = folder();
    let policy = "{mcp_policy: 1, endpoints: [{path: /mcp, allow: {tools: [a]}}]}";
    fs::write(folder.path().join("policy.yaml"), policy).unwrap();
    let mut printed = String::new();
    for (language, block) in blocks(&text) {
        assert_eq!(language, "sh");
        printed.push_str(&follow(folder.path(), &block));
    }
    assert!(printed.contains("config_discovery"), "{printed}");
    for file in ["admit.yaml", "recheck.yaml"] {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.starts_with("resources:"), "{text}");
    }
}

/// A page that nobody follows would be believed all the same.
#[test]
fn every_page_is_followed() {
    let (docs, _) = page("README.md");
    let mut names: Vec<_> = fs::read_dir(docs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let known = [
        "README.md",
        "compose.md",
        "envoy-gateway.md",
        "envoy.md",
        "istio.md",
        "rollout.md",
    ];
    assert_eq!(names, known);
}
