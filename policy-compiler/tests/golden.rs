//! Blobs that were written once must be read for ever, as the same policy.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcp_boundary_format::Policy;

#[test]
fn golden_blobs_keep_their_meaning() {
    if std::env::var("GOLDEN").is_ok_and(|mode| mode == "write") {
        write_missing();
    }
    let digests = digests();
    for yaml in common::golden() {
        let name = yaml.file_stem().unwrap().to_str().unwrap();
        let blob = fs::read(yaml.with_extension("mcpb")).unwrap();
        let policy = Policy::decode(&blob).unwrap();
        assert_eq!(policy.digest().to_string(), digests[name], "{name}");
        assert_eq!(policy.encode().unwrap(), blob, "{name}");
        let compiled = common::compile(&fs::read_to_string(&yaml).unwrap());
        assert_eq!(compiled, policy, "{name}");
    }
    assert_eq!(digests.len(), common::golden().len());
}

/// `golden/digests`: one `name digest` a line.
fn digests() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/digests");
    fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .map(|line| {
            let (name, digest) = line.split_once(' ').unwrap();
            (name.to_owned(), digest.to_owned())
        })
        .collect()
}

/// Adds the blobs of new policies; never replaces one.
fn write_missing() {
    let mut digests = digests();
    for yaml in common::golden() {
        let blob = yaml.with_extension("mcpb");
        if blob.exists() {
            continue;
        }
        let policy = common::compile(&fs::read_to_string(&yaml).unwrap());
        fs::write(&blob, policy.encode().unwrap()).unwrap();
        let name = yaml.file_stem().unwrap().to_str().unwrap();
        digests.insert(name.to_owned(), policy.digest().to_string());
    }
    let text: String = digests
        .iter()
        .map(|(name, digest)| format!("{name} {digest}\n"))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/digests");
    fs::write(path, text).unwrap();
}
