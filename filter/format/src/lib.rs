//! The compiled policy, `mcp-policy`'s output and the filter's input.
//!
//! [`Policy`] is the only way in: [`Policy::decode`] reads a blob and refuses
//! whatever it does not fully understand; with the `encode` feature (host
//! only), [`Policy::seal`] makes one from parts and [`Policy::encode`] writes
//! it. Both run the same checks, so a value of this type is always canonical:
//! tables sorted, nothing repeated, every bound kept, and
//! `Policy::decode(p.encode()) == p` byte for byte.
//!
//! The byte layout is described in `docs/blob-format.md`.
//!
//! # Trust boundary
//!
//! A blob comes from whoever may configure the proxy. The digest detects
//! damage and names the policy in logs; it is not a signature.

mod decode;
#[cfg(feature = "encode")]
mod encode;
pub mod glob;
mod host;
mod instance;
mod model;
mod path;
mod role;
mod text;
mod validate;
mod wire;

pub use decode::LoadError;
#[cfg(feature = "encode")]
pub use encode::SealError;
pub use host::{canonical_ipv6, ends_in_number, is_host};
pub use instance::{Hold, Holder, Place};
pub use model::{
    Compat, Condition, Denial, Digest, Endpoint, HostPattern, Limits, Mode, Names, PassEntry,
    PathPattern, Policy, ResourceUris, Revision, Revisions, Rule, Source, Switch, ToolNames,
    Unmatched, Upstream,
};
pub use path::{
    PathFault, decode_optional, decode_path, exact_path_fault, is_plain_path, path_fault,
};
pub use role::{Role, UnknownRole};
pub use text::{
    ExactPath, Glob, Host, Label, MAX_PATTERN_BYTES, Name, NormalPath, NotA, is_glob, is_label,
};
pub use validate::ModelError;
pub use wire::{FORMAT_VERSION, MAGIC};
