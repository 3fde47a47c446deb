//! Stage 4: [`Payload`] to [`Profiled`]: every call, as the selected revision
//! has it. Contract section 8.
//!
//! Tower knows each revision's methods, directions, kinds and params. What it
//! leaves open is closed here: `Unavailable` refuses, 2026-07-28 takes no
//! client responses, extensions of 2026-07-28 carry `_meta` too, and [`shape`]
//! refuses the arrays and nulls that serde takes for objects and absent
//! members.
//!
//! # Trust boundary
//!
//! After this stage every call is available to clients in the revision with
//! params of its shape, or is an extension whose name no revision uses.

mod shape;

use mcp_boundary_format::Revision;
use serde_json::{Value, json};
use tower_mcp_types::inspection::{
    McpCallKind, McpDirection, McpInspectionError, McpInspectionErrorKind, McpInspector,
    McpMethodClassification,
};

use crate::envelope::{Message, Payload};
use crate::methods::{is_tasks_extension, tower_revision};
use crate::revision::{META_VERSION, Selected};
use crate::show::Shown;
use crate::verdict::{Reason, Refusal};

/// A payload whose every message fits the selected revision.
#[derive(Debug)]
pub(crate) struct Profiled {
    payload: Payload,
    selected: Selected,
    classes: Vec<Class>,
}

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

impl Profiled {
    pub(crate) fn inspect(payload: Payload, selected: Selected) -> Result<Self, Refusal> {
        let revision = selected.revision();
        let inspector = McpInspector::for_revision(tower_revision(revision));
        let inspected =
            match inspector.inspect_payload(payload.tower(), Some(McpDirection::ClientToServer)) {
                Ok(inspected) => inspected,
                Err(error) => {
                    if is_about_params(&error) {
                        selected.agrees(&payload)?;
                    }
                    return Err(refusal(&error, &payload, revision));
                }
            };
        // One inspection a call, in wire order.
        let mut calls = inspected.methods().iter();
        let mut classes = Vec::with_capacity(payload.messages().len());
        for message in payload.messages() {
            classes.push(match message.method() {
                None => response(message, revision)?,
                Some(method) => match calls.next() {
                    Some(call) if call.method() == method => {
                        class(method, call.kind(), call.classification(), revision)?
                    }
                    _ => return Err(Refusal::new(Reason::Internal, "inspection is out of step")),
                },
            });
        }
        selected.agrees(&payload)?;
        for (message, class) in payload.messages().iter().zip(&classes) {
            if let Some(method) = message.method() {
                params(message, method, *class, revision)?;
            }
        }
        Ok(Self {
            payload,
            selected,
            classes,
        })
    }

    pub(crate) fn revision(&self) -> Revision {
        self.selected.revision()
    }

    /// Every message with its class.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&Message, Class)> {
        self.payload
            .messages()
            .iter()
            .zip(self.classes.iter().copied())
    }
}

fn response(message: &Message, revision: Revision) -> Result<Class, Refusal> {
    if !revision.is_legacy() {
        return Err(Refusal::new(
            Reason::ResponseUnavailable,
            "revision 2026-07-28 has no client responses; answers travel as `inputResponses`",
        ));
    }
    // Only 2025-11-25 lets an error answer no request in particular.
    if !message.has_id() && revision != Revision::V2025_11_25 {
        return Err(Refusal::new(
            Reason::IdInvalid,
            format!("an error response needs an `id` in revision {revision}"),
        ));
    }
    Ok(Class::Response)
}

fn class(
    method: &str,
    kind: McpCallKind,
    classification: McpMethodClassification,
    revision: Revision,
) -> Result<Class, Refusal> {
    let legacy = revision.is_legacy();
    match classification {
        McpMethodClassification::Available => Ok(Class::Core),
        McpMethodClassification::Unavailable if is_tasks_extension(method) && !legacy => {
            if kind == McpCallKind::Notification {
                return Err(Refusal::new(
                    Reason::MethodKind,
                    format!("{} is a request and needs an `id`", Shown(method)),
                ));
            }
            Ok(Class::Extension)
        }
        // The tasks extension's own notification travels to clients only.
        McpMethodClassification::Extension if method == "notifications/tasks" => Err(Refusal::new(
            Reason::MethodDirection,
            "`notifications/tasks` is sent by servers, not by clients",
        )),
        McpMethodClassification::Extension => Ok(Class::Extension),
        // Unavailable, and whatever a later Tower may add.
        _ => Err(Refusal::new(
            Reason::MethodUnavailable,
            format!("revision {revision} has no client method {}", Shown(method)),
        )),
    }
}

/// What Tower does not check of a call's params.
fn params(
    message: &Message,
    method: &str,
    class: Class,
    revision: Revision,
) -> Result<(), Refusal> {
    let invalid = |what: &str| {
        Err(Refusal::new(
            Reason::ParamsInvalid,
            format!("params of {}: {what}", Shown(method)),
        ))
    };
    if class == Class::Extension && !revision.is_legacy() && message.is_request() {
        meta(message)?;
    }
    match message.params() {
        Some(params) => shape::check(method, class, message.is_request(), params, revision)
            .or_else(|wrong| invalid(&wrong.to_string())),
        None => Ok(()),
    }
}

/// Whether a request of 2026-07-28 has the `_meta` it needs. Tower looks at it
/// only for core methods, and only after their other params, so it is asked
/// about a method that has no others.
fn meta(message: &Message) -> Result<(), Refusal> {
    let meta = message.param("_meta").cloned().unwrap_or(Value::Null);
    let probe = json!({
        "jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": meta},
    });
    let inspector = McpInspector::for_revision(tower_revision(Revision::V2026_07_28));
    match inspector.inspect(&probe, Some(McpDirection::ClientToServer)) {
        Ok(_) => Ok(()),
        Err(_) => Err(bad_meta()),
    }
}

fn bad_meta() -> Refusal {
    Refusal::new(
        Reason::MetaInvalid,
        format!(
            "requests of revision 2026-07-28 need `params._meta` with `{META_VERSION}` and `io.modelcontextprotocol/clientCapabilities`"
        ),
    )
}

fn is_about_params(error: &McpInspectionError) -> bool {
    use McpInspectionErrorKind::{InvalidParams, MissingParams};
    matches!(error.kind(), InvalidParams | MissingParams)
}

/// What Tower refuses. In 2026-07-28 bad `_meta` is told from bad params.
fn refusal(error: &McpInspectionError, payload: &Payload, revision: Revision) -> Refusal {
    let request = payload.messages().first().filter(|m| m.is_request());
    match request.map(meta) {
        Some(Err(bad_meta)) if is_about_params(error) && !revision.is_legacy() => bad_meta,
        _ => in_our_words(error, revision),
    }
}

/// Tower's own text may quote the request.
fn in_our_words(error: &McpInspectionError, revision: Revision) -> Refusal {
    use McpInspectionErrorKind as Tower;
    let method = Shown(error.method().unwrap_or_default());
    let (reason, detail) = match error.kind() {
        Tower::BatchUnavailable => (
            Reason::BatchUnavailable,
            format!("revision {revision} has no batches; send one message a request"),
        ),
        Tower::InitializeInBatch => (
            Reason::InitializeInBatch,
            "`initialize` must be sent alone".to_owned(),
        ),
        Tower::MessageKindMismatch => (
            Reason::MethodKind,
            format!(
                "{method} is sent with an `id` if it is a request and without if it is a notification"
            ),
        ),
        Tower::DirectionMismatch => (
            Reason::MethodDirection,
            format!("{method} is sent by servers, not by clients"),
        ),
        Tower::MissingParams => (
            Reason::ParamsInvalid,
            format!("{method} needs `params` in revision {revision}"),
        ),
        Tower::InvalidParams => (
            Reason::ParamsInvalid,
            format!(
                "params of {method} do not have the shape of revision {revision}: a member is missing or has another type than its schema says"
            ),
        ),
        Tower::JsonRpc | Tower::UnsupportedProfile => (
            Reason::Internal,
            "the message cannot be inspected".to_owned(),
        ),
        _ => (
            Reason::Internal,
            "the message cannot be inspected".to_owned(),
        ),
    };
    Refusal::new(reason, detail)
}
