//! What a refused request is told: one request for each reason there is, and
//! the text of its answer, in `messages.txt`. Read that file when a text
//! changes: from each line alone a person must be able to repair the request.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use common::{call, endpoint, names, policy, tools};
use mcp_boundary_engine::{Effect, Engine, Head, Kind, Outcome, Reason, Role};
use mcp_boundary_format::{
    Condition, Endpoint, HostPattern, Limits, PathPattern, Policy, Revision, Revisions, Rule,
    Source, Switch, Unmatched,
};

/// Stands in the requests for what must not come back.
const SECRET: &str = "s3cret";
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// One request and where it goes.
struct Sent {
    engine: Engine,
    head: Vec<(&'static str, String)>,
    body: Vec<u8>,
    record: Option<Vec<u8>>,
}

impl Sent {
    fn post(body: impl Into<Vec<u8>>) -> Self {
        let head = [
            (":method", "POST"),
            (":path", "/mcp"),
            (":authority", "mcp.test"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        Self {
            engine: Engine::new(policy(guarded()), Role::Admit),
            head: head.map(|(name, value)| (name, value.to_owned())).into(),
            body: body.into(),
            record: None,
        }
    }

    fn ping() -> Self {
        Self::post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
    }

    /// A request of 2026-07-28 with these params beside `_meta`.
    fn modern(method: &'static str, params: &str) -> Self {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META}{params}}}}}"#
        );
        let sent = Self::post(body).with("mcp-protocol-version", "2026-07-28");
        sent.with("mcp-method", method)
    }

    /// Puts the header in the place of lines of that name.
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.head.retain(|(other, _)| *other != name);
        self.and(name, value)
    }

    fn without(mut self, name: &str) -> Self {
        self.head.retain(|(other, _)| *other != name);
        self
    }

    fn and(mut self, name: &'static str, value: &str) -> Self {
        self.head.push((name, value.to_owned()));
        self
    }

    fn at(mut self, endpoint: Endpoint) -> Self {
        self.engine = Engine::new(policy(endpoint), Role::Admit);
        self
    }

    /// The recheck of what is here now; what `admitted` is was admitted.
    fn after(mut self, admitted: &Self) -> Self {
        self.record = Some(common::record(&admitted.outcome()));
        self.engine = Engine::new(policy(guarded()), Role::Recheck);
        self
    }

    fn outcome(&self) -> Outcome {
        let headers: Vec<_> = self
            .head
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
            .collect();
        let head = Head {
            headers: &headers,
            end_of_stream: self.body.is_empty(),
            attributes: &[],
            record: self.record.as_deref(),
        };
        self.engine.decide(head, &self.body)
    }
}

fn guarded() -> Endpoint {
    let allow = Rule {
        methods: names(&["initialize", "notifications/initialized", "ping"]),
        prompts: names(&["good"]),
        resources: names(&["file:///good"]),
        ..tools("some", &["good"])
    };
    let deny = Rule {
        methods: names(&["logging/setLevel"]),
        prompts: names(&["bad"]),
        resources: names(&["file:///bad"]),
        extensions: vec!["vendor/bad".parse().unwrap()],
        ..tools("none", &["bad"])
    };
    Endpoint {
        allow: vec![allow],
        deny: vec![deny],
        ..endpoint()
    }
}

fn legacy() -> Endpoint {
    Endpoint {
        revisions: Revisions::new([Revision::V2025_11_25]).unwrap(),
        ..guarded()
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#)
}

/// What is sent to the endpoint as it is, and the bodies alone.
fn bodies() -> Vec<Sent> {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","{SECRET}":{}{}}}"#,
        "[".repeat(64),
        "]".repeat(64)
    );
    let mut sent: Vec<Sent> = [
        "",
        "{",
        r#"{"s3cret":nil}"#,
        "\u{feff}{}",
        r#"{"jsonrpc":"2.0"} {}"#,
        r#"{"s3cret":1,"s3cret":2}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"s3cret"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","s3cret\u0000":1}"#,
        r#"{"s3cret":"\ud800"}"#,
        r#"{"s3cret":1e999}"#,
        &deep,
        "42",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping\u0000"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":["s3cret"]}"#,
        "[]",
        "[[]]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#,
        &request("tools/call", ""),
        &request("tools/call", r#""name":"a b""#),
        &request("resources/read", r#""uri":"https://example.com""#),
        &request("tools/call", r#""name":"other""#),
        &request("tools/call", r#""name":"bad""#),
        &request("prompts/get", r#""name":"other""#),
        &request("prompts/get", r#""name":"bad""#),
        &request("resources/read", r#""uri":"file:///other""#),
        &request("resources/read", r#""uri":"file:///bad""#),
        &request("tools/list", ""),
        &request("logging/setLevel", r#""level":"info""#),
        &request("vendor/other", ""),
        &request("vendor/bad", ""),
        &request(
            "tools/list",
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"s3cret"}"#,
        ),
    ]
    .map(Sent::post)
    .into();
    let kept = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"{SECRET}":[{}0]}}}}"#,
        "0,".repeat(20_000)
    );
    sent.push(Sent::post(kept));
    sent.push(Sent::post(*b"{\"s3cret\":\"\xff\"}"));
    sent.push(Sent::post(*b"\xff\xfe{\0}\0"));
    sent
}

/// What is wrong with verbs, headers, host and path.
fn heads() -> Vec<Sent> {
    let origins = Endpoint {
        origins: vec!["https://app.test".into()],
        ..guarded()
    };
    let off = Endpoint {
        streams: Switch::Deny,
        sessions: Switch::Deny,
        ..guarded()
    };
    let small = Endpoint {
        limits: Limits {
            body_bytes: 8,
            ..Limits::DEFAULT
        },
        ..guarded()
    };
    let elsewhere = Endpoint {
        hosts: vec![HostPattern::Exact("other.test".parse().unwrap())],
        path: PathPattern::Exact("/mcp".parse().unwrap()),
        ..guarded()
    };
    let here = || Endpoint {
        path: PathPattern::Exact("/mcp".parse().unwrap()),
        ..guarded()
    };
    let bare = |verb| Sent::post("").with(":method", verb);
    let accept = |sent: Sent| sent.with("accept", "text/event-stream");
    let session = |sent: Sent| sent.with("mcp-session-id", SECRET);
    vec![
        Sent::ping().at(here()).with(":path", "/s3cret"),
        Sent::ping().at(here()).with(":path", "/MCP"),
        Sent::ping().at(elsewhere),
        Sent::ping().at(here()).with(":path", "//s3cret"),
        Sent::ping().with(":authority", "s3cret."),
        bare("PUT"),
        bare("OPTIONS").with("access-control-request-method", "POST"),
        Sent::ping().with("upgrade", SECRET),
        bare("GET"),
        accept(bare("GET")).at(off),
        accept(bare("GET")).with("mcp-protocol-version", "2026-07-28"),
        accept(bare("GET"))
            .without("mcp-protocol-version")
            .at(legacy()),
        bare("DELETE"),
        session(bare("DELETE")).and("mcp-session-id", "two"),
        accept(bare("GET")).with("content-length", "7"),
        Sent::ping().with("content-length", SECRET),
        Sent::ping().with("content-type", "text/s3cret"),
        Sent::ping().without("content-type"),
        Sent::ping().with("content-type", "application/json; charset=s3cret"),
        Sent::ping().with("content-encoding", SECRET),
        Sent::ping().at(small),
        Sent::ping().at(origins).with("origin", "https://s3cret"),
    ]
}

/// What is wrong with revisions and mirrors.
fn revisions() -> Vec<Sent> {
    let modern = Endpoint {
        revisions: Revisions::new([Revision::V2026_07_28]).unwrap(),
        ..guarded()
    };
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let batch = |members: String| Sent::post(members).with("mcp-protocol-version", "2025-03-26");
    let few = Endpoint {
        limits: Limits {
            batch_members: 1,
            ..Limits::DEFAULT
        },
        ..guarded()
    };
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    vec![
        Sent::ping().without("mcp-protocol-version").at(legacy()),
        Sent::ping().with("mcp-protocol-version", "2031-01-01"),
        Sent::ping().and("mcp-protocol-version", "2025-11-25"),
        Sent::ping().with("mcp-protocol-version", ""),
        Sent::ping()
            .with("mcp-protocol-version", "2025-03-26")
            .at(legacy()),
        Sent::post(initialize)
            .without("mcp-protocol-version")
            .at(modern),
        Sent::post(initialize).without("mcp-protocol-version"),
        Sent::modern("tools/list", "").without("mcp-protocol-version"),
        Sent::post(request("tools/call", "")).without("mcp-protocol-version"),
        Sent::post(request("tools/list", META)).with("mcp-protocol-version", "2025-06-18"),
        Sent::modern("tools/list", r#","cursor":5"#),
        Sent::post(request("tools/list", "")).with("mcp-protocol-version", "2026-07-28"),
        Sent::post(response).with("mcp-protocol-version", "2026-07-28"),
        batch(format!("[{initialize}]")),
        batch(format!("[{ping},{ping}]")).at(few),
        Sent::modern("tools/list", "").without("mcp-method"),
        Sent::modern("tools/list", "").with("mcp-method", SECRET),
        Sent::modern("tools/call", r#","name":"good""#),
        Sent::modern("tools/list", "").with("mcp-name", SECRET),
        Sent::modern("tools/call", r#","name":"good""#).with("mcp-name", "=?base64?s3cret?="),
        Sent::modern("tools/list", "").with("mcp-param-a", "=?base64?s3cret?="),
    ]
}

/// Denials that need policies of their own.
fn denials() -> Vec<Sent> {
    let forbidding = Endpoint {
        forbidden_arguments: vec!["_owner".into()],
        ..guarded()
    };
    let closed = Endpoint {
        responses: Switch::Deny,
        ..guarded()
    };
    let condition = Condition {
        source: Source::Header("x-team".into()),
        values: names(&["ops"]),
    };
    let conditional = Endpoint {
        allow: vec![Rule {
            when: vec![condition],
            ..tools("team", &["good"])
        }],
        ..endpoint()
    };
    let owned = call("good").replace("{}", r#"{"_OWNER":"s3cret"}"#);
    vec![
        Sent::post(owned).at(forbidding),
        Sent::post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).at(closed),
        Sent::post(call("good"))
            .at(conditional)
            .with("x-team", SECRET),
    ]
}

/// What a recheck refuses.
fn rechecks() -> Vec<Sent> {
    let good = || Sent::post(call("good"));
    let again = |sent: Sent| sent.after(&good());
    let mut unrecorded = again(good());
    unrecorded.record = None;
    let mut unreadable = again(good());
    unreadable.record = Some(b"s3cret".to_vec());
    let mut stricter = again(good());
    stricter.engine = Engine::new(
        policy(Endpoint {
            allow: Vec::new(),
            ..guarded()
        }),
        Role::Recheck,
    );
    let mut renamed = again(good());
    renamed.engine = Engine::new(
        policy(Endpoint {
            name: "other".parse().unwrap(),
            ..guarded()
        }),
        Role::Recheck,
    );
    let mut passed = Sent::ping().with(":path", "/other");
    passed.engine = Engine::new(
        Policy::seal(Unmatched::Pass, vec![guarded_at("/mcp")]).unwrap(),
        Role::Admit,
    );
    let mut no_more = Sent::ping().with(":path", "/other").after(&passed);
    no_more.engine = Engine::new(
        Policy::seal(Unmatched::Deny, vec![guarded_at("/mcp")]).unwrap(),
        Role::Recheck,
    );
    let read = |uri: &str| request("resources/read", &format!(r#""uri":"{uri}""#));
    vec![
        unrecorded,
        unreadable,
        again(good().with(":authority", "s3cret.test")),
        renamed,
        again(good().with(":method", "PUT")),
        again(good().with(":path", "/s3cret")),
        again(good().with(":path", "/mcp?s3cret")),
        again(good().with("content-length", "7")),
        again(Sent::post(call("bad"))),
        again(Sent::post(request("tools/list", ""))),
        Sent::post(read("file:///bad")).after(&Sent::post(read("file:///good"))),
        again(Sent::post("{")),
        again(Sent::post(call("a b"))),
        again(good().with("mcp-protocol-version", "2031-01-01")),
        again(good().with("mcp-name", SECRET)),
        stricter,
        no_more,
    ]
}

fn guarded_at(path: &str) -> Endpoint {
    Endpoint {
        path: PathPattern::Exact(path.parse().unwrap()),
        ..guarded()
    }
}

fn message(outcome: &Outcome) -> String {
    let Effect::Answer { body, .. } = &outcome.effect else {
        panic!("forwarded: {:?}", outcome.verdict);
    };
    if body.is_empty() {
        return format!("(no body) {}", outcome.verdict.detail);
    }
    let answer: serde_json::Value = serde_json::from_slice(body).unwrap();
    answer["error"]["message"].as_str().unwrap().to_owned()
}

/// A text that says what to do has one of these.
const ADVICE: [&str; 17] = [
    "send",
    "must",
    "use ",
    "leave ",
    "write ",
    "make ",
    "rename",
    "operator",
    "check both",
    "needs ",
    "retry",
    ": run ",
    "look at",
    "remove",
    "flatten",
    "give ",
    "another name",
];

#[test]
fn every_reason_tells_what_to_do() {
    let fault = Sent::ping().engine.fault();
    let all = [bodies(), heads(), revisions(), denials(), rechecks()];
    let outcomes = all.iter().flatten().map(Sent::outcome).chain([fault]);
    let (mut told, mut seen, mut wrong) = (String::new(), BTreeSet::new(), Vec::new());
    for outcome in outcomes {
        let (reason, text) = (outcome.verdict.reason, message(&outcome));
        let faults = [
            ("reflects what was sent", text.contains(SECRET)),
            (
                "says nothing to do",
                !ADVICE.iter().any(|word| text.contains(word)),
            ),
            ("is too long", text.len() > 420),
        ];
        let faults = faults.iter().filter(|(_, is)| *is);
        wrong.extend(faults.map(|(what, _)| format!("{reason:?} {what}: {text}")));
        seen.insert(reason.code());
        writeln!(told, "{}: {text}", reason.code()).unwrap();
    }
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
    for reason in Reason::ALL {
        let refuses = reason.kind() != Kind::Forward;
        assert_eq!(refuses, seen.contains(reason.code()), "{reason:?}");
    }
    let expected = include_str!("messages.txt");
    for (told, expected) in told.lines().zip(expected.lines()) {
        assert_eq!(told, expected);
    }
    assert_eq!(told.lines().count(), expected.lines().count(), "{told}");
}
