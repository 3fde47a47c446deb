//! What a denied operation is told. Contract sections 10 and 11.

use mcp_boundary_format::{Endpoint, Rule};

use super::methods;
use super::names::method_is_denied;
use super::operation::{Operation, OperationKind};
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::{Shown, ShownUri};

/// The endpoint takes no answers of clients.
pub(super) fn of_response(endpoint: &Endpoint) -> Refusal {
    Refusal::new(
        Reason::ResponseNotAllowed,
        format!(
            "endpoint {} takes no client responses; the operator can set `responses: allow`",
            Shown(&endpoint.name)
        ),
    )
}

/// The call has an argument of a name that the endpoint forbids.
pub(super) fn of_argument(operation: &Operation, endpoint: &Endpoint) -> Refusal {
    // As the policy names them, whatever the call has of them.
    let names = endpoint.forbidden_arguments.iter();
    let names: Vec<_> = names.map(|name| Shown(name).to_string()).collect();
    Refusal::new(
        Reason::ArgumentForbidden,
        format!(
            "the call of tool {} has an argument that endpoint {} forbids; it must have none of: {}",
            Shown(operation.name.as_deref().unwrap_or_default()),
            Shown(&endpoint.name),
            names.join(", ")
        ),
    )
}

/// No rule allows it. `but_for` is one that would, were its condition to hold.
pub(super) fn unless_allowed(
    operation: &Operation,
    endpoint: &Endpoint,
    but_for: Option<&Rule>,
) -> Refusal {
    let refusal = denial(operation, endpoint, None);
    let detail = match (but_for, operation.kind) {
        (Some(rule), _) => format!(
            "{} for this caller: the condition of rule {} does not hold; only the operator can change that",
            refusal.detail,
            Shown(&rule.id)
        ),
        (None, OperationKind::Extension) if let Some(meant) = methods::meant(&operation.method) => {
            format!("{}; did you mean {}?", refusal.detail, Shown(&meant))
        }
        (None, _) => format!("{}; only the operator can allow it", refusal.detail),
    };
    Refusal {
        detail: detail.into(),
        ..refusal
    }
}

/// A rule denies it.
pub(super) fn by_rule(operation: &Operation, endpoint: &Endpoint, rule: &Rule) -> Refusal {
    denial(operation, endpoint, Some(rule))
}

fn denial(operation: &Operation, endpoint: &Endpoint, rule: Option<&Rule>) -> Refusal {
    use OperationKind as Of;
    let denied = rule.is_some();
    let (reason, what) = match (operation.kind, denied) {
        (Of::Method | Of::Response, false) => (Reason::MethodNotAllowed, "method"),
        (Of::Method | Of::Response, true) => (Reason::MethodDenied, "method"),
        (Of::Tool, false) => (Reason::ToolNotAllowed, "tool"),
        (Of::Tool, true) => (Reason::ToolDenied, "tool"),
        (Of::Prompt, false) => (Reason::PromptNotAllowed, "prompt"),
        (Of::Prompt, true) => (Reason::PromptDenied, "prompt"),
        (Of::Resource, false) => (Reason::ResourceNotAllowed, "resource"),
        (Of::Resource, true) => (Reason::ResourceDenied, "resource"),
        (Of::Extension, false) => (Reason::ExtensionNotAllowed, "extension method"),
        (Of::Extension, true) => (Reason::ExtensionDenied, "extension method"),
    };
    // The policy may deny the method of a named operation as a whole.
    let (reason, what) = match rule {
        Some(rule) if operation.name.is_some() && method_is_denied(rule, operation) => {
            (Reason::MethodDenied, "method")
        }
        _ => (reason, what),
    };
    let name = match (what, &operation.name) {
        ("method", _) | (_, None) => &operation.method,
        (_, Some(name)) => name,
    };
    let endpoint = Shown(&endpoint.name);
    let name = match what {
        "resource" => ShownUri(name).to_string(),
        _ => Shown(name).to_string(),
    };
    let detail = match rule {
        Some(rule) => format!(
            "{what} {name} is denied by rule {} of endpoint {endpoint}; do not retry, only the operator can change the rule",
            Shown(&rule.id)
        ),
        None => format!("{what} {name} is not allowed on endpoint {endpoint}"),
    };
    Refusal {
        rule: rule.map(|rule| rule.id.to_string()),
        ..Refusal::new(reason, detail)
    }
}
