//! The engine against the official schema: 231 bodies, each with the schema's
//! verdict in every revision (`tests/data/README.md`).
//!
//! The policy permits everything there is to permit, so what is refused here is
//! refused for what it is. Nothing that the schema rejects may be forwarded;
//! what it accepts is forwarded, but for a list of exceptions with reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::{Effect, Engine, Head, Role};
use mcp_boundary_tests::{policy, workspace};
use serde::Deserialize;
use serde_json::{Value, json};

const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const STATELESS: &str = "2026-07-28";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    id: String,
    body: Option<String>,
    body_base64: Option<String>,
    schema: BTreeMap<String, String>,
    #[serde(rename = "tower")]
    _tower: BTreeMap<String, String>,
}

impl Sample {
    fn bytes(&self) -> Vec<u8> {
        match (&self.body, &self.body_base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(text)) => STANDARD.decode(text).expect("base64"),
            _ => panic!("`{}` needs one body", self.id),
        }
    }

    /// The message; `None` if it is no JSON.
    fn message(&self) -> Option<Value> {
        serde_json::from_slice(&self.bytes()).ok()
    }
}

fn data(name: &str) -> String {
    let path = workspace().join("tests/data").join(name);
    fs::read_to_string(path).expect("test data")
}

fn samples() -> Vec<Sample> {
    let text = data("spec-bodies.jsonl");
    let parse = |line| serde_json::from_str(line).expect("a sample");
    text.lines().map(parse).collect()
}

/// What becomes of a sample against the schema's verdict, by id and revision.
fn exceptions() -> BTreeMap<(String, String), bool> {
    let mut list = BTreeMap::new();
    for line in data("spec-bodies-exceptions.tsv").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, revisions, verdict, reason] = fields[..] else {
            panic!("`{line}` is not id, revisions, verdict, reason");
        };
        assert!(!reason.trim().is_empty(), "`{line}` has no reason");
        let passes = match verdict {
            "forward" => true,
            "refuse" => false,
            _ => panic!("`{line}`: the verdict is `forward` or `refuse`"),
        };
        for revision in revisions.split(',') {
            assert!(REVISIONS.contains(&revision), "`{line}`: `{revision}`");
            let key = (id.to_owned(), revision.to_owned());
            assert!(list.insert(key, passes).is_none(), "twice: `{line}`");
        }
    }
    list
}

/// Everything that can be permitted in `revision`, with these extensions.
fn permissive(revision: &str, extensions: &BTreeSet<String>) -> Engine {
    let text = serde_yaml::to_string(&json!({
        "mcp_policy": 1,
        "endpoints": [{
            "path": "/mcp",
            "versions": [revision],
            "tool_names": "any",
            "limits": { "depth": 128 },
            "allow": {
                // The named operations by their exact names: every name. URI
                // patterns would bring rules of their own about URIs.
                "methods": [
                    "*", "tools/call", "prompts/get", "resources/read",
                    "resources/subscribe", "resources/unsubscribe",
                ],
                "extensions": extensions,
            },
        }],
    }))
    .expect("YAML");
    let compiled = policy::compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Engine::new(compiled, Role::Admit)
}

/// The methods that count as extensions in `revision`.
fn extensions(samples: &[Sample], revision: &str) -> BTreeSet<String> {
    let extension = |sample: &&Sample| sample.schema[revision] == "extension";
    let method = |sample: &Sample| Some(sample.message()?["method"].as_str()?.to_owned());
    let named = samples.iter().filter(extension).filter_map(method);
    // No policy can name these; the exceptions say so.
    let nameable = |method: &String| !method.is_empty() && !method.contains(char::is_control);
    named.filter(nameable).collect()
}

/// The headers of a client that mirrors the body correctly.
fn headers(revision: &str, message: Option<&Value>, length: usize) -> Vec<(String, String)> {
    let mut headers = vec![
        (":method".to_owned(), "POST".to_owned()),
        (":path".to_owned(), "/mcp".to_owned()),
        (":authority".to_owned(), "server.test".to_owned()),
        ("content-type".to_owned(), "application/json".to_owned()),
        ("content-length".to_owned(), length.to_string()),
        ("mcp-protocol-version".to_owned(), revision.to_owned()),
    ];
    let method = message.and_then(|message| message["method"].as_str());
    if let (STATELESS, Some(message), Some(method)) = (revision, message, method) {
        headers.push(("mcp-method".to_owned(), method.to_owned()));
        let member = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return headers,
        };
        if let Some(name) = message["params"][member].as_str() {
            headers.push(("mcp-name".to_owned(), mirrored(name)));
        }
    }
    headers
}

/// A name as `Mcp-Name` carries it.
fn mirrored(name: &str) -> String {
    let plain = !name.is_empty()
        && name.bytes().all(|b| (0x20..0x7f).contains(&b))
        && name.trim() == name
        && !name.starts_with("=?");
    if plain {
        name.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(name))
    }
}

fn names_another_revision(message: Option<&Value>, revision: &str) -> bool {
    let meta = message.map(|message| &message["params"]["_meta"]);
    let named = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    named.is_some_and(|named| named != revision)
}

#[test]
fn the_engine_differs_from_the_schema_only_as_listed() {
    let samples = samples();
    let exceptions = exceptions();
    let mut unused: BTreeSet<_> = exceptions.keys().cloned().collect();
    let mut wrong = Vec::new();
    let mut forwarded = 0;
    for revision in REVISIONS {
        let engine = permissive(revision, &extensions(&samples, revision));
        for sample in &samples {
            let body = sample.bytes();
            let message = sample.message();
            let headers = headers(revision, message.as_ref(), body.len());
            let headers: Vec<(&[u8], &[u8])> = headers
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
                .collect();
            let head = Head {
                headers: &headers,
                end_of_stream: false,
                attributes: &[],
                record: None,
            };
            let outcome = engine.decide(head, &body);
            let passes = matches!(outcome.effect, Effect::Forward { .. });
            forwarded += usize::from(passes);
            let schema = sample.schema[revision].as_str();
            let key = (sample.id.clone(), revision.to_owned());
            unused.remove(&key);
            let listed = exceptions.get(&key).copied();
            // Contract, not schema: `_meta` may not contradict the header.
            let accepted = matches!(schema, "accept" | "extension")
                && !names_another_revision(message.as_ref(), revision);
            if passes != listed.unwrap_or(accepted) || listed == Some(accepted) {
                wrong.push(format!(
                    "{} in {revision}: schema says {schema}, listed: {listed:?}, engine: {:?} `{}` {}",
                    sample.id,
                    outcome.verdict.kind,
                    outcome.verdict.reason.code(),
                    outcome.verdict.detail
                ));
            }
        }
    }
    wrong.extend(
        unused
            .iter()
            .map(|key| format!("listed, but no sample: {key:?}")),
    );
    assert!(forwarded > 150, "only {forwarded} bodies were forwarded");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
