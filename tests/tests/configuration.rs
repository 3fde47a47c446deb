//! Envoy does not start with a filter that has no policy it can trust, and its
//! log says why in words for an operator. A running one keeps the policy it has.

use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Listener, Place};
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::scene::{GUARDED, Scene};
use mcp_boundary_tests::vm::Code;
use serde_json::{Value, json};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather] }
";

/// How the line of the log begins that says why.
const REFUSED: &str = "mcp_boundary: configuration refused: ";

/// Where a stanza holds the filter's own configuration.
const CONFIGURATION: &str = "/typed_config/config/configuration";

fn stanza() -> Value {
    stanza_of(POLICY)
}

fn stanza_of(text: &str) -> Value {
    let module = envoy::filter_module().expect("the filter's module");
    policy::stanza(text, Part::Admit, "admit", &module).expect("a stanza")
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

fn damaged() -> Value {
    configured(|members| {
        let blob = members["policy"].as_str().expect("base64").to_owned();
        // One character in the middle: the length and the header still hold.
        let middle = blob.len() / 2;
        let other = if blob[middle..].starts_with('A') {
            "B"
        } else {
            "A"
        };
        members["policy"] = json!([&blob[..middle], other, &blob[middle + 1..]].concat());
    })
}

fn bootstrap(stanza: Value) -> Bootstrap {
    Bootstrap::new(Place::new("127.0.0.1", 9), chain(stanza))
}

fn chain(stanza: Value) -> Vec<Listener> {
    let mut listener = Listener::new(GUARDED);
    listener.admit = Some(stanza);
    vec![listener]
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
    refuses("no configuration", bare, &[REFUSED, "`mcp-policy envoy`"]);
}

#[test]
fn no_policy() {
    if envoy::or_skip("no policy").is_none() {
        return;
    }
    let bare = configured(|members| {
        members.as_object_mut().expect("members").remove("policy");
    });
    refuses("no policy", bare, &[REFUSED, "has no `policy`; write"]);
}

#[test]
fn a_damaged_policy() {
    if envoy::or_skip("a damaged policy").is_none() {
        return;
    }
    refuses("a damaged policy", damaged(), &[REFUSED, "digest"]);
    let cut = configured(|members| {
        let blob = members["policy"].as_str().expect("base64").to_owned();
        members["policy"] = json!(blob[..blob.len() / 8 * 4]);
    });
    refuses("half a policy", cut, &[REFUSED, "cut"]);
}

#[test]
fn a_place_that_is_none_of_the_role() {
    if envoy::or_skip("a place of admit").is_none() {
        return;
    }
    let placed = |role: &str, place: &str| {
        configured(|members| {
            members["role"] = json!(role);
            members["place"] = json!(place);
        })
    };
    let words = [REFUSED, "`place` is only for role `recheck`"];
    refuses("a place of admit", placed("admit", "upstream"), &words);
    let words = [REFUSED, "neither `chain` nor `upstream`"];
    refuses("no place", placed("recheck", "route"), &words);
}

#[test]
fn a_role_that_does_not_exist() {
    if envoy::or_skip("an unknown role").is_none() {
        return;
    }
    let unknown = configured(|members| members["role"] = json!("observe"));
    refuses("an unknown role", unknown, &[REFUSED, "`recheck`"]);
}

#[test]
fn no_role() {
    if envoy::or_skip("no role").is_none() {
        return;
    }
    let bare = configured(|members| {
        members.as_object_mut().expect("members").remove("role");
    });
    let words = [
        REFUSED,
        "says no `role`",
        "`\"role\": \"admit\"`",
        "`mcp-policy envoy`",
    ];
    refuses("no role", bare, &words);
}

/// Nothing stands in for a role, and a compiled policy alone has none.
#[test]
fn a_role_is_required() {
    let module = envoy::filter_module().expect("the filter's module");
    let code = Code::read(&module).expect("code");
    let blob = policy::compile(POLICY).expect("a policy").encode();
    let blob = blob.expect("a blob");
    let text = STANDARD.encode(&blob);
    let accepted = |configuration: &[u8]| code.start(configuration).expect("it runs").is_some();
    let own = |role: Value| json!({"policy": text, "role": role}).to_string();
    for role in ["admit", "recheck"] {
        assert!(accepted(own(json!(role)).as_bytes()), "{role}");
    }
    for role in [json!(null), json!(""), json!("Admit"), json!(["admit"])] {
        assert!(!accepted(own(role.clone()).as_bytes()), "{role}");
    }
    assert!(!accepted(json!({"policy": text}).to_string().as_bytes()));
    assert!(!accepted(&blob));
}

fn status(envoy: &Envoy, tool: &str) -> u16 {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    );
    let request = Request::mcp("server.test", "/mcp", Some("2025-11-25"), &body);
    let answer = request.send(envoy.listener("guarded"));
    answer.expect("an answer").status
}

/// Waits for an update to have been dealt with.
fn until(what: &str, envoy: &Envoy, done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < deadline, "not {what}:\n{}", envoy.log());
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_damaged_update_leaves_the_old_policy_in_force() {
    let changing = Scene::changing("updates of a running envoy", chain(stanza()), |_| ());
    let Some((Scene { envoy, .. }, discovery)) = changing else {
        return;
    };
    assert_eq!(status(&envoy, "get_weather"), 200);
    assert_eq!(status(&envoy, "get_forecast"), 403);

    discovery.publish(chain(damaged())).expect("written");
    until("rejected", &envoy, || {
        let stats = envoy
            .admin("/stats?filter=lds.update_rejected")
            .expect("statistics");
        !stats.trim().ends_with(": 0")
    });
    assert!(envoy.log().contains(REFUSED), "{}", envoy.log());
    assert_eq!(status(&envoy, "get_weather"), 200);
    assert_eq!(status(&envoy, "get_forecast"), 403);

    let other = stanza_of(&POLICY.replace("get_weather", "get_forecast"));
    discovery.publish(chain(other)).expect("written");
    until("updated", &envoy, || status(&envoy, "get_forecast") == 200);
    assert_eq!(status(&envoy, "get_weather"), 403);
}
