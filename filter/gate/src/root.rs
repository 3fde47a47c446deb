//! Configuration to gate, and the callbacks that belong to no request.

use std::rc::Rc;

use mcp_boundary_handover::Role;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{ContextType, Status};

use crate::request::{self, Gate, Request};
use crate::settings::Settings;
use crate::vm::Vm;

/// The root context: holds the gate once a configuration was accepted.
#[derive(Debug)]
pub(crate) struct Root {
    id: u32,
    gate: Option<Rc<Gate>>,
}

impl Root {
    pub(crate) fn new(id: u32) -> Self {
        Self { id, gate: None }
    }

    fn configure(&mut self) -> Result<(), String> {
        let configuration = self.get_plugin_configuration().unwrap_or_default();
        let settings = Settings::read(&configuration)?;
        let vm = Vm::open(self.id).map_err(|status: Status| {
            format!(
                "the host gives the gate no queue: {status:?}; leave `capability_restriction_config` out of its entry"
            )
        })?;
        for role in Role::ALL {
            if settings.awaits.contains(role) {
                log::info!("mcp_boundary: a gate awaits {}", role.as_str());
            }
        }
        self.gate = Some(Rc::new(Gate { settings, vm }));
        Ok(())
    }
}

impl Context for Root {
    /// The keeper stays, see [`crate::vm`].
    fn on_done(&mut self) -> bool {
        let kept = |gate: &Rc<Gate>| gate.vm.is_kept_by(self.id);
        !self.gate.as_ref().is_some_and(kept)
    }
}

impl RootContext for Root {
    fn on_configure(&mut self, _size: usize) -> bool {
        match self.configure() {
            Ok(()) => true,
            Err(error) => {
                log::error!("mcp_boundary: the gate's configuration refused: {error}");
                false
            }
        }
    }

    /// Somebody decided. One request at most goes on in one callback, since
    /// there is a callback for each that is put into the queue.
    fn on_queue_ready(&mut self, queue: u32) {
        let Some(gate) = &self.gate else {
            return;
        };
        while let Some((ticket, held)) = gate.vm.decided(queue) {
            match request::release(&gate.vm, ticket, held) {
                Ok(true) => return,
                Ok(false) => {}
                Err(status) => {
                    log::error!("mcp_boundary: the gate cannot let a request go on: {status:?}");
                }
            }
        }
    }

    fn on_tick(&mut self) {
        let Some(gate) = &self.gate else {
            return;
        };
        for context in gate.vm.tick() {
            log::error!(
                "mcp_boundary: a gate gives a request up: nobody decided on it in time; its body came too slowly, or an instance before the gate failed (`wait_seconds`)"
            );
            if let Err(status) = request::give_up(context) {
                log::error!("mcp_boundary: the gate cannot answer a request: {status:?}");
            }
        }
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, context_id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Request::new(context_id, self.gate.clone())))
    }
}
