//! Stage: [`Asked`] to [`Authorised`]: the endpoint's rules. Contract section 10.
//!
//! An operation is permitted when some `allow` rule matches and no `deny` rule
//! does. Nothing allowed means denied; deny always wins; what cannot be read
//! never allows and always denies.

use mcp_boundary_format::{Endpoint, Rule, Switch};

use super::denial;
use super::names::{allows_operation, denies_operation};
use super::operation::{Operation, OperationKind};
use super::operations::Asked;
use super::principals::Principals;
use super::uri::deny::Spellings;
use crate::answer::reason::Refusal;
use crate::request::{Request, Stage};

/// A request all of whose operations the rules permit.
#[derive(Debug)]
pub(crate) struct Authorised {
    request: Box<Request>,
    /// The rule that allowed the first operation.
    rule: Option<String>,
}

impl Authorised {
    pub(crate) fn by_rules(asked: Asked) -> Stage<Self> {
        let request = asked.request();
        let rules = Rules {
            endpoint: request.endpoint(),
            who: &request.who(),
        };
        let made = rules.permit(request.operations());
        let (request, rule) = asked.into_request().then(made)?;
        Ok(Self { request, rule })
    }

    pub(crate) fn into_parts(self) -> (Box<Request>, Option<String>) {
        (self.request, self.rule)
    }
}

struct Rules<'a> {
    endpoint: &'a Endpoint,
    who: &'a Principals<'a>,
}

impl Rules<'_> {
    /// The rule that allows the first operation, or the first denial.
    fn permit(&self, operations: &[Operation]) -> Result<Option<String>, Refusal> {
        let mut first = None;
        for operation in operations {
            let rule = self.decide(operation)?;
            first.get_or_insert(rule);
        }
        Ok(first.flatten().map(|rule| rule.id.clone()))
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

    fn allows(&self, rule: &Rule, operation: &Operation) -> bool {
        allows_operation(rule, operation, self.endpoint.resource_uris)
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
