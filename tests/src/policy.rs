//! From a policy's text to what the engine and Envoy take.

use std::path::Path;

use mcp_boundary_format::Policy;
use mcp_policy::envoy::{
    DEFAULT_NAME, Gate, Hold, Place, Release, Role, Stanza, gate_filter, http_filter,
};
use serde_json::{Map, Value, json};

use crate::control_plane::{ControlPlane, awaiting};
use crate::envoy;
use crate::error::{Context, Error, Result};
use crate::rewriter::lua;

/// What an instance of the filter decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the client sent.
    Admit,
    /// What will be sent to the server, in the listener's chain.
    Recheck,
    /// The same behind the route, in the cluster's chain.
    Upstream,
}

/// Compiles a policy. Warnings are not errors.
///
/// # Errors
/// Everything the compiler says against it.
pub fn compile(text: &str) -> Result<Policy> {
    match mcp_policy::compile(text) {
        Ok(compiled) => Ok(compiled.policy),
        Err(diagnostics) => {
            let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            Err(Error::new(format!(
                "the policy does not compile: {}",
                lines.join("; ")
            )))
        }
    }
}

/// What the Envoy at hand reads; where there is none, nothing is started.
fn release() -> Release {
    envoy::version().map_or_else(|_| Release::default(), |version| Release::of(&version))
}

/// Who holds the headers in the listeners of all tests: the instances
/// themselves, or whom the environment variable `MCP_BOUNDARY_HOLD` names:
/// `gate`, `buffer` or `lua`. With `istio` and `envoy-gateway` a gate does, and
/// the entries are what these control planes make.
///
/// # Panics
/// If it names anybody else.
pub fn hold() -> Hold {
    let word = held_by();
    let mut all = Hold::ALL.into_iter();
    let found = all.find(|hold| hold.held_by().unwrap_or(hold.as_str()) == word);
    let found = found.or_else(|| control_plane().map(|_| Hold::Gate));
    found.unwrap_or_else(|| {
        panic!(
            "`MCP_BOUNDARY_HOLD` is `{word}`; it takes `headers`, `gate`, `buffer`, `lua`, `istio` and `envoy-gateway`"
        )
    })
}

/// The word of the environment variable.
pub fn held_by() -> String {
    std::env::var("MCP_BOUNDARY_HOLD").unwrap_or_else(|_| "headers".to_owned())
}

/// Whose entries the listeners of all tests have, but those that say otherwise.
fn control_plane() -> Option<ControlPlane> {
    let word = held_by();
    let mut all = ControlPlane::ALL.into_iter();
    all.find(|plane| plane.as_str() == word)
}

/// Who holds them under this policy: only a gate can change headers.
pub fn hold_under(policy: &Policy) -> Hold {
    match hold() {
        Hold::Body(_) if edits(policy) => Hold::Gate,
        hold => hold,
    }
}

/// Whether a policy has headers changed.
pub fn edits(policy: &Policy) -> bool {
    let mut compats = policy.endpoints().iter().map(|endpoint| endpoint.compat);
    compats.any(|compat| compat.first_on().is_some())
}

/// One entry of Envoy's `http_filters`, exactly what `mcp-policy envoy` prints
/// but for `vm_id`: several instances in one process need one each, `name`
/// tells them apart.
///
/// # Errors
/// If the policy does not compile.
pub fn stanza(text: &str, part: Part, name: &str, module: &Path) -> Result<Value> {
    let policy = compile(text)?;
    let hold = match part {
        // Behind the route there is no gate.
        Part::Upstream => Hold::Headers,
        Part::Admit | Part::Recheck => hold_under(&policy),
    };
    if let (Some(plane), Part::Admit | Part::Recheck) = (control_plane(), part) {
        let blob = policy.encode().context("cannot encode the policy")?;
        let role = format!("{part:?}").to_lowercase();
        return plane.entry(&blob, hold, &role, utf8(module)?);
    }
    stanza_of(&policy, part, name, module, hold)
}

/// As [`stanza`], whatever the environment says of who holds the headers.
///
/// # Errors
/// As [`stanza`].
pub fn stanza_held(text: &str, part: Part, name: &str, module: &Path, hold: Hold) -> Result<Value> {
    stanza_of(&compile(text)?, part, name, module, hold)
}

fn stanza_of(policy: &Policy, part: Part, name: &str, module: &Path, hold: Hold) -> Result<Value> {
    let blob = policy.encode().context("cannot encode the policy")?;
    let module = utf8(module)?;
    let role = match part {
        Part::Admit => Role::Admit,
        Part::Recheck | Part::Upstream => Role::Recheck,
    };
    let place = match part {
        Part::Upstream => Place::Upstream,
        Part::Admit | Part::Recheck => Place::Chain,
    };
    let printed = http_filter(&Stanza {
        module,
        envoy: release(),
        place,
        hold,
        ..Stanza::new(&blob, role)
    });
    entry(&printed, name)
}

/// The entry of whoever holds headers for the instances of a listener that
/// leave them to somebody behind; `None` if none does.
///
/// # Errors
/// If the gate's module does not build.
pub fn holder(admit: Option<&Value>, recheck: Option<&Value>) -> Result<Option<Value>> {
    let says = |stanza: Option<&Value>, words: &str| {
        let value = stanza.and_then(|stanza| {
            let value = stanza.pointer("/typed_config/config/configuration/value");
            value.and_then(Value::as_str)
        });
        value.is_some_and(|value| value.replace(' ', "").contains(words))
    };
    let roles = [(Role::Admit, admit), (Role::Recheck, recheck)];
    let leaving = |words: &str| -> Vec<Role> {
        let leaving = roles.iter().filter(|(_, stanza)| says(*stanza, words));
        leaving.map(|(role, _)| *role).collect()
    };
    let awaits = leaving(r#""hold":"gate""#);
    if !awaits.is_empty() {
        return gate_awaiting(&awaits).map(Some);
    }
    if !leaving(r#""held_by":"lua""#).is_empty() {
        let script = "function envoy_on_request(handle)\n  handle:body()\nend\n";
        return Ok(Some(lua(script)));
    }
    let held = !leaving(r#""held_by":"buffer""#).is_empty();
    Ok(held.then(buffer))
}

/// Envoy's filter that waits for a whole body. Above what policies permit, so
/// that it is the boundary that answers.
fn buffer() -> Value {
    json!({
        "name": "envoy.filters.http.buffer",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer",
            "max_request_bytes": 16 << 20,
        },
    })
}

/// The entry of a gate that awaits these. All share a VM, as a control plane
/// has it that gives each module one.
///
/// # Errors
/// As [`holder`].
pub fn gate_awaiting(awaits: &[Role]) -> Result<Value> {
    let module = envoy::gate_module()?;
    let module = utf8(&module)?;
    if let Some(plane) = control_plane() {
        let gate = plane.entry(b"", Hold::Gate, "gate", module)?;
        return Ok(awaiting(gate, awaits));
    }
    let printed = gate_filter(&Gate {
        awaits,
        module,
        name: DEFAULT_NAME,
    });
    entry(&printed, "gate")
}

fn utf8(path: &Path) -> Result<&str> {
    path.to_str()
        .ok_or_else(|| Error::new("the path of a module is not UTF-8; move it"))
}

/// The one entry that was printed, with a `vm_id` of its own.
fn entry(printed: &str, name: &str) -> Result<Value> {
    let mut filters: Vec<Value> =
        serde_yaml::from_str(printed).context("the printed stanza is not YAML")?;
    let [filter] = filters.as_mut_slice() else {
        return Err(Error::new("the printed stanza is not one filter"));
    };
    let id = filter.pointer_mut("/typed_config/config/vm_config/vm_id");
    *id.ok_or_else(|| Error::new("the printed stanza has no `vm_id`"))? =
        json!(format!("mcp-boundary-{name}"));
    Ok(filter.take())
}

/// Grants an entry these capabilities and no others, wherever the Envoy at hand
/// reads them.
///
/// # Panics
/// If the entry is none.
pub fn restrict(entry: &mut Value, granted: Map<String, Value>) {
    let config = entry.pointer_mut(restricted()).expect("an entry");
    config["capability_restriction_config"] = json!({ "allowed_capabilities": granted });
}

/// What has the list of capabilities.
fn restricted() -> &'static str {
    match release() {
        Release::V1_39 => "/typed_config/config",
        Release::V1_40 => "/typed_config/config/vm_config",
    }
}

/// The capabilities that a stanza grants, wherever the Envoy at hand reads them.
///
/// # Panics
/// If it grants none, which no printed stanza does.
pub fn granted(stanza: &mut Value) -> &mut Map<String, Value> {
    let place = restricted();
    let granted = stanza
        .pointer_mut(&format!(
            "{place}/capability_restriction_config/allowed_capabilities"
        ))
        .and_then(Value::as_object_mut);
    granted.expect("a stanza grants capabilities")
}
