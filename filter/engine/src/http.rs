//! Stage 0: the header phase. Endpoint, verb, media type, size and origin.
//! Contract sections 3, 4 and 12.

use mcp_boundary_format::{Endpoint, Revision, Source, Switch};

pub(crate) use crate::endpoint::Place;
use crate::endpoint::select;
use crate::engine::{Engine, Role};
use crate::recheck;
use crate::request::{Fault, Fields, Head};
use crate::revision::{Claim, Selected, VERSION_HEADER};
use crate::verdict::{Reason, Refusal};

/// The verbs MCP uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Delete,
}

/// Finds the endpoint: by host and path at admit, by the record at recheck.
pub(crate) fn locate(engine: &Engine, head: &Head<'_>) -> Result<Place, Refusal> {
    match engine.role() {
        Role::Admit => {
            let (host, path) = (head.pseudo(b":authority"), head.pseudo(b":path"));
            select(engine.policy(), host, path)
        }
        Role::Recheck => recheck::rechecked(engine, head),
    }
}

/// Everything that can be decided about a request before its body.
pub(crate) fn check(
    head: &Head<'_>,
    fields: &Fields,
    endpoint: &Endpoint,
) -> Result<Verb, Refusal> {
    if fields.upgrade {
        return Err(verb_refused(
            "MCP upgrades to no other protocol; leave out the header `upgrade`",
        ));
    }
    origin(fields, endpoint)?;
    principals(fields, endpoint)?;
    match head.pseudo(b":method") {
        b"POST" => {
            media_type(fields)?;
            encoding(fields)?;
            size(fields, endpoint)?;
            Ok(Verb::Post)
        }
        b"GET" => {
            no_body(fields)?;
            stream(fields, endpoint)?;
            Ok(Verb::Get)
        }
        b"DELETE" => {
            no_body(fields)?;
            session_end(fields, endpoint)?;
            Ok(Verb::Delete)
        }
        b"OPTIONS" if fields.preflight => Err(verb_refused(
            "this is a browser's CORS preflight; the operator must place Envoy's CORS filter before the MCP filter, a client cannot mend it",
        )),
        _ => Err(verb_refused(
            "MCP uses only POST, GET and DELETE; send messages by POST",
        )),
    }
}

/// The verbs an endpoint takes under the claimed revision, for `Allow`.
pub(crate) fn allowed_verbs(fields: &Fields, endpoint: &Endpoint) -> String {
    let mut verbs = vec!["POST"];
    let modern = Claim::read(fields.get(VERSION_HEADER), endpoint)
        .is_ok_and(|claim| claim.revision == Some(Revision::V2026_07_28));
    if !modern && endpoint.revisions.legacy().next().is_some() {
        if endpoint.streams == Switch::Allow {
            verbs.push("GET");
        }
        if endpoint.sessions == Switch::Allow {
            verbs.push("DELETE");
        }
    }
    verbs.join(", ")
}

fn verb_refused(detail: &'static str) -> Refusal {
    Refusal::new(Reason::VerbNotAllowed, detail)
}

fn ambiguous(name: &str, fault: Fault) -> Refusal {
    Refusal::new(Reason::HeaderAmbiguous, fault.told(name))
}

/// `Content-Length`, if there is one that is a number.
pub(crate) fn declared_length(fields: &Fields) -> Option<u64> {
    let value = fields.get("content-length").one().ok()??;
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| value.parse().unwrap_or(u64::MAX))
}

/// After a rewrite, `Content-Length` must still be the body's.
pub(crate) fn check_length(fields: &Fields, role: Role, body: &[u8]) -> Result<(), Refusal> {
    let actual = u64::try_from(body.len()).unwrap_or(u64::MAX);
    match (role, declared_length(fields)) {
        (Role::Recheck, Some(declared)) if declared != actual => Err(Refusal::new(
            Reason::LengthMismatch,
            format!(
                "`Content-Length` must be {actual}, the length of the rewritten body, not {declared}"
            ),
        )),
        _ => Ok(()),
    }
}

/// The declared length, if there is one, or why there is no telling.
fn length(fields: &Fields) -> Result<Option<u64>, Refusal> {
    match fields.get("content-length").one() {
        Ok(None) => return Ok(None),
        Ok(Some(_)) => {}
        Err(fault) => return Err(ambiguous("content-length", fault)),
    }
    match declared_length(fields) {
        Some(length) => Ok(Some(length)),
        None => Err(Refusal::new(
            Reason::HeaderAmbiguous,
            "the header `content-length` is not a number; send the body's length in decimal digits",
        )),
    }
}

fn size(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    match length(fields)? {
        Some(length) if length > u64::from(endpoint.limits.body_bytes) => Err(too_large(endpoint)),
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn too_large(endpoint: &Endpoint) -> Refusal {
    Refusal::new(
        Reason::BodyTooLarge,
        format!(
            "the body is larger than this endpoint's limit of {} bytes; send less",
            endpoint.limits.body_bytes
        ),
    )
}

fn no_body(fields: &Fields) -> Result<(), Refusal> {
    match length(fields)? {
        None | Some(0) => Ok(()),
        Some(_) => Err(verb_body()),
    }
}

pub(crate) fn verb_body() -> Refusal {
    Refusal::new(
        Reason::VerbBody,
        "GET and DELETE carry no body; send messages by POST",
    )
}

fn origin(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    if endpoint.origins.is_empty() {
        return Ok(());
    }
    let listed = |origin: &str| endpoint.origins.iter().any(|listed| listed == origin);
    match fields.get("origin").one() {
        Ok(None) => Ok(()),
        Ok(Some(origin)) if listed(origin) => Ok(()),
        Ok(Some(_)) => Err(Refusal::new(
            Reason::OriginNotAllowed,
            "the `Origin` is not one that this endpoint lists; the operator can add it to `origins`",
        )),
        Err(fault) => Err(Refusal::new(Reason::OriginNotAllowed, fault.told("origin"))),
    }
}

/// Headers that say who is asking must say one thing.
fn principals(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    let rules = endpoint.allow.iter().chain(&endpoint.deny);
    for condition in rules.flat_map(|rule| &rule.when) {
        if let Source::Header(name) = &condition.source
            && let Err(fault) = fields.get(name).one()
        {
            return Err(ambiguous(name, fault));
        }
    }
    Ok(())
}

fn media_type(fields: &Fields) -> Result<(), Refusal> {
    let refused = |detail: String| Err(Refusal::new(Reason::MediaType, detail));
    let value = match fields.get("content-type").one() {
        Ok(Some(value)) => value,
        Ok(None) => return refused("the request needs `Content-Type: application/json`".into()),
        Err(fault) => {
            let what = fault.as_str();
            return refused(format!(
                "the header `content-type` {what}; send it once, as `application/json`"
            ));
        }
    };
    let mut parts = value.split(';').map(|part| part.trim_matches([' ', '\t']));
    let essence = parts.next().unwrap_or_default();
    // RFC 9110, 5.6.6: a parameter may be empty, and is none then.
    let mut parts = parts.filter(|part| !part.is_empty());
    if !essence.eq_ignore_ascii_case("application/json") {
        return refused("the `Content-Type` must be `application/json`".into());
    }
    let charset = |parameter: &str| {
        parameter.split_once('=').is_some_and(|(name, value)| {
            let value = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'))
                .unwrap_or(value);
            name.eq_ignore_ascii_case("charset") && value.eq_ignore_ascii_case("utf-8")
        })
    };
    match (parts.next(), parts.next()) {
        (None, _) => Ok(()),
        (Some(parameter), None) if charset(parameter) => Ok(()),
        _ => refused(
            "the only parameter `Content-Type` may have is `charset=utf-8`; leave out others"
                .into(),
        ),
    }
}

fn encoding(fields: &Fields) -> Result<(), Refusal> {
    match fields.get("content-encoding").one() {
        Ok(None) => Ok(()),
        Ok(Some(value)) if value.eq_ignore_ascii_case("identity") => Ok(()),
        Ok(Some(_)) => Err(Refusal::new(
            Reason::ContentEncoding,
            "the body must not be compressed; send it without `content-encoding` (the operator can put Envoy's decompressor ahead)",
        )),
        Err(fault) => Err(Refusal::new(
            Reason::ContentEncoding,
            fault.told("content-encoding"),
        )),
    }
}

/// What GET and DELETE have in common.
fn legacy(
    fields: &Fields,
    endpoint: &Endpoint,
    switch: Switch,
    off: &'static str,
) -> Result<(), Refusal> {
    let claim = match Claim::read(fields.get(VERSION_HEADER), endpoint) {
        Err(refusal) if refusal.reason == Reason::VersionUnknown => {
            return Err(Refusal::new(Reason::VerbNotAllowed, refusal.detail));
        }
        claim => claim?,
    };
    if claim.revision == Some(Revision::V2026_07_28) {
        return Err(verb_refused(
            "revision 2026-07-28 uses only POST; send messages by POST",
        ));
    }
    if let Err(refusal) = Selected::without_body(claim, endpoint) {
        return Err(Refusal::new(Reason::VerbNotAllowed, refusal.detail));
    }
    match switch {
        Switch::Allow => Ok(()),
        Switch::Deny => Err(verb_refused(off)),
    }
}

fn stream(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    let off = "this endpoint opens no streams (its policy says `streams: deny`); use POST alone";
    legacy(fields, endpoint, endpoint.streams, off)?;
    match fields.get("accept").one() {
        Ok(Some(accept)) if accept.split(',').any(names_event_stream) => Ok(()),
        Ok(_) => Err(verb_refused(
            "a GET opens a stream and needs `Accept: text/event-stream`; send messages by POST",
        )),
        Err(fault) => Err(ambiguous("accept", fault)),
    }
}

/// Whether a part of `Accept` names `text/event-stream` and does not say, by
/// `q=0`, that it is not acceptable. A malformed `q` is none.
fn names_event_stream(part: &str) -> bool {
    let mut parts = part.split(';').map(|part| part.trim_matches([' ', '\t']));
    let essence = parts.next().unwrap_or_default();
    let refused = |parameter: &str| {
        parameter.split_once('=').is_some_and(|(name, value)| {
            let zeros = value.strip_prefix("0.").unwrap_or_default();
            name.eq_ignore_ascii_case("q")
                && (value == "0"
                    || (value.starts_with("0.")
                        && zeros.len() <= 3
                        && zeros.bytes().all(|digit| digit == b'0')))
        })
    };
    essence.eq_ignore_ascii_case("text/event-stream") && !parts.any(refused)
}

fn session_end(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    let off = "this endpoint lets no client end a session (its policy says `sessions: deny`); leave the session to expire";
    legacy(fields, endpoint, endpoint.sessions, off)?;
    match fields.get("mcp-session-id").one() {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(verb_refused(
            "DELETE ends a session and needs `Mcp-Session-Id`; send the session's",
        )),
        Err(fault) => Err(ambiguous("mcp-session-id", fault)),
    }
}
