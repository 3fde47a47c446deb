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
    bootstrap.admin = "127.0.0.1:9901".parse().expect("a place");
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

#[test]
fn a_template_without_places_is_refused() {
    let text = fs::read_to_string(workspace().join("envoy/bootstrap.yaml")).expect("it ships");
    let bootstrap = Bootstrap::new(Place::new("s", 1), vec![Listener::new("one")]);
    let error = bootstrap
        .render_from(&text.replace("- name: mcp-boundary-recheck", "- name: other"))
        .expect_err("nothing marks the place");
    assert!(
        error.to_string().contains("`mcp-boundary-recheck`"),
        "{error}"
    );
}

#[test]
fn a_place_is_host_and_port() {
    assert_eq!("a:1".parse::<Place>().expect("fine"), Place::new("a", 1));
    for wrong in ["a", ":1", "a:x", "a:65536"] {
        assert!(wrong.parse::<Place>().is_err(), "{wrong}");
    }
}
