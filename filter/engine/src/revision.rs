//! Stage 3: which one revision governs the request. Contract section 7.

use mcp_boundary_format::{Compat, Endpoint, Revision, Revisions, Switch};
use serde_json::Value;

use crate::envelope::Payload;
use crate::request::{Fault, Field};
use crate::show::ShownRevision;
use crate::verdict::{Reason, Refusal};

/// The member of `_meta` that names the revision.
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The header that does.
pub(crate) const VERSION_HEADER: &str = "mcp-protocol-version";

/// What the version header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim {
    /// None when there is no such line.
    pub(crate) revision: Option<Revision>,
    /// Whether equal repeats must be collapsed before forwarding.
    pub(crate) collapse: bool,
}

impl Claim {
    /// Reads the header. Nothing is picked from several values.
    pub(crate) fn read(field: &Field, compat: Compat) -> Result<Self, Refusal> {
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
                Some(first) if equal && compat.equal_version_repeats == Switch::Allow => {
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
                    "`MCP-Protocol-Version` {} is no revision known here; known: {}",
                    ShownRevision(value),
                    Revision::ALL.map(Revision::as_str).join(", ")
                ),
            )),
        }
    }
}

fn ambiguous(fault: &str) -> Refusal {
    Refusal::new(
        Reason::VersionAmbiguous,
        format!("`MCP-Protocol-Version` {fault}; send it once with one revision"),
    )
}

/// The one revision that governs a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selected {
    revision: Revision,
    scope: Scope,
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
                "`_meta` names revision 2026-07-28, which needs the header `MCP-Protocol-Version: 2026-07-28`",
            ));
        }
        // The bootstrap: an `initialize` comes before any revision is agreed.
        if payload.is_initialize() && claim.revision.is_none_or(Revision::is_legacy) {
            let Some(newest) = endpoint.revisions.legacy().next_back() else {
                return Err(Refusal::new(
                    Reason::NoLegacyRevision,
                    "this endpoint permits only 2026-07-28, which has no `initialize`; send `server/discover` under that revision",
                ));
            };
            return Ok(match claim.revision {
                Some(revision) => Self {
                    revision,
                    scope: Scope::Offered,
                },
                None => Self {
                    revision: newest,
                    scope: Scope::Open(endpoint.revisions),
                },
            });
        }
        Self::without_body(claim, endpoint)
    }

    /// The revision that the request is inspected as.
    pub(crate) fn revision(self) -> Revision {
        self.revision
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
        let detail = match self.scope {
            Scope::Governs | Scope::Offered => format!(
                "`_meta` names another revision than the request's, {}; both must be equal",
                self.revision
            ),
            Scope::Open(permitted) => {
                let permitted: Vec<_> = permitted.legacy().map(Revision::as_str).collect();
                format!(
                    "`_meta` of an `initialize` without a version header may name only: {}",
                    permitted.join(", ")
                )
            }
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
    let permitted: Vec<_> = endpoint.revisions.iter().map(Revision::as_str).collect();
    let permitted = permitted.join(", ");
    match claim.revision {
        Some(revision) => Refusal::new(
            Reason::VersionNotPermitted,
            format!("revision {revision} is not permitted here; permitted: {permitted}"),
        ),
        None => Refusal::new(
            Reason::VersionMissing,
            format!(
                "no `MCP-Protocol-Version` means 2025-03-26, which is not permitted here; send the header with one of: {permitted}"
            ),
        ),
    }
}
