use super::*;

fn filter(name: &str) -> Value {
    json!({ "name": name })
}

fn rendered(bootstrap: &Bootstrap) -> Value {
    let text = bootstrap.render().expect("the shipped bootstrap renders");
    serde_yaml::from_str(&text).expect("what is rendered is YAML")
}

fn names(chain: &Value) -> Vec<&str> {
    let filters = chain.as_array().expect("a list").iter();
    filters
        .filter_map(|filter| filter["name"].as_str())
        .collect()
}

const CHAIN: &str = "/filter_chains/0/filters/0/typed_config/http_filters";

#[test]
fn filters_take_their_places_in_order() {
    let mut listener = Listener::new("one");
    listener.before = vec![filter("jwt")];
    listener.admit = Some(filter("admit"));
    listener.between = vec![filter("lua")];
    listener.recheck = Some(filter("recheck"));
    let root = rendered(&Bootstrap::new(Place::new("server", 1), vec![listener]));
    let chain = root["static_resources"]["listeners"][0].pointer(CHAIN);
    assert_eq!(
        names(chain.expect("a chain")),
        [
            "jwt",
            "admit",
            "lua",
            "recheck",
            "envoy.filters.http.router"
        ]
    );
}

#[test]
fn upstream_filters_go_before_the_codec() {
    let mut bootstrap = Bootstrap::new(Place::new("server", 1), vec![Listener::new("one")]);
    bootstrap.upstream_filters = vec![filter("recheck")];
    let root = rendered(&bootstrap);
    let options = &root["static_resources"]["clusters"][0]["typed_extension_protocol_options"];
    assert_eq!(
        names(&options[OPTIONS]["http_filters"]),
        ["recheck", "envoy.filters.http.upstream_codec"]
    );
}

#[test]
fn addresses_are_set_for_every_listener() {
    let mut two = Listener::new("two");
    two.place = Place::new("0.0.0.0", 8080);
    let mut bootstrap = Bootstrap::new(Place::new("server", 8000), vec![Listener::new("one"), two]);
    bootstrap.admin = Place::new("127.0.0.1", 9901);
    let root = rendered(&bootstrap);
    assert_eq!(
        root["admin"]["address"]["socket_address"]["port_value"],
        9901
    );
    let listeners = &root["static_resources"]["listeners"];
    assert_eq!(listeners[0]["address"]["socket_address"]["port_value"], 0);
    assert_eq!(
        listeners[1]["address"]["socket_address"]["port_value"],
        8080
    );
    assert_eq!(listeners[1]["name"], "two");
    assert!(
        root.to_string()
            .contains(r#""address":"server","port_value":8000"#)
    );
}

#[test]
fn the_shipped_file_buffers_more_than_the_default_body_and_takes_trailers() {
    let root = rendered(&Bootstrap::new(
        Place::new("s", 1),
        vec![Listener::new("one")],
    ));
    let listener = &root["static_resources"]["listeners"][0];
    let limit = listener["per_connection_buffer_limit_bytes"].as_u64();
    assert!(limit > Some(1 << 20), "{limit:?}");
    let manager = &listener["filter_chains"][0]["filters"][0]["typed_config"];
    assert_eq!(manager["http_protocol_options"]["enable_trailers"], true);
    assert_eq!(manager["normalize_path"], false);
}

/// What suites start is what the CLI writes, so that all of them test it.
#[test]
fn the_command_line_writes_the_same() {
    use mcp_policy::envoy::{Place as Stands, Role, Stanza, http_filter};
    let policy = "{mcp_policy: 1, endpoints: [{name: one, path: /mcp, allow: {methods: [ping]}}]}";
    let blob = crate::policy::compile(policy)
        .expect("it compiles")
        .encode()
        .expect("it encodes");
    let place = |text: &str| text.parse().expect("an address");
    for (recheck, behind_proxy) in [
        (Stands::Chain, false),
        (Stands::Upstream, false),
        (Stands::Chain, true),
        (Stands::Upstream, true),
    ] {
        let admit = Stanza::new(&blob, Role::Admit);
        let entry = |role, place| -> Value {
            let printed = http_filter(&Stanza {
                role,
                place,
                ..admit.clone()
            });
            serde_yaml::from_str::<Value>(&printed).expect("YAML")[0].take()
        };
        let written = mcp_policy::bootstrap::Bootstrap {
            admit: admit.clone(),
            recheck,
            listen: place("0.0.0.0:8080"),
            upstream: place("[::1]:8000"),
            admin: place("127.0.0.1:9901"),
            behind_proxy,
            discover: None,
        };
        let written: Value = serde_yaml::from_str(&written.render()).expect("YAML");

        let mut listener = Listener::new("mcp");
        listener.place = Place::new("0.0.0.0", 8080);
        listener.admit = Some(entry(Role::Admit, Stands::Chain));
        let mut bootstrap = Bootstrap::new(Place::new("::1", 8000), Vec::new());
        bootstrap.admin = Place::new("127.0.0.1", 9901);
        bootstrap.behind_proxy = behind_proxy;
        let rechecks = entry(Role::Recheck, recheck);
        match recheck {
            Stands::Chain => listener.recheck = Some(rechecks),
            Stands::Upstream => bootstrap.upstream_filters = vec![rechecks],
        }
        bootstrap.listeners = vec![listener];
        assert_eq!(written, rendered(&bootstrap), "{recheck:?} {behind_proxy}");
    }
}

#[test]
fn a_template_without_places_is_refused() {
    let bootstrap = Bootstrap::new(Place::new("s", 1), vec![Listener::new("one")]);
    let error = bootstrap
        .render_from(&EDGE.replace("- name: mcp-boundary-recheck", "- name: other"))
        .expect_err("nothing marks the place");
    assert!(
        error.to_string().contains("`mcp-boundary-recheck`"),
        "{error}"
    );
}
