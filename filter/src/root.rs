//! Configuration to engine, and the counters.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mcp_boundary_engine::{Engine, Role, Verdict};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{ContextType, MetricType};

use crate::config;
use crate::http::Request;

/// One configured plugin instance, shared by the requests it started.
#[derive(Debug)]
pub(crate) struct Boundary {
    pub(crate) engine: Engine,
    pub(crate) role: Role,
    /// Whether a missing setting was already reported.
    pub(crate) warned: Cell<bool>,
    /// The policy's digest, as logs show it.
    pub(crate) digest: String,
    /// Host metric ids by what they count.
    counters: RefCell<BTreeMap<Counted, u32>>,
}

/// The labels that differ between the verdicts of one instance.
type Counted = (
    &'static str,
    Option<&'static str>,
    &'static str,
    Option<usize>,
);

impl Boundary {
    pub(crate) const fn role_name(&self) -> &'static str {
        match self.role {
            Role::Admit => "admit",
            Role::Recheck => "recheck",
        }
    }

    /// Name of the endpoint that decided; `-` where none matched.
    pub(crate) fn endpoint_name(&self, verdict: &Verdict) -> &str {
        let endpoints = self.engine.policy().endpoints();
        let endpoint = verdict.endpoint.and_then(|index| endpoints.get(index));
        endpoint.map_or("-", |endpoint| &endpoint.name)
    }

    /// Counts a verdict. Labels are in the name, in the form that Istio's
    /// `extraStatTags` and Envoy's `stats_tags` extract; all are finite.
    pub(crate) fn count(&self, verdict: &Verdict) {
        let counted = (
            verdict.reason.code(),
            verdict.revision.map(|revision| revision.as_str()),
            verdict.mode.as_str(),
            verdict.endpoint,
        );
        let mut counters = self.counters.borrow_mut();
        let known = counters.get(&counted).copied();
        let id = known.or_else(|| {
            hostcalls::define_metric(MetricType::Counter, &self.counter_name(verdict)).ok()
        });
        if let Some(id) = id {
            if known.is_none() {
                counters.insert(counted, id);
            }
            // A lost count must not cost the request.
            let _ = hostcalls::increment_metric(id, 1);
        }
    }

    fn counter_name(&self, verdict: &Verdict) -> String {
        let labels = [
            ("verdict", verdict.kind.as_str()),
            ("reason", verdict.reason.code()),
            ("revision", verdict.revision.map_or("-", |r| r.as_str())),
            ("mode", verdict.mode.as_str()),
            ("role", self.role_name()),
            ("endpoint", self.endpoint_name(verdict)),
        ];
        let mut name = String::from("mcp_boundary_requests_total");
        for (label, value) in labels {
            name.push('.');
            name.push_str(label);
            name.push_str("=.=");
            name.push_str(value);
            name.push_str(";.;");
        }
        name
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
        match config::engine(&configuration) {
            Ok((engine, role)) => {
                let boundary = Boundary {
                    digest: engine.policy().digest().to_string(),
                    engine,
                    role,
                    warned: Cell::new(false),
                    counters: RefCell::default(),
                };
                let policy = boundary.engine.policy();
                log::info!(
                    "mcp_boundary: policy {} with {} endpoints is in force, role {}",
                    boundary.digest,
                    policy.endpoints().len(),
                    boundary.role_name(),
                );
                self.boundary = Some(Rc::new(boundary));
                true
            }
            Err(error) => {
                log::error!("mcp_boundary: configuration refused: {error}");
                false
            }
        }
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, _context_id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Request::new(self.boundary.clone())))
    }
}
