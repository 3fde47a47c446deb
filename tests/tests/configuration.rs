//! Envoy does not start with a filter that has no policy it can trust, and its
//! log says why in words for an operator.

use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Listener, Place};
use mcp_boundary_tests::policy::{self, Part};
use serde_json::{Value, json};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    allow: { tools: [get_weather] }
";

/// Where a stanza holds the filter's own configuration.
const CONFIGURATION: &str = "/typed_config/config/configuration";

fn stanza() -> Value {
    let module = envoy::filter_module().expect("the filter's module");
    policy::stanza(POLICY, Part::Admit, "admit", &module).expect("a stanza")
}

/// The stanza with its configuration's text replaced.
fn configured(change: impl FnOnce(&mut Value)) -> Value {
    let mut stanza = stanza();
    let value = stanza
        .pointer_mut(CONFIGURATION)
        .and_then(|configuration| configuration.get_mut("value"))
        .expect("a configuration");
    let text = value.as_str().expect("text");
    let mut members: Value = serde_json::from_str(text).expect("JSON");
    change(&mut members);
    *value = json!(members.to_string());
    stanza
}

fn bootstrap(stanza: Value) -> Bootstrap {
    let mut listener = Listener::new("guarded");
    listener.admit = Some(stanza);
    Bootstrap::new(Place::new("127.0.0.1", 9), vec![listener])
}

/// Envoy refuses the stanza, and one line of its log says all of `words`.
fn refuses(name: &str, stanza: Value, words: &[&str]) {
    let Some(binary) = envoy::or_skip(name) else {
        return;
    };
    let launched = Envoy::launch(&binary, &bootstrap(stanza)).expect("envoy runs");
    let refused = match launched {
        Ok(_) => panic!("{name}: envoy serves without a valid policy"),
        Err(refused) => refused,
    };
    let code = refused.status.and_then(|status| status.code());
    assert!(code.is_some_and(|code| code != 0), "{name}: {refused}");
    let said = refused
        .log
        .lines()
        .any(|line| words.iter().all(|word| line.contains(word)));
    assert!(said, "{name}: no line says {words:?}: {refused}");
}

#[test]
fn a_sound_policy_starts() {
    let Some(binary) = envoy::or_skip("a sound policy") else {
        return;
    };
    if let Err(error) = Envoy::start(&binary, &bootstrap(stanza())) {
        panic!("{error}");
    }
}

#[test]
fn no_configuration_at_all() {
    if envoy::or_skip("no configuration").is_none() {
        return;
    }
    let mut bare = stanza();
    let config = bare.pointer_mut("/typed_config/config").expect("a config");
    config
        .as_object_mut()
        .expect("a map")
        .remove("configuration");
    refuses("no configuration", bare, &["policy"]);
}

#[test]
fn no_policy() {
    if envoy::or_skip("no policy").is_none() {
        return;
    }
    let bare = configured(|members| {
        members.as_object_mut().expect("members").remove("policy");
    });
    refuses("no policy", bare, &["policy"]);
}

#[test]
fn a_damaged_policy() {
    if envoy::or_skip("a damaged policy").is_none() {
        return;
    }
    let damaged = configured(|members| {
        let blob = members["policy"].as_str().expect("base64").to_owned();
        // One character in the middle: the length and the header still hold.
        let middle = blob.len() / 2;
        let other = if blob[middle..].starts_with('A') {
            "B"
        } else {
            "A"
        };
        members["policy"] = json!([&blob[..middle], other, &blob[middle + 1..]].concat());
    });
    refuses("a damaged policy", damaged, &["policy"]);
    let cut = configured(|members| {
        let blob = members["policy"].as_str().expect("base64").to_owned();
        members["policy"] = json!(blob[..blob.len() / 8 * 4]);
    });
    refuses("half a policy", cut, &["policy"]);
}

#[test]
fn a_role_that_does_not_exist() {
    if envoy::or_skip("an unknown role").is_none() {
        return;
    }
    let unknown = configured(|members| members["role"] = json!("observe"));
    refuses("an unknown role", unknown, &["role"]);
}
