//! The product's tests: one corpus of requests, and what it takes to send it
//! through the engine alone and through a real Envoy.
//!
//! The corpus (`tests/corpus`) knows nothing of either runner; a case is a
//! policy, a request and a verdict. [`native`] asks the engine; [`gateway`]
//! starts Envoy with the filter, puts a recording server behind it and looks at
//! what arrived there, byte by byte.

#![warn(missing_docs)]

pub mod certificate;
pub mod claims;
pub mod client;
pub mod control_plane;
pub mod corpus;
pub mod envoy;
pub mod error;
pub mod evidence;
pub mod ext_proc;
pub mod foreign;
pub mod gateway;
pub mod known;
pub mod load;
pub mod mutate;
pub mod native;
pub mod policy;
pub mod readers;
pub mod recorder;
pub mod report;
pub mod rewriter;
pub mod scene;
pub mod shown;
pub mod token;
pub mod uris;
pub mod usage;
pub mod vm;

use std::path::PathBuf;

/// The workspace's root folder.
pub fn workspace() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
