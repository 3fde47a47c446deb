//! What Tower says a message is.

/// What a message is in the selected revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A method of the revision.
    Core,
    /// A method that only an extension defines.
    Extension,
    /// An answer to the server.
    Response,
}
