//! Stage 6: [`Agreed`] to [`Operations`]: what the request asks for, in terms
//! that a policy can name. Contract section 10.
//!
//! # Trust boundary
//!
//! After this stage every message has given at least one operation, and every
//! name in them is well-formed for the endpoint.

use mcp_boundary_format::{Endpoint, ResourceUris, Rule, ToolNames};
use serde_json::Value;

use crate::envelope::Message;
use crate::inspect::Class;
use crate::json::Arguments;
use crate::mirrors::Agreed;
use crate::show::{Shown, ShownUri};
use crate::uri;
use crate::verdict::{Reason, Refusal};

/// What kind of thing an operation needs permission for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// A core method.
    Method,
    /// A tool.
    Tool,
    /// A prompt, also one whose arguments are completed.
    Prompt,
    /// A resource URI, also a completed template or a subscription.
    Resource,
    /// An extension method.
    Extension,
    /// An answer of the client.
    Response,
}

/// One thing a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What kind of permission it needs.
    pub kind: OperationKind,
    /// The message's method; empty for a response.
    pub method: String,
    /// Tool, prompt or URI.
    pub name: Option<String>,
    /// Methods that, named exactly in `allow.methods`, permit every name.
    pub(crate) granted_by: &'static [&'static str],
    /// A `tools/call` with an argument name that the endpoint forbids.
    pub(crate) forbidden_argument: bool,
}

impl Operation {
    /// Whether the name is a URI template: those are completed.
    pub(crate) fn is_template(&self) -> bool {
        self.kind == OperationKind::Resource && self.method == "completion/complete"
    }
}

/// Operations of one request, at most: each is matched with every rule. A
/// batch has at most 1,024 members; a subscription may name as many resources.
const MAX_OPERATIONS: usize = 2048;

/// Every operation of a request, in wire order.
#[derive(Debug)]
pub(crate) struct Operations {
    list: Vec<Operation>,
    drop_mirrors: bool,
}

impl Operations {
    pub(crate) fn of(agreed: &Agreed, endpoint: &Endpoint) -> Result<Self, Refusal> {
        let mut list = Vec::new();
        for (message, class) in agreed.profiled().messages() {
            collect(message, class, &mut list);
        }
        if list.len() > MAX_OPERATIONS {
            return Err(Refusal::new(
                Reason::ParamsTooLarge,
                format!(
                    "the request names more than {MAX_OPERATIONS} things to authorise; split it"
                ),
            ));
        }
        for operation in &list {
            well_formed(operation, endpoint)?;
        }
        Ok(Self {
            list,
            drop_mirrors: agreed.drop_mirrors(),
        })
    }

    pub(crate) fn list(&self) -> &[Operation] {
        &self.list
    }

    pub(crate) fn drop_mirrors(&self) -> bool {
        self.drop_mirrors
    }

    pub(crate) fn into_list(self) -> Vec<Operation> {
        self.list
    }
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
    let mut rules = endpoint.allow.iter().chain(&endpoint.deny);
    rules.any(|rule: &Rule| !rule.resources.is_empty())
}
