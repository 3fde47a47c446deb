//! What the header `MCP-Protocol-Version` says. Contract section 7.

use mcp_boundary_format::{Endpoint, Revision, Switch};

use super::fields::{Fault, Field};
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::ShownRevision;

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

impl Claim {
    /// The revision of a request that is no `initialize`.
    pub(crate) fn governing(self, endpoint: &Endpoint) -> Result<Revision, Refusal> {
        let revision = self.revision.unwrap_or(Revision::V2025_03_26);
        match endpoint.revisions.contains(revision) {
            true => Ok(revision),
            false => Err(not_permitted(self, endpoint)),
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

/// What the endpoint permits, for a message.
fn permitted(endpoint: &Endpoint) -> String {
    let told = |revision: Revision| match revision.is_legacy() {
        true => revision.to_string(),
        false => format!("{revision} (which needs `Mcp-Method` and `params._meta` as well)"),
    };
    let permitted: Vec<_> = endpoint.revisions.iter().map(told).collect();
    permitted.join(", ")
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
