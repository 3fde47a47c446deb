//! What the body says: strict JSON, messages, the revision they are of.
//! Contract sections 5 to 9.

pub(crate) mod envelope;
pub(crate) mod json;
pub(crate) mod mirrors;
pub(crate) mod profile;
pub(crate) mod revision;
