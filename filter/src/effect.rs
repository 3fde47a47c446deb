//! Everything the filter writes to the host: answers, header changes, filter
//! state, the audit line and counters.

use mcp_boundary_engine::{Effect, Engine, HeaderEdit, Outcome, Role, Seen, Verdict};
use proxy_wasm::hostcalls;
use proxy_wasm::types::{MapType, Status};

use crate::attributes::{self, RECORD, lines};
use crate::hold::{self, Left};
use crate::root::Boundary;

/// Does what was decided, then tells and counts it. An error means that the
/// request is not as it was decided to be, so that it must not go on; nothing
/// was counted then.
/// `left` is what is kept of the headers if they went on to a gate.
pub(crate) fn apply(
    boundary: &Boundary,
    outcome: &Outcome,
    left: Option<&Left>,
) -> Result<(), Status> {
    match &outcome.effect {
        Effect::Forward { edits, record, .. } => {
            if let Some(record) = record {
                hostcalls::set_property(vec![RECORD], Some(record))?;
            }
            match left {
                Some(left) => hold::release(boundary, left, edits)?,
                None => {
                    edit(edits)?;
                    hold::pass(boundary)?;
                }
            }
        }
        Effect::Answer {
            status,
            headers,
            body,
        } => answer(*status, headers, body)?,
    }
    tell(boundary, &outcome.verdict, left)?;
    boundary.count(&outcome.verdict);
    Ok(())
}

fn edit(edits: &[HeaderEdit]) -> Result<(), Status> {
    for edit in edits {
        let (name, value) = match edit {
            HeaderEdit::Set(name, value) => (name, Some(value.as_bytes())),
            HeaderEdit::Remove(name) => (name, None),
        };
        hostcalls::set_map_value_bytes(MapType::HttpRequestHeaders, name, value)?;
    }
    Ok(())
}

/// The answer where nothing can be decided: there is no policy, or the gate is
/// not as it should be. `message` says which.
pub(crate) fn unserved(message: &str) -> Result<(), Status> {
    let headers = [("content-type", "application/json".to_owned())];
    let body = mcp_boundary_handover::answer(message);
    answer(503, &headers, body.as_bytes())
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
fn tell(boundary: &Boundary, verdict: &Verdict, left: Option<&Left>) -> Result<(), Status> {
    let engine = &boundary.engine;
    if verdict.is_news() {
        log::warn!("{}", line(engine, verdict, left));
    }
    for (key, value) in engine.state(verdict) {
        hostcalls::set_property(vec![key], Some(value.as_bytes()))?;
    }
    Ok(())
}

/// What the host does not tell is missing in the line, and nowhere else.
fn line(engine: &Engine, verdict: &Verdict, left: Option<&Left>) -> String {
    let held;
    let headers = match left {
        Some(left) => left.headers(),
        None => {
            held = hostcalls::get_map_bytes(MapType::HttpRequestHeaders).unwrap_or_default();
            lines(&held)
        }
    };
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
