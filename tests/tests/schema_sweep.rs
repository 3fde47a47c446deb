//! Every member of the params of every client method, in four revisions, with
//! some fifty values each: the engine's verdict against the official schema,
//! as an independent validator reads it.
//!
//! Nothing that the schema refuses is forwarded. What it accepts is forwarded,
//! but for the list in `tests/data/schema-exceptions.tsv`.

#[path = "schema_sweep/schema.rs"]
mod schema;
#[path = "schema_sweep/values.rs"]
mod values;

use std::collections::BTreeMap;
use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::{Effect, Engine, Head, Role};
use mcp_boundary_tests::{policy, workspace};
use serde_json::{Value, json};

use schema::{Method, Schema};
use values::{WRONG, kind, text};

const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const STATELESS: &str = "2026-07-28";

/// Where the engine does not follow the schema.
#[derive(Debug)]
struct Exception {
    line: String,
    revisions: Vec<String>,
    methods: String,
    path: String,
    kinds: Vec<String>,
    forward: bool,
    used: usize,
}

impl Exception {
    fn all() -> Vec<Self> {
        let path = workspace().join("tests/data/schema-exceptions.tsv");
        let text = fs::read_to_string(path).expect("the exceptions");
        let lines = text
            .lines()
            .filter(|l| !l.is_empty() && !l.starts_with('#'));
        lines.map(Self::parse).collect()
    }

    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        let [revisions, methods, path, kinds, verdict, why] = fields[..] else {
            panic!("`{line}` is not revisions, method, path, kinds, verdict, why");
        };
        assert!(!why.trim().is_empty(), "`{line}` has no reason");
        let list = |text: &str| text.split(',').map(str::to_owned).collect();
        Self {
            line: line.to_owned(),
            revisions: list(revisions),
            methods: methods.to_owned(),
            path: path.to_owned(),
            kinds: list(kinds),
            forward: match verdict {
                "forward" => true,
                "refuse" => false,
                _ => panic!("`{line}`: the verdict is `forward` or `refuse`"),
            },
            used: 0,
        }
    }

    fn covers(&self, revision: &str, method: &str, path: &str, kind: &str) -> bool {
        self.revisions.iter().any(|listed| listed == revision)
            && (self.methods == "*" || self.methods == method)
            && (self.path == path
                || self
                    .path
                    .strip_suffix("/**")
                    .and_then(|above| path.strip_prefix(above))
                    .is_some_and(|below| below.is_empty() || below.starts_with('/')))
            && self
                .kinds
                .iter()
                .any(|listed| listed == "*" || listed == kind)
    }
}

/// Everything that can be permitted in `revision`.
fn permissive(revision: &str) -> Engine {
    let extensions: &[&str] = match revision {
        STATELESS => &["tasks/get", "tasks/update", "tasks/cancel"],
        _ => &[],
    };
    let text = serde_yaml::to_string(&json!({
        "mcp_policy": 1,
        "endpoints": [{
            "path": "/mcp",
            "versions": [revision],
            "tool_names": "any",
            "allow": {
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

/// The engine's reason for refusing, if it does.
fn refused(engine: &Engine, revision: &str, method: &Method, body: &str) -> Option<String> {
    let mut headers = vec![
        (":method", "POST".to_owned()),
        (":path", "/mcp".to_owned()),
        (":authority", "server.test".to_owned()),
        ("content-type", "application/json".to_owned()),
        ("content-length", body.len().to_string()),
        ("mcp-protocol-version", revision.to_owned()),
    ];
    if revision == STATELESS && method.is_request {
        headers.push(("mcp-method", method.name.clone()));
        let member = match method.name.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => "",
        };
        let message: Value = serde_json::from_str(body).expect("JSON");
        if let Some(name) = message["params"][member].as_str() {
            headers.push(("mcp-name", format!("=?base64?{}?=", STANDARD.encode(name))));
        }
    }
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
    let outcome = engine.decide(head, body.as_bytes());
    match outcome.effect {
        Effect::Forward { .. } => None,
        Effect::Answer { .. } => Some(format!(
            "`{}` {}",
            outcome.verdict.reason.code(),
            outcome.verdict.detail
        )),
    }
}

/// Whether a refusal of params says which member is wrong.
fn names_a_member(why: &str) -> bool {
    let about_params = ["`params_invalid`", "`meta_invalid`"];
    !about_params.iter().any(|code| why.starts_with(code))
        || why.contains(" `params.")
        || why.contains(" `params[")
        || why.contains(" `params` must be an object")
}

#[test]
fn nothing_that_the_schema_refuses_is_forwarded() {
    let mut exceptions = Exception::all();
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut report = Vec::new();
    for revision in REVISIONS {
        let schema = Schema::of(revision);
        let engine = permissive(revision);
        let (mut tried, mut forwarded, mut listed) = (0, 0, 0);
        let methods = schema.methods();
        for method in &methods {
            for trial in schema.trials(method) {
                let mut message = json!({ "jsonrpc": "2.0", "method": method.name });
                if method.is_request {
                    message["id"] = json!(1);
                }
                if let Some(mut params) = trial.params {
                    let key = "io.modelcontextprotocol/protocolVersion";
                    // The least `_meta` names the revision, which must agree.
                    if params["_meta"][key] == json!("a:b") {
                        params["_meta"][key] = json!(revision);
                    }
                    message["params"] = params;
                }
                let body = text(&message);
                let parsed = serde_json::from_str(&body).expect("JSON");
                let accepted = method.validator.is_valid(&parsed);
                let refused = refused(&engine, revision, method, &body);
                tried += 1;
                forwarded += usize::from(refused.is_none());
                let path = trial.path.join("/");
                if let Some(why) = &refused
                    && !names_a_member(why)
                {
                    let key = format!("{revision}\t{}\t{path}\t{why}", method.name);
                    wrong.entry(key).or_insert((0, body.clone())).0 += 1;
                }
                if accepted == refused.is_none() {
                    continue;
                }
                let kind = kind(trial.value.as_ref());
                let mut covering = exceptions.iter_mut().filter(|exception| {
                    exception.forward == refused.is_none()
                        && exception.covers(revision, &method.name, &path, kind)
                });
                if let Some(exception) = covering.next() {
                    exception.used += 1;
                    listed += 1;
                    continue;
                }
                let what = match &refused {
                    None => "FORWARDED, though the schema refuses it",
                    Some(why) => why,
                };
                let key = format!("{revision}\t{}\t{path}\t{kind}\t{what}", method.name);
                wrong.entry(key).or_insert((0, body)).0 += 1;
            }
        }
        report.push(format!(
            "{revision}: {} methods, {tried} bodies, {} refused, {forwarded} forwarded, {listed} as listed",
            methods.len(),
            tried - forwarded,
        ));
        assert!(
            tried > 1_000,
            "only {tried} bodies were tried in {revision}"
        );
    }
    println!(
        "{} values at every place\n{}",
        WRONG.len(),
        report.join("\n")
    );
    for exception in exceptions.iter().filter(|exception| exception.used == 0) {
        let key = format!("listed, but no such body: {}", exception.line);
        wrong.insert(key, (1, String::new()));
    }
    let list: Vec<_> = wrong
        .iter()
        .map(|(what, (count, body))| format!("{count} times\t{what}\t{body}"))
        .collect();
    assert!(
        list.is_empty(),
        "{} wrong:\n{}",
        list.len(),
        list.join("\n")
    );
}
