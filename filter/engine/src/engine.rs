//! A policy in a role, and the header phase.

use mcp_boundary_format::{Endpoint, Policy, Source};

use crate::audit;
use crate::http::{self, Place};
use crate::json::Forbidden;
use crate::outcome::{Facts, Outcome, Passed, Told, conclude};
use crate::pending::Pending;
use crate::principals::{self, Attribute, Principals};
use crate::record::{self, Record};
use crate::request::{Fields, Head};
use crate::since::{self, Since};
use crate::verdict::{Reason, Refusal};

/// Where in the filter chain an engine decides. Contract section 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// On what the client sent.
    Admit,
    /// Again, on what will be sent, after every filter that may rewrite.
    Recheck,
}

impl Role {
    /// Arguments that no call may carry here: what a filter in between sets
    /// may be there when its request is looked at again. Contract section 10.
    pub(crate) fn forbidden_arguments(self, endpoint: &Endpoint) -> Forbidden<'_> {
        Forbidden {
            names: &endpoint.forbidden_arguments,
            but: match self {
                Self::Admit => &[],
                Self::Recheck => &endpoint.set_by_filters,
            },
        }
    }
}

/// A policy, ready to decide.
#[derive(Debug)]
pub struct Engine {
    policy: Policy,
    /// The policy's digest, as logs show it.
    digest: String,
    role: Role,
    /// A recheck behind the route, in the cluster's own chain.
    upstream: bool,
    /// A recheck that only this endpoint's requests may reach.
    only_endpoint: Option<usize>,
    sources: Vec<Source>,
    attributes: Vec<Attribute>,
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

impl Engine {
    /// An engine in the given role.
    pub fn new(policy: Policy, role: Role) -> Self {
        let endpoints = policy.endpoints().iter();
        let rules = endpoints.flat_map(|endpoint| endpoint.allow.iter().chain(&endpoint.deny));
        let conditions = rules.flat_map(|rule| &rule.when);
        let mut sources: Vec<Source> = conditions
            .map(|condition| condition.source.clone())
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
            digest: policy.digest().to_string(),
            policy,
            role,
            upstream: false,
            only_endpoint: None,
            attributes: Attribute::of(&sources),
            sources,
            principals,
        }
    }

    /// Puts a recheck behind the route, where the endpoints' `upstream` names
    /// what the route may have written (`place: upstream`). Without this it
    /// takes no change at all (`place: chain`).
    #[must_use]
    pub fn upstream(mut self) -> Self {
        self.upstream = true;
        self
    }

    /// Makes a recheck refuse whatever was admitted for another endpoint than
    /// this one; `None` if the policy has no endpoint of that name. It takes
    /// away and never grants: the rules are the recorded endpoint's.
    pub fn for_endpoint(mut self, name: &str) -> Option<Self> {
        let mut endpoints = self.policy.endpoints().iter();
        self.only_endpoint = Some(endpoints.position(|endpoint| endpoint.name == name)?);
        Some(self)
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What the host must look up for [`Head::attributes`].
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The policy's digest, as logs show it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What it decides on.
    pub fn role(&self) -> Role {
        self.role
    }

    pub(crate) fn is_upstream(&self) -> bool {
        self.upstream
    }

    pub(crate) fn only_endpoint(&self) -> Option<usize> {
        self.only_endpoint
    }

    pub(crate) fn endpoint(&self, index: usize) -> Result<&Endpoint, Refusal> {
        let endpoint = self.policy.endpoints().get(index);
        endpoint.ok_or_else(|| Refusal::new(Reason::Internal, "the policy has no such endpoint; this is a fault of the boundary, please report it"))
    }

    /// Decides on the headers, or says that the body is needed.
    pub fn open(&self, head: Head<'_>) -> Step {
        let mut facts = Facts::default();
        let decided = |facts, result: Result<Passed, Refusal>| {
            let record = result.and_then(|passed| {
                let record = self.record(&head, None, &[])?;
                Ok((
                    passed,
                    record.and_then(|bytes| record::complete(bytes, &[])),
                ))
            });
            let (result, record) = match record {
                Ok((passed, record)) => (Ok(passed), record),
                Err(refusal) => (Err(refusal), None),
            };
            Step::Decided(Box::new(conclude(&self.policy, facts, result, record)))
        };
        match self.look(&head, &mut facts) {
            Ok(Some(pending)) if head.end_of_stream => {
                Step::Decided(Box::new(pending.close(self, b"")))
            }
            Ok(Some(pending)) => Step::Body(Box::new(pending)),
            Ok(None) => decided(facts, Ok(Passed::because(Reason::Unmatched))),
            Err(refusal) => decided(facts, Err(refusal)),
        }
    }

    /// The outcome where the host cannot show the request.
    pub fn fault(&self) -> Outcome {
        let refusal = Refusal::new(
            Reason::Internal,
            "the boundary cannot read the whole request; look at Envoy's buffer limit and the filter's `capability_restriction_config`",
        );
        conclude(&self.policy, Facts::default(), Err(refusal), None)
    }

    /// Header phase and body phase in one go.
    pub fn decide(&self, head: Head<'_>, body: &[u8]) -> Outcome {
        let end_of_stream = head.end_of_stream && body.is_empty();
        match self.open(Head {
            end_of_stream,
            ..head
        }) {
            Step::Decided(outcome) => *outcome,
            Step::Body(pending) => pending.close(self, body),
        }
    }

    /// The endpoint's request, or none if the policy lets it pass unseen.
    fn look(&self, head: &Head<'_>, facts: &mut Facts) -> Result<Option<Pending>, Refusal> {
        let fields = Fields::collect(head, &self.principals);
        facts.reply.outside(&fields);
        let Place::Endpoint(index) = http::locate(self, head)? else {
            return Ok(None);
        };
        let endpoint = self.endpoint(index)?;
        *facts = Facts::at(index, endpoint, &fields);
        let known = principals::read(&self.sources, &self.attributes, head.attributes);
        let who = Principals {
            sources: &self.sources,
            known: &known,
            fields: &fields,
        };
        facts.told = Told {
            principals: audit::told(endpoint, &who),
            would_deny: head.record.is_some_and(record::is_would_deny),
        };
        let seen = since::head(&fields, &self.principals, &known);
        let since = self.since(head, &seen);
        let verb = http::check(head, &fields, endpoint)
            .map_err(|refusal| since::told(since.as_ref(), refusal, &[]))?;
        Ok(Some(Pending {
            endpoint: index,
            verb,
            fields,
            known,
            told: std::mem::take(&mut facts.told),
            record: self.record(head, Some(&endpoint.name), &seen)?,
            since,
        }))
    }

    /// For a recheck: what is different from what admit saw.
    fn since(&self, head: &Head<'_>, seen: &[u8]) -> Option<Since> {
        let record = Record::decode(head.record.filter(|_| self.role == Role::Recheck)?)?;
        Some(Since::new(&record, self.policy.digest().as_bytes(), seen))
    }

    /// What a later recheck must find, if this is not one.
    fn record(
        &self,
        head: &Head<'_>,
        endpoint: Option<&str>,
        seen: &[u8],
    ) -> Result<Option<Vec<u8>>, Refusal> {
        if self.role == Role::Recheck {
            return Ok(None);
        }
        let record = Record {
            verb: head.pseudo(b":method"),
            target: head.pseudo(b":path"),
            host: head.pseudo(b":authority"),
            head: seen,
            ..Record::new(self.policy.digest(), endpoint)
        };
        match record.encode() {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(Refusal::new(
                Reason::Internal,
                "the request's path, host or verb is too long to be recorded for the recheck; send a shorter one",
            )),
        }
    }
}
