//! What control planes make of the objects that `mcp-policy` writes for them:
//! entries of Envoy's filter chain. From their sources (Istio master of August
//! 2026, Envoy Gateway behind 1.9.0), not from a running one.

use mcp_policy::envoy::{Hold, Role};
use mcp_policy::kube::{At, Common, EnvoyGateway, Image, Istio, Minor, Target};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::error::{Context, Error, Result};

/// Who reads the objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlPlane {
    /// Istio's `WasmPlugin`.
    Istio,
    /// Envoy Gateway's `EnvoyExtensionPolicy`.
    EnvoyGateway,
}

impl ControlPlane {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Istio, Self::EnvoyGateway];

    /// The word in the environment variable `MCP_BOUNDARY_HOLD`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Istio => "istio",
            Self::EnvoyGateway => "envoy-gateway",
        }
    }

    /// The objects for a policy, as a file.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn written(self, blob: &[u8], hold: Hold) -> Result<String> {
        let image = |name: &str| Image::Oci {
            name: format!("registry.test/{name}"),
            sha256: "0".repeat(64),
        };
        let (image, gate) = (image("filter"), image("gate"));
        let common = Common {
            blob,
            name: "mcp-boundary",
            namespace: Some("mcp"),
            image: &image,
            gate: Some(&gate),
            hold,
            body_bytes: 1 << 20,
        };
        let objects = match self {
            Self::Istio => Istio {
                common,
                target: Target::Selector("app=mcp".parse().context("no labels")?),
                at: At::Sidecar,
                port: Some(8000),
                version: Minor(30),
            }
            .objects(),
            Self::EnvoyGateway => EnvoyGateway {
                common,
                target: "HTTPRoute/mcp".parse().map_err(Error::new)?,
                gateway: "eg".to_owned(),
            }
            .objects(),
        };
        let objects = objects.and_then(|objects| objects.render("For tests.", 1));
        objects.context("no objects")
    }

    /// The chain's entry of one part (`admit`, `recheck`, `gate`), with a module
    /// from this file.
    ///
    /// # Errors
    /// If the objects have no such part.
    pub fn entry(self, blob: &[u8], hold: Hold, part: &str, module: &str) -> Result<Value> {
        let written = self.written(blob, hold)?;
        let mut made = documents(&written)?
            .into_iter()
            .flat_map(|object| match self {
                Self::Istio => of_plugin(&object),
                Self::EnvoyGateway => of_policy(&object),
            });
        let suffix = format!("-{part}");
        let found = made.find(|(name, _)| name.ends_with(&suffix));
        let (_, mut entry) = found.ok_or_else(|| Error::new(format!("no object for `{part}`")))?;
        entry["typed_config"]["config"]["vm_config"]["code"] =
            json!({ "local": { "filename": module } });
        Ok(entry)
    }
}

/// The documents of a YAML file.
///
/// # Errors
/// If it is none.
pub fn documents(text: &str) -> Result<Vec<Value>> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).context("no YAML"))
        .collect()
}

/// Istio: the agent has fetched the module; no `vm_id`, no flag, no list of
/// capabilities.
fn of_plugin(object: &Value) -> Vec<(String, Value)> {
    if object["kind"] != "WasmPlugin" {
        return Vec::new();
    }
    let (name, spec) = (&object["metadata"]["name"], &object["spec"]);
    let name = name.as_str().unwrap_or_default().to_owned();
    let resource =
        format!("extensions.istio.io/trafficextension/mcp.{name}~istio-translated-wasmplugin");
    let config = json!({
        "name": resource,
        "root_id": spec["pluginName"],
        "failure_policy": spec["failStrategy"],
        "vm_config": { "runtime": "envoy.wasm.runtime.v8" },
        "configuration": string(&spec["pluginConfig"]),
    });
    vec![(name, filter(&resource, &config))]
}

/// Envoy Gateway: a VM by the plugin's own name, and a fault is for ever.
fn of_policy(object: &Value) -> Vec<(String, Value)> {
    if object["kind"] != "EnvoyExtensionPolicy" {
        return Vec::new();
    }
    let plugins = object["spec"]["wasm"].as_array().cloned();
    let plugins = plugins.unwrap_or_default().into_iter().enumerate();
    plugins
        .map(|(index, plugin)| {
            let resource =
                format!("envoy.filters.http.wasm/envoyextensionpolicy/mcp/mcp-boundary/{index}");
            let config = json!({
                "name": plugin["name"],
                "root_id": plugin["rootID"],
                "fail_open": plugin["failOpen"],
                "vm_config": { "vm_id": resource, "runtime": "envoy.wasm.runtime.v8" },
                "configuration": string(&plugin["config"]),
            });
            let name = plugin["name"].as_str().unwrap_or_default().to_owned();
            (name, filter(&resource, &config))
        })
        .collect()
}

fn filter(name: &str, config: &Value) -> Value {
    json!({
        "name": name,
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm",
            "config": config,
        },
    })
}

/// Both write the plugin's configuration as text of JSON. Protobuf's writer
/// puts blanks where it likes, so there are some.
fn string(config: &Value) -> Value {
    let text = serde_json::to_string_pretty(config).unwrap_or_default();
    json!({ "@type": "type.googleapis.com/google.protobuf.StringValue", "value": text })
}

/// The roles that a gate is to await.
pub(crate) fn awaiting(mut gate: Value, roles: &[Role]) -> Value {
    let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
    let config = json!({ "role": "gate", "awaits": names });
    gate["typed_config"]["config"]["configuration"] = string(&config);
    gate
}
