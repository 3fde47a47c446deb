//! Everything the filter writes to the host: answers, header changes, filter
//! state, the audit line and counters.

use mcp_boundary_engine::{Effect, HeaderEdit, Kind, Operation, Outcome, Role, Verdict};
use proxy_wasm::hostcalls;
use proxy_wasm::types::{MapType, Status};
use serde_json::json;

use crate::attributes::RECORD;
use crate::root::Boundary;

/// Most methods or names that filter state and the audit line show.
const MAX_LISTED: usize = 16;
/// Most bytes of one of them.
const MAX_NAME: usize = 128;

/// Does what was decided, then counts and tells it; `admitted_by` is the policy
/// that admitted what a recheck decides on. An error means that the request is
/// not as it was decided to be, so that it must not go on; nothing was counted
/// or told then.
pub(crate) fn apply(
    boundary: &Boundary,
    outcome: &Outcome,
    admitted_by: Option<&str>,
) -> Result<(), Status> {
    match &outcome.effect {
        Effect::Forward { edits, record } => {
            for edit in edits {
                let (name, value) = match edit {
                    HeaderEdit::Set(name, value) => (name, Some(value.as_bytes())),
                    HeaderEdit::Remove(name) => (name, None),
                };
                hostcalls::set_map_value_bytes(MapType::HttpRequestHeaders, name, value)?;
            }
            if let Some(record) = record {
                hostcalls::set_property(vec![RECORD], Some(record))?;
            }
        }
        Effect::Answer {
            status,
            headers,
            body,
        } => answer(*status, headers, body)?,
    }
    note(boundary, &outcome.verdict, admitted_by)?;
    boundary.count(&outcome.verdict);
    Ok(())
}

/// The answer when there is no policy to decide with.
pub(crate) fn unavailable() -> Result<(), Status> {
    let body = json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": {
            "code": -32603,
            "message": "the boundary has no policy; see the proxy's log",
            "data": {"reason": "internal"},
        },
    });
    let headers = [("content-type", "application/json".to_owned())];
    answer(503, &headers, body.to_string().as_bytes())
}

fn answer(status: u16, headers: &[(&'static str, String)], body: &[u8]) -> Result<(), Status> {
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let body = (!body.is_empty()).then_some(body);
    hostcalls::send_http_response(u32::from(status), headers, body)
}

/// Leaves the verdict in filter state for access logs, and one structured
/// line in the log for whatever is not simply forwarded.
fn note(boundary: &Boundary, verdict: &Verdict, admitted_by: Option<&str>) -> Result<(), Status> {
    // A recheck leaves nothing in filter state: in the upstream chain the host
    // refuses it, and the SDK panics on a refusal. Its verdicts are counted and
    // logged.
    let admits = boundary.role == Role::Admit;
    let logs = verdict.kind != Kind::Forward;
    if !admits && !logs {
        return Ok(());
    }
    let methods = listed(&verdict.operations, |operation| Some(&operation.method));
    let names = listed(&verdict.operations, |operation| operation.name.as_deref());
    let kind = match verdict.is_would_deny() {
        true => "would_deny",
        false => verdict.kind.as_str(),
    };
    if admits {
        let revision = verdict.revision.map_or("", |revision| revision.as_str());
        for (key, value) in [
            ("mcp_boundary_verdict", kind),
            ("mcp_boundary_reason", verdict.reason.code()),
            ("mcp_boundary_rule", verdict.rule.as_deref().unwrap_or("")),
            ("mcp_boundary_revision", revision),
            ("mcp_boundary_methods", &methods.join(",")),
            ("mcp_boundary_names", &names.join(",")),
            ("mcp_boundary_policy", &boundary.digest),
        ] {
            hostcalls::set_property(vec![key], Some(value.as_bytes()))?;
        }
    }
    if logs {
        let mut line = json!({
            "mcp_boundary": kind,
            "reason": verdict.reason.code(),
            "detail": verdict.detail,
            "endpoint": boundary.endpoint_name(verdict),
            "mode": verdict.mode.as_str(),
            "role": boundary.role_name(),
            "revision": verdict.revision.map(|revision| revision.as_str()),
            "rule": verdict.rule,
            "methods": methods,
            "names": names,
            "policy": boundary.digest,
        });
        // Only where they differ: a roll-out is in progress.
        if let (Some(other), Some(line)) = (admitted_by, line.as_object_mut())
            && other != boundary.digest
        {
            line.insert("admitted_by".to_owned(), other.into());
        }
        log::warn!("{line}");
    }
    Ok(())
}

/// Some part of each operation, escaped, cut and bounded.
fn listed<'a>(
    operations: &'a [Operation],
    part: impl Fn(&'a Operation) -> Option<&'a str>,
) -> Vec<String> {
    let shown = |text: &str| -> String { text.escape_debug().take(MAX_NAME).collect() };
    operations
        .iter()
        .filter_map(part)
        .filter(|text| !text.is_empty())
        .take(MAX_LISTED)
        .map(shown)
        .collect()
}
