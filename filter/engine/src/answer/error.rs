//! The answer to a refused request. Contract section 11.

use std::borrow::Cow;

use mcp_boundary_format::{Denial, Endpoint, Revision};
use serde_json::{Map, Value, json};

use super::effect::Effect;
use super::facts::Facts;
use super::reason::{Kind, Reason, Refusal, code};
use crate::head::verb::allowed_verbs;

/// The answer to a refused request.
pub(crate) fn answer(refusal: &Refusal, facts: &Facts) -> Effect {
    let endpoint = facts.seat.as_ref().map(|seat| &*seat.endpoint);
    let reason = refusal.reason;
    let denied = reason.kind() == Kind::Deny;
    let status = match endpoint.map(|endpoint| endpoint.denial) {
        Some(Denial::Http) if denied => 403,
        _ => reason.status(facts.modern),
    };
    let mut headers = Vec::new();
    if reason == Reason::VerbNotAllowed {
        let allow = endpoint.map_or_else(String::new, |endpoint| {
            allowed_verbs(facts.modern, endpoint)
        });
        headers.push(("allow", allow));
    }
    if denied && facts.silent {
        return Effect::Answer {
            status,
            headers,
            body: Vec::new(),
        };
    }
    headers.push(("content-type", "application/json".to_owned()));
    Effect::Answer {
        status,
        headers,
        body: error(refusal, facts, endpoint).to_string().into_bytes(),
    }
}

fn error(refusal: &Refusal, facts: &Facts, endpoint: Option<&Endpoint>) -> Value {
    let mut data = Map::new();
    data.insert("reason".into(), refusal.reason.code().into());
    if let Some(endpoint) = endpoint {
        data.insert("endpoint".into(), endpoint.name.as_str().into());
        if refusal.reason.error_code() == code::VERSION {
            let supported: Vec<_> = endpoint.revisions.iter().map(Revision::as_str).collect();
            data.insert("supported".into(), supported.into());
            if let Some(requested) = &facts.requested {
                data.insert("requested".into(), cut(requested).into());
            }
        }
    }
    if let Some(rule) = &refusal.rule {
        data.insert("rule".into(), rule.as_str().into());
    }
    let mut message = Map::new();
    message.insert("jsonrpc".into(), "2.0".into());
    match (&facts.id, facts.modern) {
        (Some(id), _) => drop(message.insert("id".into(), id.clone())),
        (None, false) => drop(message.insert("id".into(), Value::Null)),
        (None, true) => {}
    }
    // Clients show this as the server's words.
    let text = match refusal.reason.kind() {
        Kind::Deny => format!(
            "refused by the gateway before the server: {}",
            refusal.detail
        )
        .into(),
        Kind::Reject | Kind::Forward => Cow::Borrowed(refusal.detail.as_ref()),
    };
    message.insert(
        "error".into(),
        json!({"code": refusal.reason.error_code(), "message": text, "data": data}),
    );
    Value::Object(message)
}

/// A revision that a client offered, in an answer: at most 32 bytes of it.
fn cut(value: &str) -> &str {
    let end = (0..=value.len().min(32)).rfind(|at| value.is_char_boundary(*at));
    end.and_then(|end| value.get(..end)).unwrap_or_default()
}
