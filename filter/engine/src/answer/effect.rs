//! What the host must do. Contract section 11.

use super::edit::HeaderEdit;
use crate::policy::authorize::Permit;

/// What the host must do.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Let the request go on with its original body.
    #[non_exhaustive]
    Forward {
        /// What permits it.
        permit: Permit,
        /// Changes that `compat` switches ask for.
        edits: Vec<HeaderEdit>,
        /// What a later recheck needs to see (role `admit` only).
        record: Option<Vec<u8>>,
    },
    /// Answer in the server's place; nothing may reach the upstream.
    Answer {
        /// HTTP status.
        status: u16,
        /// Header lines.
        headers: Vec<(&'static str, String)>,
        /// JSON, or nothing.
        body: Vec<u8>,
    },
}
