//! Text of a request, made safe to show to a person.

use std::fmt;

/// Longest part of a method or name that is shown, in bytes. Contract section 11.
const MAX_SHOWN: usize = 128;

/// A method or name in backticks, escaped and cut.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut end = self.0.len().min(MAX_SHOWN);
        while !self.0.is_char_boundary(end) {
            end -= 1;
        }
        let (shown, rest) = self.0.split_at_checked(end).unwrap_or((self.0, ""));
        let more = if rest.is_empty() { "" } else { "…" };
        write!(f, "`{}{more}`", shown.escape_debug())
    }
}
