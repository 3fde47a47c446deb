//! Nothing that may be a secret is in any log, wherever a client puts it:
//! arguments, ids, tokens, `_meta`, the parts of URIs, headers, claims that no
//! rule reads, bodies that are refused.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_engine::{Attribute, Engine, Head, Outcome, Seen};
use mcp_boundary_tests::claims::metadata;
use mcp_boundary_tests::client::{self, Request};
use mcp_boundary_tests::corpus::{Case, Corpus, Runner};
use mcp_boundary_tests::native::{self, Engines};
use mcp_boundary_tests::scene::{GUARDED, Scene, guarded};
use mcp_boundary_tests::token;
use prost::Message as _;
use serde_json::{Map, Value, json};

/// Must not turn up in a log.
const SECRET: &str = "s3cr3t";

/// Members whose values logs may show: names, methods, and offered revisions,
/// which are cut.
const SHOWN: [&str; 6] = [
    "method",
    "name",
    "jsonrpc",
    "type",
    "protocolVersion",
    "io.modelcontextprotocol/protocolVersion",
];

/// A secret in every part of a URI that may hold one.
fn plant_uri(uri: &str) -> String {
    let with_user = uri.replacen("://", &format!("://{SECRET}:{SECRET}@"), 1);
    format!("{with_user}?{SECRET}#{SECRET}")
}

/// A secret in the place of every text below `value` that logs must not show.
fn plant(value: &mut Value, opaque: bool) {
    match value {
        Value::String(text) => *text = SECRET.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| plant(item, opaque)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                let opaque = opaque || name == "arguments" || name == "result";
                match value {
                    Value::String(uri) if name == "uri" && !opaque => *uri = plant_uri(uri),
                    Value::Array(uris) if name == "resourceSubscriptions" => {
                        for uri in uris {
                            *uri = json!(plant_uri(uri.as_str().unwrap_or("x://h/p")));
                        }
                    }
                    Value::String(_) if SHOWN.contains(&name.as_str()) && !opaque => {}
                    value => plant(value, opaque),
                }
            }
            if opaque {
                members.insert(SECRET.to_owned(), json!(SECRET));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Only what leaves a request as valid as it was: ids, arguments, `_meta`.
fn plant_lightly(message: &mut Value) {
    if let Some(id) = message.get_mut("id") {
        *id = json!(SECRET);
    }
    let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) else {
        return;
    };
    for name in ["arguments", "_meta"] {
        let place = params.entry(name).or_insert_with(|| json!({}));
        if let Value::Object(members) = place {
            members.insert(SECRET.to_owned(), json!({ SECRET: [SECRET] }));
            if name == "_meta" {
                members.insert("progressToken".to_owned(), json!(SECRET));
            }
        }
    }
}

/// The bodies that a case's body becomes.
fn bodies(body: Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let Some(body) = body else {
        return vec![Vec::new(), SECRET.into()];
    };
    let end = [&body[..], SECRET.as_bytes()].concat();
    let begin = [format!("{{\"{SECRET}\":\"{SECRET}\",").as_bytes(), &body].concat();
    let mut bodies = vec![end, begin];
    if let Ok(message) = serde_json::from_slice::<Value>(&body) {
        let (mut all, mut light) = (message.clone(), message);
        plant(&mut all, false);
        plant_lightly(&mut light);
        bodies.extend([&all, &light].map(|value| value.to_string().into_bytes()));
        // The same name twice, the second time with the secret.
        let twice = light.to_string();
        let twice = twice.replacen('{', &format!("{{\"{SECRET}\":1,\"{SECRET}\":2,"), 1);
        bodies.push(twice.into_bytes());
    }
    bodies
}

type Lines = Vec<(Vec<u8>, Vec<u8>)>;

/// The heads that a case's head becomes.
fn heads(case: &Case) -> Vec<Lines> {
    let mut lines = native::headers(case);
    for (name, value) in &mut lines {
        if name == b":path" {
            value.extend(format!("?{SECRET}").bytes());
        }
    }
    let more = |name: &str| {
        (
            name.as_bytes().to_vec(),
            format!("Bearer {SECRET}").into_bytes(),
        )
    };
    for name in [
        "authorization",
        "cookie",
        "mcp-session-id",
        "x-other",
        "referer",
    ] {
        lines.push(more(name));
    }
    let with = |change: &dyn Fn(&mut Lines)| {
        let mut lines = lines.clone();
        change(&mut lines);
        lines
    };
    let replacing = |name: &'static str, value: String| {
        move |lines: &mut Lines| {
            lines.retain(|(line, _)| line != name.as_bytes());
            lines.push((name.into(), value.clone().into_bytes()));
        }
    };
    let long = format!("{}{SECRET}", "9".repeat(32));
    vec![
        lines.clone(),
        with(&replacing("mcp-protocol-version", long)),
        with(&replacing("content-type", format!("text/{SECRET}"))),
        with(&replacing("mcp-name", SECRET.to_owned())),
        with(&replacing("mcp-method", SECRET.to_owned())),
        with(&replacing("mcp-param-x", format!("=?base64?{SECRET}"))),
        with(&replacing("origin", format!("https://{SECRET}"))),
        with(&replacing(":authority", format!("u:{SECRET}@cases.test"))),
        with(&replacing(":path", format!("/mcp#{SECRET}"))),
        with(&replacing(":path", format!("//u:{SECRET}@h/mcp"))),
    ]
}

/// What the host knows of a token: the case's claims and one that no rule
/// reads.
fn attributes(engine: &Engine, case: &Case) -> Vec<Option<Vec<u8>>> {
    let found = |attribute: &Attribute| match (attribute, case.token()) {
        (Attribute::Metadata, Some((payload, Some(claims)))) => {
            let mut claims: Map<String, Value> = claims.clone();
            claims.insert("unread".to_owned(), json!(SECRET));
            Some(metadata(payload, &claims).encode_to_vec())
        }
        _ => None,
    };
    engine.attributes().iter().map(found).collect()
}

/// Everything that is told about an outcome.
fn told(engine: &Engine, outcome: &Outcome, headers: &[(&[u8], &[u8])]) -> Vec<String> {
    let seen = Seen {
        headers,
        ..Seen::default()
    };
    let mut told = vec![engine.line(&outcome.verdict, &seen)];
    let state = engine.state(&outcome.verdict);
    told.extend(state.into_iter().map(|(_, value)| value));
    told.extend(
        engine
            .counted(&outcome.verdict)
            .map(|counted| engine.counter(counted)),
    );
    told
}

#[test]
fn no_case_with_a_secret_in_it_tells_it() {
    let corpus = Corpus::load_own().expect("the corpus");
    let mut engines = Engines::default();
    let (mut tried, mut wrong) = (0, Vec::new());
    for case in corpus
        .cases
        .iter()
        .filter(|case| case.runs_in(Runner::Native))
    {
        let engine = engines.of(case).expect("a policy");
        let attributes = attributes(engine, case);
        let (heads, bodies) = (heads(case), bodies(case.body()));
        // Each head with some body and each body with the plain head.
        let pairs = heads.iter().map(|head| (head, &bodies[bodies.len() - 1]));
        let pairs = pairs.chain(bodies.iter().map(|body| (&heads[0], body)));
        for (head, body) in pairs {
            let headers: Vec<(&[u8], &[u8])> = head
                .iter()
                .map(|(name, value)| (name.as_slice(), value.as_slice()))
                .filter(|(name, _)| *name != b"content-length")
                .collect();
            let head = Head {
                headers: &headers,
                end_of_stream: body.is_empty(),
                attributes: &attributes,
                record: None,
            };
            let outcome = engine.decide(head, body);
            tried += 1;
            let told = told(engine, &outcome, &headers);
            if let Some(line) = told.iter().find(|line| line.contains(SECRET)) {
                wrong.push(format!("{}: {line}", case.id));
            }
        }
    }
    let some: Vec<&String> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} of {tried}: {some:#?}", wrong.len());
    assert!(tried > 20_000, "{tried}");
}

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: one
    path: /mcp
    versions: ["2025-03-26", "2025-11-25", "2026-07-28"]
    allow:
      methods: [initialize, "notifications/*", tasks/get]
      tools: [get_weather]
      resources: ["file:///docs/**"]
      extensions: [tasks/get]
    deny:
      - id: guests
        tools: [get_forecast]
        when: { jwt: { payload: token, claim: role, is: guest } }
"#;

fn start() -> Option<Scene> {
    let mut listener = guarded(GUARDED, POLICY);
    listener.before = vec![token::jwt_authn("token").expect("a key")];
    Scene::of("secrets in logs", vec![listener], |_| ())
}

/// A request with secrets in its head.
fn post(revision: &str, path: &str, host: &str, body: &str) -> Request {
    let claims = json!({"role": "guest", "email": SECRET});
    let token = token::sign(&claims.to_string()).expect("a token");
    Request::mcp(host, path, Some(revision), body)
        .header("authorization", &format!("Bearer {SECRET}"))
        .header("cookie", &format!("session={SECRET}"))
        .header("mcp-param-city", SECRET)
        .header("x-api-key", SECRET)
        .header(token::HEADER, &token)
}

fn requests() -> Vec<Request> {
    let call = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": SECRET, "method": method, "params": params}).to_string()
    };
    let meta = json!({
        "progressToken": SECRET, SECRET: SECRET,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let tool = |name: &str| {
        let params = json!({"name": name, "arguments": {SECRET: SECRET}, "_meta": {"progressToken": SECRET}});
        call("tools/call", params)
    };
    let read = |uri: &str| call("resources/read", json!({"uri": uri}));
    let task = call("tasks/get", json!({"taskId": SECRET, "_meta": meta}));
    let query = format!("/mcp?token={SECRET}");
    let plain = |body: &str| post("2025-11-25", &query, "server.test", body);
    let modern = |body: &str| post("2026-07-28", "/mcp", "server.test", body);
    let at = |path: String, host: &str| post("2025-11-25", &path, host, &tool("get_weather"));
    let user = format!("u:{SECRET}@server.test");
    vec![
        plain(&tool("get_weather")),
        plain(&tool("get_forecast")),
        plain(&tool("delete_repo")),
        plain(&read("file:///docs/a")),
        plain(&read(&format!("https://u:{SECRET}@h/p?{SECRET}#{SECRET}"))),
        plain(&read(&format!("file:///docs/a?{SECRET}"))),
        plain(&format!("{{\"{SECRET}\":1,\"{SECRET}\":\"{SECRET}\"}}")),
        plain(&format!("{{\"{SECRET}\"")),
        plain(&format!("[\"{SECRET}\"]")),
        plain(&call(
            "tools/call",
            json!({"name": [SECRET], "arguments": SECRET}),
        )),
        modern(&task)
            .header("mcp-method", "tasks/get")
            .header("mcp-name", "other"),
        modern(&task)
            .header("mcp-method", "tasks/get")
            .header("mcp-name", SECRET),
        modern(&task),
        post(
            &format!("{}{SECRET}", "9".repeat(32)),
            "/mcp",
            "server.test",
            &tool("get_weather"),
        ),
        plain(&tool("get_weather")).header("content-type", &format!("text/{SECRET}")),
        at(format!("/mcp#{SECRET}"), "server.test"),
        at(format!("//{user}/mcp"), "server.test"),
        at(format!("/\\{user}/mcp"), "server.test"),
        at("/mcp".to_owned(), &user),
    ]
}

#[test]
fn no_log_line_of_envoy_holds_a_secret() {
    let Some(Scene { envoy, .. }) = start() else {
        return;
    };
    let to = envoy.listener("guarded");
    let requests = requests();
    for request in &requests {
        request
            .send(to)
            .unwrap_or_else(|error| panic!("{request:?}: {error}"));
    }
    // What is no HTTP has a line as well.
    let _ = client::send_bytes(to, format!("{SECRET} {SECRET}\r\n\r\n").as_bytes());
    let deadline = Instant::now() + Duration::from_secs(20);
    let wanted = requests.len() + 1;
    while envoy.access_log().lines().count() < wanted {
        assert!(Instant::now() < deadline, "{}", envoy.access_log());
        thread::sleep(Duration::from_millis(100));
    }
    let log = envoy.log();
    let told: Vec<&str> = log.lines().filter(|line| line.contains(SECRET)).collect();
    assert!(told.is_empty(), "{told:#?}");
    assert_eq!(
        envoy.access_log().lines().count(),
        wanted,
        "one line a request"
    );
    let refused = log
        .lines()
        .filter(|line| line.contains(r#"{"mcp_boundary":"#));
    assert!(refused.count() > 12, "{log}");
    // What a rule asked for is there.
    assert!(
        log.contains(r#""principals":{"jwt.token.role":["guest"]}"#),
        "{log}"
    );
}
