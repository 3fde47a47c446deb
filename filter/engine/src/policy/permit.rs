//! The only way to a forward effect.
//!
//! A permit is made from what a stage made that nothing else can make: all
//! operations authorised, a stream, the end of a session, a request that the
//! policy lets pass unmatched; or from a denial where the endpoint only audits.

use mcp_boundary_format::{Endpoint, Mode};

use super::authorize::Authorised;
use super::operation::{Operation, OperationKind};
use crate::answer::reason::{Kind, Reason, Refusal};
use crate::head::located::Unmatched;
use crate::head::verb::{SessionEnd, Stream};
use crate::request::Request;

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
    /// By the endpoint's rules.
    pub(crate) fn by_rules(authorised: Authorised) -> Self {
        let (request, rule) = authorised.into_parts();
        let is_response = |operation: &Operation| operation.kind == OperationKind::Response;
        let reason = match request.operations().iter().all(is_response) {
            true => Reason::ClientResponse,
            false => Reason::Allowed,
        };
        let permit = Permit { reason, rule };
        Self { request, permit }
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
