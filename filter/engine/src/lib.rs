//! Decides about MCP requests. Pure: a plain request in, a plain outcome out;
//! no proxy, no clock, no I/O.
//!
//! A request goes one way. Each stage takes what the one before made and
//! cannot be made otherwise, so none can be left out; [`Engine::open`] and
//! [`Pending::close`] are the whole of it. Where a stage refuses, the way ends.
//!
//! ```text
//! head    Arrived     the headers that are read
//!         Located     the endpoint: by host and path, or by admit's record
//!         Opened      origin, caller, verb, media type, declared length
//! body    Whole       all of it, within the limit
//!         Parsed      one strict JSON pass, no ambiguity left
//!         Enveloped   JSON-RPC messages
//!         Measured    the length is the declared one
//!         Selected    exactly one revision governs
//!         Profiled    every call fits that revision
//!         Agreed      headers say what the body says
//! policy  Asked       what the request asks for, in a policy's terms
//!         Permitted   the rules allow it; the only way to a forward effect
//! answer  Outcome     what the proxy does, and what is logged
//! ```

mod answer;
mod body;
mod engine;
mod hash;
mod head;
mod policy;
mod request;
mod settings;

use body::envelope::Enveloped;
use body::json::Parsed;
use body::mirrors::Agreed;
use body::profile::Profiled;
use body::revision::{Measured, Selected};
use head::located::{Arrived, Located};
use head::verb::{Opened, Posted, Whole};
use policy::authorize::{Permit, Permitted};
use policy::operations::Asked;
use request::Stage;

pub use answer::audit::{Counted, Seen};
pub use answer::edit::HeaderEdit;
pub use answer::effect::Effect;
pub use answer::outcome::Outcome;
pub use answer::reason::{Kind, Reason, code};
pub use answer::verdict::Verdict;
pub use engine::Engine;
pub use head::fields::Head;
pub use head::near;
pub use mcp_boundary_format::{Hold, Holder, Place, Role};
pub use policy::claims::is_list_of_words;
pub use policy::consider::Considered;
pub use policy::methods;
pub use policy::operation::{Operation, OperationKind};
pub use policy::operations::is_strict_tool_name;
pub use policy::principals::{Attribute, Met};
pub use policy::uri::{UriFault, template_fault, uri_fault};
pub use settings::Settings;

/// What the header phase led to.
#[derive(Debug)]
#[must_use]
pub enum Step {
    /// The request is decided.
    Decided(Box<Outcome>),
    /// The body must be seen.
    Body(Pending),
}

/// A request whose headers passed, and whose body is awaited.
#[derive(Debug)]
#[must_use]
pub struct Pending(Opened);

impl Engine {
    /// The header phase: decides on the headers, or says that the body is
    /// needed.
    pub fn open(&self, head: Head<'_>) -> Step {
        let end_of_stream = head.end_of_stream;
        match self.look(&head) {
            Ok(Ok(opened)) if end_of_stream => Pending(opened).close(b"").into(),
            Ok(Ok(opened)) => Step::Body(Pending(opened)),
            Ok(Err(passed)) => passed.into(),
            Err(refused) => Outcome::refused(*refused).into(),
        }
    }

    /// An endpoint's request; otherwise the outcome of one that passes unseen.
    fn look(&self, head: &Head<'_>) -> Stage<Result<Opened, Outcome>> {
        let arrived = Arrived::read(self.core(), head);
        match Located::find(arrived)? {
            Located::Endpoint(seated) => Opened::check(seated).map(Ok),
            Located::Nowhere(unmatched) => {
                let (permit, record) = Permit::unmatched(unmatched);
                Ok(Err(Outcome::unmatched(permit, record)))
            }
        }
    }

    /// Header phase and body phase in one go.
    pub fn decide(&self, head: Head<'_>, body: &[u8]) -> Outcome {
        let end_of_stream = head.end_of_stream && body.is_empty();
        match self.open(Head {
            end_of_stream,
            ..head
        }) {
            Step::Decided(outcome) => *outcome,
            Step::Body(pending) => pending.close(body),
        }
    }

    /// The outcome where the host cannot show the request.
    pub fn fault(&self) -> Outcome {
        Outcome::fault(
            "the boundary cannot read the whole request; look at Envoy's buffer limit and the filter's `capability_restriction_config`",
        )
    }
}

impl Pending {
    /// Goes on waiting after `received` bytes of body, or decides if these are
    /// too many.
    pub fn received(self, received: usize) -> Step {
        match self.0.within(received) {
            Ok(opened) => Step::Body(Self(opened)),
            Err(refused) => Outcome::refused(*refused).into(),
        }
    }

    /// What a recheck must find that sees the headers before the body is
    /// decided: the record of the head alone. `None` at a recheck.
    pub fn early_record(&self) -> Option<Vec<u8>> {
        self.0.early_record()
    }

    /// The body phase: decides on the whole body.
    pub fn close(self, body: &[u8]) -> Outcome {
        match self.permit(body) {
            Ok(permitted) => Outcome::permitted(permitted),
            Err(refused) => Outcome::refused(*refused),
        }
    }

    fn permit(self, body: &[u8]) -> Stage<Permitted> {
        match self.0.with(body)? {
            Whole::Get(request, stream) => Ok(Permitted::stream(request, stream)),
            Whole::Delete(request, end) => Ok(Permitted::session_end(request, end)),
            Whole::Post(posted) => authorise(posted),
        }
    }
}

/// The way of a POST: one stage a line.
fn authorise(posted: Posted<'_>) -> Stage<Permitted> {
    let parsed = Parsed::read(posted)?;
    let enveloped = Enveloped::check(parsed)?;
    let measured = Measured::compare(enveloped)?;
    let selected = Selected::choose(measured)?;
    let profiled = Profiled::inspect(selected)?;
    let agreed = Agreed::compare(profiled)?;
    let asked = Asked::of(agreed)?;
    Permitted::by_rules(asked)
}

impl From<Outcome> for Step {
    fn from(outcome: Outcome) -> Self {
        Self::Decided(Box::new(outcome))
    }
}
