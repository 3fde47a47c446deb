//! Stage: [`Located`] to [`Opened`]: all that can be decided about a request
//! before its body, verb by verb. Contract section 4.
//!
//! [`Located`]: super::located::Located

use mcp_boundary_format::{Endpoint, Revision, Switch};

use super::caller::Caller;
use super::fields::Head;
use super::length::{Declared, too_large, verb_body};
use super::located::Seated;
use super::media::Json;
use super::origin::Origin;
use super::version::Claim;
use crate::answer::reason::{Reason, Refusal};
use crate::request::{Request, Stage};

/// A request whose headers passed.
#[derive(Debug)]
pub(crate) struct Opened {
    request: Box<Request>,
    passed: Passed,
}

/// What was seen of the headers; all of it, or there is no [`Opened`].
#[derive(Debug)]
struct Passed {
    _caller: Caller,
    _origin: Origin,
    verb: Verb,
}

/// The verbs MCP uses, and what each of them showed.
#[derive(Debug)]
enum Verb {
    Post(Json, Declared),
    Get(Stream),
    Delete(SessionEnd),
}

/// A GET that opens a stream.
#[derive(Debug)]
pub(crate) struct Stream(());

/// A DELETE that ends a session.
#[derive(Debug)]
pub(crate) struct SessionEnd(());

/// A request with its whole body.
#[derive(Debug)]
pub(crate) enum Whole<'a> {
    Post(Posted<'a>),
    Get(Box<Request>, Stream),
    Delete(Box<Request>, SessionEnd),
}

/// A POST with its whole body, which is within the endpoint's limit.
#[derive(Debug)]
pub(crate) struct Posted<'a> {
    request: Box<Request>,
    body: &'a [u8],
    _json: Json,
    declared: Declared,
}

impl Posted<'_> {
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.body
    }

    pub(crate) fn into_parts(self) -> (Box<Request>, Declared) {
        (self.request, self.declared)
    }
}

impl Opened {
    pub(crate) fn check(seated: Seated<'_>) -> Stage<Self> {
        let passed = Passed::see(seated.head(), seated.request());
        let (request, passed) = seated.then(passed)?;
        Ok(Self { request, passed })
    }

    /// Whether `received` bytes of body are still few enough.
    pub(crate) fn within(self, received: usize) -> Stage<Self> {
        let made = self.fits(received);
        let (request, ()) = self.request.then(made)?;
        Ok(Self { request, ..self })
    }

    /// With all of the body.
    pub(crate) fn with(self, body: &[u8]) -> Stage<Whole<'_>> {
        let Self { request, passed } = self.within(body.len())?;
        Ok(match passed.verb {
            Verb::Post(json, declared) => Whole::Post(Posted {
                request,
                body,
                _json: json,
                declared,
            }),
            Verb::Get(stream) => Whole::Get(request, stream),
            Verb::Delete(end) => Whole::Delete(request, end),
        })
    }

    /// The record of the head alone.
    pub(crate) fn early_record(&self) -> Option<Vec<u8>> {
        self.request.early_record()
    }

    fn fits(&self, received: usize) -> Result<(), Refusal> {
        let endpoint = self.request.endpoint();
        let limit = usize::try_from(endpoint.limits.body_bytes).unwrap_or(usize::MAX);
        match self.passed.verb {
            Verb::Get(_) | Verb::Delete(_) if received > 0 => Err(verb_body()),
            Verb::Post(..) if received > limit => Err(too_large(endpoint)),
            Verb::Post(..) | Verb::Get(_) | Verb::Delete(_) => Ok(()),
        }
    }
}

impl Passed {
    fn see(head: &Head<'_>, request: &Request) -> Result<Self, Refusal> {
        let (fields, endpoint) = (request.fields(), request.endpoint());
        if fields.upgrade {
            return Err(verb_refused(
                "MCP upgrades to no other protocol; leave out the header `upgrade`",
            ));
        }
        Ok(Self {
            _origin: Origin::listed(fields, endpoint)?,
            _caller: Caller::unambiguous(fields, endpoint)?,
            verb: Verb::of(head, request)?,
        })
    }
}

impl Verb {
    fn of(head: &Head<'_>, request: &Request) -> Result<Self, Refusal> {
        let (fields, endpoint) = (request.fields(), request.endpoint());
        match head.pseudo(b":method") {
            b"POST" => Ok(Self::Post(
                Json::declared(fields)?,
                Declared::within(fields, endpoint)?,
            )),
            b"GET" => {
                Declared::nothing(fields)?;
                Ok(Self::Get(Stream::opened(request)?))
            }
            b"DELETE" => {
                Declared::nothing(fields)?;
                Ok(Self::Delete(SessionEnd::asked(request)?))
            }
            b"OPTIONS" if fields.preflight => Err(verb_refused(
                "this is a browser's CORS preflight; the operator must place Envoy's CORS filter before the MCP filter, a client cannot mend it",
            )),
            _ => Err(verb_refused(
                "MCP uses only POST, GET and DELETE; send messages by POST",
            )),
        }
    }
}

/// The verbs an endpoint takes, for `Allow`.
pub(crate) fn allowed_verbs(modern: bool, endpoint: &Endpoint) -> String {
    let mut verbs = vec!["POST"];
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

/// What GET and DELETE have in common.
fn legacy(request: &Request, switch: Switch, off: &'static str) -> Result<(), Refusal> {
    let claim: Claim = match request.claim() {
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
    if let Err(refusal) = claim.governing(request.endpoint()) {
        return Err(Refusal::new(Reason::VerbNotAllowed, refusal.detail));
    }
    match switch {
        Switch::Allow => Ok(()),
        Switch::Deny => Err(verb_refused(off)),
    }
}

impl Stream {
    fn opened(request: &Request) -> Result<Self, Refusal> {
        let off =
            "this endpoint opens no streams (its policy says `streams: deny`); use POST alone";
        legacy(request, request.endpoint().streams, off)?;
        match request.fields().get("accept").one() {
            Ok(Some(accept)) if accept.split(',').any(names_event_stream) => Ok(Self(())),
            Ok(_) => Err(verb_refused(
                "a GET opens a stream and needs `Accept: text/event-stream`; send messages by POST",
            )),
            Err(fault) => Err(fault.ambiguous("accept")),
        }
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

impl SessionEnd {
    fn asked(request: &Request) -> Result<Self, Refusal> {
        let off = "this endpoint lets no client end a session (its policy says `sessions: deny`); leave the session to expire";
        legacy(request, request.endpoint().sessions, off)?;
        match request.fields().get("mcp-session-id").one() {
            Ok(Some(_)) => Ok(Self(())),
            Ok(None) => Err(verb_refused(
                "DELETE ends a session and needs `Mcp-Session-Id`; send the session's",
            )),
            Err(fault) => Err(fault.ambiguous("mcp-session-id")),
        }
    }
}
