//! From a policy's text to what the engine and Envoy take.

use std::path::Path;

use mcp_boundary_format::Policy;
use mcp_policy::envoy::{Place, Release, Role, Stanza, http_filter};
use serde_json::{Map, Value, json};

use crate::envoy;
use crate::error::{Context, Error, Result};

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

/// One entry of Envoy's `http_filters`, exactly what `mcp-policy envoy` prints
/// but for `vm_id`: several instances in one process need one each, `name`
/// tells them apart.
///
/// # Errors
/// If the policy does not compile.
pub fn stanza(text: &str, part: Part, name: &str, module: &Path) -> Result<Value> {
    let policy = compile(text)?;
    let blob = policy.encode().context("cannot encode the policy")?;
    let module = module
        .to_str()
        .ok_or_else(|| Error::new("the module's path is not UTF-8; move it"))?;
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
        ..Stanza::new(&blob, role)
    });
    let mut filters: Vec<Value> =
        serde_yaml::from_str(&printed).context("the printed stanza is not YAML")?;
    let [filter] = filters.as_mut_slice() else {
        return Err(Error::new("the printed stanza is not one filter"));
    };
    let id = filter.pointer_mut("/typed_config/config/vm_config/vm_id");
    *id.ok_or_else(|| Error::new("the printed stanza has no `vm_id`"))? =
        json!(format!("mcp-boundary-{name}"));
    Ok(filter.take())
}

/// The capabilities that a stanza grants, wherever the Envoy at hand reads them.
///
/// # Panics
/// If it grants none, which no printed stanza does.
pub fn granted(stanza: &mut Value) -> &mut Map<String, Value> {
    let place = match release() {
        Release::V1_39 => "/typed_config/config",
        Release::V1_40 => "/typed_config/config/vm_config",
    };
    let granted = stanza
        .pointer_mut(&format!(
            "{place}/capability_restriction_config/allowed_capabilities"
        ))
        .and_then(Value::as_object_mut);
    granted.expect("a stanza grants capabilities")
}
