//! Changes to the headers of a request that goes on. Contract section 7 and 9.

/// A change to the headers of a forwarded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderEdit {
    /// Replace all lines of this name by one.
    Set(&'static str, &'static str),
    /// Remove all lines of this name.
    Remove(&'static str),
}
