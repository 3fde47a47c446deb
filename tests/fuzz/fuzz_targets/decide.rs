//! Whole requests: headers, body, revision, mode, role.
//!
//! The input's first bytes pick policy, verb and headers; the rest is the
//! body. Bodies are also written from a template, so that deep stages are
//! reached without luck.
#![no_main]

#[allow(dead_code)]
#[path = "../../src/readers.rs"]
mod readers;

use std::sync::OnceLock;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use mcp_boundary_engine::{Effect, Engine, Head, Kind, Outcome, Role};
use mcp_boundary_format::Policy;
use readers::{Reader, Tree};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: legacy
    path: /legacy
    versions: ["2025-03-26", "2025-06-18", "2025-11-25"]
    compat: {equal_version_repeats: true, stale_mirrors: true}
    allow:
      methods: [initialize, ping, "notifications/*", tools/list, completion/complete]
      tools: ["get_*"]
      prompts: ["p*"]
      resources: ["file:///docs/**"]
    deny: {tools: [get_secret]}
  - name: modern
    path: /modern
    versions: ["2026-07-28"]
    denial: rpc
    tool_names: any
    origins: ["https://a.test"]
    arguments: {forbid: [_owner]}
    allow: {methods: ["*"], tools: ["*"], extensions: [tasks/get, x/y], prompts: ["*"], resources: ["**"]}
  - name: all
    path_prefix: /all
    versions: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    limits: {depth: 8, batch_members: 3, body_bytes: 4096}
    allow:
      - {id: a, methods: ["*"], tools: ["*"], when: {header: {name: x-role, in: [admin]}}}
      - {id: b, methods: [resources/read]}
    deny:
      - {id: c, tools: ["d*"], when: {header: {name: x-role, in: [guest]}}}
"#;

struct Engines {
    enforce: Engine,
    audit: Engine,
    recheck: Engine,
}

static ENGINES: OnceLock<Engines> = OnceLock::new();

fn engines() -> &'static Engines {
    ENGINES.get_or_init(|| {
        let compile = |text: &str| -> Policy {
            match mcp_policy::compile(text) {
                Ok(compiled) => compiled.policy,
                Err(diagnostics) => panic!("{diagnostics:?}"),
            }
        };
        let audit = POLICY.replace("    versions:", "    mode: audit\n    versions:");
        Engines {
            enforce: Engine::new(compile(POLICY), Role::Admit),
            audit: Engine::new(compile(&audit), Role::Admit),
            recheck: Engine::new(compile(POLICY), Role::Recheck),
        }
    })
}

#[derive(Debug, Arbitrary)]
enum Verb {
    Post,
    Get,
    Delete,
    Other(String),
}

#[derive(Debug, Arbitrary)]
enum Text {
    Revision(u8),
    Word(u8),
    Free(Vec<u8>),
}

const WORDS: &[&str] = &[
    "application/json", "application/json; charset=utf-8", "text/event-stream", "identity",
    "tools/call", "tools/list", "get_weather", "get_secret", "=?base64?Z2V0X3dlYXRoZXI=?=",
    "https://a.test", "admin", "guest", "2025-11-25, 2025-11-25", "s-1", "",
    "initialize", "resources/read", "file:///docs/a", "prompts/get", "x/y", "tasks/get", "ping",
    "completion/complete", "subscriptions/listen", "notifications/cancelled",
];
const REVISIONS: &[&str] = &["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const HEADERS: &[&str] = &[
    "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "content-type",
    "content-encoding", "content-length", "origin", "accept", "connection", "upgrade", "x-role",
    "mcp_name", "mcp-param-a", "user-agent",
];

impl Text {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Revision(at) => REVISIONS[usize::from(*at) % REVISIONS.len()].into(),
            Self::Word(at) => WORDS[usize::from(*at) % WORDS.len()].into(),
            Self::Free(bytes) => bytes.clone(),
        }
    }
}

#[derive(Debug, Arbitrary)]
struct Call {
    method: Text,
    id: Option<i64>,
    name: Option<Text>,
    uri: Option<Text>,
    meta: Option<u8>,
    arguments: Vec<u8>,
}

#[derive(Debug, Arbitrary)]
enum Body {
    Free(Vec<u8>),
    Call(Call),
    Batch(Vec<Call>),
}

impl Call {
    fn json(&self) -> String {
        let text = |text: &Text| serde_json::Value::from(String::from_utf8_lossy(&text.bytes())).to_string();
        let mut params = Vec::new();
        if let Some(name) = &self.name {
            params.push(format!("\"name\":{}", text(name)));
        }
        if let Some(uri) = &self.uri {
            params.push(format!("\"uri\":{}", text(uri)));
        }
        if let Some(at) = self.meta {
            let revision = REVISIONS[usize::from(at) % REVISIONS.len()];
            params.push(format!(
                "\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"{revision}\",\"io.modelcontextprotocol/clientCapabilities\":{{}}}}"
            ));
        }
        if !self.arguments.is_empty() {
            params.push(format!("\"arguments\":{}", String::from_utf8_lossy(&self.arguments)));
        }
        let id = self.id.map_or(String::new(), |id| format!("\"id\":{id},"));
        format!(
            "{{\"jsonrpc\":\"2.0\",{id}\"method\":{},\"params\":{{{}}}}}",
            text(&self.method),
            params.join(",")
        )
    }
}

#[derive(Debug, Arbitrary)]
struct Request {
    verb: Verb,
    place: u8,
    target: Option<Vec<u8>>,
    json: bool,
    headers: Vec<(u8, Text)>,
    body: Body,
    record: Option<Vec<u8>>,
}

fn forwarded(outcome: &Outcome) -> bool {
    match &outcome.effect {
        Effect::Forward { .. } => true,
        Effect::Answer { status, body, .. } => {
            assert!((200..600).contains(status));
            if !body.is_empty() {
                let answer: serde_json::Value = serde_json::from_slice(body).expect("JSON");
                assert_eq!(answer["jsonrpc"], "2.0");
                assert_eq!(answer["error"]["data"]["reason"], outcome.verdict.reason.code());
            }
            false
        }
    }
}

fuzz_target!(|request: Request| {
    let verb = match &request.verb {
        Verb::Post => b"POST".to_vec(),
        Verb::Get => b"GET".to_vec(),
        Verb::Delete => b"DELETE".to_vec(),
        Verb::Other(verb) => verb.clone().into_bytes(),
    };
    let place = ["/legacy", "/modern", "/all/x", "/none"][usize::from(request.place % 4)];
    let target = request.target.clone().unwrap_or_else(|| place.into());
    let mut lines = vec![
        (":method".to_owned(), verb),
        (":path".to_owned(), target),
        (":authority".to_owned(), b"fuzz.test".to_vec()),
    ];
    if request.json {
        lines.push(("content-type".into(), b"application/json".to_vec()));
    }
    for (name, value) in &request.headers {
        let name = HEADERS[usize::from(*name) % HEADERS.len()];
        lines.push((name.into(), value.bytes()));
    }
    let body = match &request.body {
        Body::Free(bytes) => bytes.clone(),
        Body::Call(call) => call.json().into_bytes(),
        Body::Batch(calls) => {
            let calls: Vec<_> = calls.iter().map(Call::json).collect();
            format!("[{}]", calls.join(",")).into_bytes()
        }
    };
    let headers: Vec<(&[u8], &[u8])> = lines
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_slice()))
        .collect();
    let head = |record| Head {
        headers: &headers,
        end_of_stream: body.is_empty(),
        record,
        ..Head::default()
    };
    let engines = engines();
    let enforced = engines.enforce.decide(head(None), &body);
    let audited = engines.audit.decide(head(None), &body);
    assert_eq!(enforced.verdict.reason, audited.verdict.reason);
    match enforced.verdict.kind {
        Kind::Forward => assert!(forwarded(&enforced) && forwarded(&audited)),
        Kind::Reject => assert!(!forwarded(&enforced) && !forwarded(&audited)),
        Kind::Deny => assert!(!forwarded(&enforced)),
    }
    // A recheck of the unchanged request agrees; one without its record refuses.
    if let Effect::Forward { record: Some(record), .. } = &enforced.effect {
        let rechecked = engines.recheck.decide(head(Some(record)), &body);
        let declared = headers.iter().any(|(name, _)| *name == b"content-length");
        assert!(declared || forwarded(&rechecked), "{:?}", rechecked.verdict);
        if enforced.verdict.revision.is_some() {
            let tree = Tree::read(&body).expect("forwarded, but not JSON");
            let [first, last, folded] = Reader::ALL.map(|reader| reader.see(&tree));
            assert!(first == last && last == folded, "readers disagree");
        }
    }
    assert!(!forwarded(&engines.recheck.decide(head(None), &body)));
    let _ = forwarded(&engines.recheck.decide(head(request.record.as_deref()), &body));
});
