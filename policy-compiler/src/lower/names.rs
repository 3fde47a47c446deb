//! Texts that requests are compared with.

use mcp_boundary_format::{MAX_PATTERN_BYTES, is_glob};

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

/// What logs and metric labels can show unescaped.
pub(super) fn is_label(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}

/// Under `tool_names: strict` every other name is rejected before the rules
/// are asked, so a rule about one never matches. Contract section 10.
pub(super) fn check_tool(name: &Text, report: &mut Report<'_>) {
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
