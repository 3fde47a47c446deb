//! Method names in rules. What they may do is for the engine, which asks
//! Tower.

use mcp_boundary_engine::methods::{
    MethodClass, NAMED_OPERATIONS, classify, is_named_operation, is_tasks_extension,
};
use mcp_boundary_format::glob::{Style, matches};
use mcp_boundary_format::{Revision, Revisions, is_glob};

use super::foreign::{self, Strictness};
use super::known::{self, is_known, near};
use crate::report::{Finding, Report};
use crate::schema::Text;
use crate::show::{Shown, one_of, suggestion};

const NO_REVISION: &str = "no revision has it";

/// An entry of `allow.methods`.
pub(super) fn check_allowed(method: &Text, revisions: Revisions, report: &mut Report<'_>) {
    let name = &method.value;
    if is_glob(name) {
        check_glob(method, revisions, report);
    } else if !is_known(name) {
        let (remark, help) = guess(name, report).unwrap_or_else(|| {
            (
                NO_REVISION.into(),
                "if it is an extension, list it under `extensions`".into(),
            )
        });
        report.push(
            Finding::warning(format!("method {} never matches", Shown(name)))
                .at(&method.at, remark)
                .help(help),
        );
    } else if !sendable(name, revisions) {
        report.push(
            Finding::warning(format!("method {} never matches", Shown(name)))
                .at(&method.at, "no permitted revision lets a client send it")
                .help(where_sendable(name, revisions))
                .presumes(&["versions"]),
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
/// section 10. Warns about those that cover nothing else, or nothing at all.
fn check_glob(glob: &Text, revisions: Revisions, report: &mut Report<'_>) {
    let pattern = glob.value.as_str();
    let never = |remark: String, help: String| {
        Finding::warning(format!("pattern {} never matches", Shown(pattern)))
            .at(&glob.at, remark)
            .help(help)
    };
    let matched: Vec<_> = known_by(pattern)
        // Unlike a deny, it compares exactly.
        .filter(|method| matches(pattern, method, Style::EXACT))
        .collect();
    let (named, plain): (Vec<_>, Vec<_>) = matched.into_iter().partition(|m| is_named_operation(m));
    if plain.is_empty() && named.is_empty() {
        let namespace = pattern.split(['*', '/']).next().unwrap_or_default();
        report.push(if let Some((remark, help)) = guess(pattern, report) {
            never(remark, help)
        } else if namespace.contains('.') {
            never(
                "patterns do not cover extensions".into(),
                "list each extension under `extensions`, by its exact name".into(),
            )
        } else {
            never(
                "no method of any revision is like this".into(),
                "check the name, or remove it".into(),
            )
        });
    } else if plain.is_empty() {
        let namespace = pattern.split('/').next().unwrap_or_default();
        let lists = match named.iter().all(|name| name.starts_with(namespace)) {
            true => format!("list names under `{namespace}`"),
            false => "list names under `tools`, `prompts` or `resources`".into(),
        };
        report.push(never(
            format!("patterns do not cover {}", one_of(&named, "and")),
            format!(
                "{lists}, or write {} out to permit every name",
                one_of(&named, "or")
            ),
        ));
    } else if !plain.iter().any(|method| sendable(method, revisions)) {
        report.push(
            never(
                format!(
                    "no permitted revision lets a client send {}",
                    one_of(&plain, "or")
                ),
                "remove it, or permit a revision that has these methods".into(),
            )
            .presumes(&["versions"]),
        );
    }
}

/// The methods of any revision that a pattern of a deny matches.
fn known_by(pattern: &str) -> impl Iterator<Item = &'static str> {
    known::all().filter(move |method| matches(pattern, method, Style::FOLDED))
}

/// What was probably meant by a name that no method has: a remark and a help.
/// Nothing if they would not be shown.
fn guess(name: &str, report: &Report<'_>) -> Option<(String, String)> {
    if !report.shows_warnings() {
        return None;
    }
    let foreign = foreign::name(name, Strictness::Strict);
    if let Some(near) = near(name) {
        let remark = match foreign {
            Some(foreign) => foreign.remark,
            None => NO_REVISION.into(),
        };
        return Some((remark, format!("did you mean `{near}`?")));
    }
    if let Some(operation) = NAMED_OPERATIONS
        .into_iter()
        .find(|operation| name.starts_with(operation) && !is_known(name))
    {
        let selector = operation.split('/').next().unwrap_or_default();
        return Some((
            NO_REVISION.into(),
            format!("to name what `{operation}` may name, list it under `{selector}`"),
        ));
    }
    foreign.map(|foreign| (foreign.remark, foreign.help))
}

/// An entry of `deny.methods`; `extensions` are those the endpoint allows.
pub(super) fn check_denied(method: &Text, extensions: &[&str], report: &mut Report<'_>) {
    let name = method.value.as_str();
    let mut allowed = extensions.iter();
    if known_by(name).next().is_some()
        || is_known(name)
        || allowed.any(|extension| matches(name, extension, Style::FOLDED))
    {
        return;
    }
    let nobody = "no revision has it, and it is not an allowed extension";
    let (remark, help) = match guess(name, report) {
        Some((remark, help)) if remark == NO_REVISION => (nobody.into(), help),
        Some(guess) => guess,
        None => (nobody.into(), "check the name, or remove it".into()),
    };
    report.push(
        Finding::warning(format!("denying method {} has no effect", Shown(name)))
            .at(&method.at, remark)
            .help(help)
            .presumes(&["allow"]),
    );
}

/// An entry of `deny.extensions`; `allowed` are those the endpoint allows.
/// Extensions that it does not are denied anyway.
pub(super) fn check_denied_extension(method: &Text, allowed: &[&str], report: &mut Report<'_>) {
    let name = method.value.as_str();
    let mut listed = allowed.iter();
    // Told as no extension's name.
    let told = is_known(name) || is_glob(name) || foreign::name(name, Strictness::Strict).is_some();
    if told || listed.any(|other| other.eq_ignore_ascii_case(name)) {
        return;
    }
    let near = report.shows_warnings().then(|| suggestion(name, allowed));
    report.push(
        Finding::warning(format!("denying extension {} has no effect", Shown(name)))
            .at(&method.at, "no rule allows it")
            .help(match near.flatten() {
                Some(near) => format!("did you mean {}?", Shown(near)),
                None => "check the name, or remove it: what is not allowed is denied".into(),
            })
            .presumes(&["allow"]),
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
                    ))
                    .presumes(&["versions"]),
            );
        }
    } else if is_known(name) {
        report.push(
            Finding::warning(format!("extension {} never matches", Shown(name)))
                .at(&method.at, "this is a method of MCP itself")
                .help("list it under `methods`"),
        );
    } else if let Some(foreign) = foreign::name(name, Strictness::Strict) {
        report.push(
            Finding::warning(format!("extension {} {}", Shown(name), foreign.looks))
                .at(
                    &method.at,
                    "extensions are exact: nothing here is a pattern",
                )
                .help("list each extension by its exact name"),
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
