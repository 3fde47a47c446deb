//! Stage: [`Posted`] to [`Parsed`]: the body as strict JSON. Contract section 5.
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
mod fault;
mod guard;
mod reader;
pub(crate) mod skeleton;
mod text;

use mcp_boundary_format::{Limits, Role};

use crate::answer::reason::{Reason, Refusal};
use crate::head::length::Declared;
use crate::head::verb::Posted;
use crate::request::{Request, Stage};
use reader::Reader;
use skeleton::{Forbidden, ReadJson, StrictJson};

/// A request whose body passed the strict JSON pass.
#[derive(Debug)]
pub(crate) struct Parsed {
    request: Box<Request>,
    json: StrictJson,
    declared: Declared,
    /// Bytes of body.
    length: usize,
}

impl Parsed {
    pub(crate) fn read(posted: Posted<'_>) -> Stage<Self> {
        let request = posted.request();
        let endpoint = request.endpoint();
        let set_by_filters = match request.role() {
            Role::Admit => &[][..],
            Role::Recheck => &endpoint.set_by_filters,
        };
        let forbidden = Forbidden {
            names: &endpoint.forbidden_arguments,
            but: set_by_filters,
        };
        let length = posted.body().len();
        let made = parse(posted.body(), endpoint.limits, forbidden);
        let (request, declared) = posted.into_parts();
        let (mut request, json) = request.then(made)?;
        request.has_id(json.reply_id());
        let (request, json) = request.then(json.strict())?;
        Ok(Self {
            request,
            json,
            declared,
            length,
        })
    }

    /// The request, its JSON, and what its length was said to be and is.
    pub(crate) fn into_parts(self) -> (Box<Request>, StrictJson, Declared, usize) {
        (self.request, self.json, self.declared, self.length)
    }
}

/// Reads `body`, and whether arguments have names that are forbidden.
fn parse(body: &[u8], limits: Limits, forbidden: Forbidden<'_>) -> Result<ReadJson, Refusal> {
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
