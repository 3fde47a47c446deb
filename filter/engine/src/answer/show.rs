//! Text of a request, made safe to show to a person and to log: escaped, cut,
//! and without what may hold a secret. Contract sections 11 and 14.

mod text;
mod uri;

use std::fmt;

pub(crate) use text::{MAX_REVISION, MAX_SHOWN, and_more, escaped};
pub(crate) use uri::bare;

/// A method or name in backticks.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", escaped(self.0, MAX_SHOWN))
    }
}

/// A URI in backticks, as [`bare`] has it.
pub(crate) struct ShownUri<'a>(pub(crate) &'a str);

impl fmt::Display for ShownUri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", bare(self.0))
    }
}

/// A revision as a client wrote it, in backticks.
pub(crate) struct ShownRevision<'a>(pub(crate) &'a str);

impl fmt::Display for ShownRevision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", escaped(self.0, MAX_REVISION))
    }
}
