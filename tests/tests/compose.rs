//! The compose file against what it runs, without Docker: every path it mounts
//! is one that `make compose-files` makes, and every port, path and host it
//! names is the one in the bootstrap that this target renders.

use std::collections::BTreeMap;
use std::fs;

use mcp_boundary_tests::workspace;
use mcp_policy::bootstrap::Bootstrap;
use mcp_policy::envoy::{Place, Role, Stanza};
use serde_json::Value;

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("`{path}`: {error}"))
}

fn compose() -> Value {
    serde_yaml::from_str(&read("envoy/docker-compose.yaml")).expect("YAML")
}

/// What makes the files, its line continuations joined.
fn recipe() -> String {
    let script = read("tests/compose/files.sh").replace("\\\n", " ");
    script
        .replace("\"$folder", "\"build/compose")
        .replace('"', "")
}

/// The options of the script's call of `mcp-policy bootstrap`.
fn rendering(recipe: &str) -> BTreeMap<String, String> {
    let call = recipe
        .lines()
        .find_map(|line| line.strip_prefix("policy bootstrap "))
        .expect("a call of `mcp-policy bootstrap`");
    let words: Vec<&str> = call.split_whitespace().collect();
    let pairs = words.chunks(2).map(|pair| match pair {
        [option, value] => ((*option).to_owned(), (*value).to_owned()),
        _ => panic!("an option without a value in `{call}`"),
    });
    pairs.collect()
}

/// What Envoy in the container is started with.
fn rendered(options: &BTreeMap<String, String>) -> Value {
    let option = |name: &str| options.get(name).unwrap_or_else(|| panic!("no `{name}`"));
    let known = ["--discover", "--listen", "--upstream", "--output"];
    assert!(options.keys().all(|name| known.contains(&name.as_str())));
    let place = |text: &str| text.parse().expect("a place");
    let rendered = Bootstrap {
        admit: Stanza::new(b"", Role::Admit),
        recheck: Place::Chain,
        listen: place(option("--listen")),
        upstream: place(option("--upstream")),
        admin: place("127.0.0.1:9901"),
        behind_proxy: false,
        discover: Some(option("--discover")),
    };
    serde_yaml::from_str(&rendered.render()).expect("YAML")
}

/// Path on the host, relative to the workspace, by path in the container.
fn mounts(service: &Value) -> BTreeMap<String, String> {
    let volumes = service["volumes"].as_array().expect("volumes");
    let pair = |volume: &Value| {
        let parts: Vec<&str> = volume.as_str().expect("text").split(':').collect();
        let [host, container, "ro,z"] = parts[..] else {
            panic!("`{volume}` is not host:container:ro,z");
        };
        let host = host.strip_prefix("../").expect("relative to envoy/");
        (container.to_owned(), host.to_owned())
    };
    volumes.iter().map(pair).collect()
}

fn words(command: &Value) -> Vec<&str> {
    let words = command.as_array().expect("a list of words").iter();
    words.filter_map(Value::as_str).collect()
}

fn option<'a>(words: &[&'a str], name: &str) -> &'a str {
    let at = words.iter().position(|word| *word == name);
    at.and_then(|at| words.get(at + 1))
        .unwrap_or_else(|| panic!("no `{name}` in {words:?}"))
}

fn socket(address: &Value) -> (String, u64) {
    let socket = &address["socket_address"];
    (
        socket["address"].as_str().expect("an address").to_owned(),
        socket["port_value"].as_u64().expect("a port"),
    )
}

#[test]
fn every_mounted_file_is_made() {
    let compose = compose();
    let recipe = recipe();
    let services = compose["services"].as_object().expect("services");
    let mut seen = 0;
    for host in services
        .values()
        .flat_map(|service| mounts(service).into_values())
    {
        let made = recipe.lines().any(|line| line.contains(&host));
        assert!(
            made,
            "`make compose-files` does not make `{host}`:\n{recipe}"
        );
        seen += 1;
    }
    assert!(seen >= 3, "configuration, module and server, not {seen}");
}

#[test]
fn envoy_finds_its_configuration_and_its_module() {
    let compose = compose();
    let envoy = &compose["services"]["envoy"];
    let mounts = mounts(envoy);
    let options = rendering(&recipe());
    let config = option(&words(&envoy["command"]), "--config-path");
    assert_eq!(mounts[config], options["--output"]);

    let root = rendered(&options).to_string();
    let discovered: Vec<&str> = root.split(r#""path":""#).skip(1).collect();
    let folder = options["--discover"].as_str();
    let files = discovered.iter().filter(|path| path.starts_with(folder));
    assert_eq!(
        files.count(),
        4,
        "two files, each beside its folder: {root}"
    );
    assert!(mounts.contains_key(folder), "{mounts:?}");
    let script = read("tests/compose/policy.sh");
    let module = option(&script.split_whitespace().collect::<Vec<_>>(), "--module");
    assert!(mounts[module].ends_with(".wasm"), "{mounts:?}");
}

#[test]
fn ports_and_hosts_agree() {
    let compose = compose();
    let services = &compose["services"];
    let root = rendered(&rendering(&recipe()));

    let (address, port) = socket(&root["static_resources"]["listeners"][0]["address"]);
    assert_eq!(address, "0.0.0.0", "a published port arrives from outside");
    let published = services["envoy"]["ports"][0].as_str().expect("a port");
    assert!(
        published.ends_with(&format!(":{port}")),
        "{published}, {port}"
    );

    let cluster = &root["static_resources"]["clusters"][0];
    let endpoint = "/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address";
    let (host, port) = socket(cluster.pointer(endpoint).expect("an address"));
    let server = &services[host.as_str()];
    assert!(server.is_object(), "no service `{host}`");
    let listen = option(&words(&server["command"]), "--listen");
    assert_eq!(listen, format!("0.0.0.0:{port}"));

    let (_, admin) = socket(&root["admin"]["address"]);
    let check = words(&services["envoy"]["healthcheck"]["test"]).join(" ");
    assert!(check.contains(&format!("/{admin} ")), "{check}");
}

#[test]
fn the_image_is_the_envoy_that_is_tested() {
    let compose = compose();
    let image = compose["services"]["envoy"]["image"]
        .as_str()
        .expect("an image");
    let (_, tag) = image.split_once(":v").expect("a version");
    let script = read("tests/fetch-envoy.sh");
    assert!(
        script.contains(&format!("${{ENVOY_VERSION:-{tag}}}")),
        "{tag}"
    );
}
