//! The verbs: files, standard streams, exit codes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use mcp_boundary_format::Policy;
use tempfile::TempDir;

const GOOD: &str = "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    allow: {methods: [ping]}\n";
const BAD: &str = "mcp_policy: 1\nendpoints:\n  - path: mcp\n";
const WARNS: &str = "mcp_policy: 1\nendpoints:\n  - path: /mcp\n";

/// A directory with `good.yaml`, `bad.yaml` and `warns.yaml`.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("good", GOOD), ("bad", BAD), ("warns", WARNS)] {
        fs::write(directory.path().join(format!("{name}.yaml")), text).unwrap();
    }
    directory
}

struct Ran {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

fn run(directory: &Path, arguments: &[&str], stdin: &[u8]) -> Ran {
    let output = Command::cargo_bin("mcp-policy")
        .unwrap()
        .current_dir(directory)
        .args(arguments)
        .write_stdin(stdin)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn compile_writes_one_file_and_says_nothing() {
    let directory = directory();
    let path = directory.path();
    let ran = run(path, &["compile", "good.yaml", "-o", "out.mcpb"], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout, b"");
    assert_eq!(
        names(path),
        ["bad.yaml", "good.yaml", "out.mcpb", "warns.yaml"]
    );
    let blob = fs::read(path.join("out.mcpb")).unwrap();
    assert!(Policy::decode(&blob).is_ok());
    // Again over itself, with the same result.
    let ran = run(path, &["compile", "good.yaml", "-o", "out.mcpb"], b"");
    assert_eq!(ran.code, 0);
    assert_eq!(fs::read(path.join("out.mcpb")).unwrap(), blob);
}

#[test]
fn standard_input_and_output() {
    let directory = directory();
    let ran = run(
        directory.path(),
        &["compile", "-", "-o", "-"],
        GOOD.as_bytes(),
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let from_file = run(directory.path(), &["compile", "good.yaml", "-o", "-"], b"");
    assert_eq!(ran.stdout, from_file.stdout);
    assert!(Policy::decode(&ran.stdout).is_ok());
    let ran = run(directory.path(), &["inspect", "-"], &from_file.stdout);
    assert_eq!(ran.code, 0);
    let ran = run(directory.path(), &["check", "-"], BAD.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("<stdin>:3:11"), "{}", ran.stderr);
}

#[test]
fn errors_leave_the_output_as_it_was() {
    let directory = directory();
    let path = directory.path();
    fs::write(path.join("old.mcpb"), "old").unwrap();
    for (arguments, code) in [
        (&["compile", "bad.yaml", "-o", "old.mcpb"][..], 1),
        (&["compile", "bad.yaml", "-o", "new.mcpb"], 1),
        (&["compile", "missing.yaml", "-o", "old.mcpb"], 3),
        (&["compile", "old.mcpb", "-o", "old.mcpb"], 1),
        (
            &["compile", "warns.yaml", "-o", "old.mcpb", "--deny-warnings"],
            1,
        ),
        (
            &["compile", "warns.yaml", "-o", "new.mcpb", "--deny-warnings"],
            1,
        ),
    ] {
        let ran = run(path, arguments, b"");
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        assert_eq!(fs::read(path.join("old.mcpb")).unwrap(), b"old");
        assert_eq!(
            names(path),
            ["bad.yaml", "good.yaml", "old.mcpb", "warns.yaml"]
        );
    }
}

#[test]
fn places_that_cannot_be_written_are_refused() {
    let directory = directory();
    let path = directory.path();
    fs::create_dir(path.join("folder")).unwrap();
    fs::write(path.join("locked"), "old").unwrap();
    let mut permissions = fs::metadata(path.join("locked")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path.join("locked"), permissions).unwrap();
    for (out, code, message) in [
        ("folder", 3, "cannot write `folder`: it is a directory"),
        ("missing/out", 3, "cannot write `missing/out`"),
        ("locked", 3, "cannot write `locked`: it is read-only"),
        ("good.yaml/out", 3, "cannot write `good.yaml/out`"),
        ("good.yaml", 2, "`good.yaml` is the policy itself"),
        ("./folder/../good.yaml", 2, "is the policy itself"),
    ] {
        let ran = run(path, &["compile", "good.yaml", "-o", out], b"");
        assert_eq!(ran.code, code, "{out}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{out}: {}", ran.stderr);
        assert!(ran.stderr.contains("help: "), "{out}: {}", ran.stderr);
    }
    assert_eq!(fs::read(path.join("locked")).unwrap(), b"old");
    assert_eq!(fs::read_to_string(path.join("good.yaml")).unwrap(), GOOD);
    assert!(names(&path.join("folder")).is_empty());
    assert_eq!(
        names(path),
        ["bad.yaml", "folder", "good.yaml", "locked", "warns.yaml"]
    );
}

#[cfg(unix)]
#[test]
fn links_devices_and_modes() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let directory = directory();
    let path = directory.path();
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;

    // A new file can be read by the proxy's user, as far as the mask allows.
    assert_eq!(
        run(path, &["compile", "good.yaml", "-o", "new"], b"").code,
        0
    );
    let plain = path.join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode("new"), mode("plain"));

    // A replaced file keeps its mode.
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(
        run(path, &["compile", "good.yaml", "-o", "plain"], b"").code,
        0
    );
    assert_eq!(mode("plain"), 0o640);

    // A link stays a link.
    symlink("plain", path.join("link")).unwrap();
    fs::write(&plain, "old").unwrap();
    assert_eq!(
        run(path, &["compile", "good.yaml", "-o", "link"], b"").code,
        0
    );
    assert!(
        fs::symlink_metadata(path.join("link"))
            .unwrap()
            .is_symlink()
    );
    assert!(Policy::decode(&fs::read(&plain).unwrap()).is_ok());

    // A link to the policy is the policy.
    symlink("good.yaml", path.join("alias")).unwrap();
    assert_eq!(
        run(path, &["compile", "good.yaml", "-o", "alias"], b"").code,
        2
    );

    // A device is not replaced.
    let ran = run(path, &["compile", "good.yaml", "-o", "/dev/null"], b"");
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
}

#[test]
fn check_reads_and_tells() {
    let directory = directory();
    let path = directory.path();
    for (arguments, code) in [
        (&["check", "good.yaml"][..], 0),
        (&["check", "good.yaml", "--deny-warnings"], 0),
        (&["check", "warns.yaml"], 0),
        (&["check", "warns.yaml", "--deny-warnings"], 1),
        (&["check", "bad.yaml"], 1),
        (&["check", "missing.yaml"], 3),
        (&["check", "."], 3),
        (&["check"], 2),
        (&["check", "good.yaml", "--error-format", "xml"], 2),
        (&["frobnicate"], 2),
        (&["compile", "good.yaml"], 2),
        (&["--version"], 0),
        (&["--help"], 0),
        (&[], 2),
    ] {
        let ran = run(path, arguments, b"");
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        let silent = code == 0 && !arguments.contains(&"warns.yaml");
        assert_eq!(ran.stderr.is_empty(), silent, "{arguments:?}");
    }
    assert_eq!(names(path), ["bad.yaml", "good.yaml", "warns.yaml"]);
}

#[test]
fn unreadable_inputs_say_why() {
    let directory = directory();
    let path = directory.path();
    let blob = run(path, &["compile", "good.yaml", "-o", "-"], b"").stdout;
    let mut flipped = blob.clone();
    flipped[60] ^= 1;
    let mangled = String::from_utf8_lossy(&blob).into_owned();
    for (arguments, input, message) in [
        (
            &["check", "-"][..],
            b"mcp_policy: 1\nendpoints: \xff\n".as_slice(),
            "`<stdin>` is not UTF-8: invalid byte in line 2",
        ),
        (
            &["check", "-"],
            &blob,
            "`<stdin>` is already a compiled policy",
        ),
        (&["inspect", "-"], &flipped, "its digest does not match"),
        (&["inspect", "-"], &blob[..70], "states"),
        (&["envoy", "-"], &flipped, "its digest does not match"),
        (&["envoy", "-"], mangled.as_bytes(), "not a compiled policy"),
        (&["inspect", "missing"], b"", "cannot read `missing`"),
    ] {
        let ran = run(path, arguments, input);
        assert_eq!(ran.code, 3, "{arguments:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(message),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains("help: "), "{}", ran.stderr);
        assert_eq!(ran.stdout, b"");
    }
}

#[test]
fn inspect_prints_what_compiles_to_the_same() {
    let directory = directory();
    let path = directory.path();
    let blob = run(path, &["compile", "good.yaml", "-o", "-"], b"").stdout;
    let digest = Policy::decode(&blob).unwrap().digest().to_string();
    let yaml = run(path, &["inspect", "-"], &blob);
    assert_eq!(yaml.code, 0);
    let text = String::from_utf8(yaml.stdout).unwrap();
    assert!(text.starts_with(&format!("# digest: {digest}\n# format version: 2\n")));
    let again = run(path, &["compile", "-", "-o", "-"], text.as_bytes());
    assert_eq!(again.stdout, blob);

    let json = run(path, &["inspect", "-", "--format", "json"], &blob).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["digest"], digest);
    assert_eq!(json["format_version"], 2);
    assert_eq!(json["policy"]["endpoints"][0]["versions"][0], "2025-11-25");
    // JSON is YAML, so its policy compiles too.
    let again = run(
        path,
        &["compile", "-", "-o", "-"],
        json["policy"].to_string().as_bytes(),
    );
    assert_eq!(again.stdout, blob);
}

#[test]
fn completions_know_the_verbs() {
    let directory = directory();
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(directory.path(), &["completions", shell], b"");
        assert_eq!(ran.code, 0);
        let script = String::from_utf8(ran.stdout).unwrap();
        assert!(script.contains("inspect") && script.contains("deny-warnings"));
    }
}

/// A program that reads errors reads those about its own command line, too.
#[test]
fn usage_errors_are_in_the_format_that_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        &["--error-format", "json", "compile", "a.yaml"][..],
        &["compile", "a.yaml", "--error-format=json"],
        &["--error-format=json", "frobnicate"],
        &["check", "--error-format", "json", "--nonsense", "a"],
    ] {
        let ran = run(directory.path(), arguments, b"");
        assert_eq!(ran.code, 2, "{arguments:?}");
        let errors = ran.stderr;
        let error: serde_json::Value = serde_json::from_str(&errors).unwrap();
        assert_eq!(error["severity"], "error", "{errors}");
        assert!(error["message"].as_str().unwrap().len() > 10, "{errors}");
    }
    let help = run(directory.path(), &["--error-format", "json", "--help"], b"");
    assert_eq!(help.code, 0);
    assert!(!help.stdout.is_empty() && help.stderr.is_empty());
}
