//! What was decided about one request, and all that may be logged about it.

use std::borrow::Cow;

use mcp_boundary_format::{Mode, Revision};
use serde_json::{Map, Value};

use super::reason::{Kind, Reason};
use crate::policy::operation::Operation;

/// The decision about one request and all that may be logged about it.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Forward, deny or reject. A denial under audit is `Deny` too; only its
    /// effect differs.
    pub kind: Kind,
    /// Why.
    pub reason: Reason,
    /// One sentence for a person. Nothing of the request is in it but a
    /// method or name, escaped and cut.
    pub detail: Cow<'static, str>,
    /// Index of the endpoint that decided, in [`Policy::endpoints`] order.
    ///
    /// [`Policy::endpoints`]: mcp_boundary_format::Policy::endpoints
    pub endpoint: Option<usize>,
    /// Enforce where no endpoint matched.
    pub mode: Mode,
    /// The revision that governed, where one was selected.
    pub revision: Option<Revision>,
    /// The rule that allowed or denied, where one did.
    pub rule: Option<String>,
    /// What the client offered where no revision governs, escaped and cut.
    pub requested: Option<String>,
    /// What the request asked for, in wire order.
    pub operations: Vec<Operation>,
    /// The values of each principal that a rule of the endpoint asks for, and
    /// null for one that is not known; escaped, cut and bounded.
    pub principals: Map<String, Value>,
    /// Whether it is a would-be denial after admit's of the same request.
    pub repeats_admit: bool,
}

impl Verdict {
    /// Whether audit lets a denied request through.
    pub fn is_would_deny(&self) -> bool {
        self.kind == Kind::Deny && self.mode == Mode::Audit
    }

    /// The one word for it in log, access log and counters.
    pub fn word(&self) -> &'static str {
        match self.is_would_deny() {
            true => "would_deny",
            false => self.kind.as_str(),
        }
    }

    /// Whether operators hear of it: all that is not forwarded, and what audit
    /// alone lets through, but that only once.
    pub fn is_news(&self) -> bool {
        self.kind != Kind::Forward && !self.repeats_admit
    }

    /// The revision for log and counter; `-` where none governs.
    pub(crate) fn revision_word(&self) -> &'static str {
        self.revision.map_or("-", |revision| revision.as_str())
    }
}
