//! What `istio` and `gateway` write is what Kubernetes takes, whatever was
//! asked for, and what makes no sense together is refused.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod objects;
mod ran;

use ran::{ran, tool};
use serde_json::{Value, json};

const POLICY: &str =
    "{mcp_policy: 1, endpoints: [{name: one, path: /mcp, allow: {tools: [get_weather]}}]}";

const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Runs a verb with images and a policy on standard input.
fn run(verb: &str, arguments: &[&str], policy: &str) -> (i32, String, String) {
    let image = |name: &str| format!("oci://registry.example/{name}@sha256:{DIGEST}");
    let mut tool = tool();
    tool.args([verb, "-", "--image", &image("mcp-boundary")])
        .args(["--gate-image", &image("mcp-boundary-gate")]);
    ran(tool.args(arguments).write_stdin(policy))
}

/// The objects that are written, each held against its schema.
fn made(verb: &str, arguments: &[&str]) -> Vec<Value> {
    let (code, text, errors) = run(verb, arguments, POLICY);
    assert_eq!(code, 0, "{arguments:?}: {errors}");
    objects::check(&text);
    objects::documents(&text)
}

fn named<'a>(objects: &'a [Value], name: &str) -> &'a Value {
    let mut found = objects
        .iter()
        .filter(|object| object["metadata"]["name"] == name);
    let object = found.next().unwrap_or_else(|| panic!("no `{name}`"));
    assert!(found.next().is_none(), "`{name}` twice");
    object
}

const SIDECAR: [&str; 4] = ["--selector", "app=mcp-server", "--port", "8000"];

#[test]
fn every_arrangement_is_what_kubernetes_takes() {
    let with = |more: &[&'static str]| [&SIDECAR[..], more].concat();
    let istio = [
        (with(&[]), 4),
        (with(&["--namespace", "mcp", "--name", "guard"]), 4),
        (with(&["--hold", "headers"]), 2),
        (with(&["--hold", "buffer"]), 4),
        (with(&["--hold", "lua"]), 4),
        (
            vec!["--selector", "istio=ingressgateway", "--at", "gateway"],
            4,
        ),
        (
            vec![
                "--selector",
                "a=b,c=d",
                "--at",
                "gateway",
                "--hold",
                "buffer",
                "--port",
                "80",
            ],
            4,
        ),
        (
            vec!["--selector", "a=b", "--at", "gateway", "--hold", "headers"],
            2,
        ),
        (vec!["--at", "gateway", "--target-ref", "Gateway/eg"], 3),
        (
            vec!["--at", "waypoint", "--target-ref", "Gateway/waypoint"],
            3,
        ),
        (
            vec![
                "--at",
                "waypoint",
                "--target-ref",
                "Service/mcp",
                "--port",
                "8000",
            ],
            3,
        ),
        (
            vec![
                "--at",
                "waypoint",
                "--target-ref",
                "ServiceEntry/mcp",
                "--hold",
                "lua",
            ],
            3,
        ),
    ];
    for (arguments, count) in istio {
        assert_eq!(made("istio", &arguments).len(), count, "{arguments:?}");
    }
    let gateway = [
        (vec!["--target-ref", "HTTPRoute/mcp", "--gateway", "eg"], 2),
        (vec!["--target-ref", "Gateway/eg", "--namespace", "mcp"], 2),
        (vec!["--target-ref", "Gateway/eg", "--hold", "buffer"], 4),
    ];
    for (arguments, count) in gateway {
        assert_eq!(made("gateway", &arguments).len(), count, "{arguments:?}");
    }
}

/// What no schema knows: the order, the phases, that faults refuse, and whom
/// the gate awaits.
#[test]
fn plugins_of_istio_stand_in_their_order() {
    let all = made("istio", &SIDECAR);
    let plugin = |part: &str| &named(&all, &format!("mcp-boundary-{part}"))["spec"];
    let [admit, recheck, gate] = ["admit", "recheck", "gate"].map(plugin);
    for spec in [admit, recheck, gate] {
        assert_eq!(spec["failStrategy"], "FAIL_RELOAD");
        assert_eq!(
            spec["selector"]["matchLabels"],
            json!({"app": "mcp-server"})
        );
        let only = json!([{"mode": "SERVER", "ports": [{"number": 8000}]}]);
        assert_eq!(spec["match"], only);
    }
    assert_eq!(admit["phase"], "AUTHZ");
    assert!(recheck.get("phase").is_none() && gate.get("phase").is_none());
    let priority = |spec: &Value| spec["priority"].as_i64().unwrap();
    assert!(priority(gate) < priority(recheck));
    assert_eq!(admit["url"], recheck["url"], "one module, one download");
    assert_ne!(admit["url"], gate["url"]);
    assert_eq!(
        gate["pluginConfig"],
        json!({"role": "gate", "awaits": ["admit", "recheck"]})
    );
    for (spec, role) in [(admit, "admit"), (recheck, "recheck")] {
        let config = &spec["pluginConfig"];
        assert_eq!(
            (&config["role"], &config["hold"]),
            (&json!(role), &json!("gate"))
        );
        let text = config.to_string();
        let read = mcp_boundary_engine::Settings::read(text.as_bytes());
        assert!(read.is_ok(), "{text}: {read:?}");
    }
    // Who holds headers is there before those that leave them to it.
    assert_eq!(all[0]["metadata"]["name"], "mcp-boundary-gate");
}

#[test]
fn plugins_of_envoy_gateway_stand_in_their_order() {
    let all = made(
        "gateway",
        &["--target-ref", "HTTPRoute/mcp", "--gateway", "eg"],
    );
    let spec = &named(&all, "mcp-boundary")["spec"];
    let plugins = spec["wasm"].as_array().unwrap();
    let roles: Vec<_> = plugins
        .iter()
        .map(|plugin| &plugin["config"]["role"])
        .collect();
    assert_eq!(roles, ["admit", "recheck", "gate"]);
    assert!(plugins.iter().all(|plugin| plugin["failOpen"] == false));
    let bounds = &named(&all, "mcp-boundary-bounds")["spec"];
    assert_eq!(bounds["connection"]["bufferLimit"], "4096Ki");
    assert_eq!(bounds["targetRefs"][0]["name"], "eg");
}

#[test]
fn a_large_body_finds_room() {
    let policy = POLICY.replace("allow:", "limits: {body_bytes: 16777216}, allow:");
    let (code, text, errors) = run("gateway", &["--target-ref", "Gateway/eg"], &policy);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("bufferLimit: 17408Ki"), "{text}");
}

#[test]
fn what_makes_no_sense_together_is_refused_with_help() {
    let with = |more: &[&'static str]| [&SIDECAR[..], more].concat();
    let rows = [
        ("istio", with(&["--istio", "1.26"]), "FAIL_RELOAD"),
        (
            "istio",
            with(&["--istio", "1.27", "--hold", "headers"]),
            "drops `allow_on",
        ),
        (
            "istio",
            with(&["--istio", "1.29", "--hold", "lua"]),
            "no `TrafficExtension`",
        ),
        ("istio", with(&["--istio", "2"]), "no release of Istio"),
        ("istio", vec!["--selector", "app=mcp"], "no port is named"),
        (
            "istio",
            with(&["--at", "waypoint"]),
            "a waypoint has no labels",
        ),
        (
            "istio",
            vec!["--target-ref", "Gateway/eg"],
            "a sidecar is chosen by labels",
        ),
        (
            "istio",
            vec!["--at", "gateway", "--target-ref", "HTTPRoute/mcp"],
            "no plugin to an `HTTPRoute`",
        ),
        (
            "istio",
            vec![
                "--at",
                "gateway",
                "--target-ref",
                "Gateway/eg",
                "--hold",
                "buffer",
            ],
            "needs an `EnvoyFilter`",
        ),
        (
            "istio",
            with(&["--target-ref", "Gateway/eg"]),
            "cannot be used with",
        ),
        ("istio", vec![], "--selector"),
        (
            "istio",
            with(&["--name", "Guard"]),
            "cannot name an object (`--name`)",
        ),
        ("istio", with(&["--namespace", "-a"]), "unexpected argument"),
        (
            "istio",
            with(&["--namespace", "a_b"]),
            "cannot name an object (`--namespace`)",
        ),
        (
            "gateway",
            vec!["--target-ref", "HTTPRoute/mcp"],
            "no gateway is named",
        ),
        (
            "gateway",
            vec!["--target-ref", "Service/mcp", "--gateway", "eg"],
            "to a `Service`",
        ),
        (
            "gateway",
            vec!["--target-ref", "Gateway/eg", "--hold", "headers"],
            "cannot set",
        ),
        (
            "gateway",
            vec!["--target-ref", "Gateway/eg", "--hold", "lua"],
            "Lua before wasm",
        ),
    ];
    for (verb, arguments, said) in rows {
        let (code, text, errors) = run(verb, &arguments, POLICY);
        assert_eq!((code, text.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(errors.contains(said), "{arguments:?}: {errors}");
    }
    let edits = POLICY.replace("allow:", "compat: {stale_mirrors: true}, allow:");
    let (code, _, errors) = run("istio", &with(&["--hold", "lua"]), &edits);
    assert_eq!(code, 2);
    assert!(errors.contains("stale_mirrors"), "{errors}");
}

#[test]
fn images_are_named_by_digest() {
    for (image, said) in [
        ("oci://registry.example/mcp-boundary:1.0", "names no digest"),
        ("registry.example/mcp-boundary", "begins with neither"),
    ] {
        let mut tool = tool();
        tool.args(["istio", "-", "--image", image]).args(SIDECAR);
        let (code, _, errors) = ran(tool.write_stdin(POLICY));
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
}

#[test]
fn what_kubernetes_cannot_hold_is_refused_with_a_number() {
    let names: Vec<String> = (0..60_000)
        .map(|n| format!("tool_number_{n:06}_of_many"))
        .collect();
    let policy = POLICY.replace("get_weather", &names.join(", "));
    let (code, text, errors) = run("istio", &SIDECAR, &policy);
    assert_eq!((code, text.as_str()), (2, ""));
    assert!(errors.contains("of its 60000 names about "), "{errors}");
    // What fits needs another way of applying once it is large.
    let policy = POLICY.replace("get_weather", &names[..10_000].join(", "));
    let (code, text, errors) = run("istio", &SIDECAR, &policy);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("--server-side"));
}
