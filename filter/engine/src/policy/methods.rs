//! What is known about a method name. Tower is asked; there is no table here.

use mcp_boundary_format::Revision;
use serde_json::json;
use tower_mcp_types::inspection::{
    McpDirection, McpInspectionErrorKind, McpInspector, McpMethodClassification,
    McpProtocolRevision,
};

/// How a method relates to one revision, seen from a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodClass {
    /// Clients may send it.
    Available,
    /// Only servers send it.
    WrongDirection,
    /// Another revision has it, this one does not.
    Unavailable,
    /// No revision knows it.
    Extension,
}

/// Operations that are permitted by name, not only by method.
/// Contract section 10.
pub const NAMED_OPERATIONS: [&str; 5] = [
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// Client methods of the official tasks extension in 2026-07-28.
pub const TASKS_EXTENSION: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

/// Whether `method` is one of [`NAMED_OPERATIONS`].
pub fn is_named_operation(method: &str) -> bool {
    NAMED_OPERATIONS.contains(&method)
}

/// Whether `method` belongs to the official tasks extension of 2026-07-28.
pub fn is_tasks_extension(method: &str) -> bool {
    TASKS_EXTENSION.contains(&method)
}

/// The revision as Tower names it.
pub(crate) const fn tower_revision(revision: Revision) -> McpProtocolRevision {
    match revision {
        Revision::V2025_03_26 => McpProtocolRevision::V2025_03_26,
        Revision::V2025_06_18 => McpProtocolRevision::V2025_06_18,
        Revision::V2025_11_25 => McpProtocolRevision::V2025_11_25,
        Revision::V2026_07_28 => McpProtocolRevision::V2026_07_28,
    }
}

/// How `method` relates to `revision`.
pub fn classify(method: &str, revision: Revision) -> MethodClass {
    let inspector = McpInspector::for_revision(tower_revision(revision));
    let probes = [
        json!({"jsonrpc": "2.0", "id": 1, "method": method}),
        json!({"jsonrpc": "2.0", "method": method}),
    ];
    for probe in probes {
        match inspector.inspect(&probe, Some(McpDirection::ClientToServer)) {
            Ok(inspected) => {
                return match inspected.methods().first().map(|m| m.classification()) {
                    Some(McpMethodClassification::Available) => MethodClass::Available,
                    Some(McpMethodClassification::Extension) => MethodClass::Extension,
                    Some(_) | None => MethodClass::Unavailable,
                };
            }
            Err(error) => match error.kind() {
                McpInspectionErrorKind::MissingParams | McpInspectionErrorKind::InvalidParams => {
                    return MethodClass::Available;
                }
                McpInspectionErrorKind::DirectionMismatch => return MethodClass::WrongDirection,
                _ => {}
            },
        }
    }
    MethodClass::Extension
}

/// No method of MCP has a longer name, in bytes.
const LONGEST: usize = 64;

/// The revisions in which clients may send `method`, for messages.
pub(crate) fn having(method: &str) -> String {
    let all = Revision::ALL.into_iter();
    let has = all.filter(|revision| classify(method, *revision) == MethodClass::Available);
    let has: Vec<_> = has.map(Revision::as_str).collect();
    has.join(", ")
}

/// The method of MCP that somebody may have meant who wrote `method`, which
/// none is: in another case, or without the word before it.
pub(crate) fn meant(method: &str) -> Option<String> {
    if method.len() > LONGEST {
        return None;
    }
    let lower = method.to_ascii_lowercase();
    let candidates = [lower.clone(), format!("notifications/{lower}")];
    let mut candidates = candidates.into_iter();
    candidates.find(|method| !having(method).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_was_meant() {
        for (method, told) in [
            ("Tools/Call", Some("tools/call")),
            ("initialized", Some("notifications/initialized")),
            ("vendor.example/x", None),
            ("", None),
        ] {
            assert_eq!(meant(method).as_deref(), told, "{method}");
        }
        assert_eq!(having("tasks/list"), "2025-11-25");
        assert_eq!(having("elicitation/create"), "");
    }

    #[test]
    fn asks_tower() {
        use MethodClass::*;
        use Revision::*;
        for (method, revision, class) in [
            ("tools/call", V2025_03_26, Available),
            ("notifications/initialized", V2025_11_25, Available),
            ("notifications/initialized", V2026_07_28, Unavailable),
            ("tasks/list", V2025_06_18, Unavailable),
            ("tasks/list", V2025_11_25, Available),
            ("sampling/createMessage", V2025_11_25, WrongDirection),
            (
                "notifications/tools/list_changed",
                V2025_11_25,
                WrongDirection,
            ),
            ("vendor.example/x", V2026_07_28, Extension),
            ("tasks/update", V2026_07_28, Unavailable),
            ("server/discover", V2026_07_28, Available),
        ] {
            assert_eq!(classify(method, revision), class, "{method} {revision}");
        }
    }
}
