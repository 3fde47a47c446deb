//! `hold: gate` and `hold: body`: the headers of a request are left to a gate,
//! or to a filter of the host, which holds them in the place of this instance.
//! `docs/gate.md` says why and how.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use mcp_boundary_engine::{Engine, Head, HeaderEdit, Hold, Outcome, Pending, Step};
use mcp_boundary_handover::{self as handover, Edit, Mark, TICKET, Ticket};
use proxy_wasm::hostcalls;
use proxy_wasm::types::{Bytes, Status};

use crate::attributes::{self, RECORD, lines, property};
use crate::body::Body;
use crate::effect;
use crate::root::Boundary;

/// What is kept of the headers that went on: the host shows them no more.
#[derive(Debug)]
pub(crate) struct Left {
    /// The host's number of the request.
    id: u32,
    headers: Vec<(String, Bytes)>,
    attributes: Vec<Option<Vec<u8>>>,
    /// Its body, as far as it came.
    pub(crate) body: Body,
}

impl Left {
    pub(crate) fn headers(&self) -> Vec<(&[u8], &[u8])> {
        lines(&self.headers)
    }

    /// A recheck's decision on the whole body. Only now is admit's record whole:
    /// when the headers came, admit had not seen the body either.
    pub(crate) fn decide(&self, engine: &Engine, body: &[u8]) -> Outcome {
        let record = attributes::record();
        let head = Head {
            headers: &self.headers(),
            end_of_stream: false,
            attributes: &self.attributes,
            record: record.as_deref(),
        };
        match engine.open(head) {
            Step::Decided(outcome) => *outcome,
            Step::Body(pending) => pending.close(body),
        }
    }
}

/// Why a request cannot be left to the gate, seen from its headers; the gate
/// would release it too early, or there is none. Said in the log, too.
pub(crate) fn misplaced(boundary: &Boundary) -> Option<&'static str> {
    let role = boundary.engine.role().as_str();
    match boundary.hold {
        Hold::Headers => return None,
        Hold::Body(_) if boundary.gateless.get() => {
            log::error!(
                "mcp_boundary: {role} refuses a request: nobody held the headers of one before; put {HOLDER} behind it, then configure {role} anew or restart the proxy"
            );
            return Some(UNHELD);
        }
        Hold::Body(_) => return None,
        Hold::Gate => {}
    }
    if boundary.gateless.get() {
        log::error!(
            "mcp_boundary: {role} refuses a request: it found no gate before; add the gate, then configure {role} anew or restart the proxy"
        );
        Some("the boundary is not set up: there is no gate; see the proxy's log")
    } else if is_at_gate() {
        log::error!(
            "mcp_boundary: {role} refuses a request: the gate stands before it; put the gate behind it, last before the router"
        );
        Some("the boundary is not set up: its gate stands too early; see the proxy's log")
    } else if property(vec![handover::key(boundary.engine.role())]).is_some() {
        log::error!(
            "mcp_boundary: {role} refuses a request: another instance with this role and `hold: gate` stands before it; keep one of them in the chain"
        );
        Some("the boundary is not set up: a role is there twice; see the proxy's log")
    } else {
        None
    }
}

/// What `hold: body` relies on.
const HOLDER: &str = "the filter that `held_by` names";
const UNHELD: &str = "the boundary is not set up: nobody holds headers; see the proxy's log";

/// Leaves the headers of a request whose body must be seen to those behind: the
/// mark for a gate, and for a recheck what admit knows so far. `None` if they
/// are held here.
pub(crate) fn leave(
    boundary: &Boundary,
    id: u32,
    pending: &Pending,
    headers: Vec<(String, Bytes)>,
    attributes: Vec<Option<Vec<u8>>>,
) -> Result<Option<Left>, Status> {
    if boundary.hold == Hold::Headers {
        return Ok(None);
    }
    if let Some(record) = pending.early_record() {
        hostcalls::set_property(vec![RECORD], Some(&record))?;
    }
    if boundary.hold == Hold::Gate {
        mark(boundary, &Mark::Hold)?;
    }
    Ok(Some(Left {
        id,
        headers,
        attributes,
        body: Body::Unseen,
    }))
}

/// Tells the gate that a request was permitted by its headers alone.
pub(crate) fn pass(boundary: &Boundary) -> Result<(), Status> {
    match boundary.hold {
        Hold::Headers | Hold::Body(_) => Ok(()),
        Hold::Gate => mark(boundary, &Mark::Pass(Vec::new())),
    }
}

/// Lets the gate send a permitted request on, changed by `edits`. Where another
/// filter still holds the headers, the gate has not seen them, and finds the
/// mark when they come. A filter of the host goes by the body alone.
pub(crate) fn release(
    boundary: &Boundary,
    left: &Left,
    edits: &[HeaderEdit],
) -> Result<(), Status> {
    if boundary.hold != Hold::Gate {
        // The configuration takes no policy that edits.
        return match edits {
            [] => Ok(()),
            _ => Err(Status::BadArgument),
        };
    }
    let edits = edits.iter().map(|edit| match edit {
        HeaderEdit::Set(name, value) => Edit::Set(name, value),
        HeaderEdit::Remove(name) => Edit::Remove(name),
    });
    mark(boundary, &Mark::Pass(edits.collect()))?;
    let Some(ticket) = ticket() else {
        return Ok(());
    };
    boundary.released.watch(left.id, ticket.wait_seconds);
    hostcalls::enqueue_shared_queue(ticket.queue, Some(&ticket.encode()))
}

/// How often [`give_up`] is called.
pub(crate) const TICK: Duration = Duration::from_secs(1);

/// How many ticks longer than it said a gate may hold a request.
const LATE: u64 = 3;

/// Requests that a gate was told to let go on, and until which tick it must
/// have: a gate whose VM fails cannot answer for those it holds.
#[derive(Debug, Default)]
pub(crate) struct Released {
    now: Cell<u64>,
    until: RefCell<Vec<(u32, u64)>>,
}

impl Released {
    fn watch(&self, id: u32, seconds: u32) {
        let ticks = u64::from(seconds).saturating_add(LATE);
        let until = self.now.get().saturating_add(ticks);
        self.until.borrow_mut().push((id, until));
    }

    /// The request has ended.
    pub(crate) fn forget(&self, id: u32) {
        self.until.borrow_mut().retain(|(held, _)| *held != id);
    }

    fn tick(&self) -> Vec<u32> {
        let now = self.now.get().saturating_add(1);
        self.now.set(now);
        let mut overdue = Vec::new();
        self.until.borrow_mut().retain(|(id, until)| {
            let late = *until <= now;
            if late {
                overdue.push(*id);
            }
            !late
        });
        overdue
    }
}

/// A tick has passed: answers requests that a gate should have let go on. What
/// clients see is the proxy's own 503, since the answer passes the failed gate.
pub(crate) fn give_up(boundary: &Boundary) {
    for id in boundary.released.tick() {
        if hostcalls::set_effective_context(id).is_err() || ticket().is_none() {
            continue;
        }
        log::error!(
            "mcp_boundary: {} gives a request up that the gate holds all the same: the gate has failed, see the log before",
            boundary.engine.role().as_str()
        );
        if let Err(status) = effect::unserved("the boundary's gate has failed; try again") {
            log::error!("mcp_boundary: a request cannot be answered: {status:?}");
        }
    }
}

/// Why a request can no longer be decided: its headers reached the router, with
/// nobody in between who held them. Nothing else is left to those behind from
/// then on.
pub(crate) fn gateless(boundary: &Boundary) -> Option<&'static str> {
    if ticket().is_some() || !is_routed() {
        return None;
    }
    let role = boundary.engine.role().as_str();
    boundary.gateless.set(true);
    if let Hold::Body(_) = boundary.hold {
        log::error!(
            "mcp_boundary: {role} refuses a request and all that follow: its headers were sent on, since nobody behind {role} held them; put {HOLDER} behind it, then configure {role} anew or restart the proxy"
        );
        return Some(UNHELD);
    }
    log::error!(
        "mcp_boundary: {role} refuses a request and all that follow: its headers were sent on, since no gate stands behind {role}; add the gate, then configure {role} anew or restart the proxy"
    );
    Some("the boundary is not set up: there is no gate; see the proxy's log")
}

/// Whether the gate has the headers.
pub(crate) fn is_at_gate() -> bool {
    property(vec![TICKET]).is_some()
}

fn ticket() -> Option<Ticket> {
    Ticket::decode(&property(vec![TICKET])?)
}

/// Whether the router has the headers: it counts its attempts from then on.
fn is_routed() -> bool {
    let attempts = property(vec!["upstream", "request_attempt_count"]);
    attempts.is_some_and(|attempts| attempts.iter().any(|byte| *byte != 0))
}

fn mark(boundary: &Boundary, mark: &Mark<'_>) -> Result<(), Status> {
    hostcalls::set_property(
        vec![handover::key(boundary.engine.role())],
        Some(&mark.encode()),
    )
}
