//! What several test files need.

use std::path::{Path, PathBuf};

use mcp_boundary_format::Policy;
use sha2::{Digest as _, Sha256};

/// The policies in `golden/`, by name.
pub(crate) fn golden() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    files.sort();
    assert!(files.len() >= 3, "the policies are there");
    files
}

/// The compiled form of a policy that has no errors.
pub(crate) fn compile(text: &str) -> Policy {
    match mcp_policy::compile(text) {
        Ok(compiled) => compiled.policy,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

/// Corrects total length and digest, as someone would who wants a changed
/// blob to be read.
pub(crate) fn reseal(blob: &mut [u8]) {
    let total = u32::try_from(blob.len()).unwrap();
    blob[12..16].copy_from_slice(&total.to_le_bytes());
    let digest = Sha256::new()
        .chain_update(&blob[..16])
        .chain_update(&blob[48..])
        .finalize();
    blob[16..48].copy_from_slice(&digest);
}
