//! Stages: [`Enveloped`] to [`Measured`]: after a rewrite, `Content-Length` must
//! still be the body's; and to [`Selected`]: which one revision governs the
//! request. Contract sections 12 and 7.

use mcp_boundary_format::{Endpoint, Revision, Revisions, Role};
use serde_json::Value;

use super::envelope::{Enveloped, Payload};
use crate::answer::reason::{Reason, Refusal};
use crate::head::length::Declared;
use crate::head::version::Claim;
use crate::request::{Request, Stage};

/// The member of `_meta` that names the revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Why a revision is taken that the client did not name.
const NOT_SENT: &str = "no `MCP-Protocol-Version` was sent";

/// A request whose body has the length that is declared.
#[derive(Debug)]
pub(crate) struct Measured {
    request: Box<Request>,
    payload: Payload,
}

impl Measured {
    pub(crate) fn compare(enveloped: Enveloped) -> Stage<Self> {
        let (request, payload, declared, length) = enveloped.into_parts();
        let made = compare(request.role(), declared, length);
        let (request, ()) = request.then(made)?;
        Ok(Self { request, payload })
    }
}

fn compare(role: Role, declared: Declared, length: usize) -> Result<(), Refusal> {
    let actual = u64::try_from(length).unwrap_or(u64::MAX);
    match (role, declared.bytes()) {
        (Role::Recheck, Some(declared)) if declared != actual => Err(Refusal::new(
            Reason::LengthMismatch,
            format!(
                "`Content-Length` must be {actual}, the length of the rewritten body, not {declared}"
            ),
        )),
        _ => Ok(()),
    }
}

/// A payload and the revision that governs it.
#[derive(Debug)]
pub(crate) struct Selected {
    request: Box<Request>,
    payload: Payload,
    selection: Selection,
}

impl Selected {
    pub(crate) fn choose(measured: Measured) -> Stage<Self> {
        let Measured { request, payload } = measured;
        let endpoint = request.endpoint();
        let made = request
            .claim()
            .and_then(|claim| Selection::choose(&payload, claim, endpoint));
        let (mut request, selection) = request.then(made)?;
        request.is_of(selection.governing(), selection.revision());
        Ok(Self {
            request,
            payload,
            selection,
        })
    }

    pub(crate) fn into_parts(self) -> (Box<Request>, Payload, Selection) {
        (self.request, self.payload, self.selection)
    }
}

/// The one revision that governs a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selection {
    revision: Revision,
    scope: Scope,
    /// Whether the client named it in the header.
    named: bool,
}

/// The revision of a payload none of whose messages names another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Confirmed(Revision);

impl Confirmed {
    pub(crate) fn revision(self) -> Revision {
        self.0
    }
}

/// How far the selection goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The request is of this revision.
    Governs,
    /// An `initialize` is exempt from selection; its header names the revision
    /// that it is inspected as.
    Offered,
    /// The same without a header: `_meta` may name any of these.
    Open(Revisions),
}

impl Selection {
    /// The revision of a POST.
    fn choose(payload: &Payload, claim: Claim, endpoint: &Endpoint) -> Result<Self, Refusal> {
        let modern = Revision::V2026_07_28.as_str();
        if claim.revision.is_none() && named(payload).any(|version| version == modern) {
            return Err(Refusal::new(
                Reason::VersionHeaderMissing,
                "`_meta` names revision 2026-07-28, which needs the headers `MCP-Protocol-Version: 2026-07-28`, `Mcp-Method` and, where the body names something, `Mcp-Name`",
            ));
        }
        // The bootstrap: an `initialize` comes before any revision is agreed.
        if payload.is_initialize() && claim.revision.is_none_or(Revision::is_legacy) {
            let Some(newest) = endpoint.revisions.legacy().next_back() else {
                return Err(Refusal::new(
                    Reason::NoLegacyRevision,
                    "this endpoint permits only 2026-07-28, which has no `initialize`; send `server/discover` with the headers `MCP-Protocol-Version: 2026-07-28` and `Mcp-Method: server/discover` and with `params._meta`",
                ));
            };
            return Ok(match claim.revision {
                Some(revision) => Self {
                    revision,
                    scope: Scope::Offered,
                    named: true,
                },
                None => Self {
                    revision: newest,
                    scope: Scope::Open(endpoint.revisions),
                    named: false,
                },
            });
        }
        Ok(Self {
            revision: claim.governing(endpoint)?,
            scope: Scope::Governs,
            named: claim.revision.is_some(),
        })
    }

    /// The revision that the request is inspected as.
    pub(crate) fn revision(self) -> Revision {
        self.revision
    }

    /// The revision as messages name it: where the client named none, they say
    /// where it comes from.
    pub(crate) fn told(self) -> String {
        match self.named {
            true => self.revision.to_string(),
            false => format!("{} ({NOT_SENT})", self.revision),
        }
    }

    /// The same within parentheses.
    pub(crate) fn told_aside(self) -> String {
        match self.named {
            true => self.revision.to_string(),
            false => format!("{}; {NOT_SENT}", self.revision),
        }
    }

    /// The revision that governs; none while an `initialize` is still to agree
    /// on one.
    fn governing(self) -> Option<Revision> {
        (self.scope == Scope::Governs).then_some(self.revision)
    }

    /// Whether every message whose `_meta` names a revision names this one.
    ///
    /// MCP wants a method that the revision does not have told before this,
    /// and bad params after it.
    pub(crate) fn confirm(self, payload: &Payload) -> Result<Confirmed, Refusal> {
        let fits = |version: &Value| match self.scope {
            Scope::Governs | Scope::Offered => version == self.revision.as_str(),
            Scope::Open(permitted) => permitted
                .legacy()
                .any(|revision| version == revision.as_str()),
        };
        if named(payload).all(fits) {
            return Ok(Confirmed(self.revision));
        }
        let member = format!("`params._meta[\"{META_VERSION}\"]`");
        let detail = match (self.scope, self.named) {
            (Scope::Open(permitted), _) => {
                let permitted: Vec<_> = permitted.legacy().map(Revision::as_str).collect();
                format!(
                    "{member} of an `initialize` without `MCP-Protocol-Version` must be left out or one of: {}",
                    permitted.join(", ")
                )
            }
            (_, true) => format!(
                "{member} must be `{}`, as the header `MCP-Protocol-Version` says, or the header must be changed",
                self.revision
            ),
            (_, false) => format!(
                "{member} names a revision, but `MCP-Protocol-Version` is missing, which means {}; leave the revision out of `_meta`, or send that header if the endpoint permits it",
                self.revision
            ),
        };
        Err(Refusal::new(Reason::VersionMismatch, detail))
    }
}

/// The revisions that `_meta` of any message names.
fn named(payload: &Payload) -> impl Iterator<Item = &Value> {
    let messages = payload.messages().iter();
    messages.filter_map(|message| message.meta(META_VERSION))
}
