//! Damaged blobs, blobs from the future and blobs that were tampered with.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::collections::BTreeSet;
use std::fs;

use common::reseal;
use mcp_boundary_format::{LoadError, Policy};
use proptest::prelude::*;

const HEADER: usize = 48;

fn samples() -> Vec<Vec<u8>> {
    common::golden()
        .iter()
        .map(|yaml| fs::read(yaml.with_extension("mcpb")).unwrap())
        .collect()
}

/// The blob of every language feature.
fn everything() -> Vec<u8> {
    let text = fs::read_to_string(
        common::golden()
            .into_iter()
            .find(|path| path.ends_with("everything.yaml"))
            .unwrap(),
    )
    .unwrap();
    common::compile(&text).encode().unwrap()
}

#[test]
fn every_flip_of_a_bit_is_refused_by_the_check_that_reads_it() {
    for blob in samples() {
        for at in 0..blob.len() {
            for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut flipped = blob.clone();
                flipped[at] ^= mask;
                let error = Policy::decode(&flipped).unwrap_err();
                let expected = match at {
                    0..8 => matches!(error, LoadError::NotABlob),
                    8..10 => matches!(error, LoadError::Version { .. }),
                    10..12 => matches!(error, LoadError::Features { .. }),
                    12..16 => matches!(error, LoadError::Length { .. }),
                    _ => matches!(error, LoadError::Digest),
                };
                assert!(expected, "byte {at} ^ {mask}: {error}");
            }
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for blob in samples() {
        for length in 0..blob.len() {
            let error = Policy::decode(&blob[..length]).unwrap_err();
            let expected = if length < HEADER {
                matches!(error, LoadError::NotABlob)
            } else {
                matches!(error, LoadError::Length { actual, .. } if actual == length)
            };
            assert!(expected, "{length} bytes: {error}");
        }
    }
}

#[test]
fn every_extension_is_refused() {
    for blob in samples() {
        for more in [1, 2, 3, 7, 64, 4096] {
            let mut longer = blob.clone();
            longer.resize(blob.len() + more, 0);
            let error = Policy::decode(&longer).unwrap_err();
            assert!(matches!(error, LoadError::Length { .. }), "{error}");
            reseal(&mut longer);
            assert_eq!(Policy::decode(&longer), Err(LoadError::Trailing));
        }
        let twice = [blob.as_slice(), blob.as_slice()].concat();
        let error = Policy::decode(&twice).unwrap_err();
        assert!(matches!(error, LoadError::Length { .. }), "{error}");
    }
}

#[test]
fn resealed_truncations_say_what_was_being_read() {
    let blob = everything();
    let mut read = BTreeSet::new();
    for length in HEADER..blob.len() {
        let mut cut = blob[..length].to_vec();
        reseal(&mut cut);
        match Policy::decode(&cut).unwrap_err() {
            LoadError::Truncated { what } => read.insert(what),
            other => panic!("{length} bytes: {other}"),
        };
    }
    let expected = [
        "`allow`",
        "`arguments.forbid`",
        "`arguments.set_by_filters`",
        "`batch_members`",
        "`body_bytes`",
        "`denial`",
        "`deny`",
        "`depth`",
        "`equal_version_repeats`",
        "`mode`",
        "`origins`",
        "`responses`",
        "`resource_uris`",
        "`sessions`",
        "`stale_mirrors`",
        "`streams`",
        "`tool_names`",
        "`unmatched`",
        "`unmatched` entries",
        "`upstream` hosts",
        "`upstream` paths",
        "`versions`",
        "a JWT claim",
        "a JWT payload key",
        "a condition's header",
        "a condition's source",
        "a condition's values",
        "a host pattern",
        "a host pattern's kind",
        "a path",
        "a path's kind",
        "a rule's conditions",
        "a rule's extensions",
        "a rule's id",
        "a rule's methods",
        "a rule's prompts",
        "a rule's resources",
        "a rule's tools",
        "an `unmatched` entry's hosts",
        "an endpoint's hosts",
        "an endpoint's name",
        "endpoints",
    ];
    assert_eq!(read, BTreeSet::from(expected));
}

#[test]
fn future_versions_and_features_are_refused() {
    for blob in samples() {
        for version in [0_u16, 1, 3, 256, u16::MAX] {
            let mut other = blob.clone();
            other[8..10].copy_from_slice(&version.to_le_bytes());
            reseal(&mut other);
            assert_eq!(
                Policy::decode(&other),
                Err(LoadError::Version { found: version })
            );
        }
        for bit in 0..16 {
            let mut other = blob.clone();
            other[10..12].copy_from_slice(&(1_u16 << bit).to_le_bytes());
            reseal(&mut other);
            assert_eq!(
                Policy::decode(&other),
                Err(LoadError::Features { bits: 1 << bit })
            );
        }
    }
}

#[test]
fn files_damaged_by_text_transfer_are_not_blobs() {
    let blob = everything();
    let unix: Vec<u8> = blob.iter().copied().filter(|byte| *byte != b'\r').collect();
    assert_eq!(Policy::decode(&unix), Err(LoadError::NotABlob));
    let seven_bit: Vec<u8> = blob.iter().map(|byte| byte & 0x7f).collect();
    assert_eq!(Policy::decode(&seven_bit), Err(LoadError::NotABlob));
    let utf8 = String::from_utf8_lossy(&blob).into_owned();
    assert_eq!(Policy::decode(utf8.as_bytes()), Err(LoadError::NotABlob));
}

/// Every value of every byte: what is accepted is canonical, what is not says
/// what it did not like.
#[test]
fn resealed_changes_of_a_byte_are_canonical_or_refused() {
    let blob = everything();
    let mut unknown = BTreeSet::new();
    for at in HEADER..blob.len() {
        for value in 0..=u8::MAX {
            let mut changed = blob.clone();
            changed[at] = value;
            reseal(&mut changed);
            match Policy::decode(&changed) {
                Ok(policy) => assert_eq!(policy.encode().unwrap(), changed),
                Err(LoadError::UnknownValue { what, .. }) => {
                    unknown.insert(what);
                }
                Err(error) => assert!(error.to_string().starts_with("compiled policy"), "{error}"),
            }
        }
    }
    for what in [
        "`unmatched`",
        "`versions`",
        "`mode`",
        "`denial`",
        "`responses`",
        "`streams`",
        "`sessions`",
        "`resource_uris`",
        "`upstream` paths",
        "`tool_names`",
        "`equal_version_repeats`",
        "`stale_mirrors`",
        "a host pattern's kind",
        "a path's kind",
        "a condition's source",
    ] {
        assert!(unknown.contains(what), "{what}: {unknown:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn resealed_mutations_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        tail in prop::collection::vec(any::<u8>(), 0..16),
    ) {
        let mut blob = everything();
        for (at, value) in changes {
            let at = HEADER + at.index(blob.len() - HEADER);
            blob[at] = value;
        }
        if let Some(cut) = cut {
            blob.truncate(HEADER + cut.index(blob.len() - HEADER));
        }
        blob.extend(tail);
        reseal(&mut blob);
        if let Ok(policy) = Policy::decode(&blob) {
            prop_assert_eq!(policy.encode().unwrap(), blob);
        }
    }

    #[test]
    fn noise_after_a_good_header_never_panics(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut blob = everything()[..HEADER].to_vec();
        blob.extend(noise);
        reseal(&mut blob);
        let _ = Policy::decode(&blob);
    }

    #[test]
    fn noise_is_not_a_blob(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(Policy::decode(&noise), Err(LoadError::NotABlob));
    }
}
