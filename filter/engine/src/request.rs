//! The value that walks through the stages.
//!
//! Each stage takes what the one before made, the request in it, and gives it
//! on; or it ends the way, and with it goes what is known so far.

use std::sync::Arc;

use mcp_boundary_format::{Endpoint, Revision, Role};
use serde_json::Value;

use crate::answer::edit::HeaderEdit;
use crate::answer::facts::Facts;
use crate::answer::reason::Refusal;
use crate::engine::{Core, Seat};
use crate::head::fields::{Fields, VERSION_HEADER};
use crate::head::record;
use crate::head::since::{self, Since};
use crate::head::version::Claim;
use crate::policy::operation::Operation;
use crate::policy::principals::{Known, Principals};

/// What a stage makes of a request, or how it ends the way.
pub(crate) type Stage<T> = Result<T, Box<Refused>>;

/// A request to an endpoint, and what is known of it.
#[derive(Debug)]
pub(crate) struct Request {
    core: Arc<Core>,
    seat: Seat,
    fields: Fields,
    /// What the host knows of the caller.
    known: Known,
    /// What the header says about the revision, read once.
    claim: Result<Claim, Refusal>,
    /// For the recheck, without the operations.
    record: Option<Vec<u8>>,
    /// At a recheck: what is different from what admit saw.
    since: Option<Since>,
    facts: Facts,
}

/// A request that goes no further, and why.
#[derive(Debug)]
pub(crate) struct Refused {
    facts: Facts,
    refusal: Refusal,
    record: Option<Vec<u8>>,
}

impl Request {
    /// At this endpoint.
    pub(crate) fn at(core: &Arc<Core>, seat: Seat, fields: Fields, known: Known) -> Self {
        let claim = Claim::read(fields.get(VERSION_HEADER), &seat.endpoint);
        let claimed = claim.as_ref().ok().and_then(|claim| claim.revision);
        let only_modern = seat.endpoint.revisions.legacy().next().is_none();
        Self {
            core: Arc::clone(core),
            fields,
            known,
            claim,
            record: None,
            since: None,
            seat,
            facts: Facts {
                modern: claimed.map_or(only_modern, |revision| !revision.is_legacy()),
                ..Facts::default()
            },
        }
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    pub(crate) fn role(&self) -> Role {
        self.core.role
    }

    /// The endpoint whose rules hold.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.seat.endpoint
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Who asks.
    pub(crate) fn who(&self) -> Principals<'_> {
        Principals {
            sources: &self.core.sources,
            known: &self.known,
            fields: &self.fields,
        }
    }

    /// What the client claims, or why there is no telling.
    pub(crate) fn claim(&self) -> Result<Claim, Refusal> {
        self.claim.clone()
    }

    /// What it asks for; nothing before that is known.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.facts.operations
    }

    /// Who asks and what changed, for logs and messages alone.
    pub(crate) fn is_from(
        &mut self,
        principals: serde_json::Map<String, Value>,
        since: Option<Since>,
        told_by_admit: bool,
    ) {
        self.facts.principals = principals;
        self.facts.told_by_admit = told_by_admit;
        self.since = since;
    }

    /// What a recheck must find.
    pub(crate) fn is_recorded(&mut self, record: Option<Vec<u8>>) {
        self.record = record;
    }

    /// The id to answer with.
    pub(crate) fn has_id(&mut self, id: Option<Value>) {
        self.facts.id = id;
    }

    /// Whether it wants an answer, and which revision its `initialize` offers.
    pub(crate) fn says(&mut self, silent: bool, offered: Option<&str>) {
        self.facts.silent = silent;
        // One character more than is ever shown, to tell that it is cut.
        self.facts.requested = offered.map(|offered| offered.chars().take(33).collect());
    }

    /// The revision that governs is found, or the one that an `initialize` is
    /// inspected as, which governs nothing.
    pub(crate) fn is_of(&mut self, governing: Option<Revision>, inspected: Revision) {
        self.facts.revision = governing;
        self.facts.modern = !inspected.is_legacy();
    }

    /// What it asks for, and what must be changed on its way.
    pub(crate) fn asks_for(&mut self, operations: Vec<Operation>, edits: Vec<HeaderEdit>) {
        self.facts.operations = operations;
        self.facts.edits = edits;
    }

    /// Goes on with what a stage made, or ends with its refusal.
    pub(crate) fn then<T>(self: Box<Self>, made: Result<T, Refusal>) -> Stage<(Box<Self>, T)> {
        match made {
            Ok(made) => Ok((self, made)),
            Err(refusal) => Err(self.refused(refusal)),
        }
    }

    /// Ends the way.
    pub(crate) fn refused(self, refusal: Refusal) -> Box<Refused> {
        let refusal = match &self.since {
            Some(since) => since.tell(refusal, &self.facts.operations),
            None => refusal,
        };
        let (facts, record) = self.told();
        Box::new(Refused {
            facts,
            refusal,
            record,
        })
    }

    /// What a recheck must find before it is known what is asked for.
    pub(crate) fn early_record(&self) -> Option<Vec<u8>> {
        record::complete(self.record.clone()?, &[])
    }

    /// What is known at the end, and the whole record.
    pub(crate) fn told(self) -> (Facts, Option<Vec<u8>>) {
        let mut facts = Facts {
            seat: Some(self.seat),
            ..self.facts
        };
        let lines = &self.fields.get(VERSION_HEADER).lines;
        if !lines.is_empty() {
            facts.requested = Some(lines.join(", "));
        }
        if let Some(since) = &self.since {
            // Admit told of what it saw, not of what a filter made of it.
            facts.told_by_admit &= since.is_same_call(&facts.operations);
        }
        let record = self
            .record
            .and_then(|record| record::complete(record, &since::calls(&facts.operations)));
        (facts, record)
    }
}

impl Refused {
    /// Where no endpoint is found.
    pub(crate) fn outside(modern: bool, refusal: Refusal) -> Box<Self> {
        Box::new(Self {
            facts: Facts {
                modern,
                ..Facts::default()
            },
            refusal,
            record: None,
        })
    }

    pub(crate) fn into_parts(self) -> (Facts, Refusal, Option<Vec<u8>>) {
        (self.facts, self.refusal, self.record)
    }
}
