//! Method names in rules. The engine, which asks Tower, knows the revisions;
//! here is no table of them.

use mcp_boundary_engine::methods::{
    MethodClass, NAMED_OPERATIONS, classify, is_named_operation, is_tasks_extension,
};
use mcp_boundary_format::{Revision, Revisions, is_glob};

use super::globs;
use crate::report::{Finding, Report};
use crate::schema::Text;
use crate::show::{Shown, one_of};

/// Whether any revision has the method; asking one tells about all.
fn is_known(method: &str) -> bool {
    classify(method, Revision::V2025_11_25) != MethodClass::Extension
}

/// An entry of `allow.methods`.
pub(super) fn check_allowed(method: &Text, revisions: Revisions, report: &mut Report<'_>) {
    let name = &method.value;
    if is_glob(name) {
        check_glob(method, report);
    } else if !is_known(name) {
        report.push(
            Finding::warning(format!("method {} never matches", Shown(name)))
                .at(&method.at, "no revision has it")
                .help(match near(name) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "if it is an extension, list it under `extensions`".into(),
                }),
        );
    } else if !sendable(name, revisions) {
        report.push(
            Finding::warning(format!("method {} never matches", Shown(name)))
                .at(&method.at, "no permitted revision lets a client send it")
                .help(where_sendable(name, revisions)),
        );
    }
}

fn sendable(method: &str, revisions: Revisions) -> bool {
    revisions
        .iter()
        .any(|revision| classify(method, revision) == MethodClass::Available)
}

fn where_sendable(method: &str, revisions: Revisions) -> String {
    let modern = Revision::V2026_07_28;
    if is_tasks_extension(method) && revisions.contains(modern) {
        return format!("in `{modern}` it is an extension: list it under `extensions`");
    }
    let having: Vec<_> = Revision::ALL
        .into_iter()
        .filter(|revision| classify(method, *revision) == MethodClass::Available)
        .map(Revision::as_str)
        .collect();
    if having.is_empty() && is_tasks_extension(method) {
        format!("remove it; it is an extension of `{modern}`, which is not permitted here")
    } else if having.is_empty() {
        "only servers send it: remove it".into()
    } else {
        format!(
            "remove it, or permit a revision that has it: {}",
            one_of(&having, "or")
        )
    }
}

/// A glob in `allow` covers neither named operations nor extensions. Contract
/// section 10. Warns about those that seem to be meant for them.
fn check_glob(glob: &Text, report: &mut Report<'_>) {
    let pattern = glob.value.as_str();
    let Some((namespace, _)) = globs::literal_start(pattern).split_once('/') else {
        return;
    };
    if namespace.contains('.') {
        report.push(
            Finding::warning(format!("pattern {} never matches", Shown(pattern)))
                .at(&glob.at, "patterns do not cover extensions")
                .help("list each extension under `extensions`, by its exact name"),
        );
        return;
    }
    let named: Vec<_> = NAMED_OPERATIONS
        .into_iter()
        .filter(|operation| globs::matches(pattern, operation))
        .collect();
    // What else such a namespace offers are its listings.
    let other = ["list", "templates/list"]
        .map(|listing| format!("{namespace}/{listing}"))
        .into_iter()
        .any(|listing| is_known(&listing) && globs::matches(pattern, &listing));
    if named.is_empty() || other {
        return;
    }
    report.push(
        Finding::warning(format!("pattern {} never matches", Shown(pattern)))
            .at(
                &glob.at,
                format!("patterns do not cover {}", one_of(&named, "and")),
            )
            .help(format!(
                "list names under `{namespace}`, or write {} out to permit every name",
                one_of(&named, "or")
            )),
    );
}

/// An entry of `deny.methods`; `extensions` are those the endpoint allows.
pub(super) fn check_denied(method: &Text, extensions: &[&str], report: &mut Report<'_>) {
    let name = method.value.as_str();
    let allowed = || {
        extensions
            .iter()
            .any(|extension| extension.eq_ignore_ascii_case(name))
    };
    if is_glob(name) || is_known(name) || allowed() {
        return;
    }
    report.push(
        Finding::warning(format!("denying method {} has no effect", Shown(name)))
            .at(
                &method.at,
                "no revision has it, and it is not an allowed extension",
            )
            .help(match near(name) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "check the name, or remove it".into(),
            }),
    );
}

/// An entry of `extensions`.
pub(super) fn check_extension(method: &Text, revisions: Revisions, report: &mut Report<'_>) {
    let name = &method.value;
    if is_glob(name) {
        report.push(
            Finding::error(format!("extension {} is a pattern", Shown(name)))
                .at(&method.at, "")
                .help("list each extension by its exact name"),
        );
    } else if is_tasks_extension(name) {
        if !revisions.contains(Revision::V2026_07_28) {
            report.push(
                Finding::warning(format!("extension {} never matches", Shown(name)))
                    .at(&method.at, "no permitted revision has it as an extension")
                    .help(format!(
                        "list it under `methods`, or permit `{}`",
                        Revision::V2026_07_28
                    )),
            );
        }
    } else if is_known(name) {
        report.push(
            Finding::warning(format!("extension {} never matches", Shown(name)))
                .at(&method.at, "this is a method of MCP itself")
                .help("list it under `methods`"),
        );
    }
}

/// The named operations that a selector such as `tools` is about.
pub(super) fn operations_of(selector: &str) -> impl Iterator<Item = &'static str> {
    NAMED_OPERATIONS.into_iter().filter(move |operation| {
        is_named_operation(operation)
            && operation
                .strip_prefix(selector)
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// A known method that differs from `name` by case, a forgotten
/// `notifications/`, or one edit. Tries them all, since there is no list of
/// methods to compare with.
fn near(name: &str) -> Option<String> {
    if name.len() > 48 || !name.is_ascii() {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let whole = [lower.clone(), format!("notifications/{name}")];
    let places = 0..=name.len();
    let letters = || ('a'..='z').chain('A'..='Z').chain(['/', '_']);
    let edits = places.flat_map(|at| {
        let (head, tail) = name.split_at(at);
        let after = tail.get(1..);
        let second = tail.get(1..2).unwrap_or_default();
        let removed = after.map(|after| format!("{head}{after}"));
        let swapped = tail
            .get(2..)
            .map(|after| format!("{head}{second}{}{after}", &tail[..1]));
        let replaced = letters().filter_map(move |c| Some(format!("{head}{c}{}", after?)));
        let inserted = letters().map(move |c| format!("{head}{c}{tail}"));
        removed
            .into_iter()
            .chain(swapped)
            .chain(replaced)
            .chain(inserted)
    });
    whole.into_iter().chain(edits).find(|other| is_known(other))
}
