//! Configuration to engine, and the counters.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mcp_boundary_engine::{Counted, Engine, Hold, Settings, Verdict};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{ContextType, MetricType};

use crate::hold::{self, Released, TICK};
use crate::http::Request;

/// One configured plugin instance, shared by the requests it started.
#[derive(Debug)]
pub(crate) struct Boundary {
    pub(crate) engine: Engine,
    /// Who holds the headers.
    pub(crate) hold: Hold,
    /// Headers were left to somebody behind, and nobody held them.
    pub(crate) gateless: Cell<bool>,
    /// Bytes of bodies that are kept here.
    pub(crate) taken: Cell<usize>,
    /// Requests that a gate was told to let go on.
    pub(crate) released: Released,
    /// Whether a missing setting was already reported.
    pub(crate) warned: Cell<bool>,
    /// Host metric ids by what they count.
    counters: RefCell<BTreeMap<Counted, u32>>,
}

impl Boundary {
    /// Counts a verdict, if it counts.
    pub(crate) fn count(&self, verdict: &Verdict) {
        let Some(counted) = self.engine.counted(verdict) else {
            return;
        };
        let mut counters = self.counters.borrow_mut();
        let known = counters.get(&counted).copied();
        let id = known.or_else(|| {
            let name = self.engine.counter(counted);
            hostcalls::define_metric(MetricType::Counter, &name).ok()
        });
        if let Some(id) = id {
            if known.is_none() {
                counters.insert(counted, id);
            }
            // A lost count must not cost the request.
            let _ = hostcalls::increment_metric(id, 1);
        }
    }
}

/// The root context: holds the boundary once a configuration was accepted.
#[derive(Debug, Default)]
pub(crate) struct Root {
    boundary: Option<Rc<Boundary>>,
}

impl Context for Root {}

impl RootContext for Root {
    fn on_configure(&mut self, _size: usize) -> bool {
        let configuration = self.get_plugin_configuration().unwrap_or_default();
        match Settings::read(&configuration) {
            Ok((engine, hold)) => {
                let boundary = Boundary {
                    engine,
                    hold,
                    gateless: Cell::new(false),
                    taken: Cell::new(0),
                    released: Released::default(),
                    warned: Cell::new(false),
                    counters: RefCell::default(),
                };
                let engine = &boundary.engine;
                log::info!(
                    "mcp_boundary: policy {} with {} endpoints is in force, role {}",
                    engine.digest(),
                    engine.policy().endpoints().len(),
                    engine.role().as_str(),
                );
                if boundary.hold == Hold::Gate
                    && let Err(status) = hostcalls::set_tick_period(TICK)
                {
                    log::error!(
                        "mcp_boundary: configuration refused: the host has no clock for `hold: gate`: {status:?}; leave `capability_restriction_config` out"
                    );
                    return false;
                }
                self.boundary = Some(Rc::new(boundary));
                true
            }
            Err(error) => {
                log::error!("mcp_boundary: configuration refused: {error}");
                false
            }
        }
    }

    fn on_tick(&mut self) {
        if let Some(boundary) = &self.boundary {
            hold::give_up(boundary);
        }
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, context_id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Request::new(context_id, self.boundary.clone())))
    }
}
