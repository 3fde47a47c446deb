//! Stage 3: which one revision governs the request. Contract section 7.

use mcp_boundary_format::{Endpoint, Revision, Revisions, Switch};
use serde_json::Value;

use crate::envelope::Payload;
use crate::request::{Fault, Field};
use crate::show::ShownRevision;
use crate::verdict::{Reason, Refusal};

/// The member of `_meta` that names the revision.
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The header that does.
pub(crate) const VERSION_HEADER: &str = "mcp-protocol-version";

/// Why a revision is taken that the client did not name.
const NOT_SENT: &str = "no `MCP-Protocol-Version` was sent";

/// What the version header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim {
    /// None when there is no such line.
    pub(crate) revision: Option<Revision>,
    /// Whether equal repeats must be collapsed before forwarding.
    pub(crate) collapse: bool,
}

impl Claim {
    /// Reads the header. Nothing is picked from several values. A refusal says
    /// what `endpoint` permits.
    pub(crate) fn read(field: &Field, endpoint: &Endpoint) -> Result<Self, Refusal> {
        let repeats = endpoint.compat.equal_version_repeats;
        let ambiguous = |fault: &str| ambiguous(fault, endpoint);
        let mut lines = field.lines.iter().flat_map(|line| line.split(','));
        let first = lines.next().map(|value| value.trim_matches([' ', '\t']));
        let equal = lines.all(|value| Some(value.trim_matches([' ', '\t'])) == first);
        let (value, collapse) = match field.one() {
            Ok(Some(value)) if !value.contains(',') => (value, false),
            Ok(None) => {
                return Ok(Self {
                    revision: None,
                    collapse: false,
                });
            }
            Ok(Some(_)) | Err(Fault::Repeated) => match first {
                Some(first) if equal && !first.is_empty() && repeats == Switch::Allow => {
                    (first, true)
                }
                _ => return Err(ambiguous("has more than one value")),
            },
            Err(Fault::Empty) => return Err(ambiguous("is empty")),
            Err(fault) => return Err(ambiguous(fault.as_str())),
        };
        match Revision::from_bytes(value.as_bytes()) {
            Some(revision) => Ok(Self {
                revision: Some(revision),
                collapse,
            }),
            None => Err(Refusal::new(
                Reason::VersionUnknown,
                format!(
                    "`MCP-Protocol-Version` {} is no revision known here; send one of: {}",
                    ShownRevision(value),
                    permitted(endpoint)
                ),
            )),
        }
    }
}

fn ambiguous(fault: &str, endpoint: &Endpoint) -> Refusal {
    Refusal::new(
        Reason::VersionAmbiguous,
        format!(
            "`MCP-Protocol-Version` {fault}; send it once, with one of: {}",
            permitted(endpoint)
        ),
    )
}

/// A revision that a client offered, in an answer: at most 32 bytes of it.
pub(crate) fn cut(value: &str) -> &str {
    let end = (0..=value.len().min(32)).rfind(|at| value.is_char_boundary(*at));
    end.and_then(|end| value.get(..end)).unwrap_or_default()
}

/// What the endpoint permits, for a message.
fn permitted(endpoint: &Endpoint) -> String {
    let told = |revision: Revision| match revision.is_legacy() {
        true => revision.to_string(),
        false => format!("{revision} (which needs `Mcp-Method` and `params._meta` as well)"),
    };
    let permitted: Vec<_> = endpoint.revisions.iter().map(told).collect();
    permitted.join(", ")
}

/// The one revision that governs a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selected {
    revision: Revision,
    scope: Scope,
    /// Whether the client named it in the header.
    named: bool,
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

impl Selected {
    /// The revision of a GET or DELETE, which has no body to look at.
    pub(crate) fn without_body(claim: Claim, endpoint: &Endpoint) -> Result<Self, Refusal> {
        let revision = claim.revision.unwrap_or(Revision::V2025_03_26);
        if endpoint.revisions.contains(revision) {
            return Ok(Self {
                revision,
                scope: Scope::Governs,
                named: claim.revision.is_some(),
            });
        }
        Err(not_permitted(claim, endpoint))
    }

    /// The revision of a POST.
    pub(crate) fn choose(
        payload: &Payload,
        claim: Claim,
        endpoint: &Endpoint,
    ) -> Result<Self, Refusal> {
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
        Self::without_body(claim, endpoint)
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
    pub(crate) fn governing(self) -> Option<Revision> {
        (self.scope == Scope::Governs).then_some(self.revision)
    }

    /// Whether every message whose `_meta` names a revision names this one.
    ///
    /// MCP wants a method that the revision does not have told before this,
    /// and bad params after it.
    pub(crate) fn agrees(self, payload: &Payload) -> Result<(), Refusal> {
        let fits = |version: &Value| match self.scope {
            Scope::Governs | Scope::Offered => version == self.revision.as_str(),
            Scope::Open(permitted) => permitted
                .legacy()
                .any(|revision| version == revision.as_str()),
        };
        if named(payload).all(fits) {
            return Ok(());
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

fn not_permitted(claim: Claim, endpoint: &Endpoint) -> Refusal {
    let permitted = permitted(endpoint);
    match claim.revision {
        Some(revision) => Refusal::new(
            Reason::VersionNotPermitted,
            format!(
                "`MCP-Protocol-Version` {revision} is not permitted here; send one of: {permitted}"
            ),
        ),
        None => Refusal::new(
            Reason::VersionMissing,
            format!(
                "`MCP-Protocol-Version` is missing; send it with one of: {permitted} (no header means 2025-03-26, which is not permitted here)"
            ),
        ),
    }
}
