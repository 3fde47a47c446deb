//! Verdict to HTTP effect. Contract section 11.

use std::borrow::Cow;

use mcp_boundary_format::{Denial, Endpoint, Revision};
use serde_json::{Map, Value, json};

use crate::envelope::Payload;
use crate::mirrors::{METHOD_HEADER, NAME_HEADER};
use crate::revision::{Claim, VERSION_HEADER, cut};
use crate::verdict::{Kind, Reason, Refusal, code};

/// A change to the headers of a forwarded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderEdit {
    /// Replace all lines of this name by one.
    Set(&'static str, &'static str),
    /// Remove all lines of this name.
    Remove(&'static str),
}

/// What the host must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Let the request go on with its original body.
    Forward {
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

/// What the answer depends on beside the refusal.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// The id of a single request.
    pub(crate) id: Option<Value>,
    /// The body holds only notifications or responses.
    pub(crate) silent: bool,
    /// 2026-07-28 governs, as far as one can tell.
    pub(crate) modern: bool,
    /// The revision that the client offered: what the version header said, or
    /// else an `initialize`.
    pub(crate) requested: Option<String>,
    /// For 405.
    pub(crate) allow: String,
}

/// The answer to a refused request.
pub(crate) fn answer(refusal: &Refusal, reply: &Reply, endpoint: Option<&Endpoint>) -> Effect {
    let reason = refusal.reason;
    let denied = reason.kind() == Kind::Deny;
    let status = match endpoint.map(|endpoint| endpoint.denial) {
        Some(Denial::Http) if denied => 403,
        _ => reason.status(reply.modern),
    };
    let mut headers = Vec::new();
    if reason == Reason::VerbNotAllowed {
        headers.push(("allow", reply.allow.clone()));
    }
    if denied && reply.silent {
        return Effect::Answer {
            status,
            headers,
            body: Vec::new(),
        };
    }
    headers.push(("content-type", "application/json".to_owned()));
    Effect::Answer {
        status,
        headers,
        body: error(refusal, reply, endpoint).to_string().into_bytes(),
    }
}

fn error(refusal: &Refusal, reply: &Reply, endpoint: Option<&Endpoint>) -> Value {
    let mut data = Map::new();
    data.insert("reason".into(), refusal.reason.code().into());
    if let Some(endpoint) = endpoint {
        data.insert("endpoint".into(), endpoint.name.as_str().into());
        if refusal.reason.error_code() == code::VERSION {
            let supported: Vec<_> = endpoint.revisions.iter().map(Revision::as_str).collect();
            data.insert("supported".into(), supported.into());
            if let Some(requested) = &reply.requested {
                data.insert("requested".into(), cut(requested).into());
            }
        }
    }
    if let Some(rule) = &refusal.rule {
        data.insert("rule".into(), rule.as_str().into());
    }
    let mut message = Map::new();
    message.insert("jsonrpc".into(), "2.0".into());
    match (&reply.id, reply.modern) {
        (Some(id), _) => drop(message.insert("id".into(), id.clone())),
        (None, false) => drop(message.insert("id".into(), Value::Null)),
        (None, true) => {}
    }
    // Clients show this as the server's words.
    let text = match refusal.reason.kind() {
        Kind::Deny => format!(
            "refused by the gateway before the server: {}",
            refusal.detail
        )
        .into(),
        Kind::Reject | Kind::Forward => Cow::Borrowed(refusal.detail.as_ref()),
    };
    message.insert(
        "error".into(),
        json!({"code": refusal.reason.error_code(), "message": text, "data": data}),
    );
    Value::Object(message)
}

/// Header changes that a `compat` switch made necessary.
pub(crate) fn edits(claim: Claim, drop_mirrors: bool) -> Vec<HeaderEdit> {
    let mut edits = Vec::new();
    if let (true, Some(revision)) = (claim.collapse, claim.revision) {
        edits.push(HeaderEdit::Set(VERSION_HEADER, revision.as_str()));
    }
    if drop_mirrors {
        edits.push(HeaderEdit::Remove(METHOD_HEADER));
        edits.push(HeaderEdit::Remove(NAME_HEADER));
    }
    edits
}

impl Reply {
    /// What a standalone `initialize` offers, if the header offers nothing.
    pub(crate) fn offered(&mut self, payload: &Payload) {
        if self.requested.is_none() && payload.is_initialize() {
            let mut messages = payload.messages().iter();
            let offer = messages.find_map(|message| message.param("protocolVersion")?.as_str());
            // One character more than is ever shown, to tell that it is cut.
            self.requested = offer.map(|offer| offer.chars().take(33).collect());
        }
    }
}
