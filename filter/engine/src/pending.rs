//! A request whose headers passed, and the body phase.

use mcp_boundary_format::Endpoint;

use crate::engine::Engine;
use crate::http::{self, Verb};
use crate::outcome::{Facts, Outcome, Passed, Told, conclude};
use crate::principals::{Known, Principals};
use crate::record;
use crate::request::{Field, Fields};
use crate::revision::VERSION_HEADER;
use crate::since::{self, Since};
use crate::verdict::{Reason, Refusal};

/// A request whose headers passed.
#[derive(Debug)]
pub struct Pending {
    pub(crate) endpoint: usize,
    pub(crate) verb: Verb,
    pub(crate) fields: Fields,
    pub(crate) known: Known,
    pub(crate) told: Told,
    /// For the recheck, without the operations.
    pub(crate) record: Option<Vec<u8>>,
    /// At a recheck: what is different from what admit saw.
    pub(crate) since: Option<Since>,
}

impl Pending {
    /// The outcome if `received` bytes of body are already too many.
    pub fn over_limit(&self, engine: &Engine, received: usize) -> Option<Outcome> {
        let endpoint = engine.endpoint(self.endpoint).ok()?;
        let refusal = since::told(self.since.as_ref(), self.oversize(endpoint, received)?, &[]);
        let facts = self.facts(endpoint);
        Some(conclude(engine.policy(), facts, Err(refusal), None))
    }

    /// What a recheck must find that sees the headers before the body is
    /// decided: the record of the head alone. `None` at a recheck.
    pub fn early_record(&self) -> Option<Vec<u8>> {
        record::complete(self.record.clone()?, &[])
    }

    fn facts(&self, endpoint: &Endpoint) -> Facts {
        let mut facts = Facts::at(self.endpoint, endpoint, &self.fields);
        facts.told = self.told.clone();
        facts
    }

    fn oversize(&self, endpoint: &Endpoint, received: usize) -> Option<Refusal> {
        match self.verb {
            Verb::Get | Verb::Delete => (received > 0).then(http::verb_body),
            Verb::Post => {
                let limit = usize::try_from(endpoint.limits.body_bytes).unwrap_or(usize::MAX);
                (received > limit).then(|| http::too_large(endpoint))
            }
        }
    }

    /// Decides on the whole body.
    pub fn close(self, engine: &Engine, body: &[u8]) -> Outcome {
        let endpoint = match engine.endpoint(self.endpoint) {
            Ok(endpoint) => endpoint,
            Err(refusal) => {
                return conclude(engine.policy(), Facts::default(), Err(refusal), None);
            }
        };
        let mut facts = self.facts(endpoint);
        let result = match (self.oversize(endpoint, body.len()), self.verb) {
            (Some(refusal), _) => Err(refusal),
            (None, Verb::Get) => Ok(Passed::because(Reason::Stream)),
            (None, Verb::Delete) => Ok(Passed::because(Reason::SessionEnd)),
            (None, Verb::Post) => crate::decide(&self, engine, endpoint, body, &mut facts),
        };
        if let Some(since) = &self.since {
            // Admit told of what it saw, not of what a filter made of it.
            facts.told.would_deny &= since.is_same_call(&facts.operations);
        }
        let told = |refusal| since::told(self.since.as_ref(), refusal, &facts.operations);
        let result = result.map_err(told);
        let calls = since::calls(&facts.operations);
        let record = self
            .record
            .and_then(|record| record::complete(record, &calls));
        conclude(engine.policy(), facts, result, record)
    }

    /// The header that names the revision.
    pub(crate) fn version(&self) -> &Field {
        self.fields.get(VERSION_HEADER)
    }

    pub(crate) fn principals<'a>(&'a self, engine: &'a Engine) -> Principals<'a> {
        Principals {
            sources: engine.sources(),
            known: &self.known,
            fields: &self.fields,
        }
    }
}
