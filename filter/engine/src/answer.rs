//! What becomes of a request: what the host does, and what is logged.
//! Contract sections 1, 11 and 14.

pub(crate) mod audit;
pub(crate) mod edit;
pub(crate) mod effect;
pub(crate) mod error;
pub(crate) mod facts;
pub(crate) mod outcome;
pub(crate) mod reason;
pub(crate) mod show;
pub(crate) mod verdict;
