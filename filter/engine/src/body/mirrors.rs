//! Stage: [`Profiled`] to [`Agreed`]: headers say what the body says.
//! Contract section 9; MCP 2026-07-28 (SEP-2243).
//!
//! # Trust boundary
//!
//! After this stage every mirror that is present equals its body value, and
//! those that 2026-07-28 requires are present. A server that routes by header
//! and one that reads the body do the same.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_format::{Revision, Switch};

use super::envelope::Message;
use super::profile::Profiled;
use super::profile::class::Class;
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::{Shown, ShownUri};
use crate::head::fields::{Fault, Fields, METHOD_HEADER, NAME_HEADER};
use crate::policy::methods::is_tasks_extension;
use crate::request::{Request, Stage};

const SENTINEL: (&str, &str) = ("=?base64?", "?=");

/// A profiled request that its headers do not contradict.
#[derive(Debug)]
pub(crate) struct Agreed {
    profiled: Profiled,
    drop_mirrors: bool,
}

impl Agreed {
    pub(crate) fn compare(profiled: Profiled) -> Stage<Self> {
        match drop_mirrors(&profiled) {
            Ok(drop_mirrors) => Ok(Self {
                profiled,
                drop_mirrors,
            }),
            Err(refusal) => Err(profiled.into_request().refused(refusal)),
        }
    }

    /// Every message with its class.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&Message, Class)> {
        self.profiled.messages()
    }

    pub(crate) fn request(&self) -> &Request {
        self.profiled.request()
    }

    pub(crate) fn into_request(self) -> Box<Request> {
        self.profiled.into_request()
    }

    /// Whether disagreeing mirrors of a legacy request must not be forwarded.
    pub(crate) fn drop_mirrors(&self) -> bool {
        self.drop_mirrors
    }
}

/// Whether the mirrors must not be forwarded, or why the request must not.
fn drop_mirrors(profiled: &Profiled) -> Result<bool, Refusal> {
    let request = profiled.request();
    let fields = request.fields();
    if !fields.params.iter().all(|value| decodes(value)) {
        return Err(Refusal::new(
            Reason::MirrorInvalid,
            "an `Mcp-Param-*` header looks like base64 but is not; send canonical base64 of UTF-8 between `=?base64?` and `?=`",
        ));
    }
    let compat = request.endpoint().compat;
    let stale = profiled.revision().is_legacy() && compat.stale_mirrors == Switch::Allow;
    match agreement(profiled, fields) {
        Ok(()) => Ok(false),
        Err(Disagreement::Stale(_)) if stale => Ok(true),
        Err(Disagreement::Stale(refusal) | Disagreement::Broken(refusal)) => Err(refusal),
    }
}

enum Disagreement {
    /// The mirror is well-formed but says something else.
    Stale(Refusal),
    /// There is no telling what it says, or it is missing.
    Broken(Refusal),
}

fn broken(reason: Reason, detail: String) -> Disagreement {
    Disagreement::Broken(Refusal::new(reason, detail))
}

fn agreement(profiled: &Profiled, fields: &Fields) -> Result<(), Disagreement> {
    let one = |header: &'static str| {
        fields.get(header).one().map_err(|fault| {
            let reason = match fault {
                Fault::NotAscii | Fault::Empty => Reason::MirrorInvalid,
                Fault::Repeated | Fault::Twin | Fault::HopByHop => Reason::HeaderAmbiguous,
            };
            broken(reason, fault.told(header))
        })
    };
    let method = one(METHOD_HEADER)?;
    let name = one(NAME_HEADER)?.map(decode_name).transpose()?;
    let modern = !profiled.revision().is_legacy();
    for (message, class) in profiled.messages() {
        let required = modern && message.is_request();
        match (method, message.method()) {
            (Some(mirror), Some(body)) if mirror == body => {}
            (Some(_), Some(body)) => return Err(mismatch(METHOD_HEADER, "method", body)),
            (Some(_), None) => return Err(unexpected(METHOD_HEADER, "a response")),
            (None, Some(body)) if required => return Err(missing(METHOD_HEADER, "method", body)),
            (None, _) => {}
        }
        match (name.as_deref(), mirrored(message, class)) {
            (Some(mirror), Some((member, body))) if mirror != body => {
                return Err(mismatch(NAME_HEADER, member, body));
            }
            (Some(_), None) => {
                let what = message
                    .method()
                    .map_or("a response".into(), |m| Shown(m).to_string());
                return Err(unexpected(NAME_HEADER, &what));
            }
            (None, Some((member, body))) if required => {
                return Err(missing(NAME_HEADER, member, body));
            }
            (Some(_), Some(_)) | (None, _) => {}
        }
    }
    Ok(())
}

/// The member of `params` that `Mcp-Name` mirrors, and its value.
fn mirrored(message: &Message, class: Class) -> Option<(&'static str, &str)> {
    let member = match (message.method()?, class) {
        ("tools/call" | "prompts/get", Class::Core) => "name",
        ("resources/read", Class::Core) => "uri",
        (method, _) if is_tasks_extension(method) => "taskId",
        _ => return None,
    };
    Some((member, message.param(member)?.as_str()?))
}

fn mismatch(header: &str, member: &str, body: &str) -> Disagreement {
    let advice = match (member, body.starts_with(SENTINEL.0)) {
        ("method", _) => "make both equal, or leave it out of a batch of several methods",
        (_, true) => "a name that looks like base64 must be sent as base64 itself",
        (_, false) => "make both equal",
    };
    Disagreement::Stale(Refusal::new(
        Reason::MirrorMismatch,
        format!(
            "the header `{header}` differs from the body's `{member}`{}; {advice}",
            value(member, body)
        ),
    ))
}

/// A mirrored value, where logs may have it: `, ` and the value.
fn value(member: &str, body: &str) -> String {
    match member {
        "taskId" => String::new(),
        "uri" => format!(", {}", ShownUri(body)),
        _ => format!(", {}", Shown(body)),
    }
}

fn unexpected(header: &str, what: &str) -> Disagreement {
    Disagreement::Stale(Refusal::new(
        Reason::MirrorUnexpected,
        format!("the header `{header}` has no meaning for {what}; leave it out"),
    ))
}

fn missing(header: &str, member: &str, body: &str) -> Disagreement {
    broken(
        Reason::MirrorMissing,
        format!(
            "revision {} needs the header `{header}` with the value of the body's `{member}`{} (it needs `Mcp-Method` and, where the body names something, `Mcp-Name`)",
            Revision::V2026_07_28,
            value(member, body)
        ),
    )
}

/// The value of `Mcp-Name`: literal, or base64 of UTF-8 between the markers.
fn decode_name(value: &str) -> Result<String, Disagreement> {
    let (open, close) = SENTINEL;
    let looks_wrapped = value
        .get(..open.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(open));
    if !looks_wrapped {
        if value.contains('\t') {
            return Err(invalid_name());
        }
        return Ok(value.to_owned());
    }
    let inner = value
        .strip_prefix(open)
        .and_then(|rest| rest.strip_suffix(close));
    inner.and_then(decode_base64).ok_or_else(invalid_name)
}

fn invalid_name() -> Disagreement {
    broken(
        Reason::MirrorInvalid,
        format!(
            "the header `{NAME_HEADER}` must be the name in visible ASCII, or, for any other name, canonical base64 of its UTF-8 between `=?base64?` and `?=`"
        ),
    )
}

/// Canonical, padded base64 of UTF-8.
fn decode_base64(text: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}

/// Whether an `Mcp-Param-*` value in the wrapped form can be read.
fn decodes(value: &[u8]) -> bool {
    let (open, close) = SENTINEL;
    let inner = value
        .strip_prefix(open.as_bytes())
        .and_then(|rest| rest.strip_suffix(close.as_bytes()));
    match inner.map(std::str::from_utf8) {
        None => true,
        Some(Ok(text)) => decode_base64(text).is_some(),
        Some(Err(_)) => false,
    }
}
