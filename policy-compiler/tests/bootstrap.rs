//! `mcp-policy bootstrap`: the whole configuration, and what it refuses.
//! That Envoy takes it and what it does there, the suites in `tests` show.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use ran::{ran, tool};
use serde_yaml::Value;

mod ran;

const POLICY: &str =
    "{mcp_policy: 1, endpoints: [{name: one, path: /mcp, allow: {methods: [ping]}}]}";

fn bootstrap(arguments: &[&str]) -> (i32, String, String) {
    let mut tool = tool();
    tool.args(["bootstrap", "-"]).args(arguments);
    ran(tool.write_stdin(POLICY))
}

fn socket(address: &Value) -> (String, u64) {
    let socket = &address["socket_address"];
    (
        socket["address"].as_str().unwrap().to_owned(),
        socket["port_value"].as_u64().unwrap(),
    )
}

fn names(filters: &Value) -> Vec<&str> {
    let filters = filters.as_sequence().unwrap().iter();
    filters
        .map(|filter| filter["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_recheck_stands_where_it_is_told() {
    for (place, chain, upstream) in [
        (
            "last",
            vec!["mine", "mine_recheck", "envoy.filters.http.router"],
            None,
        ),
        (
            "upstream",
            vec!["mine", "envoy.filters.http.router"],
            Some(vec!["mine_upstream", "envoy.filters.http.upstream_codec"]),
        ),
    ] {
        let (code, text, error) = bootstrap(&[
            "--upstream",
            "[::1]:8000",
            "--listen",
            "0.0.0.0:80",
            "--recheck",
            place,
            "--name",
            "mine",
        ]);
        assert_eq!((code, error.as_str()), (0, ""));
        assert!(
            text.contains("# The client is whoever connected"),
            "comments stay"
        );
        let root: Value = serde_yaml::from_str(&text).unwrap();
        let listener = &root["static_resources"]["listeners"][0];
        assert_eq!(socket(&listener["address"]), ("0.0.0.0".to_owned(), 80));
        assert_eq!(
            socket(&root["admin"]["address"]),
            ("127.0.0.1".to_owned(), 9901)
        );
        let manager = &listener["filter_chains"][0]["filters"][0]["typed_config"];
        assert_eq!(names(&manager["http_filters"]), chain);
        let cluster = &root["static_resources"]["clusters"][0];
        let server = &cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0];
        assert_eq!(
            socket(&server["endpoint"]["address"]),
            ("::1".to_owned(), 8000)
        );
        let options = &cluster["typed_extension_protocol_options"];
        let filters =
            &options["envoy.extensions.upstreams.http.v3.HttpProtocolOptions"]["http_filters"];
        match upstream {
            Some(upstream) => assert_eq!(names(filters), upstream),
            None => assert!(filters.is_null()),
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_help() {
    for (arguments, said) in [
        (&[][..], "--upstream <HOST:PORT>"),
        (&["--upstream", "server"], "write HOST:PORT"),
        (
            &["--upstream", "http://server:80"],
            "without scheme and path",
        ),
        (&["--upstream", "::1"], "write [::1]:8080"),
        (
            &["--upstream", "a:0"],
            "write the port on which the server listens",
        ),
        (&["--upstream", "a:70000"], "from 0 to 65535"),
        (
            &["--upstream", "a:1", "--recheck", "chain"],
            "possible values: last, upstream",
        ),
        (&["--upstream", "a:1", "--name", "a b"], "use 1 to 64 of"),
    ] {
        let (code, text, error) = bootstrap(arguments);
        assert_eq!((code, text.as_str()), (2, ""), "{arguments:?}");
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn a_file_is_written_whole_or_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("envoy.yaml");
    let out = path.to_str().unwrap();
    let (code, text, _) = bootstrap(&["--upstream", "a:1", "--output", out]);
    assert_eq!((code, text.as_str()), (0, ""));
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(bootstrap(&["--upstream", "a:1"]).1, written);
    let mut wrong = tool();
    wrong.args(["bootstrap", "-", "--upstream", "a:1", "--output", out]);
    wrong.write_stdin("mcp_policy: 2").assert().code(1);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
}

#[test]
fn filters_can_be_discovered_and_then_no_policy_is_named() {
    let run = |arguments: &[&str]| ran(tool().arg("bootstrap").args(arguments));
    let upstream = ["--upstream", "a:1"];
    let (code, text, errors) = run(&[&["--discover", "/etc/envoy/mcp/"], &upstream[..]].concat());
    assert_eq!(code, 0, "{errors}");
    let root: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(
        root["node"]["id"], "mcp-boundary",
        "Envoy discovers nothing without"
    );
    for role in ["admit", "recheck"] {
        assert!(
            text.contains(&format!("path: \"/etc/envoy/mcp/{role}.yaml\"")),
            "{text}"
        );
    }
    let (code, _, errors) = run(&upstream);
    assert_eq!(code, 2);
    assert!(
        errors.contains("--discover") || errors.contains("POLICY"),
        "{errors}"
    );
    let (code, _, errors) = run(&[&["a.yaml", "--discover", "/a"], &upstream[..]].concat());
    assert_eq!(code, 2, "{errors}");
}
