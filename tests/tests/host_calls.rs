//! Every call of the filter to its host is made to fail, one at a time, with
//! every status. What must not fail does: the request is refused. What is only
//! told to operators may be lost, never the decision.

use std::collections::BTreeMap;

use mcp_boundary_handover::{Role, TICKET, Ticket, key};
use mcp_boundary_tests::claims;
use mcp_boundary_tests::envoy;
use mcp_boundary_tests::policy;
use mcp_boundary_tests::vm::{Code, Fate, Host, Queue, Shared};
use prost::Message as _;
use serde_json::{Map, json};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: one
    path: /mcp
    denial: http
    compat: { equal_version_repeats: true, stale_mirrors: true }
    allow:
      - id: anyone
        tools: [get_weather]
      - id: auditors
        tools: [read_log]
        when: { jwt: { payload: token, claim: role, is: auditor } }
    deny:
      - id: guests
        tools: [get_forecast]
        when: { jwt: { payload: token, claim: role, is: guest } }
"#;

/// Statuses of the ABI that a host may return: not found, bad argument,
/// serialisation, invalid memory, empty, mismatch, internal, unimplemented.
const STATUSES: [i32; 8] = [1, 2, 3, 6, 7, 8, 10, 12];

/// Those that the library takes for "there is none" or hands on: a principal is
/// then unknown, which permits nothing.
const UNKNOWN: [i32; 3] = [1, 3, 10];

/// Calls that only tell operators something.
const TELLING: [&str; 3] = ["proxy_log", "proxy_define_metric", "proxy_increment_metric"];

fn call(tool: &str) -> String {
    let params = json!({ "name": tool, "arguments": {} });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

const HEAD: [(&str, &str); 6] = [
    (":authority", "server.test"),
    (":path", "/mcp"),
    (":method", "POST"),
    (":scheme", "http"),
    ("content-type", "application/json"),
    ("mcp-protocol-version", "2025-11-25"),
];

type Properties = BTreeMap<Vec<u8>, Vec<u8>>;

struct Sent {
    what: &'static str,
    head: Vec<(&'static str, &'static str)>,
    body: String,
    role: Option<&'static str>,
    /// Whether it goes on if nothing fails.
    goes: bool,
}

fn requests() -> Vec<Sent> {
    let sent = |what, tool, more: &[(&'static str, &'static str)], role, goes| Sent {
        what,
        head: [HEAD.as_slice(), more].concat(),
        body: call(tool),
        role,
        goes,
    };
    let repeats = [("mcp-protocol-version", "2025-11-25")];
    let stale = [("mcp-method", "tools/list"), ("mcp-name", "other")];
    vec![
        sent("permitted", "get_weather", &[], None, true),
        sent("a repeated version", "get_weather", &repeats, None, true),
        sent("stale mirrors", "get_weather", &stale, None, true),
        sent("not permitted", "delete_repo", &[], None, false),
        sent(
            "permitted by a claim",
            "read_log",
            &[],
            Some("auditor"),
            true,
        ),
        sent(
            "denied by a claim",
            "get_forecast",
            &[],
            Some("guest"),
            false,
        ),
        Sent {
            what: "malformed",
            head: HEAD.to_vec(),
            body: "{".to_owned(),
            role: None,
            goes: false,
        },
    ]
}

fn properties(role: Option<&str>) -> Properties {
    let read = |role| {
        let claims = Map::from_iter([("role".to_owned(), json!(role))]);
        let metadata = claims::metadata("token", &claims).encode_to_vec();
        (b"metadata".to_vec(), metadata)
    };
    role.map(read).into_iter().collect()
}

fn configuration(role: &str, hold: &str) -> Vec<u8> {
    let blob = policy::compile(POLICY).expect("a policy").encode();
    let blob = blob.expect("a blob");
    let policy = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, blob);
    json!({ "policy": policy, "role": role, "hold": hold })
        .to_string()
        .into_bytes()
}

type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// What decides the request's fate at the server: headers, record, and what a
/// gate reads.
fn sent_on(host: &Host) -> (&Headers, [Option<&Vec<u8>>; 3]) {
    let keys = ["mcp_boundary_record", key(Role::Admit), key(Role::Recheck)];
    let left = keys.map(|key| host.properties.get(key.as_bytes()));
    (&host.headers, left)
}

/// A queue for a gate, and the ticket that it leaves.
fn gate() -> (Shared, (Vec<u8>, Vec<u8>)) {
    let shared = Shared {
        queues: vec![Queue::default()],
        ..Shared::default()
    };
    let ticket = Ticket {
        queue: 1,
        vm: 1,
        request: 1,
        wait_seconds: 60,
    };
    (shared, (TICKET.into(), ticket.encode().to_vec()))
}

/// `role` sees every request with every one of its host calls failing once.
fn every_failure_is_contained(role: &str, hold: &str, records: impl Fn(&Sent) -> Option<Vec<u8>>) {
    let code = Code::read(&envoy::filter_module().expect("the filter's module")).expect("code");
    let configuration = configuration(role, hold);
    let start = || {
        let (shared, ticket) = gate();
        let vm = code.start_among(&configuration, shared).expect("it runs");
        let mut vm = vm.expect("accepted");
        vm.host_mut().ticket = (hold == "gate").then_some(ticket);
        vm
    };
    let (mut tried, mut refused, mut trapped, mut harmless) = (0, 0, 0, 0);
    for sent in requests() {
        let mut known = properties(sent.role);
        if let Some(record) = records(&sent) {
            known.insert(b"mcp_boundary_record".to_vec(), record);
        }
        let mut sound = start();
        let ask = |vm: &mut mcp_boundary_tests::vm::Vm, fails| {
            vm.request(&sent.head, sent.body.as_bytes(), &known, fails)
        };
        let expected = if sent.goes { Fate::Goes } else { Fate::Held };
        assert_eq!(ask(&mut sound, None), expected, "{}", sent.what);
        assert_eq!(sound.host().answer.is_some(), !sent.goes, "{}", sent.what);
        let calls = sound.host().calls.clone();
        assert!(calls.len() >= 4, "{calls:?}");
        for (at, name) in calls.iter().enumerate() {
            for status in STATUSES {
                let mut vm = start();
                let fate = ask(&mut vm, Some((at, status)));
                let host = vm.host();
                let what = format!("{role}, {}, {name} ({at}) fails with {status}", sent.what);
                tried += 1;
                match fate {
                    Fate::Goes => {
                        assert!(sent.goes, "{what}: a refused request goes on");
                        assert_eq!(sent_on(host), sent_on(sound.host()), "{what}");
                        assert!(host.body == sent.body.as_bytes(), "{what}: another body");
                        let may_be_lost = TELLING.contains(&name.as_str())
                            || (name == "proxy_get_property" && UNKNOWN.contains(&status));
                        assert!(may_be_lost, "{what}: goes on all the same");
                        harmless += 1;
                    }
                    Fate::Held => {
                        // An answer that cannot be sent leaves the request held.
                        let (code, _) = host
                            .answer
                            .as_ref()
                            .unwrap_or_else(|| panic!("{what}: neither answered nor trapped"));
                        assert!(matches!(code, 400..=503), "{what}: {code}");
                        refused += 1;
                    }
                    Fate::Trapped => trapped += 1,
                }
            }
        }
    }
    println!(
        "{role}: {tried} failures: {refused} refused, {trapped} trapped, {harmless} lost only what is told"
    );
    assert!(tried > 200);
}

#[test]
fn at_admit() {
    every_failure_is_contained("admit", "headers", |_| None);
}

#[test]
fn at_admit_with_a_gate() {
    every_failure_is_contained("admit", "gate", |_| None);
}

/// What admit leaves for a call that it permits: the same for all of them,
/// since it is of the head.
fn record() -> Vec<u8> {
    let code = Code::read(&envoy::filter_module().expect("the filter's module")).expect("code");
    let admit = code.start(&configuration("admit", "headers"));
    let mut admit = admit.expect("it runs").expect("accepted");
    let permitted = call("get_weather");
    admit.request(&HEAD, permitted.as_bytes(), &Properties::new(), None);
    let (_, [record, ..]) = sent_on(admit.host());
    record.expect("a record").clone()
}

#[test]
fn at_recheck() {
    let record = record();
    every_failure_is_contained("recheck", "headers", |_| Some(record.clone()));
}

#[test]
fn at_recheck_with_a_gate() {
    let record = record();
    every_failure_is_contained("recheck", "gate", |_| Some(record.clone()));
}
