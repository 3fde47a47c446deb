//! How verdict and effect come of the way's end.

use mcp_boundary_format::Mode;

use super::effect::Effect;
use super::error;
use super::facts::Facts;
use super::reason::{Reason, Refusal};
use super::show::{MAX_REVISION, escaped};
use super::verdict::Verdict;
use crate::head::record;
use crate::policy::authorize::{Permit, Permitted};
use crate::request::Refused;

/// The verdict and what the host must do.
#[derive(Debug)]
#[must_use]
pub struct Outcome {
    /// What was decided, and all that may be logged about it.
    pub verdict: Verdict,
    /// What to do.
    pub effect: Effect,
}

impl Outcome {
    /// Of a request that goes on.
    pub(crate) fn permitted(permitted: Permitted) -> Self {
        let (request, permit) = permitted.into_parts();
        let (facts, record) = request.told();
        Self::forward(facts, permit, record)
    }

    /// Of a request that no endpoint matches, and that the policy lets pass.
    pub(crate) fn unmatched(permit: Permit, record: Option<Vec<u8>>) -> Self {
        Self::forward(Facts::default(), permit, record)
    }

    /// Of a request that goes no further; denials pass under audit.
    pub(crate) fn refused(refused: Refused) -> Self {
        let (facts, refusal, mut record) = refused.into_parts();
        let endpoint = facts.seat.as_ref().map(|seat| &*seat.endpoint);
        let Some(permit) = Permit::under_audit(&refusal, endpoint) else {
            let effect = error::answer(&refusal, &facts);
            return Self {
                verdict: verdict(facts, refusal),
                effect,
            };
        };
        if let Some(record) = &mut record {
            record::mark_would_deny(record);
        }
        let repeats_admit = facts.told_by_admit;
        let mut outcome = Self::forward(facts, permit, record);
        outcome.verdict.detail = refusal.detail;
        outcome.verdict.repeats_admit = repeats_admit;
        outcome
    }

    /// Of what the boundary itself cannot do.
    pub(crate) fn fault(detail: &'static str) -> Self {
        Self::refused(*Refused::outside(
            false,
            Refusal::new(Reason::Internal, detail),
        ))
    }

    fn forward(mut facts: Facts, permit: Permit, record: Option<Vec<u8>>) -> Self {
        let edits = std::mem::take(&mut facts.edits);
        let told = Refusal {
            rule: permit.rule().map(str::to_owned),
            ..Refusal::new(permit.reason(), "")
        };
        Self {
            verdict: verdict(facts, told),
            effect: Effect::Forward {
                permit,
                edits,
                record,
            },
        }
    }
}

fn verdict(facts: Facts, why: Refusal) -> Verdict {
    let endpoint = facts.seat.as_ref();
    // What the client offered, where that did not become the revision.
    let offered = facts.requested.filter(|_| facts.revision.is_none());
    Verdict {
        kind: why.reason.kind(),
        reason: why.reason,
        detail: why.detail,
        endpoint: endpoint.map(|seat| seat.index),
        mode: endpoint.map_or(Mode::Enforce, |seat| seat.endpoint.mode),
        revision: facts.revision,
        requested: offered.map(|offered| escaped(&offered, MAX_REVISION)),
        rule: why.rule,
        operations: facts.operations,
        principals: facts.principals,
        repeats_admit: false,
    }
}
