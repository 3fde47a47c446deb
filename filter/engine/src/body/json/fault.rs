//! What is wrong with a body that is not strict JSON, and how it is told.

use mcp_boundary_format::Limits;

use super::skeleton::MAX_KEPT;
use crate::answer::reason::{Reason, Refusal};

/// What is wrong with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Syntax,
    Trailing,
    Duplicate,
    CaseVariant(&'static str),
    ControlInName,
    LoneSurrogate,
    NumberRange,
    TooDeep,
    TooMany,
}

/// What is wrong, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Error {
    pub(super) fault: Fault,
    pub(super) at: usize,
}

impl Error {
    /// In words, `len` being the length of the body.
    pub(super) fn refusal(self, limits: Limits, len: usize) -> Refusal {
        let at = self.at;
        let (reason, detail) = match self.fault {
            Fault::Syntax if at >= len => (
                Reason::JsonInvalid,
                format!(
                    "the body is not valid JSON: it ends too early, at byte {len}; send all of it"
                ),
            ),
            Fault::Syntax => (
                Reason::JsonInvalid,
                format!("the body is not valid JSON at byte {at}; send what a JSON library writes"),
            ),
            Fault::Trailing => (
                Reason::JsonTrailing,
                format!(
                    "the JSON value ends before byte {at}, but something follows; send one JSON value and nothing else"
                ),
            ),
            Fault::Duplicate => (
                Reason::JsonDuplicate,
                format!(
                    "the object at byte {at} has two members of the same name; send each name once"
                ),
            ),
            Fault::CaseVariant(member) => (
                Reason::JsonCaseVariant,
                format!(
                    "the member name at byte {at} differs from `{member}` only in case; leave it out if `{member}` is there too, else write `{member}`"
                ),
            ),
            Fault::ControlInName => (
                Reason::JsonControlName,
                format!(
                    "the member name at byte {at} has a control character; leave that member out, or give it a name without one"
                ),
            ),
            Fault::LoneSurrogate => (
                Reason::JsonSurrogate,
                format!(
                    "the string around byte {at} has half of a surrogate pair; send whole characters"
                ),
            ),
            Fault::NumberRange => (
                Reason::JsonNumber,
                format!("the number at byte {at} does not fit a double; send it as a string"),
            ),
            Fault::TooDeep => (
                Reason::JsonTooDeep,
                format!(
                    "the body nests deeper than {} levels at byte {at}; flatten it",
                    limits.depth
                ),
            ),
            Fault::TooMany => (
                Reason::ParamsTooLarge,
                format!(
                    "more than {MAX_KEPT} values outside tool arguments and results; send fewer, or move bulk data into `arguments`"
                ),
            ),
        };
        Refusal::new(reason, detail)
    }
}
