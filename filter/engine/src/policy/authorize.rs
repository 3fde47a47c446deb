//! Stage: [`Asked`] to [`Permitted`]: the endpoint's rules. Contract section 10.
//!
//! An operation is permitted when some `allow` rule matches and no `deny` rule
//! does. Nothing allowed means denied; deny always wins; what cannot be read
//! never allows and always denies.
//!
//! # Trust boundary
//!
//! A [`Permit`] is the only way to a forward effect. Besides the rules only what
//! other stages alone can make gives one: a stream, the end of a session, a
//! request that the policy lets pass unmatched; and a denial, where the
//! endpoint only audits.

use mcp_boundary_format::{Endpoint, Mode, Rule, Switch};

use super::denial;
use super::names::{allows_operation, denies_operation};
use super::operation::{Operation, OperationKind};
use super::operations::Asked;
use super::principals::Principals;
use super::uri::deny::Spellings;
use crate::answer::reason::{Kind, Reason, Refusal};
use crate::head::located::Unmatched;
use crate::head::verb::{SessionEnd, Stream};
use crate::request::{Request, Stage};

/// Lets a request go on. Only this file makes one.
#[derive(Debug, PartialEq, Eq)]
pub struct Permit {
    reason: Reason,
    rule: Option<String>,
}

/// A request to an endpoint that goes on.
#[derive(Debug)]
pub(crate) struct Permitted {
    request: Box<Request>,
    permit: Permit,
}

impl Permitted {
    /// By the endpoint's rules, for each operation.
    pub(crate) fn by_rules(asked: Asked) -> Stage<Self> {
        let request = asked.request();
        let rules = Rules {
            endpoint: request.endpoint(),
            who: &request.who(),
        };
        let made = rules.permit(request.operations());
        let (request, permit) = asked.into_request().then(made)?;
        Ok(Self { request, permit })
    }

    /// To open a stream.
    pub(crate) fn stream(request: Box<Request>, _: Stream) -> Self {
        let permit = Permit::because(Reason::Stream);
        Self { request, permit }
    }

    /// To end a session.
    pub(crate) fn session_end(request: Box<Request>, _: SessionEnd) -> Self {
        let permit = Permit::because(Reason::SessionEnd);
        Self { request, permit }
    }

    pub(crate) fn into_parts(self) -> (Box<Request>, Permit) {
        (self.request, self.permit)
    }
}

impl Permit {
    /// Uninspected, with what a recheck must find.
    pub(crate) fn unmatched(unmatched: Unmatched) -> (Self, Option<Vec<u8>>) {
        let permit = Self::because(Reason::Unmatched);
        (permit, unmatched.into_record())
    }

    /// Although the rules deny it, where the endpoint only audits.
    pub(crate) fn under_audit(refusal: &Refusal, endpoint: Option<&Endpoint>) -> Option<Self> {
        let audits = endpoint.is_some_and(|endpoint| endpoint.mode == Mode::Audit);
        let permit = Self {
            reason: refusal.reason,
            rule: refusal.rule.clone(),
        };
        (audits && refusal.reason.kind() == Kind::Deny).then_some(permit)
    }

    fn because(reason: Reason) -> Self {
        Self { reason, rule: None }
    }

    /// Why.
    pub(crate) fn reason(&self) -> Reason {
        self.reason
    }

    /// The rule that allowed, or would have denied.
    pub(crate) fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }
}

/// The rules of an endpoint, and who asks.
pub(super) struct Rules<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) who: &'a Principals<'a>,
}

impl Rules<'_> {
    /// By the rule that allows the first operation; or the first denial.
    fn permit(&self, operations: &[Operation]) -> Result<Permit, Refusal> {
        let mut first = None;
        for operation in operations {
            let rule = self.decide(operation)?;
            first.get_or_insert(rule);
        }
        let is_response = |operation: &Operation| operation.kind == OperationKind::Response;
        Ok(Permit {
            reason: match operations.iter().all(is_response) {
                true => Reason::ClientResponse,
                false => Reason::Allowed,
            },
            rule: first.flatten().map(|rule| rule.id.to_string()),
        })
    }

    /// The rule that allows `operation`, or why it is denied.
    fn decide(&self, operation: &Operation) -> Result<Option<&Rule>, Refusal> {
        let endpoint = self.endpoint;
        if operation.kind == OperationKind::Response {
            return match endpoint.responses {
                Switch::Allow => Ok(None),
                Switch::Deny => Err(denial::of_response(endpoint)),
            };
        }
        let mut denies = endpoint.deny.iter();
        let spellings = self.spellings(operation);
        if let Some(rule) = denies.find(|rule| {
            denies_operation(rule, operation, spellings.as_ref()) && self.who.forbids(rule)
        }) {
            return Err(denial::by_rule(operation, endpoint, rule));
        }
        if operation.forbidden_argument {
            return Err(denial::of_argument(operation, endpoint));
        }
        let mut allows = endpoint.allow.iter();
        match allows.find(|rule| self.allows(rule, operation) && self.who.permits(rule)) {
            Some(rule) => Ok(Some(rule)),
            None => {
                let mut allows = endpoint.allow.iter();
                let but_for = allows.find(|rule| self.allows(rule, operation));
                Err(denial::unless_allowed(operation, endpoint, but_for))
            }
        }
    }

    pub(super) fn allows(&self, rule: &Rule, operation: &Operation) -> bool {
        allows_operation(rule, operation, self.endpoint.resource_uris)
    }

    /// Whether one deny names what is asked for, whoever asks.
    pub(super) fn denies(&self, rule: &Rule, operation: &Operation) -> bool {
        denies_operation(rule, operation, self.spellings(operation).as_ref())
    }

    /// What a denied URI is looked for in, if any rule denies some.
    fn spellings(&self, operation: &Operation) -> Option<Spellings> {
        let mut denies = self.endpoint.deny.iter();
        let name = operation
            .name
            .as_deref()
            .filter(|_| operation.kind == OperationKind::Resource)
            .filter(|_| denies.any(|rule| !rule.resources.is_empty()))?;
        Some(match operation.is_template() {
            true => Spellings::of_template(name),
            false => Spellings::of(name),
        })
    }
}
