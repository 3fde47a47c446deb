//! Stage 1: bytes to [`ReadJson`] to [`StrictJson`]. Contract section 5.
//!
//! One pass over the body checks all of it, to the last byte, and keeps only
//! what later stages ask for: a skeleton of the envelope and its `params`.
//! `params.arguments`, `result` and members that JSON-RPC does not know are
//! checked as strictly as the rest but leave no tree behind, so that memory
//! stays flat whatever an agent puts into a tool call. (Wasm memory never
//! shrinks, and a full tree of a nested 1 MiB body takes 40 MiB.)
//!
//! # Trust boundary
//!
//! After this stage the body is one RFC 8259 value in which no object at any
//! depth repeats a name, no string holds a lone surrogate, every number fits a
//! double, nesting is bounded, and no member of the protocol's own objects
//! could be taken for another one by a reader that folds case. First-wins,
//! last-wins and case-insensitive readers therefore see the same message.

mod duplicates;
mod guard;
mod reader;
mod text;

use mcp_boundary_format::Limits;
use serde_json::Value;

use crate::verdict::{Reason, Refusal};
use reader::Reader;

/// Values kept in the skeleton of one body, at most; a body with more is
/// refused. Real requests keep a few dozen.
pub(crate) const MAX_KEPT: usize = 16_384;

/// What a `params.arguments` was, without its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// There is none.
    Absent,
    /// An object; the flag says whether it has a forbidden top-level name.
    Object {
        /// One of the names that the endpoint forbids is there.
        forbidden: bool,
    },
    /// Any other kind.
    Other,
}

/// A body that is one strict JSON value, but for names that some reader takes
/// for a protocol member: the id to answer with can be read all the same.
#[derive(Debug)]
pub(crate) struct ReadJson {
    json: StrictJson,
    /// What is to be said of the first such name.
    odd_name: Option<Refusal>,
    /// Such a name may be read as the envelope's `id`.
    id_is_odd: bool,
}

/// A body that passed the strict JSON pass.
#[derive(Debug)]
pub(crate) struct StrictJson {
    /// The envelope, or an array of them, without what is not inspected.
    skeleton: Value,
    /// One entry for each object that stands for an envelope, in order.
    arguments: Vec<Arguments>,
}

/// Names that no argument may have at the top level.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Forbidden<'a> {
    /// As denies elsewhere, and as readers that fold case would see it.
    pub(crate) names: &'a [String],
    /// Those that a filter has set meanwhile, exactly as written.
    pub(crate) but: &'a [String],
}

impl Forbidden<'_> {
    fn has(self, name: &str) -> bool {
        let mut names = self.names.iter();
        names.any(|word| guard::folds_to(name, word)) && !self.but.iter().any(|set| set == name)
    }
}

impl ReadJson {
    /// Reads `body`, and whether arguments have names that are forbidden.
    pub(crate) fn parse(
        body: &[u8],
        limits: Limits,
        forbidden: Forbidden<'_>,
    ) -> Result<Self, Refusal> {
        if body.is_empty() {
            return Err(Refusal::new(
                Reason::BodyEmpty,
                "the request has no body; send one JSON-RPC message",
            ));
        }
        byte_order_mark(body)?;
        let text = std::str::from_utf8(body).map_err(|error| {
            Refusal::new(
                Reason::JsonUtf8,
                format!(
                    "the body is not valid UTF-8 at byte {}; send JSON in UTF-8",
                    error.valid_up_to()
                ),
            )
        })?;
        Reader::new(text, limits, forbidden).document()
    }

    /// The id to answer a single request with, if it has one that is valid and
    /// that every reader takes for its id.
    pub(crate) fn reply_id(&self) -> Option<Value> {
        let envelope = self.json.skeleton.as_object()?;
        let request = envelope.contains_key("method")
            && !envelope.contains_key("result")
            && !envelope.contains_key("error");
        let id = envelope.get("id")?;
        let known = request && !self.id_is_odd && crate::envelope::is_valid_id(id);
        known.then(|| id.clone())
    }

    /// What later stages work on.
    pub(crate) fn strict(self) -> Result<StrictJson, Refusal> {
        match self.odd_name {
            Some(refusal) => Err(refusal),
            None => Ok(self.json),
        }
    }
}

impl StrictJson {
    /// The skeleton and what each envelope's `params.arguments` was.
    pub(crate) fn into_parts(self) -> (Value, Vec<Arguments>) {
        (self.skeleton, self.arguments)
    }
}

/// RFC 8259, 8.1: JSON texts are UTF-8 and begin with no byte order mark.
fn byte_order_mark(body: &[u8]) -> Result<(), Refusal> {
    let (reason, encoding) = match body {
        [0xef, 0xbb, 0xbf, ..] => (Reason::JsonInvalid, "a"),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => (Reason::JsonUtf8, "a UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => (Reason::JsonUtf8, "a UTF-16"),
        _ => return Ok(()),
    };
    Err(Refusal::new(
        reason,
        format!("the body starts with {encoding} byte order mark; send UTF-8 without one"),
    ))
}

#[cfg(test)]
mod tests;
