//! Stage 7: [`Operations`] to [`Decision`]: the endpoint's rules.
//! Contract section 10.
//!
//! An operation is permitted when some `allow` rule matches and no `deny` rule
//! does. Nothing allowed means denied; deny always wins; what cannot be read
//! never allows and always denies.

use mcp_boundary_format::{Endpoint, Names, ResourceUris, Rule, Switch};

use crate::glob::{self, Style};
use crate::methods;
use crate::operations::Operations;
pub use crate::operations::{Operation, OperationKind};
use crate::principals::Principals;
use crate::show::{Shown, ShownUri};
use crate::uri::{self, Spellings};
use crate::verdict::{Reason, Refusal};

/// Globs are not tried on longer names: they allow nothing and deny all.
const MAX_GLOBBED: usize = 4096;

/// What the rules say about all operations of a request.
#[derive(Debug)]
pub(crate) struct Decision {
    /// The rule that allowed the first operation, or the first denial.
    pub(crate) outcome: Result<Option<String>, Refusal>,
    pub(crate) operations: Operations,
}

impl Decision {
    pub(crate) fn make(operations: Operations, endpoint: &Endpoint, who: &Principals<'_>) -> Self {
        let rules = Rules { endpoint, who };
        let mut allowed_by = None;
        let mut outcome = Ok(());
        for operation in operations.list() {
            match rules.decide(operation) {
                Ok(rule) => {
                    allowed_by.get_or_insert(rule);
                }
                Err(refusal) => {
                    outcome = Err(refusal);
                    break;
                }
            }
        }
        Self {
            outcome: outcome.map(|()| allowed_by.flatten()),
            operations,
        }
    }
}

struct Rules<'a> {
    endpoint: &'a Endpoint,
    who: &'a Principals<'a>,
}

impl Rules<'_> {
    /// The rule that allows `operation`, or why it is denied.
    fn decide(&self, operation: &Operation) -> Result<Option<String>, Refusal> {
        if operation.kind == OperationKind::Response {
            return match self.endpoint.responses {
                Switch::Allow => Ok(None),
                Switch::Deny => Err(Refusal::new(
                    Reason::ResponseNotAllowed,
                    format!(
                        "endpoint {} takes no client responses; the operator can set `responses: allow`",
                        Shown(&self.endpoint.name)
                    ),
                )),
            };
        }
        let mut denies = self.endpoint.deny.iter();
        let spellings = self.spellings(operation);
        if let Some(rule) = denies.find(|rule| {
            denies_operation(rule, operation, spellings.as_ref()) && self.who.forbids(rule)
        }) {
            return Err(self.denial(operation, Some(rule)));
        }
        if operation.forbidden_argument {
            return Err(Refusal::new(
                Reason::ArgumentForbidden,
                format!(
                    "the call of tool {} has an argument that endpoint {} forbids; it must have none of: {}",
                    Shown(operation.name.as_deref().unwrap_or_default()),
                    Shown(&self.endpoint.name),
                    self.forbidden_arguments()
                ),
            ));
        }
        let mut allows = self.endpoint.allow.iter();
        match allows.find(|rule| self.allows(rule, operation) && self.who.permits(rule)) {
            Some(rule) => Ok(Some(rule.id.clone())),
            None => Err(self.not_allowed(operation)),
        }
    }

    /// As the policy names them, whatever the call has of them.
    fn forbidden_arguments(&self) -> String {
        let names = self.endpoint.forbidden_arguments.iter();
        let names: Vec<_> = names.map(|name| Shown(name).to_string()).collect();
        names.join(", ")
    }

    fn allows(&self, rule: &Rule, operation: &Operation) -> bool {
        allows_operation(rule, operation, self.endpoint.resource_uris)
    }

    /// What a denied URI is looked for in, if any rule denies some.
    fn spellings(&self, operation: &Operation) -> Option<Spellings> {
        let mut denies = self.endpoint.deny.iter();
        let name = operation
            .name
            .as_deref()
            .filter(|_| operation.kind == OperationKind::Resource)
            .filter(|_| denies.any(|rule| !rule.resources.is_empty()))?;
        Some(match operation.is_template() {
            true => Spellings::of_template(name),
            false => Spellings::of(name),
        })
    }

    /// Nothing allows it; tells whether only a condition stands in the way.
    fn not_allowed(&self, operation: &Operation) -> Refusal {
        let refusal = self.denial(operation, None);
        let mut allows = self.endpoint.allow.iter();
        let Some(rule) = allows.find(|rule| self.allows(rule, operation)) else {
            let detail = match (operation.kind, methods::meant(&operation.method)) {
                (OperationKind::Extension, Some(meant)) => {
                    format!("{}; did you mean {}?", refusal.detail, Shown(&meant))
                }
                _ => format!("{}; only the operator can allow it", refusal.detail),
            };
            return Refusal {
                detail: detail.into(),
                ..refusal
            };
        };
        let detail = format!(
            "{} for this caller: the condition of rule {} does not hold; only the operator can change that",
            refusal.detail,
            Shown(&rule.id)
        );
        Refusal {
            detail: detail.into(),
            ..refusal
        }
    }

    fn denial(&self, operation: &Operation, rule: Option<&Rule>) -> Refusal {
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
        let endpoint = Shown(&self.endpoint.name);
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
            rule: rule.map(|rule| rule.id.clone()),
            ..Refusal::new(reason, detail)
        }
    }
}

/// Plain comparison: `*` is any run of characters, case matters.
const EXACT: Style = Style {
    segments: false,
    fold: false,
};
/// `*` stops where a part of a URI ends.
const URIS: Style = Style {
    segments: true,
    ..EXACT
};
/// For denies: case does not matter.
const FOLDED: Style = Style {
    segments: false,
    fold: true,
};

fn allows_operation(rule: &Rule, operation: &Operation, uris: ResourceUris) -> bool {
    let every_name = || {
        let mut granting = operation.granted_by.iter();
        granting.any(|method| contains_exactly(&rule.methods, method))
    };
    let name = operation.name.as_deref();
    let names = |names: &Names, style| name.is_some_and(|name| contains(names, name, style, false));
    match operation.kind {
        OperationKind::Method => contains(&rule.methods, &operation.method, EXACT, false),
        OperationKind::Tool => every_name() || names(&rule.tools, EXACT),
        OperationKind::Prompt => every_name() || names(&rule.prompts, EXACT),
        OperationKind::Resource => {
            every_name() || name.is_some_and(|name| allows_uri(&rule.resources, name, uris))
        }
        OperationKind::Extension => rule.extensions.binary_search(&operation.method).is_ok(),
        OperationKind::Response => false,
    }
}

/// In a deny, a method glob covers whatever it matches: named operations and
/// extensions too. A deny that silently missed some would be worse.
fn denies_operation(rule: &Rule, operation: &Operation, uri: Option<&Spellings>) -> bool {
    let name = operation.name.as_deref();
    let names = |names: &Names, style| name.is_some_and(|name| contains(names, name, style, true));
    method_is_denied(rule, operation)
        || match operation.kind {
            OperationKind::Tool => names(&rule.tools, FOLDED),
            OperationKind::Prompt => names(&rule.prompts, FOLDED),
            OperationKind::Resource => {
                let long = name.is_some_and(|name| name.len() > MAX_GLOBBED);
                uri.is_some_and(|uri| uri.are_denied(&rule.resources, long))
            }
            OperationKind::Extension => {
                let mut extensions = rule.extensions.iter();
                extensions.any(|extension| extension.eq_ignore_ascii_case(&operation.method))
            }
            OperationKind::Method | OperationKind::Response => false,
        }
}

fn method_is_denied(rule: &Rule, operation: &Operation) -> bool {
    let mut methods =
        std::iter::once(operation.method.as_str()).chain(operation.granted_by.iter().copied());
    methods.any(|method| contains(&rule.methods, method, FOLDED, true))
}

/// Compared as sent. Stars cover no user information: `https://*.a.example/**`
/// is about hosts. Under `resource_uris: any` nothing is known about parts.
fn allows_uri(names: &Names, uri: &str, uris: ResourceUris) -> bool {
    let user = match uris {
        ResourceUris::Strict => uri::user_information(uri),
        ResourceUris::Any => 0..0,
    };
    contains_exactly(names, uri)
        || uri.len() <= MAX_GLOBBED
            && names
                .globs
                .iter()
                .any(|pattern| glob::matches_literally(pattern, uri, URIS, user.clone()))
}

fn contains_exactly(names: &Names, name: &str) -> bool {
    names
        .exact
        .binary_search_by(|entry| entry.as_str().cmp(name))
        .is_ok()
}

/// Whether `names` has `name`; `long` is the answer of a glob to a name that
/// is too long to try.
pub(crate) fn contains(names: &Names, name: &str, style: Style, long: bool) -> bool {
    let exact = if style.fold {
        names
            .exact
            .iter()
            .any(|entry| entry.eq_ignore_ascii_case(name))
    } else {
        contains_exactly(names, name)
    };
    exact
        || names.globs.iter().any(|pattern| {
            if name.len() > MAX_GLOBBED {
                long
            } else {
                glob::matches(pattern, name, style)
            }
        })
}
