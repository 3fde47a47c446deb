//! Texts that requests are compared with.

use mcp_boundary_format::{MAX_PATTERN_BYTES, is_glob};

use super::foreign::{self, Strictness};
use super::known::is_known;
use crate::report::{Finding, Report};
use crate::schema::Text;
use crate::show::Shown;

/// What every text of a policy has to be. Reports it when it is not.
pub(super) fn bounded(text: &Text, what: &str, report: &mut Report<'_>) -> bool {
    let (problem, help) = if text.value.is_empty() {
        ("is empty", "write at least one character")
    } else if text.value.len() > MAX_PATTERN_BYTES {
        ("is too long", "use at most 1024 bytes")
    } else if text.value.chars().any(char::is_control) {
        (
            "has a control character",
            "remove it; block texts (`|`, `>`) end with a line end",
        )
    } else {
        return true;
    };
    report.push(
        Finding::error(if text.value.is_empty() {
            format!("{what} {problem}")
        } else {
            format!("{what} {} {problem}", Shown(&text.value))
        })
        .at(&text.at, "")
        .help(help),
    );
    false
}

/// A tool's name. Under `tool_names: strict` those beyond the set are rejected
/// before the rules are asked, so a rule about one never matches. Contract
/// section 10.
pub(super) fn check_tool(name: &Text, strict: bool, report: &mut Report<'_>) {
    let strictness = match strict {
        true => Strictness::Strict,
        false => Strictness::Free,
    };
    if check_likeness(name, "tool name", strictness, report) || !strict {
        return;
    }
    let text = &name.value;
    let characters = text.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || b"_-.".contains(&byte) || (byte == b'*' && is_glob(text))
    });
    let length = text.bytes().filter(|byte| *byte != b'*').count();
    if characters && length <= 128 {
        return;
    }
    report.push(
        Finding::warning(format!("tool name {} never matches", Shown(text)))
            .at(&name.at, "not 1 to 128 of `A-Z a-z 0-9 _ - .`")
            .help("other tool names need `tool_names: any` in this endpoint"),
    );
}

pub(super) fn check_prompt(name: &Text, report: &mut Report<'_>) {
    check_likeness(name, "prompt name", Strictness::Free, report);
}

/// Whether `name` was reported: it is a method, or a pattern of another
/// language.
fn check_likeness(
    name: &Text,
    what: &str,
    strictness: Strictness,
    report: &mut Report<'_>,
) -> bool {
    let text = &name.value;
    if text.contains('/') && is_known(text) {
        report.push(
            Finding::warning(format!("{what} {} is a method", Shown(text)))
                .at(&name.at, "no name of a tool or a prompt")
                .help("list it under `methods`"),
        );
        return true;
    }
    let Some(foreign) = foreign::name(text, strictness) else {
        return false;
    };
    report.push(
        Finding::warning(format!("{what} {} {}", Shown(text), foreign.looks))
            .at(&name.at, foreign.remark)
            .help(foreign.help),
    );
    true
}
