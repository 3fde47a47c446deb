//! Stage: [`Selected`] to [`Profiled`]: every call, as the selected revision
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

pub(crate) mod class;
mod params;
mod shape;
mod stricter;

use mcp_boundary_format::Revision;
use tower_mcp_types::inspection::{
    McpCallKind, McpDirection, McpInspectionError, McpInspectionErrorKind, McpInspector,
    McpMethodClassification,
};

use super::envelope::{Message, Payload};
use super::revision::{Confirmed, Selected, Selection};
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::Shown;
use crate::policy::methods::{having, is_tasks_extension, tower_revision};
use crate::request::{Request, Stage};
use class::Class;
use params::Call;

/// A request whose every message fits the selected revision.
#[derive(Debug)]
pub(crate) struct Profiled {
    request: Box<Request>,
    payload: Payload,
    confirmed: Confirmed,
    classes: Vec<Class>,
}

impl Profiled {
    pub(crate) fn inspect(selected: Selected) -> Stage<Self> {
        let (request, payload, selection) = selected.into_parts();
        let (request, (classes, confirmed)) = request.then(inspect(&payload, selection))?;
        Ok(Self {
            request,
            payload,
            confirmed,
            classes,
        })
    }

    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) fn into_request(self) -> Box<Request> {
        self.request
    }

    pub(crate) fn revision(&self) -> Revision {
        self.confirmed.revision()
    }

    /// Every message with its class.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&Message, Class)> {
        self.payload
            .messages()
            .iter()
            .zip(self.classes.iter().copied())
    }
}

fn inspect(payload: &Payload, selected: Selection) -> Result<(Vec<Class>, Confirmed), Refusal> {
    let revision = selected.revision();
    let inspector = McpInspector::for_revision(tower_revision(revision));
    let inspected =
        match inspector.inspect_payload(payload.tower(), Some(McpDirection::ClientToServer)) {
            Ok(inspected) => inspected,
            Err(error) => {
                if is_about_params(&error) {
                    selected.confirm(payload)?;
                }
                return Err(refusal(&error, payload, selected));
            }
        };
    // One inspection a call, in wire order.
    let mut calls = inspected.methods().iter();
    let mut classes = Vec::with_capacity(payload.messages().len());
    for message in payload.messages() {
        classes.push(match message.method() {
            None => response(message, selected)?,
            Some(method) => match calls.next() {
                Some(call) if call.method() == method => {
                    class(method, call.kind(), call.classification(), selected)?
                }
                _ => return Err(out_of_step()),
            },
        });
    }
    let confirmed = selected.confirm(payload)?;
    let batch = payload.is_batch();
    for (at, (message, class)) in payload.messages().iter().zip(&classes).enumerate() {
        if let Some(method) = message.method() {
            Call {
                message,
                method,
                class: *class,
                selected,
                place: batch.then_some(at),
            }
            .check()?;
        }
    }
    Ok((classes, confirmed))
}

fn response(message: &Message, selected: Selection) -> Result<Class, Refusal> {
    let revision = selected.revision();
    if !revision.is_legacy() {
        return Err(Refusal::new(
            Reason::ResponseUnavailable,
            "revision 2026-07-28 has no client responses; send your own request again, with the answers in `params.inputResponses`",
        ));
    }
    // Only 2025-11-25 lets an error answer no request in particular.
    if !message.has_id() && revision != Revision::V2025_11_25 {
        return Err(Refusal::new(
            Reason::IdInvalid,
            format!(
                "an error response needs an `id` in revision {}",
                selected.told()
            ),
        ));
    }
    Ok(Class::Response)
}

fn class(
    method: &str,
    kind: McpCallKind,
    classification: McpMethodClassification,
    selected: Selection,
) -> Result<Class, Refusal> {
    let legacy = selected.revision().is_legacy();
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
            wrong_direction(method),
        )),
        McpMethodClassification::Extension => Ok(Class::Extension),
        // Unavailable, and whatever a later Tower may add.
        _ => Err(Refusal::new(
            Reason::MethodUnavailable,
            unavailable(method, selected),
        )),
    }
}

fn unavailable(method: &str, selected: Selection) -> String {
    let having = having(method);
    let advice = match having.as_str() {
        "" => "no revision lets clients send it".to_owned(),
        having => format!(
            "send a method that it has, or select a revision that has this one, if the endpoint permits it: {having}"
        ),
    };
    let revision = selected.told();
    format!(
        "revision {revision} has no client method {}; {advice}",
        Shown(method)
    )
}

fn is_about_params(error: &McpInspectionError) -> bool {
    use McpInspectionErrorKind::{InvalidParams, MissingParams};
    matches!(error.kind(), InvalidParams | MissingParams)
}

/// What Tower refuses, in our words: its own may quote the request.
fn refusal(error: &McpInspectionError, payload: &Payload, selected: Selection) -> Refusal {
    use McpInspectionErrorKind as Tower;
    let method = error.method().unwrap_or_default();
    let shown = Shown(method);
    let revision = selected.told();
    let (reason, detail) = match error.kind() {
        Tower::BatchUnavailable => (
            Reason::BatchUnavailable,
            format!("revision {revision} has no batches; send one message per request"),
        ),
        Tower::InitializeInBatch => (
            Reason::InitializeInBatch,
            "`initialize` must be sent alone, not in a batch".to_owned(),
        ),
        Tower::MessageKindMismatch => (
            Reason::MethodKind,
            match method.starts_with("notifications/") {
                true => format!("{shown} is a notification: send it without `id`"),
                false => format!("{shown} is a request: send it with an `id`"),
            },
        ),
        Tower::DirectionMismatch => (Reason::MethodDirection, wrong_direction(method)),
        Tower::MissingParams | Tower::InvalidParams => {
            let at = error.batch_index();
            let message = payload.messages().get(at.unwrap_or_default());
            return match message {
                Some(message) => Call {
                    message,
                    method,
                    class: Class::Core,
                    selected,
                    place: at,
                }
                .refused(),
                None => out_of_step(),
            };
        }
        _ => return out_of_step(),
    };
    Refusal::new(reason, detail)
}

fn wrong_direction(method: &str) -> String {
    format!(
        "{} is sent by servers; a client must not send it",
        Shown(method)
    )
}

fn out_of_step() -> Refusal {
    Refusal::new(
        Reason::Internal,
        "the message cannot be inspected; this is a fault of the boundary, please report it",
    )
}
