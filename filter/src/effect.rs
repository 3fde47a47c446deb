//! Everything the filter writes to the host: answers, header changes, filter
//! state, the audit line and counters.

use mcp_boundary_engine::{Effect, Engine, HeaderEdit, Outcome, Role, Seen, Verdict};
use proxy_wasm::hostcalls;
use proxy_wasm::types::{MapType, Status};
use serde_json::json;

use crate::attributes::{self, RECORD};
use crate::root::Boundary;

/// Does what was decided, then tells and counts it. An error means that the
/// request is not as it was decided to be, so that it must not go on; nothing
/// was counted then.
pub(crate) fn apply(boundary: &Boundary, outcome: &Outcome) -> Result<(), Status> {
    match &outcome.effect {
        Effect::Forward { edits, record, .. } => {
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
    tell(boundary, &outcome.verdict)?;
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

/// Tells operators: a line in the log for whatever is not simply forwarded,
/// then what access logs show. The engine says what.
fn tell(boundary: &Boundary, verdict: &Verdict) -> Result<(), Status> {
    let engine = &boundary.engine;
    if verdict.is_news() {
        log::warn!("{}", line(engine, verdict));
    }
    for (key, value) in engine.state(verdict) {
        hostcalls::set_property(vec![key], Some(value.as_bytes()))?;
    }
    Ok(())
}

/// What the host does not tell is missing in the line, and nowhere else.
fn line(engine: &Engine, verdict: &Verdict) -> String {
    let headers = hostcalls::get_map_bytes(MapType::HttpRequestHeaders).unwrap_or_default();
    let headers: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_slice()))
        .collect();
    let record = match engine.role() {
        Role::Admit => None,
        Role::Recheck => attributes::record(),
    };
    let client = attributes::client();
    let seen = Seen {
        headers: &headers,
        client: client.as_deref(),
        record: record.as_deref(),
    };
    engine.line(verdict, &seen)
}
