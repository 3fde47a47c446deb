//! One request through the engine: headers, body, trailers.
//!
//! Headers are held (`Action::Pause`) until the decision, by a gate if not here
//! (`hold`), so that nothing of a refused request reaches an upstream
//! connection. The body is only read once, when it is whole: at its end, or at
//! the trailers, after which no end of body is signalled.

use std::rc::Rc;

use mcp_boundary_engine::{Effect, Head, Outcome, Pending, Role, Step};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::{Action, BufferType, MapType};

use crate::attributes::lines;
use crate::body::Fault;
use crate::hold::{self, Left};
use crate::root::Boundary;
use crate::{attributes, effect};

/// Where a request stands.
#[derive(Debug)]
enum State {
    /// Nothing seen yet.
    New,
    /// Headers passed, the body is awaited.
    Body(Pending),
    /// Decided to go on.
    Forwarded,
    /// Answered in the server's place.
    Answered,
}

impl State {
    /// What awaits the body, if anything does; then nothing goes on until it is
    /// decided or put back.
    fn take_pending(&mut self) -> Option<Pending> {
        match std::mem::replace(self, Self::Answered) {
            Self::Body(pending) => Some(pending),
            other => {
                *self = other;
                None
            }
        }
    }
}

/// The context of one request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The host's number of it.
    id: u32,
    /// None if no configuration was ever accepted; then nothing passes.
    boundary: Option<Rc<Boundary>>,
    state: State,
    /// Bytes of body that the host holds.
    held: usize,
    /// Whether the host ever called for a body or trailers.
    called: bool,
    /// What is kept of the headers once they went on to a gate.
    left: Option<Left>,
}

impl Request {
    pub(crate) fn new(id: u32, boundary: Option<Rc<Boundary>>) -> Self {
        Self {
            id,
            boundary,
            state: State::New,
            held: 0,
            called: false,
            left: None,
        }
    }

    fn action(&self) -> Action {
        match self.state {
            State::Forwarded => Action::Continue,
            State::New | State::Body(_) | State::Answered => Action::Pause,
        }
    }

    fn open(&mut self, end_of_stream: bool) {
        let Some(boundary) = self.boundary.clone() else {
            self.unserved("the boundary has no policy; see the proxy's log");
            return;
        };
        if let Some(message) = hold::misplaced(&boundary) {
            self.unserved(message);
            return;
        }
        let Ok(headers) = hostcalls::get_map_bytes(MapType::HttpRequestHeaders) else {
            self.finish(&boundary, &boundary.engine.fault());
            return;
        };
        let record = match boundary.engine.role() {
            Role::Admit => None,
            Role::Recheck => attributes::record(),
        };
        let attributes = attributes::values(boundary.engine.attributes());
        let step = boundary.engine.open(Head {
            headers: &lines(&headers),
            end_of_stream,
            attributes: &attributes,
            record: record.as_deref(),
        });
        match step {
            Step::Decided(outcome) => self.finish(&boundary, &outcome),
            Step::Body(pending) => {
                match hold::leave(&boundary, self.id, &pending, headers, attributes) {
                    Ok(left) => {
                        self.left = left;
                        self.state = State::Body(pending);
                    }
                    Err(_) => self.finish(&boundary, &boundary.engine.fault()),
                }
            }
        }
    }

    /// `held` bytes of body are with the host.
    fn body(&mut self, held: usize, complete: bool) {
        self.held = held;
        self.called = true;
        let Some(boundary) = self.boundary.clone() else {
            return;
        };
        let Some(pending) = self.state.take_pending() else {
            return;
        };
        let taken = self.left.as_ref().map_or(0, |left| left.body.taken());
        match pending.received(held.saturating_add(taken)) {
            Step::Decided(outcome) => self.finish(&boundary, &outcome),
            Step::Body(pending) if complete => self.close(&boundary, pending),
            Step::Body(pending) => {
                self.state = State::Body(pending);
                self.keep(&boundary);
            }
        }
    }

    /// Keeps what has come of a body whose headers were left to a gate.
    fn keep(&mut self, boundary: &Boundary) {
        let Some(left) = &mut self.left else {
            return;
        };
        match left.body.keep(boundary, self.held) {
            Ok(held) => self.held = held,
            Err(Fault::Full) => {
                log::error!(
                    "mcp_boundary: {} refuses a request: 64 MiB of bodies wait while filters behind it hold their headers; put filters that ask other services before admit",
                    boundary.engine.role().as_str()
                );
                self.unserved("too many bodies wait for their decision; try again later");
            }
            Err(Fault::Host) => self.finish(boundary, &boundary.engine.fault()),
        }
    }

    fn close(&mut self, boundary: &Boundary, pending: Pending) {
        if let Some(message) = self.left.as_ref().and_then(|_| hold::gateless(boundary)) {
            self.unserved(message);
            return;
        }
        let body = match self.held {
            0 => None,
            size => hostcalls::get_buffer(BufferType::HttpRequestBody, 0, size)
                .ok()
                .flatten(),
        };
        let body = body.unwrap_or_default();
        if body.len() != self.held {
            // Never a decision on a part.
            self.finish(boundary, &boundary.engine.fault());
            return;
        }
        let Some(left) = &mut self.left else {
            let outcome = pending.close(&body);
            self.finish(boundary, &outcome);
            return;
        };
        let body = left.body.whole(boundary, body);
        let outcome = match boundary.engine.role() {
            Role::Admit => pending.close(&body),
            Role::Recheck => left.decide(&boundary.engine, &body),
        };
        let outcome = match left.body.put_back(self.held, &body) {
            Ok(()) => outcome,
            Err(_) => boundary.engine.fault(),
        };
        self.finish(boundary, &outcome);
    }

    /// Answered or not, it does not go on.
    fn unserved(&mut self, message: &str) {
        self.state = State::Answered;
        if let Err(status) = effect::unserved(message) {
            log::error!("mcp_boundary: a request cannot be answered: {status:?}");
        }
    }

    /// Only what the host did in full goes on; what it failed at is refused.
    fn finish(&mut self, boundary: &Boundary, outcome: &Outcome) {
        self.state = State::Answered;
        match (
            effect::apply(boundary, outcome, self.left.as_ref()),
            &outcome.effect,
        ) {
            (Ok(()), Effect::Forward { .. }) => self.state = State::Forwarded,
            (Ok(()), Effect::Answer { .. }) => {}
            (Err(status), effect) => {
                log::error!("mcp_boundary: the host refused a call: {status:?}");
                // An answer that could not be sent is not sent by a second try.
                if let Effect::Forward { .. } = effect
                    && let Err(status) =
                        effect::apply(boundary, &boundary.engine.fault(), self.left.as_ref())
                {
                    log::error!("mcp_boundary: a request cannot be answered: {status:?}");
                }
            }
        }
    }
}

impl Context for Request {}

impl HttpContext for Request {
    fn on_http_request_headers(&mut self, _count: usize, end_of_stream: bool) -> Action {
        self.open(end_of_stream);
        match (&self.state, &self.left) {
            // The gate holds them.
            (State::Body(_), Some(_)) => Action::Continue,
            _ => self.action(),
        }
    }

    fn on_http_request_body(&mut self, held: usize, end_of_stream: bool) -> Action {
        self.body(held, end_of_stream);
        self.action()
    }

    fn on_http_request_trailers(&mut self, _count: usize) -> Action {
        self.body(self.held, true);
        self.action()
    }
}

/// Without the setting, Envoy never shows the body of a request whose headers
/// are held: it times out, and this is the only trace. Dropped at
/// `proxy_on_delete`, the last callback of a request; `proxy_on_log` would be
/// one more for every request.
impl Drop for Request {
    fn drop(&mut self) {
        if let (Some(boundary), Some(left)) = (&self.boundary, &mut self.left) {
            boundary.released.forget(self.id);
            left.body.whole(boundary, Vec::new());
        }
        let unseen = matches!(self.state, State::Body(_)) && !self.called && self.left.is_none();
        // Once: a client that hangs up early looks the same.
        if unseen
            && self
                .boundary
                .as_ref()
                .is_some_and(|boundary| !boundary.warned.replace(true))
        {
            log::error!(
                "mcp_boundary: a request ended before any of its body was seen; if no request with a body passes, `allow_on_headers_stop_iteration: true` is missing from this filter's configuration (Envoy 1.35 or later)"
            );
        }
    }
}
