//! One request at the gate.

use std::rc::Rc;

use mcp_boundary_handover::{Edit, Role, SEEN, TICKET, Ticket, answer, key};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::{Action, MapType, Status};

use crate::settings::Settings;
use crate::standing::Standing;
use crate::vm::Vm;
use crate::waiting::Held;

/// A configured gate.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) settings: Settings,
    pub(crate) vm: Rc<Vm>,
}

/// The context of one request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The host's number of it.
    id: u32,
    /// None if no configuration was ever accepted; then nothing passes.
    gate: Option<Rc<Gate>>,
    /// While it is held, or once it was.
    ticket: Option<Ticket>,
    /// Answered in the server's place: nothing goes on, whatever comes.
    answered: bool,
}

impl Request {
    pub(crate) fn new(id: u32, gate: Option<Rc<Gate>>) -> Self {
        Self {
            id,
            gate,
            ticket: None,
            answered: false,
        }
    }

    /// Whether the headers may go on at once.
    fn open(&mut self) -> Result<Action, Status> {
        let Some(gate) = self.gate.clone() else {
            return self.refuse("the boundary has no gate; see the proxy's log");
        };
        let marks = marks();
        match Standing::of(gate.settings.awaits, &borrowed(&marks)) {
            Standing::Goes(edits) => {
                edit(&edits)?;
                hostcalls::set_property(vec![TICKET], Some(SEEN))?;
                Ok(Action::Continue)
            }
            Standing::Waits => self.hold(&gate),
            Standing::Missing(role) => {
                let role = role.as_str();
                log::error!(
                    "mcp_boundary: a gate refuses a request: nothing of `{role}` before it; put the instance with `\"role\": \"{role}\"` and `\"hold\": \"gate\"` before the gate, or take `{role}` out of the gate's `awaits`"
                );
                self.refuse("the boundary is not set up: its gate misses an instance before it; see the proxy's log")
            }
        }
    }

    fn hold(&mut self, gate: &Gate) -> Result<Action, Status> {
        let Some(ticket) = gate.vm.enter(self.id, gate.settings) else {
            let limit = gate.settings.max_waiting;
            log::error!(
                "mcp_boundary: a gate refuses a request: {limit} wait already; clients send bodies too slowly, or the gate's `max_waiting` is too low"
            );
            return self.refuse("too many requests wait for their decision; try again later");
        };
        self.ticket = Some(ticket);
        hostcalls::set_property(vec![TICKET], Some(&ticket.encode()))?;
        Ok(Action::Pause)
    }

    fn refuse(&mut self, message: &str) -> Result<Action, Status> {
        self.answered = true;
        respond(503, message)?;
        Ok(Action::Pause)
    }
}

impl Context for Request {}

impl HttpContext for Request {
    fn on_http_request_headers(&mut self, _count: usize, _end_of_stream: bool) -> Action {
        self.open().unwrap_or_else(|status| {
            // Neither answered nor sent on: it is held until its client leaves.
            log::error!("mcp_boundary: the host refused a call of the gate: {status:?}");
            self.answered = true;
            Action::Pause
        })
    }

    fn on_http_request_body(&mut self, _size: usize, _end_of_stream: bool) -> Action {
        match self.answered {
            true => Action::Pause,
            false => Action::Continue,
        }
    }

    fn on_http_request_trailers(&mut self, _count: usize) -> Action {
        self.on_http_request_body(0, true)
    }
}

/// At `proxy_on_delete`: the request went on long ago, or its client left.
impl Drop for Request {
    fn drop(&mut self) {
        if let (Some(gate), Some(ticket)) = (&self.gate, self.ticket) {
            gate.vm.leave(ticket);
        }
    }
}

/// Lets a held request go on if all have decided: its headers, then what came
/// of its body. Whether it does.
///
/// # Errors
/// If the host refuses to; the request then stays where it is.
pub(crate) fn release(vm: &Vm, ticket: Ticket, held: Held) -> Result<bool, Status> {
    hostcalls::set_effective_context(held.context)?;
    let marks = marks();
    let Standing::Goes(edits) = Standing::of(held.awaits, &borrowed(&marks)) else {
        return Ok(false);
    };
    edit(&edits)?;
    vm.leave(ticket);
    hostcalls::resume_http_request()?;
    // Behind all that may fail: whoever decided looks for it.
    hostcalls::set_property(vec![TICKET], Some(SEEN))?;
    Ok(true)
}

/// Answers a request that has waited too long.
///
/// # Errors
/// If the host refuses to.
pub(crate) fn give_up(context: u32) -> Result<(), Status> {
    hostcalls::set_effective_context(context)?;
    respond(
        504,
        "the request was not decided in time: its body came too slowly, or the boundary failed; see the proxy's log",
    )
}

type Marks = [(Role, Option<Vec<u8>>); 2];

fn marks() -> Marks {
    Role::ALL.map(|role| {
        let mark = hostcalls::get_property(vec![key(role)]);
        (role, mark.ok().flatten())
    })
}

fn borrowed(marks: &Marks) -> [(Role, Option<&[u8]>); 2] {
    marks
        .each_ref()
        .map(|(role, mark)| (*role, mark.as_deref()))
}

fn edit(edits: &[Edit<'_>]) -> Result<(), Status> {
    for edit in edits {
        let (name, value) = match edit {
            Edit::Set(name, value) => (name, Some(value.as_bytes())),
            Edit::Remove(name) => (name, None),
        };
        hostcalls::set_map_value_bytes(MapType::HttpRequestHeaders, name, value)?;
    }
    Ok(())
}

fn respond(status: u32, message: &str) -> Result<(), Status> {
    let headers = vec![("content-type", "application/json")];
    hostcalls::send_http_response(status, headers, Some(answer(message).as_bytes()))
}
