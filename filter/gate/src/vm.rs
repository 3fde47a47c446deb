//! What all gates of one VM share: its queue, and the requests that are held.
//!
//! # The keeper
//!
//! The host calls a queue back at the number of the root context that
//! registered it, in whatever VM of this module then runs on the worker. After
//! a fault that is another VM, where the number may have become a request's,
//! and the SDK panics when a queue's callback meets anything but a root. So one
//! root registers for all: the VM's first, whose number is the same in every
//! VM, since the first context of a VM is always a root. It stays until the VM
//! ends (it never says that it is done), also when its own configuration was
//! replaced. Then every callback, however late, finds a root.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use mcp_boundary_handover::Ticket;
use proxy_wasm::hostcalls;
use proxy_wasm::types::Status;

use crate::settings::Settings;
use crate::waiting::{Held, Waiting};

/// Shared data: how many VMs there were.
const VMS: &str = "mcp_boundary_gate_vms";
/// How often a number is tried for against other workers.
const TRIES: usize = 1000;
const TICK: Duration = Duration::from_secs(1);

thread_local! {
    static VM: RefCell<Option<Rc<Vm>>> = const { RefCell::new(None) };
}

/// This VM.
#[derive(Debug)]
pub(crate) struct Vm {
    /// The root that gets the callbacks.
    keeper: u32,
    waiting: RefCell<Waiting>,
}

impl Vm {
    /// This VM as root context `root` sees it; the first one to ask keeps it.
    ///
    /// # Errors
    /// If the host gives it no number or no queue.
    pub(crate) fn open(root: u32) -> Result<Rc<Self>, Status> {
        let known = VM.with_borrow(Clone::clone);
        if let Some(vm) = known {
            return Ok(vm);
        }
        let number = number()?;
        let queue = hostcalls::register_shared_queue(&format!("mcp_boundary_gate_{number}"))?;
        hostcalls::set_tick_period(TICK)?;
        let vm = Rc::new(Self {
            keeper: root,
            waiting: RefCell::new(Waiting::new(queue, number)),
        });
        VM.set(Some(Rc::clone(&vm)));
        Ok(vm)
    }

    /// Whether `root` keeps this VM.
    pub(crate) fn is_kept_by(&self, root: u32) -> bool {
        self.keeper == root
    }

    /// See [`Waiting::enter`].
    pub(crate) fn enter(&self, context: u32, settings: Settings) -> Option<Ticket> {
        self.waiting.borrow_mut().enter(context, settings)
    }

    /// See [`Waiting::leave`].
    pub(crate) fn leave(&self, ticket: Ticket) {
        self.waiting.borrow_mut().leave(ticket);
    }

    /// See [`Waiting::tick`].
    pub(crate) fn tick(&self) -> Vec<u32> {
        self.waiting.borrow_mut().tick()
    }

    /// The next request that somebody decided on, from the queue; `None` if
    /// there is no more, or it is another VM's queue.
    pub(crate) fn decided(&self, queue: u32) -> Option<(Ticket, Held)> {
        if queue != self.waiting.borrow().queue() {
            return None;
        }
        while let Ok(Some(bytes)) = hostcalls::dequeue_shared_queue(queue) {
            let Some(ticket) = Ticket::decode(&bytes) else {
                continue;
            };
            // Its client may have left.
            let held = self.waiting.borrow().find(ticket);
            if let Some(held) = held {
                return Some((ticket, held));
            }
        }
        None
    }
}

/// A number that no other VM has.
fn number() -> Result<u32, Status> {
    for _ in 0..TRIES {
        let (value, cas) = hostcalls::get_shared_data(VMS)?;
        let last = value.and_then(|value| value.try_into().ok());
        let number = last.map_or(0, u32::from_le_bytes).wrapping_add(1);
        match hostcalls::set_shared_data(VMS, Some(&number.to_le_bytes()), cas) {
            Ok(()) => return Ok(number),
            Err(Status::CasMismatch) => {}
            Err(status) => return Err(status),
        }
    }
    Err(Status::CasMismatch)
}
