//! What is known of a request, and how verdict and effect come of it.

use mcp_boundary_format::{Endpoint, Mode, Policy, Revision};
use serde_json::{Map, Value};

use crate::authorize::{Operation, OperationKind};
use crate::effect::{self, Effect, HeaderEdit, Reply};
use crate::http;
use crate::record;
use crate::request::Fields;
use crate::revision::{Claim, Selected, VERSION_HEADER};
use crate::show::{MAX_REVISION, escaped};
use crate::verdict::{Kind, Reason, Refusal, Verdict};

/// The verdict and what the host must do.
#[derive(Debug)]
pub struct Outcome {
    /// What was decided, and all that may be logged about it.
    pub verdict: Verdict,
    /// What to do.
    pub effect: Effect,
}

/// What is known of a request while it is decided.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    endpoint: Option<usize>,
    revision: Option<Revision>,
    pub(crate) operations: Vec<Operation>,
    /// Header changes that `compat` switches ask for.
    pub(crate) edits: Vec<HeaderEdit>,
    pub(crate) reply: Reply,
    pub(crate) told: Told,
}

/// What is known before the body and matters to logs alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// Who asked, as far as rules want to know.
    pub(crate) principals: Map<String, Value>,
    /// For a recheck: admit told of a would-be denial.
    pub(crate) would_deny: bool,
}

impl Facts {
    /// Of a request to an endpoint, before its body.
    pub(crate) fn at(index: usize, endpoint: &Endpoint, fields: &Fields) -> Self {
        Self {
            endpoint: Some(index),
            reply: Reply::at(endpoint, fields),
            ..Self::default()
        }
    }

    /// The revision that governs is found, or the one that an `initialize` is
    /// inspected as, which governs nothing.
    pub(crate) fn select(&mut self, selected: Selected) {
        self.revision = selected.governing();
        self.reply.modern = !selected.revision().is_legacy();
    }
}

/// Why a request may go on.
#[derive(Debug)]
pub(crate) struct Passed {
    reason: Reason,
    rule: Option<String>,
}

impl Passed {
    pub(crate) fn because(reason: Reason) -> Self {
        Self { reason, rule: None }
    }

    pub(crate) fn by_rule(rule: Option<String>, operations: &[Operation]) -> Self {
        let is_response = |operation: &Operation| operation.kind == OperationKind::Response;
        let reason = match operations.iter().all(is_response) {
            true => Reason::ClientResponse,
            false => Reason::Allowed,
        };
        Self { reason, rule }
    }
}

/// Puts verdict and effect together; denials pass under audit.
pub(crate) fn conclude(
    policy: &Policy,
    facts: Facts,
    result: Result<Passed, Refusal>,
    mut record: Option<Vec<u8>>,
) -> Outcome {
    let endpoint = facts
        .endpoint
        .and_then(|index| policy.endpoints().get(index));
    let mode = endpoint.map_or(Mode::Enforce, |endpoint| endpoint.mode);
    let requested = requested(&facts);
    let denied = matches!(&result, Err(refusal) if refusal.reason.kind() == Kind::Deny);
    let would_deny = denied && mode == Mode::Audit;
    if let (true, Some(record)) = (would_deny, &mut record) {
        record::mark_would_deny(record);
    }
    let forward = Effect::Forward {
        edits: facts.edits,
        record,
    };
    let (reason, detail, rule, effect) = match result {
        Ok(passed) => (passed.reason, "".into(), passed.rule, forward),
        Err(refusal) => {
            let effect = match would_deny {
                true => forward,
                false => effect::answer(&refusal, &facts.reply, endpoint),
            };
            (refusal.reason, refusal.detail, refusal.rule, effect)
        }
    };
    let verdict = Verdict {
        kind: reason.kind(),
        reason,
        detail,
        endpoint: facts.endpoint,
        mode,
        revision: facts.revision,
        requested,
        rule,
        operations: facts.operations,
        principals: facts.told.principals,
        repeats_admit: would_deny && facts.told.would_deny,
    };
    Outcome { verdict, effect }
}

/// What the client offered, where that did not become the revision.
fn requested(facts: &Facts) -> Option<String> {
    let offered = facts.reply.requested.as_deref();
    let offered = offered.filter(|_| facts.revision.is_none());
    offered.map(|offered| escaped(offered, MAX_REVISION))
}

impl Reply {
    /// Before an endpoint is found.
    pub(crate) fn outside(&mut self, fields: &Fields) {
        let claimed = fields.get(VERSION_HEADER).one();
        let modern = Revision::V2026_07_28.as_str();
        self.modern = claimed.is_ok_and(|value| value == Some(modern));
    }

    /// What can be said about the answer before the body is read.
    fn at(endpoint: &Endpoint, fields: &Fields) -> Self {
        let field = fields.get(VERSION_HEADER);
        let claimed = Claim::read(field, endpoint).ok();
        let only_modern = endpoint.revisions.legacy().next().is_none();
        Self {
            modern: claimed
                .and_then(|claim| claim.revision)
                .map_or(only_modern, |revision| !revision.is_legacy()),
            requested: (!field.lines.is_empty()).then(|| field.lines.join(", ")),
            allow: http::allowed_verbs(fields, endpoint),
            ..Self::default()
        }
    }
}
