//! Whether the names of a rule have one that is asked for. Contract section 10.

use mcp_boundary_format::glob::{self, Style};
use mcp_boundary_format::{Names, ResourceUris, Rule};

use super::operation::{Operation, OperationKind};
use super::uri::{self, deny::Spellings};

/// Globs are not tried on longer names: they allow nothing and deny all.
const MAX_GLOBBED: usize = 4096;

pub(super) fn allows_operation(rule: &Rule, operation: &Operation, uris: ResourceUris) -> bool {
    let every_name = || {
        let mut granting = operation.granted_by.iter();
        granting.any(|method| contains_exactly(&rule.methods, method))
    };
    let name = operation.name.as_deref();
    let names = |names: &Names, style| name.is_some_and(|name| contains(names, name, style, false));
    match operation.kind {
        OperationKind::Method => contains(&rule.methods, &operation.method, Style::EXACT, false),
        OperationKind::Tool => every_name() || names(&rule.tools, Style::EXACT),
        OperationKind::Prompt => every_name() || names(&rule.prompts, Style::EXACT),
        OperationKind::Resource => {
            every_name() || name.is_some_and(|name| allows_uri(&rule.resources, name, uris))
        }
        OperationKind::Extension => {
            let method = operation.method.as_str();
            let found = rule
                .extensions
                .binary_search_by(|name| name.as_str().cmp(method));
            found.is_ok()
        }
        OperationKind::Response => false,
    }
}

/// In a deny, a method glob covers whatever it matches: named operations and
/// extensions too. A deny that silently missed some would be worse.
pub(super) fn denies_operation(
    rule: &Rule,
    operation: &Operation,
    uri: Option<&Spellings>,
) -> bool {
    let name = operation.name.as_deref();
    let names = |names: &Names, style| name.is_some_and(|name| contains(names, name, style, true));
    method_is_denied(rule, operation)
        || match operation.kind {
            OperationKind::Tool => names(&rule.tools, Style::FOLDED),
            OperationKind::Prompt => names(&rule.prompts, Style::FOLDED),
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

pub(super) fn method_is_denied(rule: &Rule, operation: &Operation) -> bool {
    let mut methods =
        std::iter::once(operation.method.as_str()).chain(operation.granted_by.iter().copied());
    methods.any(|method| contains(&rule.methods, method, Style::FOLDED, true))
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
                .any(|pattern| glob::matches_literally(pattern, uri, Style::URIS, user.clone()))
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
