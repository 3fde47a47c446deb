//! The corpus on a 32-bit machine: the same verdicts and answers as natively.
//!
//! `make test-wasm` writes the file that `MCP_BOUNDARY_VERDICTS` names and runs
//! this in Node.
#![cfg(target_arch = "wasm32")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::{Effect, Engine, Head, Role};
use mcp_boundary_format::Policy;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

const VERDICTS: &str = include_str!(env!("MCP_BOUNDARY_VERDICTS"));

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

#[wasm_bindgen_test]
fn decides_as_natively() {
    let document: Value = serde_json::from_str(VERDICTS).unwrap();
    let engines: Vec<Engine> = document["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|blob| Engine::new(Policy::decode(&bytes(blob)).unwrap(), Role::Admit))
        .collect();
    let requests = document["requests"].as_array().unwrap();
    assert!(requests.len() > 100);
    for request in requests {
        let engine = &engines[request["policy"].as_u64().unwrap() as usize];
        let headers: Vec<(Vec<u8>, Vec<u8>)> = request["headers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| (bytes(&line[0]), bytes(&line[1])))
            .collect();
        let headers: Vec<(&[u8], &[u8])> = headers
            .iter()
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();
        let attributes: Vec<Option<Vec<u8>>> = request["attributes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| (!found.is_null()).then(|| bytes(found)))
            .collect();
        let body = bytes(&request["body"]);
        let head = Head {
            headers: &headers,
            end_of_stream: body.is_empty(),
            attributes: &attributes,
            record: None,
        };
        let outcome = engine.decide(head, &body);
        let id = &request["id"];
        assert_eq!(request["reason"], outcome.verdict.reason.code(), "{id}");
        match &outcome.effect {
            Effect::Forward { .. } => assert!(request["answer"].is_null(), "{id}"),
            Effect::Answer { body, .. } => assert_eq!(&bytes(&request["answer"]), body, "{id}"),
        }
    }
}
