//! The `http_filters` entry, as text and as what Envoy makes of it.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_format::Policy;
use mcp_policy::envoy::{Release, Role, Stanza, capabilities, http_filter};
use ran::{ran, tool};
use serde_yaml::Value;

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;
mod ran;

const POLICY: &str =
    "{mcp_policy: 1, endpoints: [{name: one, path: /mcp, allow: {methods: [ping]}}]}";

fn envoy(arguments: &[&str], stdin: &[u8]) -> (i32, String, String) {
    ran(tool().arg("envoy").args(arguments).write_stdin(stdin))
}

fn config(text: &str) -> (Value, serde_json::Value) {
    let entries: Value = serde_yaml::from_str(text).unwrap();
    assert_eq!(entries.as_sequence().unwrap().len(), 1);
    let config = entries[0]["typed_config"]["config"].clone();
    let own = config["configuration"]["value"].as_str().unwrap();
    let own = serde_json::from_str(own).unwrap();
    (config, own)
}

fn digest(own: &serde_json::Value) -> String {
    let blob = STANDARD.decode(own["policy"].as_str().unwrap()).unwrap();
    Policy::decode(&blob).unwrap().digest().to_string()
}

#[test]
fn the_whole_entry() {
    let (code, text, errors) = envoy(&["-"], POLICY.as_bytes());
    assert_eq!((code, errors.as_str()), (0, ""));
    insta::assert_snapshot!("admit", text);
    let arguments = [
        "-",
        "--role",
        "recheck",
        "--endpoint",
        "one",
        "--module",
        "/opt/it's a \"filter\".wasm",
    ];
    let (code, text, errors) = envoy(&arguments, POLICY.as_bytes());
    assert_eq!((code, errors.as_str()), (0, ""));
    insta::assert_snapshot!("recheck", text);
}

#[test]
fn it_carries_the_policy_and_the_role() {
    let policy = common::compile(POLICY);
    let blob = policy.encode().unwrap();
    let (_, from_text, _) = envoy(&["-"], POLICY.as_bytes());
    let (_, from_blob, _) = envoy(&["-"], &blob);
    assert_eq!(from_text, from_blob);
    assert_eq!(from_text, http_filter(&Stanza::new(&blob, Role::Admit)));

    let (config, own) = config(&from_text);
    assert_eq!(digest(&own), policy.digest().to_string());
    assert_eq!(own["role"], "admit");
    assert!(own.get("endpoint").is_none());
    assert_eq!(config["failure_policy"], "FAIL_RELOAD");
    assert_eq!(config["allow_on_headers_stop_iteration"], true);
    assert!(!from_text.contains("OPEN"));
}

#[test]
fn each_role_has_a_vm_of_its_own() {
    let (_, admit, _) = envoy(&["-"], POLICY.as_bytes());
    let (_, recheck, _) = envoy(&["-", "--role", "recheck"], POLICY.as_bytes());
    let ((admit, _), (recheck, own)) = (config(&admit), config(&recheck));
    assert_ne!(admit["vm_config"]["vm_id"], recheck["vm_config"]["vm_id"]);
    assert_ne!(admit["name"], recheck["name"]);
    assert_eq!(admit["root_id"], recheck["root_id"]);
    assert_eq!(own["role"], "recheck");
}

#[test]
fn either_role_is_granted_what_it_needs_and_no_change_of_a_body() {
    for role in [Role::Admit, Role::Recheck] {
        let (_, text, _) = envoy(&["-", "--role", role.as_str()], POLICY.as_bytes());
        let (config, _) = config(&text);
        let granted = &config["vm_config"]["capability_restriction_config"];
        let granted = &granted["allowed_capabilities"];
        let granted = granted.as_mapping().unwrap();
        let names: Vec<_> = granted.keys().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(names, capabilities());
        assert!(names.is_sorted());
        // An empty list would grant everything.
        assert!(names.len() > 10);
        assert!(
            granted
                .values()
                .all(|value| value == &Value::Mapping(Default::default()))
        );
        assert!(!names.contains(&"proxy_set_buffer_bytes"));
    }
}

#[test]
fn older_releases_read_the_capabilities_elsewhere() {
    let (_, new, _) = envoy(&["-", "--envoy", "1.40"], POLICY.as_bytes());
    let (_, old, _) = envoy(&["-", "--envoy", "1.39"], POLICY.as_bytes());
    assert_eq!(new, envoy(&["-"], POLICY.as_bytes()).1);
    let ((new, _), (old, _)) = (config(&new), config(&old));
    let key = "capability_restriction_config";
    assert!(new.get(key).is_none() && old["vm_config"].get(key).is_none());
    assert_eq!(new["vm_config"][key], old[key]);
    for (version, release) in [
        ("1.36.4", Release::V1_39),
        ("1.39.3", Release::V1_39),
        ("1.40.0", Release::V1_40),
        ("1.41.0-dev", Release::V1_40),
        ("2.0.0", Release::V1_40),
        ("dev", Release::V1_40),
    ] {
        assert_eq!(Release::of(version), release, "{version}");
    }
}

#[test]
fn a_name_of_its_own_is_a_vm_of_its_own() {
    for (arguments, name) in [
        (&["-", "--name", "edge"][..], "edge"),
        (
            &["-", "--name", "edge", "--role", "recheck"],
            "edge_recheck",
        ),
        (&["-", "--name", "1.0"], "1.0"),
    ] {
        let (_, text, _) = envoy(arguments, POLICY.as_bytes());
        let (config, _) = config(&text);
        assert_eq!(config["name"], name);
        assert_eq!(config["vm_config"]["vm_id"], name);
        assert_eq!(config["root_id"], "mcp_boundary");
    }
    let (code, text, errors) = envoy(&["-", "--name", "a b"], POLICY.as_bytes());
    assert_eq!((code, text.as_str()), (2, ""));
    assert!(errors.contains("`a b` cannot name an instance"), "{errors}");
}

#[test]
fn paths_and_names_are_quoted() {
    let path = "/opt/it's a \"filter\": #1\\.wasm";
    let arguments = [
        "-",
        "--role",
        "recheck",
        "--module",
        path,
        "--endpoint",
        "one",
    ];
    let (_, text, _) = envoy(&arguments, POLICY.as_bytes());
    let (config, own) = config(&text);
    assert_eq!(config["vm_config"]["code"]["local"]["filename"], path);
    assert_eq!(own["endpoint"], "one");
}

#[test]
fn an_endpoint_must_be_in_the_policy() {
    let admit = envoy(&["-", "--endpoint", "one"], POLICY.as_bytes());
    assert_eq!((admit.0, admit.1.as_str()), (2, ""));
    assert!(admit.2.contains("only for `--role recheck`"), "{}", admit.2);
    let arguments = ["-", "--role", "recheck", "--endpoint", "two"];
    let (code, text, errors) = envoy(&arguments, POLICY.as_bytes());
    assert_eq!((code, text.as_str()), (2, ""));
    assert!(
        errors.contains("the policy has no endpoint `two`"),
        "{errors}"
    );
    assert!(errors.contains("its endpoints are `one`"), "{errors}");
}

#[test]
fn a_recheck_says_where_it_stands() {
    let text = |arguments: &[&str]| envoy(arguments, POLICY.as_bytes()).1;
    let chain = text(&["-", "--role", "recheck"]);
    let said = text(&["-", "--role", "recheck", "--place", "chain"]);
    assert_eq!(chain, said);
    let upstream = text(&["-", "--role", "recheck", "--place", "upstream"]);
    let ((chain, before), (upstream, behind)) = (config(&chain), config(&upstream));
    assert!(before.get("place").is_none());
    assert_eq!(behind["place"], "upstream");
    // Both may stand in one Envoy.
    assert_ne!(chain["vm_config"]["vm_id"], upstream["vm_config"]["vm_id"]);
    let admit = envoy(&["-", "--place", "upstream"], POLICY.as_bytes());
    assert_eq!((admit.0, admit.1.as_str()), (2, ""));
    assert!(admit.2.contains("only for `--role recheck`"), "{}", admit.2);
}

#[test]
fn a_policy_with_errors_makes_no_entry() {
    let (code, text, _) = envoy(&["-"], b"mcp_policy: 1\nendpoints: []\n");
    assert_eq!((code, text.as_str()), (1, ""));
}

#[test]
fn with_a_gate_the_headers_are_its_matter() {
    for role in ["admit", "recheck"] {
        let arguments = ["-", "--role", role, "--hold", "gate"];
        let (code, text, errors) = envoy(&arguments, POLICY.as_bytes());
        assert_eq!((code, errors.as_str()), (0, ""));
        let (config, own) = config(&text);
        assert_eq!(own["hold"], "gate");
        assert_eq!(own["role"], role);
        assert_eq!(config["failure_policy"], "FAIL_RELOAD");
        for unknown in ["allow_on_headers_stop_iteration", "capability"] {
            assert!(!text.contains(unknown), "{text}");
        }
    }
    let headers = envoy(&["-", "--hold", "headers"], POLICY.as_bytes()).1;
    assert_eq!(headers, envoy(&["-"], POLICY.as_bytes()).1);
}

#[test]
fn the_gates_entry() {
    let (code, text, errors) = envoy(&["--role", "gate"], b"");
    assert_eq!((code, errors.as_str()), (0, ""));
    insta::assert_snapshot!("gate", text);
    let arguments = [
        "--role",
        "gate",
        "--awaits",
        "admit",
        "--name",
        "edge",
        "--module",
        "/opt/gate.wasm",
    ];
    let (_, text, _) = envoy(&arguments, b"");
    let (config, own) = config(&text);
    assert_eq!(
        own,
        serde_json::json!({ "role": "gate", "awaits": ["admit"] })
    );
    assert_eq!(config["vm_config"]["vm_id"], "edge_gate");
    assert_eq!(
        config["vm_config"]["code"]["local"]["filename"],
        "/opt/gate.wasm"
    );
}

#[test]
fn what_makes_no_sense_with_a_gate_is_said() {
    for (arguments, said) in [
        (&["--role", "gate", "-"][..], "a gate has no policy"),
        (&[], "no policy is named"),
        (&["--role", "recheck"], "no policy is named"),
        (
            &["-", "--awaits", "admit"],
            "`--awaits` is only for `--role gate`",
        ),
        (
            &["--role", "gate", "--awaits", "admit,admit"],
            "`--awaits` names a role twice",
        ),
        (
            &["--role", "gate", "--awaits", "gate"],
            "invalid value 'gate'",
        ),
        (
            &["--role", "gate", "--hold", "gate"],
            "`--hold` is for `--role admit` and `--role recheck`",
        ),
        (
            &["--role", "gate", "--place", "chain"],
            "`--place` is only for `--role recheck`",
        ),
        (
            &["--role", "gate", "--endpoint", "one"],
            "`--endpoint` is only for `--role recheck`",
        ),
        (
            &[
                "-", "--role", "recheck", "--place", "upstream", "--hold", "gate",
            ],
            "behind the route nobody else holds headers",
        ),
        (
            &[
                "-", "--role", "recheck", "--place", "upstream", "--hold", "lua",
            ],
            "behind the route nobody else holds headers",
        ),
    ] {
        let (code, text, errors) = envoy(arguments, POLICY.as_bytes());
        assert_eq!((code, text.as_str()), (2, ""), "{arguments:?}");
        assert!(errors.contains(said), "{arguments:?}: {errors}");
    }
}

/// Only a gate, and an instance that holds headers itself, can change them.
#[test]
fn who_cannot_edit_headers_takes_no_policy_that_does() {
    for (line, named) in [
        ("compat: { stale_mirrors: true }", "stale_mirrors"),
        (
            "compat: { equal_version_repeats: true }",
            "equal_version_repeats",
        ),
    ] {
        let policy = POLICY.replace("allow:", &format!("{line}, allow:"));
        for (hold, taken) in [
            ("headers", true),
            ("gate", true),
            ("buffer", false),
            ("lua", false),
        ] {
            let (code, text, errors) = envoy(&["-", "--hold", hold], policy.as_bytes());
            assert_eq!(code == 0, taken, "{hold}: {errors}");
            if !taken {
                assert_eq!((code, text.as_str()), (2, ""), "{hold}");
                assert!(
                    errors.contains(named) && errors.contains("use a gate"),
                    "{errors}"
                );
            }
        }
    }
}

#[test]
fn a_filter_of_envoy_that_holds_is_named() {
    for holder in ["buffer", "lua"] {
        let (code, text, errors) = envoy(&["-", "--hold", holder], POLICY.as_bytes());
        assert_eq!(code, 0, "{errors}");
        let said = format!(r#""hold":"body","held_by":"{holder}""#);
        assert!(text.contains(&said), "{text}");
        assert!(!text.contains("allow_on_headers_stop_iteration"), "{text}");
    }
}

#[test]
fn an_entry_can_be_discovered() {
    let (code, entry, errors) = envoy(&["-", "--role", "recheck"], POLICY.as_bytes());
    assert_eq!(code, 0, "{errors}");
    let entry: Value = serde_yaml::from_str(&entry).unwrap();
    let (code, text, errors) = envoy(&["-", "--role", "recheck", "--resource"], POLICY.as_bytes());
    assert_eq!(code, 0, "{errors}");
    let file: Value = serde_yaml::from_str(&text).unwrap();
    let resource = &file["resources"][0];
    assert_eq!(resource["name"], entry[0]["name"]);
    assert_eq!(resource["typed_config"], entry[0]["typed_config"]);
    let kind = "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig";
    assert_eq!(resource["@type"], kind);

    let arguments = [
        "--role",
        "recheck",
        "--discover",
        "/etc/envoy/mcp/recheck.yaml",
    ];
    let (code, text, errors) = envoy(&arguments, b"");
    assert_eq!(code, 0, "{errors}");
    let reading: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(reading[0]["name"], entry[0]["name"], "found by its name");
    let source = &reading[0]["config_discovery"]["config_source"]["path_config_source"];
    assert_eq!(source["path"], "/etc/envoy/mcp/recheck.yaml");
    assert_eq!(source["watched_directory"]["path"], "/etc/envoy/mcp");

    let (code, _, errors) = envoy(&["-", "--discover", "/a.yaml"], POLICY.as_bytes());
    assert_eq!(code, 2);
    assert!(errors.contains("`--discover` needs no policy"), "{errors}");
}
