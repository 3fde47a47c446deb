//! The gate in a real Envoy: chains in which it stands right and wrong, or not
//! at all, requests that nobody decides, and gates that fail or change.
//!
//! The corpus and the suites run with a gate under `MCP_BOUNDARY_HOLD=gate`.

mod chains;
mod changes;
mod failures;
mod holders;
mod places;
mod scene;
mod waiting;

use mcp_boundary_tests::envoy::{self, Listener};
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::rewriter::lua;
use mcp_policy::envoy::{Hold, Role};
use serde_json::{Value, json};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    compat: { equal_version_repeats: true, stale_mirrors: true }
    allow: { tools: [get_weather] }
";

const VALUE: &str = "/typed_config/config/configuration/value";
const VM: &str = "/typed_config/config/vm_config";
const BOTH: &[Role] = &[Role::Admit, Role::Recheck];

/// An instance that leaves the headers to a gate.
fn held(part: Part) -> Value {
    entry(POLICY, part, Hold::Gate)
}

fn entry(policy: &str, part: Part, hold: Hold) -> Value {
    let module = envoy::filter_module().expect("the filter's module");
    let name = format!("{part:?}").to_lowercase();
    policy::stanza_held(policy, part, &name, &module, hold).expect("a stanza")
}

fn gate(awaits: &[Role]) -> Value {
    policy::gate_awaiting(awaits).expect("a gate")
}

/// A gate with more in its configuration.
fn gate_with(awaits: &[Role], key: &str, value: u32) -> Value {
    let mut gate = gate(awaits);
    let text = gate.pointer_mut(VALUE).expect("a configuration");
    let mut own: Value = serde_json::from_str(text.as_str().expect("text")).expect("JSON");
    own[key] = json!(value);
    *text = json!(own.to_string());
    gate
}

/// The entry as a `WasmPlugin` becomes one: no `vm_id`.
fn of_a_plugin(mut entry: Value) -> Value {
    let vm = entry.pointer_mut(VM).and_then(Value::as_object_mut);
    vm.expect("a VM").remove("vm_id").expect("a `vm_id`");
    entry
}

/// The entry with everything granted but one.
fn without(mut entry: Value, capability: &str) -> Value {
    let more = [
        "proxy_continue_stream",
        "proxy_dequeue_shared_queue",
        "proxy_done",
        "proxy_enqueue_shared_queue",
        "proxy_get_shared_data",
        "proxy_on_done",
        "proxy_on_queue_ready",
        "proxy_on_tick",
        "proxy_register_shared_queue",
        "proxy_set_effective_context",
        "proxy_set_shared_data",
        "proxy_set_tick_period_milliseconds",
    ];
    let all = mcp_policy::envoy::capabilities().iter().chain(&more);
    let granted = all.filter(|name| **name != capability);
    let granted: serde_json::Map<_, _> = granted
        .map(|name| ((*name).to_owned(), json!({})))
        .collect();
    assert!(more.contains(&capability) || granted.len() < more.len() + 17);
    policy::restrict(&mut entry, granted);
    entry
}

/// Holds the headers until the body is there.
fn holder() -> Value {
    lua("function envoy_on_request(handle)\n  handle:body()\nend\n")
}

fn listener(name: &str, filters: Vec<Value>) -> Listener {
    let mut listener = Listener::new(name);
    listener.between = filters;
    listener.gateless = true;
    listener
}
