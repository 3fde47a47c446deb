//! Objects of Kubernetes against the schemas of their resources.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;

/// The documents of a file.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents
        .map(|document| Value::deserialize(document).unwrap())
        .collect()
}

/// Holds each object against its schema; how many there are. What is none of
/// Kubernetes is passed by.
pub(crate) fn check(text: &str) -> usize {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/crds/crds.json");
    let schemas = std::fs::read_to_string(schemas).unwrap();
    let schemas: BTreeMap<String, Value> = serde_json::from_str(&schemas).unwrap();
    let mut count = 0;
    for object in documents(text) {
        let (Some(version), Some(kind)) = (object["apiVersion"].as_str(), object["kind"].as_str())
        else {
            continue;
        };
        let kind = format!("{version} {kind}");
        let schema = schemas.get(&kind).unwrap_or_else(|| panic!("{kind}"));
        let validator = jsonschema::options().should_validate_formats(false);
        let validator = validator.build(schema).unwrap();
        let faults: Vec<_> = validator
            .iter_errors(&object)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{kind}: {faults:?}");
        one_target(&object["spec"]);
        count += 1;
    }
    count
}

/// The rules in Kubernetes' own language that matter here.
fn one_target(spec: &Value) {
    let ways = ["selector", "workloadSelector", "targetRefs"];
    let count = ways.iter().filter(|way| spec.get(way).is_some()).count();
    let is_order = spec.get("filterOrder").is_some();
    assert_eq!(count, usize::from(!is_order), "{spec}");
    let is_wasm = spec.get("wasm").is_some();
    assert!(!(is_wasm && spec.get("lua").is_some()), "{spec}");
}
