//! Decides about MCP requests. Pure: a plain request in, a plain outcome out;
//! no proxy, no clock, no I/O.
//!
//! A request goes one way, each stage taking only what the previous one made,
//! so that none can be skipped:
//!
//! ```text
//! headers -> http      endpoint, verb, media type, size, origin
//! bytes   -> json      StrictJson   one strict pass, no ambiguity left
//!         -> envelope  Payload      JSON-RPC messages
//!         -> revision  Selected     exactly one revision governs
//!         -> inspect   Profiled     every call fits that revision
//!         -> mirrors   Agreed       headers say what the body says
//!         -> operations Operations  what policy can name
//!         -> authorize Decision     what the rules say
//!         -> verdict, effect        what is logged, what the proxy does
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::unreachable
    )
)]

mod authorize;
mod effect;
mod endpoint;
mod envelope;
mod glob;
mod http;
mod inspect;
mod json;
pub mod methods;
mod mirrors;
mod operations;
mod record;
mod request;
mod revision;
mod show;
mod verdict;

use mcp_boundary_format::{Compat, Endpoint, Mode, Policy, Revision, Source};

use authorize::{Decision, Principals};
pub use authorize::{Operation, OperationKind};
use effect::Reply;
pub use effect::{Effect, HeaderEdit};
use envelope::Payload;
use http::{Place, Verb};
use inspect::Profiled;
use json::StrictJson;
use mirrors::Agreed;
use operations::Operations;
pub use operations::{is_evasive_uri, is_strict_tool_name};
use record::Record;
use request::Fields;
pub use request::Head;
use revision::{Claim, Selected};
use verdict::Refusal;
pub use verdict::{Kind, Reason, Verdict, code};

/// Where in the filter chain an engine decides. Contract section 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// On what the client sent.
    #[default]
    Admit,
    /// Again, on what will be sent, after every filter that may rewrite.
    Recheck,
}

/// A policy, ready to decide.
#[derive(Debug)]
pub struct Engine {
    policy: Policy,
    role: Role,
    fixed_endpoint: Option<usize>,
    sources: Vec<Source>,
    /// Names of headers that rules ask for.
    principals: Vec<String>,
}

/// What the header phase led to.
#[derive(Debug)]
pub enum Step {
    /// The request is decided.
    Decided(Box<Outcome>),
    /// The body must be seen.
    Body(Box<Pending>),
}

/// A request whose headers passed.
#[derive(Debug)]
pub struct Pending {
    endpoint: usize,
    verb: Verb,
    fields: Fields,
    attributes: Vec<Option<Vec<String>>>,
    record: Option<Vec<u8>>,
}

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
struct Facts {
    endpoint: Option<usize>,
    revision: Option<Revision>,
    operations: Vec<Operation>,
    /// Header changes that `compat` switches ask for.
    edits: Vec<HeaderEdit>,
    reply: Reply,
}

/// Why and how a request may go on.
#[derive(Debug)]
struct Passed {
    reason: Reason,
    rule: Option<String>,
}

impl Engine {
    /// An engine in the given role.
    pub fn new(policy: Policy, role: Role) -> Self {
        let rules = |endpoint: &Endpoint| {
            endpoint
                .allow
                .iter()
                .chain(&endpoint.deny)
                .cloned()
                .collect::<Vec<_>>()
        };
        let mut sources: Vec<Source> = policy
            .endpoints()
            .iter()
            .flat_map(rules)
            .flat_map(|rule| rule.when)
            .map(|condition| condition.source)
            .collect();
        sources.sort();
        sources.dedup();
        let header = |source: &Source| match source {
            Source::Header(name) => Some(name.clone()),
            Source::JwtClaim { .. } | Source::PeerSan => None,
        };
        let principals = sources.iter().filter_map(header).collect();
        sources.retain(|source| header(source).is_none());
        Self {
            policy,
            role,
            fixed_endpoint: None,
            sources,
            principals,
        }
    }

    /// Makes a recheck use this endpoint instead of the recorded one; `None`
    /// if the policy has no endpoint of that name.
    pub fn for_endpoint(mut self, name: &str) -> Option<Self> {
        let mut endpoints = self.policy.endpoints().iter();
        self.fixed_endpoint = Some(endpoints.position(|endpoint| endpoint.name == name)?);
        Some(self)
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Attributes that the host must look up for [`Head::attributes`].
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    fn role(&self) -> Role {
        self.role
    }

    fn fixed_endpoint(&self) -> Option<usize> {
        self.fixed_endpoint
    }

    /// Decides on the headers, or says that the body is needed.
    pub fn open(&self, head: Head<'_>) -> Step {
        let mut facts = Facts::default();
        match self.open_request(&head, &mut facts) {
            Ok(None) => self.passed_over(&head),
            Ok(Some(pending)) if head.end_of_stream => {
                Step::Decided(Box::new(pending.close(self, b"")))
            }
            Ok(Some(pending)) => Step::Body(Box::new(pending)),
            Err(refusal) => Step::Decided(Box::new(self.conclude(facts, Err(refusal), None))),
        }
    }

    fn open_request(&self, head: &Head<'_>, facts: &mut Facts) -> Result<Option<Pending>, Refusal> {
        let fields = Fields::collect(head, &self.principals);
        facts.reply = Reply::outside(&fields);
        let Place::Endpoint(index) = http::locate(self, head)? else {
            return Ok(None);
        };
        let endpoint = self.endpoint(index)?;
        facts.reply = Reply::before_body(&fields, endpoint);
        facts.endpoint = Some(index);
        let verb = http::check(head, &fields, endpoint)?;
        Ok(Some(Pending {
            endpoint: index,
            verb,
            fields,
            attributes: head.attributes.to_vec(),
            record: self.record(head, Some(index)),
        }))
    }

    /// A request outside every endpoint, which the policy lets pass.
    fn passed_over(&self, head: &Head<'_>) -> Step {
        let passed = Passed::because(Reason::Unmatched);
        let record = self.record(head, None);
        Step::Decided(Box::new(self.conclude(
            Facts::default(),
            Ok(passed),
            record,
        )))
    }

    fn record(&self, head: &Head<'_>, endpoint: Option<usize>) -> Option<Vec<u8>> {
        let record = |_| {
            let (verb, target) = (head.pseudo(b":method"), head.pseudo(b":path"));
            Record::new(self.policy.digest(), endpoint, verb, target).encode()
        };
        (self.role == Role::Admit).then_some(()).map(record)
    }

    /// Header phase and body phase in one go.
    pub fn decide(&self, head: Head<'_>, body: &[u8]) -> Outcome {
        let end_of_stream = head.end_of_stream && body.is_empty();
        match self.open(Head {
            end_of_stream,
            ..head
        }) {
            Step::Decided(outcome) => *outcome,
            Step::Body(pending) => match pending.over_limit(self, body.len()) {
                Some(outcome) => outcome,
                None => pending.close(self, body),
            },
        }
    }

    fn endpoint(&self, index: usize) -> Result<&Endpoint, Refusal> {
        let endpoint = self.policy.endpoints().get(index);
        endpoint.ok_or_else(|| Refusal::new(Reason::Internal, "the endpoint is gone"))
    }

    /// Puts verdict and effect together; denials pass under audit.
    fn conclude(
        &self,
        facts: Facts,
        result: Result<Passed, Refusal>,
        record: Option<Vec<u8>>,
    ) -> Outcome {
        let endpoint = facts
            .endpoint
            .and_then(|index| self.policy.endpoints().get(index));
        let mode = endpoint.map_or(Mode::Enforce, |endpoint| endpoint.mode);
        let forward = Effect::Forward {
            edits: facts.edits,
            record,
        };
        let (reason, detail, rule, effect) = match result {
            Ok(passed) => (passed.reason, "".into(), passed.rule, forward),
            Err(refusal) => {
                let denied = refusal.reason.kind() == Kind::Deny;
                let effect = if mode == Mode::Audit && denied {
                    forward
                } else {
                    effect::answer(&refusal, &facts.reply, endpoint)
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
            rule,
            operations: facts.operations,
        };
        Outcome { verdict, effect }
    }
}

impl Pending {
    /// The outcome if `received` bytes of body are already too many.
    pub fn over_limit(&self, engine: &Engine, received: usize) -> Option<Outcome> {
        let endpoint = engine.endpoint(self.endpoint).ok()?;
        let refusal = match self.verb {
            Verb::Get | Verb::Delete => (received > 0).then(http::verb_body),
            Verb::Post => {
                let limit = usize::try_from(endpoint.limits.body_bytes).unwrap_or(usize::MAX);
                (received > limit).then(|| http::too_large(endpoint))
            }
        }?;
        let facts = self.facts(endpoint);
        Some(engine.conclude(facts, Err(refusal), None))
    }

    /// Decides on the whole body.
    pub fn close(self, engine: &Engine, body: &[u8]) -> Outcome {
        let endpoint = match engine.endpoint(self.endpoint) {
            Ok(endpoint) => endpoint,
            Err(refusal) => return engine.conclude(Facts::default(), Err(refusal), None),
        };
        if let Some(outcome) = self.over_limit(engine, body.len()) {
            return outcome;
        }
        let mut facts = self.facts(endpoint);
        let result = match self.verb {
            Verb::Get => Ok(Passed::because(Reason::Stream)),
            Verb::Delete => Ok(Passed::because(Reason::SessionEnd)),
            Verb::Post => self.post(engine, endpoint, body, &mut facts),
        };
        engine.conclude(facts, result, self.record)
    }

    fn facts(&self, endpoint: &Endpoint) -> Facts {
        Facts {
            endpoint: Some(self.endpoint),
            reply: Reply::before_body(&self.fields, endpoint),
            ..Facts::default()
        }
    }

    /// The pipeline.
    fn post(
        &self,
        engine: &Engine,
        endpoint: &Endpoint,
        body: &[u8],
        facts: &mut Facts,
    ) -> Result<Passed, Refusal> {
        let limits = endpoint.limits;
        let json = StrictJson::parse(body, limits, &endpoint.forbidden_arguments)?;
        facts.reply.id = json.reply_id();
        let payload = Payload::check(json, limits)?;
        facts.reply.silent = payload.expects_no_answer();
        self.length(engine, body)?;
        let claim = Claim::read(self.fields.get(revision::VERSION_HEADER), endpoint.compat)?;
        let selected = Selected::choose(&payload, claim, endpoint)?;
        facts.revision = Some(selected.revision());
        facts.reply.modern = !selected.revision().is_legacy();
        let profiled = Profiled::inspect(payload, selected)?;
        let agreed = Agreed::compare(profiled, &self.fields, endpoint.compat)?;
        let operations = Operations::of(&agreed, endpoint)?;
        let who = Principals {
            sources: engine.sources(),
            attributes: &self.attributes,
            fields: &self.fields,
        };
        let decision = Decision::make(operations, endpoint, &who);
        facts.edits = edits(claim, decision.operations.drop_mirrors());
        let outcome = decision.outcome;
        facts.operations = decision.operations.into_list();
        let response = facts
            .operations
            .iter()
            .all(|o| o.kind == OperationKind::Response);
        let reason = if response {
            Reason::ClientResponse
        } else {
            Reason::Allowed
        };
        outcome.map(|rule| Passed { reason, rule })
    }

    /// After a rewrite, `Content-Length` must still be the body's.
    fn length(&self, engine: &Engine, body: &[u8]) -> Result<(), Refusal> {
        let declared = http::declared_length(&self.fields);
        let actual = u64::try_from(body.len()).unwrap_or(u64::MAX);
        if engine.role == Role::Recheck && declared.is_some_and(|declared| declared != actual) {
            return Err(Refusal::new(
                Reason::LengthMismatch,
                "`Content-Length` is not the length of the rewritten body",
            ));
        }
        Ok(())
    }
}

impl Passed {
    fn because(reason: Reason) -> Self {
        Self { reason, rule: None }
    }
}

/// Header changes that a `compat` switch made necessary.
fn edits(claim: Claim, drop_mirrors: bool) -> Vec<HeaderEdit> {
    let mut edits = Vec::new();
    if let (true, Some(revision)) = (claim.collapse, claim.revision) {
        edits.push(HeaderEdit::Set(revision::VERSION_HEADER, revision.as_str()));
    }
    if drop_mirrors {
        edits.push(HeaderEdit::Remove(mirrors::METHOD_HEADER));
        edits.push(HeaderEdit::Remove(mirrors::NAME_HEADER));
    }
    edits
}

impl Reply {
    /// Where no endpoint matched.
    fn outside(fields: &Fields) -> Self {
        let field = fields.get(revision::VERSION_HEADER);
        let claim = Claim::read(field, Compat::default()).ok();
        Self {
            modern: claim.and_then(|claim| claim.revision) == Some(Revision::V2026_07_28),
            ..Self::default()
        }
    }

    /// What can be said about the answer before the body is read.
    fn before_body(fields: &Fields, endpoint: &Endpoint) -> Self {
        let field = fields.get(revision::VERSION_HEADER);
        let claimed = Claim::read(field, endpoint.compat)
            .ok()
            .and_then(|claim| claim.revision);
        let only_modern = endpoint.revisions.legacy().next().is_none();
        Self {
            modern: claimed.map_or(only_modern, |revision| !revision.is_legacy()),
            requested: (!field.lines.is_empty()).then(|| field.lines.join(", ")),
            allow: http::allowed_verbs(fields, endpoint),
            ..Self::default()
        }
    }
}
