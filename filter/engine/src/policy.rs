//! What a request asks for, and what the rules say about it. Contract
//! section 10.

pub(crate) mod authorize;
pub(crate) mod claims;
pub(crate) mod consider;
pub(crate) mod denial;
pub mod methods;
pub(crate) mod names;
pub(crate) mod operation;
pub(crate) mod operations;
pub(crate) mod principals;
pub(crate) mod protobuf;
pub(crate) mod uri;
