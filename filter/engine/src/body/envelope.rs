//! Stage: [`Parsed`] to [`Enveloped`]: JSON-RPC messages. Contract section 6.
//!
//! Tower says what a JSON-RPC message is; this stage adds what it leaves open:
//! ids are integer tokens, `params` is an object, errors and results are
//! objects, batches are bounded and repeat no id.
//!
//! # Trust boundary
//!
//! After this stage the body is one message or a batch of them, each exactly
//! one of request, notification, result or error.

use std::collections::BTreeSet;

use mcp_boundary_format::Limits;
use serde_json::{Map, Value};
use tower_mcp_types::inspection::{JsonRpcInspectionErrorKind, JsonRpcPayload};

use super::json::Parsed;
use super::json::skeleton::{Arguments, StrictJson, is_valid_id};
use crate::answer::reason::{Reason, Refusal};
use crate::head::length::Declared;
use crate::request::{Request, Stage};

/// A request whose body is one message or a batch.
#[derive(Debug)]
pub(crate) struct Enveloped {
    request: Box<Request>,
    payload: Payload,
    declared: Declared,
    /// Bytes of body.
    length: usize,
}

impl Enveloped {
    pub(crate) fn check(parsed: Parsed) -> Stage<Self> {
        let (request, json, declared, length) = parsed.into_parts();
        let made = Payload::check(json, request.endpoint().limits);
        let (mut request, payload) = request.then(made)?;
        request.says(payload.expects_no_answer(), payload.offered());
        Ok(Self {
            request,
            payload,
            declared,
            length,
        })
    }

    /// The request, its messages, and what its length was said to be and is.
    pub(crate) fn into_parts(self) -> (Box<Request>, Payload, Declared, usize) {
        (self.request, self.payload, self.declared, self.length)
    }
}

/// One message or a batch, structurally valid, not yet tied to a revision.
#[derive(Debug)]
pub(crate) struct Payload {
    tower: JsonRpcPayload,
    messages: Vec<Message>,
}

/// One envelope's skeleton.
#[derive(Debug)]
pub(crate) struct Message {
    envelope: Map<String, Value>,
    arguments: Arguments,
}

impl Message {
    /// The method of a request or notification; none for a response.
    pub(crate) fn method(&self) -> Option<&str> {
        self.envelope.get("method")?.as_str()
    }

    pub(crate) fn is_request(&self) -> bool {
        self.envelope.contains_key("method") && self.has_id()
    }

    pub(crate) fn has_id(&self) -> bool {
        self.envelope.contains_key("id")
    }

    pub(crate) fn params(&self) -> Option<&Map<String, Value>> {
        self.envelope.get("params")?.as_object()
    }

    /// A member of `params`.
    pub(crate) fn param(&self, name: &str) -> Option<&Value> {
        self.params()?.get(name)
    }

    /// A member of `params._meta`.
    pub(crate) fn meta(&self, name: &str) -> Option<&Value> {
        self.param("_meta")?.get(name)
    }

    pub(crate) fn arguments(&self) -> Arguments {
        self.arguments
    }
}

impl Payload {
    /// Checks the structure of every message.
    fn check(json: StrictJson, limits: Limits) -> Result<Self, Refusal> {
        let (skeleton, arguments) = json.into_parts();
        if let Value::Array(members) = &skeleton
            && members.len() > usize::from(limits.batch_members)
        {
            return Err(Refusal::new(
                Reason::BatchTooLarge,
                format!(
                    "the batch has more than {} members; send smaller batches",
                    limits.batch_members
                ),
            ));
        }
        let tower = JsonRpcPayload::inspect(&skeleton)
            .map_err(|error| structure(error.kind(), error.field()))?;
        let values = match skeleton {
            Value::Array(members) => members,
            single => vec![single],
        };
        let mut messages = Vec::with_capacity(values.len());
        for (value, arguments) in values.into_iter().zip(arguments) {
            if let Value::Object(envelope) = value {
                messages.push(Message {
                    envelope,
                    arguments,
                });
            }
        }
        for message in &messages {
            message.check()?;
        }
        repeated_ids(&messages)?;
        Ok(Self { tower, messages })
    }

    pub(crate) fn is_batch(&self) -> bool {
        self.tower.is_batch()
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether nothing in it asks for an answer.
    pub(crate) fn expects_no_answer(&self) -> bool {
        !self.messages.iter().any(Message::is_request)
    }

    /// Whether it is a standalone `initialize` request.
    pub(crate) fn is_initialize(&self) -> bool {
        match self.messages.as_slice() {
            [message] if !self.is_batch() => {
                message.is_request() && message.method() == Some("initialize")
            }
            _ => false,
        }
    }

    /// The revision that a standalone `initialize` offers.
    fn offered(&self) -> Option<&str> {
        let mut messages = self.messages.iter().filter(|_| self.is_initialize());
        messages.find_map(|message| message.param("protocolVersion")?.as_str())
    }

    pub(crate) fn tower(&self) -> JsonRpcPayload {
        self.tower.clone()
    }
}

impl Message {
    fn check(&self) -> Result<(), Refusal> {
        if let Some(id) = self.envelope.get("id")
            && !is_valid_id(id)
        {
            return Err(bad_id());
        }
        if let Some(method) = self.method()
            && method.chars().any(char::is_control)
        {
            return Err(Refusal::new(
                Reason::MethodInvalid,
                "`method` holds a control character; send the method's exact name",
            ));
        }
        if matches!(self.envelope.get("params"), Some(params) if !params.is_object()) {
            return Err(bad_params());
        }
        // serde also takes an array for the error object, and no schema of MCP
        // has a result that is not an object.
        if matches!(self.envelope.get("result"), Some(result) if !result.is_object()) {
            return Err(Refusal::new(
                Reason::EnvelopeInvalid,
                "`result` must be an object",
            ));
        }
        if matches!(self.envelope.get("error"), Some(error) if !error.is_object()) {
            return Err(Refusal::new(
                Reason::EnvelopeInvalid,
                "`error` must be an object",
            ));
        }
        Ok(())
    }
}

fn bad_id() -> Refusal {
    Refusal::new(
        Reason::IdInvalid,
        "`id` must be a string or an integer from -2^63 to 2^63-1, without fraction or exponent",
    )
}

fn bad_params() -> Refusal {
    Refusal::new(
        Reason::ParamsInvalid,
        "`params` must be an object or be left out",
    )
}

fn repeated_ids(messages: &[Message]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for id in messages
        .iter()
        .filter_map(|message| message.envelope.get("id"))
    {
        let key = match id {
            Value::String(text) => (true, text.clone()),
            other => (false, other.to_string()),
        };
        if !seen.insert(key) {
            return Err(Refusal::new(
                Reason::BatchDuplicateId,
                "two members of the batch have the same `id`; give each its own",
            ));
        }
    }
    Ok(())
}

/// What Tower refuses, in our words.
fn structure(kind: JsonRpcInspectionErrorKind, field: Option<&'static str>) -> Refusal {
    use JsonRpcInspectionErrorKind as Tower;
    let (reason, detail) = match (kind, field) {
        (Tower::InvalidTopLevel, _) => (
            Reason::EnvelopeInvalid,
            "the body must be an object: one JSON-RPC 2.0 message",
        ),
        (Tower::InvalidBatchMember, _) => (
            Reason::BatchMember,
            "every member of a batch must be an object: one JSON-RPC 2.0 message",
        ),
        (Tower::EmptyBatch, _) => (
            Reason::BatchEmpty,
            "the batch has no members; send one message or more",
        ),
        (Tower::MixedBatch, _) => (
            Reason::BatchMixed,
            "a batch holds either calls or responses, not both; send them apart",
        ),
        (Tower::ConflictingFields, _) => (
            Reason::EnvelopeConflict,
            "a message has exactly one of `method`, `result` and `error`; leave the others out",
        ),
        (Tower::MissingField | Tower::InvalidField, Some("id")) => return bad_id(),
        (Tower::InvalidField, Some("params")) => return bad_params(),
        (Tower::MissingField | Tower::InvalidField, Some("method")) => {
            (Reason::MethodInvalid, "`method` must be a non-empty string")
        }
        (Tower::MissingField | Tower::InvalidField | Tower::InvalidVersion, Some("jsonrpc")) => (
            Reason::EnvelopeInvalid,
            "`jsonrpc` must be the string `2.0`",
        ),
        (_, Some("error")) => (
            Reason::EnvelopeInvalid,
            "`error` must be an object with an integer `code` and a string `message`",
        ),
        _ => (
            Reason::EnvelopeInvalid,
            "a message needs one of `method`, `result` and `error`",
        ),
    };
    Refusal::new(reason, detail)
}
