//! Reading a verdict off the wire: what the client got, what the server got.

use serde_json::Value;

use super::intact;
use crate::client::{Request, Response};
use crate::corpus::{Case, Expected};
use crate::error::{Error, Result};
use crate::recorder::{ANSWER, Recording};
use crate::report::Got;

/// `error.code` of a policy denial.
const DENIED: i64 = -31403;

/// Whether the recording server answered.
pub(super) fn is_the_servers(response: &Response) -> bool {
    response.body == ANSWER.as_bytes()
}

/// What became of a case, or how the wire contradicts every verdict.
pub(super) fn judge(
    case: &Case,
    request: &Request,
    response: Result<Response>,
    recording: Recording,
) -> Result<Got> {
    if recording.bytes > 0 {
        return forwarded(case, request, response, &recording);
    }
    let response = match response {
        // A codec may hang up on what is no HTTP.
        Err(error) if case.is_raw() => return Ok(hung_up(&error)),
        other => other?,
    };
    if is_the_servers(&response) {
        return Err(Error::new(
            "the client got the server's answer, but the server got nothing",
        ));
    }
    let answer = response.json();
    let code = answer
        .as_ref()
        .and_then(|answer| answer["error"]["code"].as_i64());
    // A denied notification or response gets no body. What Envoy refuses by
    // itself has none either: upgrades, and what only a raw request can hold.
    let silent = response.body.is_empty()
        && matches!(response.status, 200 | 202 | 403)
        && case.method == "POST"
        && !case.is_raw();
    let verdict = if code == Some(DENIED) || silent {
        Expected::Deny
    } else if code.is_some() || response.status >= 400 {
        Expected::Reject
    } else {
        return Err(Error::new(format!(
            "nothing reached the server, and the answer is no refusal: {}",
            shown(&response)
        )));
    };
    let reason = answer
        .as_ref()
        .and_then(|answer| answer["error"]["data"]["reason"].as_str());
    Ok(Got {
        verdict,
        code: reason.map(str::to_owned),
        status: Some(response.status),
        headers: response
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned()))
            .collect(),
        empty: response.body.is_empty(),
        through: String::new(),
        detail: answer.as_ref().map_or_else(|| shown(&response), message),
        answer,
    })
}

fn hung_up(error: &Error) -> Got {
    Got {
        verdict: Expected::Reject,
        code: None,
        status: None,
        headers: Vec::new(),
        empty: true,
        answer: None,
        through: String::new(),
        detail: format!("nothing reached the server, and {error}"),
    }
}

/// Bytes at the server mean a forward and nothing else; they must be one
/// request with the body that was sent.
fn forwarded(
    case: &Case,
    request: &Request,
    response: Result<Response>,
    recording: &Recording,
) -> Result<Got> {
    let stray = recording.unattributed();
    let [exchange] = recording.exchanges.as_slice() else {
        return Err(Error::new(format!(
            "the server got {} bytes as {} requests, {stray} of them in none",
            recording.bytes,
            recording.exchanges.len()
        )));
    };
    if stray > 0 {
        return Err(Error::new(format!(
            "the server got {stray} bytes beside the request"
        )));
    }
    let response = response?;
    if !is_the_servers(&response) {
        return Err(Error::new(format!(
            "the server got the request, but the client another answer: {}",
            shown(&response)
        )));
    }
    // What a raw request says is anyone's guess; it is there to be refused.
    if !case.is_raw()
        && let Some(difference) = intact::difference(request, exchange, case.policy.edits_headers())
    {
        return Err(Error::new(difference));
    }
    Ok(Got {
        verdict: Expected::Forward,
        code: None,
        status: None,
        headers: Vec::new(),
        empty: false,
        answer: None,
        through: String::new(),
        detail: format!(
            "the server got all {} bytes of the body",
            exchange.body.len()
        ),
    })
}

fn message(answer: &Value) -> String {
    answer["error"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn shown(response: &Response) -> String {
    let body = String::from_utf8_lossy(&response.body);
    let cut: String = body.chars().take(200).collect();
    format!("{} `{cut}`", response.status)
}
