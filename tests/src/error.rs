//! One error for a test harness: a sentence a person can act on.

use std::fmt;

/// What went wrong, with what was being done.
#[derive(Debug, Clone)]
pub struct Error(String);

/// The harness's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error that says `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Says what was being done when something failed.
pub trait Context<T> {
    /// Puts `what` in front of the error.
    fn context(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|error| Error(format!("{what}: {error}")))
    }
}
