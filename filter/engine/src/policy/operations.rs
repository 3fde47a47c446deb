//! Stage: [`Agreed`] to [`Asked`]: what the request asks for, in terms
//! that a policy can name. Contract section 10.
//!
//! # Trust boundary
//!
//! After this stage every message has given at least one operation, and every
//! name in them is well-formed for the endpoint.

use mcp_boundary_format::{Endpoint, ResourceUris, Rule, ToolNames};
use serde_json::Value;

use super::operation::{Operation, OperationKind};
use super::uri;
use crate::answer::edit::HeaderEdit;
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::{Shown, ShownUri};
use crate::body::envelope::Message;
use crate::body::json::skeleton::Arguments;
use crate::body::mirrors::Agreed;
use crate::body::profile::class::Class;
use crate::head::fields::{METHOD_HEADER, NAME_HEADER, VERSION_HEADER};
use crate::request::{Request, Stage};

/// Operations of one request, at most: each is matched with every rule. A
/// batch has at most 1,024 members; a subscription may name as many resources.
const MAX_OPERATIONS: usize = 2048;

/// A request of which is known all that it asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    request: Box<Request>,
}

impl Asked {
    pub(crate) fn of(agreed: Agreed) -> Stage<Self> {
        let mut list = Vec::new();
        for (message, class) in agreed.messages() {
            collect(message, class, &mut list);
        }
        let made = bounded(&list, agreed.request().endpoint());
        let edits = edits(&agreed);
        let (mut request, ()) = agreed.into_request().then(made)?;
        request.asks_for(list, edits);
        Ok(Self { request })
    }

    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) fn into_request(self) -> Box<Request> {
        self.request
    }
}

/// Header changes that a `compat` switch made necessary.
fn edits(agreed: &Agreed) -> Vec<HeaderEdit> {
    let mut edits = Vec::new();
    if let Ok(claim) = agreed.request().claim()
        && let (true, Some(revision)) = (claim.collapse, claim.revision)
    {
        edits.push(HeaderEdit::Set(VERSION_HEADER, revision.as_str()));
    }
    if agreed.drop_mirrors() {
        edits.push(HeaderEdit::Remove(METHOD_HEADER));
        edits.push(HeaderEdit::Remove(NAME_HEADER));
    }
    edits
}

/// Whether there are few enough, and each is well-formed.
fn bounded(list: &[Operation], endpoint: &Endpoint) -> Result<(), Refusal> {
    if list.len() > MAX_OPERATIONS {
        return Err(Refusal::new(
            Reason::ParamsTooLarge,
            format!("the request names more than {MAX_OPERATIONS} things to authorise; split it"),
        ));
    }
    list.iter()
        .try_for_each(|operation| well_formed(operation, endpoint))
}

fn collect(message: &Message, class: Class, list: &mut Vec<Operation>) {
    let method = message.method().unwrap_or_default();
    let operation = |kind, name: Option<&Value>, granted_by| Operation {
        kind,
        method: method.to_owned(),
        name: name.and_then(Value::as_str).map(str::to_owned),
        granted_by,
        forbidden_argument: false,
    };
    let param = |name| message.param(name);
    let kind = match class {
        Class::Response => OperationKind::Response,
        Class::Extension => OperationKind::Extension,
        Class::Core => match method {
            "tools/call" => {
                list.push(Operation {
                    forbidden_argument: message.arguments()
                        == Arguments::Object { forbidden: true },
                    ..operation(OperationKind::Tool, param("name"), &["tools/call"])
                });
                return;
            }
            "prompts/get" => {
                list.push(operation(
                    OperationKind::Prompt,
                    param("name"),
                    &["prompts/get"],
                ));
                return;
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                let granted_by: &[&str] = match method {
                    "resources/read" => &["resources/read"],
                    "resources/subscribe" => &["resources/subscribe"],
                    _ => &["resources/unsubscribe"],
                };
                list.push(operation(OperationKind::Resource, param("uri"), granted_by));
                return;
            }
            _ => OperationKind::Method,
        },
    };
    list.push(operation(kind, None, &[]));
    // Two core methods reach named things through their params.
    match (class, method) {
        (Class::Core, "completion/complete") => {
            let reference = param("ref");
            let member = |name| reference.and_then(|reference| reference.get(name));
            match member("type").and_then(Value::as_str) {
                Some("ref/prompt") => {
                    list.push(operation(
                        OperationKind::Prompt,
                        member("name"),
                        &["prompts/get"],
                    ));
                }
                _ => list.push(operation(
                    OperationKind::Resource,
                    member("uri"),
                    &["resources/read"],
                )),
            }
        }
        (Class::Core, "subscriptions/listen") => {
            let uris = param("notifications")
                .and_then(|wanted| wanted.get("resourceSubscriptions"))
                .and_then(Value::as_array);
            for uri in uris.into_iter().flatten() {
                let granted_by = &["resources/subscribe", "resources/read"];
                list.push(operation(OperationKind::Resource, Some(uri), granted_by));
            }
        }
        _ => {}
    }
}

/// Whether a tool name follows MCP 2025-11-25's rule.
pub fn is_strict_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

fn well_formed(operation: &Operation, endpoint: &Endpoint) -> Result<(), Refusal> {
    let name = operation.name.as_deref().unwrap_or_default();
    match operation.kind {
        OperationKind::Tool
            if endpoint.tool_names == ToolNames::Strict && !is_strict_tool_name(name) =>
        {
            Err(Refusal::new(
                Reason::ToolNameInvalid,
                format!(
                    "tool name {} is not 1 to 128 characters from A-Z, a-z, 0-9, `_`, `-` and `.`; send the tool's exact name (for tools with other names the operator can set `tool_names: any`)",
                    Shown(name)
                ),
            ))
        }
        OperationKind::Resource if selects_resources(endpoint) => {
            let fault = match operation.is_template() {
                true => uri::template_fault(name),
                false => uri::uri_fault(name),
            };
            fault.map_or(Ok(()), |fault| {
                Err(Refusal::new(
                    Reason::NameInvalid,
                    format!("URI {} {fault}", ShownUri(name)),
                ))
            })
        }
        _ => Ok(()),
    }
}

/// Whether URIs have to be canonical.
fn selects_resources(endpoint: &Endpoint) -> bool {
    if endpoint.resource_uris == ResourceUris::Any {
        return false;
    }
    let mut rules = endpoint.rules();
    rules.any(|rule: &Rule| !rule.resources.is_empty())
}
