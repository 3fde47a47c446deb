//! Which policy goes where: endpoints, hosts and listeners for a set of cases.

use std::collections::{BTreeMap, BTreeSet};

use mcp_policy::envoy::Hold;
use serde_json::{Map, Value, json};

use super::between::Rewriting;
use crate::corpus::{Case, Recorded, document};
use crate::envoy::{Bootstrap, Listener, filter_module};
use crate::error::{Error, Result};
use crate::policy::{self, Part};
use crate::recorder::Recorder;
use crate::token;

/// Where a case is sent.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) listener: String,
    pub(super) authority: String,
    /// What stands in the listener.
    holds: &'static str,
}

impl Route {
    /// The listener and what stands in it, for people.
    pub(super) fn shown(&self) -> String {
        format!("through `{}`: {}", self.listener, self.holds)
    }
}

const ADMIT: &str = "admit";
const CHAIN: &str = "chain";

/// The listeners and policies of a run.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Policies that share the two common listeners, by their text: the host
    /// of each, or why it does not compile.
    shared: BTreeMap<String, Result<String>>,
    endpoints: Vec<Map<String, Value>>,
    /// Policies with a listener of their own, by their text and the payload of
    /// the token that is checked before: its name.
    alone: BTreeMap<(String, Option<String>), Result<String>>,
    /// Payloads of tokens that are checked before the common listeners' twins.
    payloads: BTreeSet<String>,
    /// Cases with something between admit and recheck.
    rewriting: Rewriting,
}

impl Plan {
    pub(super) fn new(cases: &[&Case]) -> Self {
        let mut plan = Self::default();
        for case in cases {
            if let Some(between) = &case.between {
                plan.rewriting.add(case, between);
                continue;
            }
            let Ok(text) = text(case) else { continue };
            if stands_alone(case) {
                let name = format!("alone-{}", plan.alone.len());
                let compiled = policy::compile(&text).map(|_| name);
                plan.alone.entry((text, payload(case))).or_insert(compiled);
                continue;
            }
            plan.payloads.extend(payload(case));
            if !plan.shared.contains_key(&text) {
                let name = format!("p{}", plan.shared.len());
                let host = format!("{name}.cases.test");
                let compiled = policy::compile(&text).map(|_| host.clone());
                if compiled.is_ok() {
                    let mut endpoint = case.policy.endpoint();
                    endpoint.insert("name".to_owned(), json!(name));
                    endpoint.insert("hosts".to_owned(), json!([host]));
                    plan.endpoints.push(endpoint);
                }
                plan.shared.insert(text, compiled);
            }
        }
        plan
    }

    /// The listeners a case goes through, in order.
    pub(super) fn routes(&self, case: &Case) -> Result<Vec<Route>> {
        if let Some(between) = &case.between {
            return Ok(vec![Route {
                listener: self.rewriting.listener(case, between)?,
                authority: "cases.test".to_owned(),
                holds: match between.recorded()? {
                    Recorded::Nothing => "the case's changes, then recheck without an admit",
                    _ => "admit, the case's changes, then recheck",
                },
            }]);
        }
        let text = text(case)?;
        let missing = || Err(Error::new("the case was not planned for"));
        if stands_alone(case) {
            let key = (text, payload(case));
            let listener = self.alone.get(&key).cloned().unwrap_or_else(missing)?;
            let authority = "cases.test".to_owned();
            return Ok(vec![Route {
                listener,
                authority,
                holds: "admit alone",
            }]);
        }
        let authority = self.shared.get(&text).cloned().unwrap_or_else(missing)?;
        let payload = payload(case);
        let route = |listener: &str, holds| Route {
            listener: common(listener, payload.as_deref()),
            authority: authority.clone(),
            holds,
        };
        let admit = route(ADMIT, "admit alone");
        // Sent there only if admit alone did what is expected.
        let chain = route(CHAIN, "recheck behind admit, which alone is right");
        Ok(vec![admit, chain])
    }

    /// Envoy's configuration for this plan.
    pub(super) fn bootstrap(&self, recorder: &Recorder) -> Result<Bootstrap> {
        let module = filter_module()?;
        let mut listeners = Vec::new();
        if !self.endpoints.is_empty() {
            let text = document(None, self.endpoints.clone())?;
            let payloads = self.payloads.iter().map(|payload| Some(payload.as_str()));
            for payload in [None].into_iter().chain(payloads) {
                let before = checks(payload)?;
                let stanza = |part, name| {
                    policy::stanza(&text, part, &common(name, payload), &module).map(Some)
                };
                let mut admit = Listener::new(common(ADMIT, payload));
                admit.before = before.clone();
                admit.admit = stanza(Part::Admit, "admit-only")?;
                let mut chain = Listener::new(common(CHAIN, payload));
                chain.before = before;
                chain.admit = stanza(Part::Admit, "chain-admit")?;
                chain.recheck = stanza(Part::Recheck, "chain-recheck")?;
                listeners.extend([admit, chain]);
            }
        }
        for ((text, payload), name) in &self.alone {
            if let Ok(name) = name {
                let mut listener = Listener::new(name);
                listener.before = checks(payload.as_deref())?;
                listener.admit = Some(policy::stanza(text, Part::Admit, name, &module)?);
                listeners.push(listener);
            }
        }
        listeners.extend(self.rewriting.listeners(&module)?);
        if listeners.is_empty() {
            return Err(Error::new("no case has a policy that compiles"));
        }
        Ok(Bootstrap::new(recorder.address(), listeners))
    }
}

/// A case that says which host it is sent to cannot be told apart by host.
fn stands_alone(case: &Case) -> bool {
    case.policy.stands_alone()
        || case.lists("host")
        || case.raw_bytes().is_some()
        || needs_a_gate(case)
}

/// Whether others share a holder that this case's policy cannot do with.
fn needs_a_gate(case: &Case) -> bool {
    matches!(policy::hold(), Hold::Body(_))
        && text(case).is_ok_and(|text| policy::compile(&text).is_ok_and(|it| policy::edits(&it)))
}

/// The name of a common listener, or of its twin that checks tokens.
fn common(name: &str, payload: Option<&str>) -> String {
    payload.map_or_else(|| name.to_owned(), |payload| format!("{name}-{payload}"))
}

/// What checks tokens.
fn checks(payload: Option<&str>) -> Result<Vec<Value>> {
    payload.map(token::jwt_authn).into_iter().collect()
}

fn payload(case: &Case) -> Option<String> {
    case.token().map(|(payload, _)| payload.to_owned())
}

fn text(case: &Case) -> Result<String> {
    case.policy.document()
}
