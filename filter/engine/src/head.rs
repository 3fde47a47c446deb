//! What can be told before the body: who is asked, for what, and by whom.
//! Contract sections 3, 4, 7 and 12.

pub(crate) mod caller;
pub(crate) mod endpoint;
pub(crate) mod fields;
pub(crate) mod host;
pub(crate) mod length;
pub(crate) mod located;
pub(crate) mod media;
pub mod near;
pub(crate) mod origin;
pub(crate) mod recheck;
pub(crate) mod record;
pub(crate) mod since;
pub(crate) mod verb;
pub(crate) mod version;
