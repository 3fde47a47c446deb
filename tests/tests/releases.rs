//! What `mcp-policy envoy` prints is what each release of Envoy takes: without a
//! deprecated field in the one it is for, and in the place it is for.

use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Flags, Listener, Place};
use mcp_policy::envoy::{Release, Role, Stanza, http_filter};
use serde_json::{Value, json};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    allow: { tools: [get_weather] }
";

fn printed(role: Role, place: mcp_policy::envoy::Place, release: Release) -> Value {
    let policy = mcp_policy::compile(POLICY).expect("a policy").policy;
    let blob = policy.encode().expect("a blob");
    let module = envoy::filter_module().expect("the filter's module");
    let text = http_filter(&Stanza {
        module: module.to_str().expect("a path"),
        envoy: release,
        place,
        ..Stanza::new(&blob, role)
    });
    let filters: Vec<Value> = serde_yaml::from_str(&text).expect("YAML");
    let [filter] = <[Value; 1]>::try_from(filters).expect("one filter");
    filter
}

fn bootstrap(release: Release) -> Bootstrap {
    let place = mcp_policy::envoy::Place::Chain;
    let mut listener = Listener::new("guarded");
    listener.admit = Some(printed(Role::Admit, place, release));
    listener.recheck = Some(printed(Role::Recheck, place, release));
    Bootstrap::new(Place::new("127.0.0.1", 9), vec![listener])
}

/// The shipped configuration with the printed entries, for an Envoy that takes
/// no deprecated field.
fn strict(release: Release) -> String {
    let mut config: Value =
        serde_yaml::from_str(&bootstrap(release).render().expect("a bootstrap")).expect("YAML");
    config["layered_runtime"] = json!({
        "layers": [{
            "name": "strict",
            "static_layer": { "envoy.features.fail_on_any_deprecated_feature": true },
        }],
    });
    config.to_string()
}

#[test]
fn nothing_is_deprecated_in_the_release_it_is_for() {
    let Some(binary) = envoy::or_skip("deprecated fields") else {
        return;
    };
    let release = Release::of(&envoy::version().expect("a version"));
    let config = strict(release);
    if let Err(error) = Envoy::start_with(&binary, &config, Flags::default()) {
        panic!("{error}");
    }
}

#[test]
fn the_other_release_s_entry_is_refused() {
    let Some(binary) = envoy::or_skip("the other release") else {
        return;
    };
    let (other, word) = match Release::of(&envoy::version().expect("a version")) {
        Release::V1_39 => (Release::V1_40, "capability_restriction_config"),
        Release::V1_40 => (Release::V1_39, "deprecated"),
    };
    let launched = Envoy::launch_with(&binary, &strict(other), Flags::default());
    match launched.expect("envoy runs") {
        Ok(_) => panic!("the entry of {other:?} is taken: is `--envoy` still needed?"),
        Err(refused) => assert!(refused.log.contains(word), "{refused}"),
    }
}

#[test]
fn a_recheck_in_a_cluster_needs_the_codec_behind_it() {
    let Some(binary) = envoy::or_skip("the codec behind the recheck") else {
        return;
    };
    let release = Release::of(&envoy::version().expect("a version"));
    let mut with = bootstrap(release);
    let place = mcp_policy::envoy::Place::Upstream;
    with.upstream_filters = vec![printed(Role::Recheck, place, release)];
    let with = with.render().expect("a bootstrap");
    if let Err(error) = Envoy::start_with(&binary, &with, Flags::default()) {
        panic!("{error}");
    }
    let mut without: Value = serde_yaml::from_str(&with).expect("YAML");
    let chain = without
        .pointer_mut("/static_resources/clusters/0/typed_extension_protocol_options")
        .and_then(Value::as_object_mut)
        .and_then(|options| options.values_mut().next())
        .and_then(|options| options["http_filters"].as_array_mut())
        .expect("an upstream chain");
    let codec = chain.pop().expect("a codec");
    assert_eq!(codec["name"], "envoy.filters.http.upstream_codec");
    let launched = Envoy::launch_with(&binary, &without.to_string(), Flags::default());
    match launched.expect("envoy runs") {
        Ok(_) => panic!("an upstream chain without a codec is taken"),
        Err(refused) => assert!(
            refused
                .log
                .contains("The codec filter is the only valid terminal upstream HTTP filter"),
            "{refused}"
        ),
    }
}
