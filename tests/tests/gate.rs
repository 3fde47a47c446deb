//! The gate in a real Envoy: chains in which it stands right and wrong, or not
//! at all, requests that nobody decides, and gates that fail or change.
//!
//! The corpus and the suites run with a gate under `MCP_BOUNDARY_HOLD=gate`.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::{Connection, Request, Response};
use mcp_boundary_tests::envoy::{self, Bootstrap, Discovery, Envoy, Flags, Listener};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::recorder::{ANSWER, Recorder};
use mcp_policy::envoy::{Hold, Role};
use serde_json::{Value, json};

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    compat: { equal_version_repeats: true, stale_mirrors: true }
    allow: { tools: [get_weather] }
";

const VALUE: &str = "/typed_config/config/configuration/value";
const VM: &str = "/typed_config/config/vm_config";
const BOTH: &[Role] = &[Role::Admit, Role::Recheck];

/// What a failed filter answers as long as it has no new VM.
const RELOAD: Duration = Duration::from_secs(10);

/// An instance that leaves the headers to a gate.
fn held(part: Part) -> Value {
    let module = envoy::filter_module().expect("the filter's module");
    let name = format!("{part:?}").to_lowercase();
    policy::stanza_held(POLICY, part, &name, &module, Hold::Gate).expect("a stanza")
}

fn gate(awaits: &[Role]) -> Value {
    policy::gate_awaiting(awaits).expect("a gate")
}

/// A gate with more in its configuration.
fn gate_with(awaits: &[Role], key: &str, value: u32) -> Value {
    let mut gate = gate(awaits);
    let text = gate.pointer_mut(VALUE).expect("a configuration");
    let mut own: Value = serde_json::from_str(text.as_str().expect("text")).expect("JSON");
    own[key] = json!(value);
    *text = json!(own.to_string());
    gate
}

/// The entry as a `WasmPlugin` becomes one: no `vm_id`.
fn of_a_plugin(mut entry: Value) -> Value {
    let vm = entry.pointer_mut(VM).and_then(Value::as_object_mut);
    vm.expect("a VM").remove("vm_id").expect("a `vm_id`");
    entry
}

/// The entry with everything granted but one.
fn without(mut entry: Value, capability: &str) -> Value {
    let more = [
        "proxy_continue_stream",
        "proxy_dequeue_shared_queue",
        "proxy_done",
        "proxy_enqueue_shared_queue",
        "proxy_get_shared_data",
        "proxy_on_done",
        "proxy_on_queue_ready",
        "proxy_on_tick",
        "proxy_register_shared_queue",
        "proxy_set_effective_context",
        "proxy_set_shared_data",
        "proxy_set_tick_period_milliseconds",
    ];
    let all = mcp_policy::envoy::capabilities().iter().chain(&more);
    let granted = all.filter(|name| **name != capability);
    let granted: serde_json::Map<_, _> = granted
        .map(|name| ((*name).to_owned(), json!({})))
        .collect();
    assert!(more.contains(&capability) || granted.len() < more.len() + 17);
    policy::restrict(&mut entry, granted);
    entry
}

fn lua(code: &str) -> Value {
    json!({
        "name": "envoy.filters.http.lua",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
            "default_source_code": { "inline_string": code },
        },
    })
}

/// Holds the headers until the body is there.
fn holder() -> Value {
    lua("function envoy_on_request(handle)\n  handle:body()\nend\n")
}

fn listener(name: &str, filters: Vec<Value>) -> Listener {
    let mut listener = Listener::new(name);
    listener.between = filters;
    listener.gateless = true;
    listener
}

/// An Envoy and the server behind it.
struct Scene {
    envoy: Envoy,
    recorder: Recorder,
}

impl Scene {
    fn start(test: &str, chains: Vec<(&str, Vec<Value>)>) -> Option<Self> {
        let binary = envoy::or_skip(test)?;
        let recorder = Recorder::start().expect("a server");
        let listeners = chains.into_iter();
        let listeners = listeners.map(|(name, filters)| listener(name, filters));
        let bootstrap = Bootstrap::new(recorder.address(), listeners.collect());
        match Envoy::start(&binary, &bootstrap) {
            Ok(envoy) => Some(Self { envoy, recorder }),
            Err(error) => panic!("{error}"),
        }
    }

    fn send(&self, listener: &str, request: &Request) -> Response {
        let to = self.envoy.listener(listener);
        request.send(to).unwrap_or_else(|error| panic!("{error}"))
    }

    fn connect(&self, listener: &str) -> Connection {
        Connection::open(self.envoy.listener(listener)).expect("a connection")
    }

    /// Bytes at the server since the last time, late arrivals included.
    fn arrived(&self) -> u64 {
        thread::sleep(Duration::from_millis(50));
        self.recorder.take().bytes
    }

    /// Sends a request that must not reach the server.
    fn refused(&self, listener: &str, request: &Request, status: u16) -> Response {
        self.arrived();
        let answer = self.send(listener, request);
        assert_eq!(answer.status, status, "{listener}: {answer:?}");
        assert_eq!(self.arrived(), 0, "{listener}");
        answer
    }

    /// Sends a request that must.
    fn served(&self, listener: &str, request: &Request) {
        self.arrived();
        let answer = self.send(listener, request);
        assert_eq!(answer.status, 200, "{listener}: {answer:?}");
        let arrived = self.recorder.take();
        assert_eq!(arrived.exchanges.len(), 1, "{listener}");
        assert_eq!(arrived.unattributed(), 0, "{listener}");
        let body = request.body.clone().unwrap_or_default();
        assert_eq!(arrived.exchanges[0].body, body, "{listener}");
    }

    fn says(&self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.envoy.log().contains(words) {
            assert!(Instant::now() < deadline, "nobody says `{words}`");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn is_ours(answer: &Response) {
    let body = answer.json().unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(body["error"]["code"], -32603, "{body}");
    assert_eq!(body["error"]["data"]["reason"], "internal", "{body}");
    assert_eq!(
        answer.header("content-type").as_deref(),
        Some("application/json")
    );
}

fn permitted() -> Request {
    call("get_weather", 0)
}

fn denied() -> Request {
    call("delete_repo", 0)
}

/// A request in two: all but the last byte of its body, and that byte.
fn halves(request: &Request) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = request.to_bytes();
    let last = bytes.split_off(bytes.len() - 1);
    (bytes, last)
}

/// Every chain that there is to hold the headers, cold and warm connections to
/// the server, bodies in one piece and in many, trailers.
#[test]
fn nothing_of_a_refused_request_is_sent() {
    let chains = [
        ("admit", vec![held(Part::Admit), gate(&[Role::Admit])]),
        (
            "both",
            vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)],
        ),
        (
            "plugins",
            [held(Part::Admit), held(Part::Recheck), gate(BOTH)]
                .map(of_a_plugin)
                .to_vec(),
        ),
        (
            "last",
            vec![held(Part::Admit), gate(&[Role::Admit]), holder()],
        ),
        // Whoever holds the headers in between, the gate sees them later.
        (
            "holder",
            vec![held(Part::Admit), holder(), gate(&[Role::Admit])],
        ),
        (
            "holder before the recheck",
            vec![held(Part::Admit), holder(), held(Part::Recheck), gate(BOTH)],
        ),
    ];
    let names: Vec<&str> = chains.iter().map(|(name, _)| *name).collect();
    let Some(scene) = Scene::start("chains with a gate", chains.to_vec()) else {
        return;
    };
    let mut tried = 0;
    for name in names {
        for warm in [false, true] {
            for body in [0, 100_000] {
                for chunks in [vec![], vec![1, 40, 3000]] {
                    for trailers in [vec![], vec![(b"x-end".to_vec(), b"1".to_vec())]] {
                        // Trailers need chunks.
                        if chunks.is_empty() && !trailers.is_empty() {
                            continue;
                        }
                        let shaped = |tool| Request {
                            chunk_sizes: chunks.clone(),
                            trailers: trailers.clone(),
                            ..call(tool, body)
                        };
                        scene.refused(name, &shaped("delete_repo"), 403);
                        if warm {
                            scene.served(name, &shaped("get_weather"));
                        }
                        tried += 1;
                    }
                }
            }
        }
        for over_http2 in [permitted(), denied()] {
            let to = scene.envoy.listener(name);
            let answer = over_http2.send_h2(to).expect("an answer");
            let expected = if over_http2 == denied() { 403 } else { 200 };
            assert_eq!(answer.status, expected, "{name}: {answer:?}");
            assert_eq!(scene.arrived() > 0, expected == 200, "{name}");
        }
    }
    println!("{tried} refused requests, 0 bytes at the server");
}

#[test]
fn what_compat_asks_for_is_done_at_the_gate() {
    let chain = vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)];
    let Some(scene) = Scene::start("edits at the gate", vec![("both", chain)]) else {
        return;
    };
    let request = permitted()
        .header("mcp-protocol-version", "2025-11-25")
        .header("mcp-method", "tools/list")
        .header("mcp-name", "other");
    let answer = scene.send("both", &request);
    assert_eq!(answer.status, 200, "{answer:?}");
    let arrived = scene.recorder.take();
    let headers = &arrived.exchanges[0].headers;
    let count = |name: &str| {
        let lines = headers.iter();
        lines
            .filter(|(listed, _)| listed.eq_ignore_ascii_case(name))
            .count()
    };
    assert_eq!(count("mcp-protocol-version"), 1, "{headers:?}");
    assert_eq!(count("mcp-method") + count("mcp-name"), 0, "{headers:?}");
}

#[test]
fn a_gate_in_the_wrong_place_lets_nothing_pass() {
    let (admit, recheck) = (|| held(Part::Admit), || held(Part::Recheck));
    let misplaced = [
        (
            "before admit",
            vec![gate(&[Role::Admit]), admit()],
            "nothing of `admit` before it",
        ),
        (
            "between the two, awaiting both",
            vec![admit(), gate(BOTH), recheck()],
            "nothing of `recheck` before it",
        ),
        (
            "between the two, awaiting one",
            vec![admit(), gate(&[Role::Admit]), recheck()],
            "recheck refuses a request: the gate stands before it",
        ),
        (
            "alone",
            vec![gate(&[Role::Admit])],
            "nothing of `admit` before it",
        ),
        (
            "a role twice",
            vec![admit(), admit(), gate(&[Role::Admit])],
            "admit refuses a request: another instance with this role",
        ),
    ];
    let chains = misplaced
        .iter()
        .map(|(name, chain, _)| (*name, chain.clone()));
    let Some(scene) = Scene::start("gates in the wrong place", chains.collect()) else {
        return;
    };
    for (name, _, said) in &misplaced {
        for request in [permitted(), denied(), call("get_weather", 100_000)] {
            // Between the two, admit may be first to refuse.
            let admit_denies = request == denied() && name.starts_with("between the two");
            let status = if admit_denies { 0 } else { 503 };
            scene.arrived();
            let answer = scene.send(name, &request);
            assert_eq!(scene.arrived(), 0, "{name}");
            if status == 503 || answer.status != 403 {
                assert_eq!(answer.status, 503, "{name}: {answer:?}");
                is_ours(&answer);
            }
        }
        scene.says(said);
    }
}

/// The first request with a body has been sent on when this is found out: that
/// is what a gate is for. It is the last one.
#[test]
fn without_a_gate_nothing_passes_but_one_head() {
    let chains = vec![
        ("admit", vec![held(Part::Admit)]),
        ("both", vec![held(Part::Admit), held(Part::Recheck)]),
    ];
    for chain in chains {
        let name = chain.0;
        let Some(scene) = Scene::start("no gate", vec![chain]) else {
            return;
        };
        let first = scene.send(name, &permitted());
        assert_eq!(first.status, 503, "{first:?}");
        is_ours(&first);
        scene.says("since no gate stands behind admit");
        let arrived = scene.recorder.take();
        assert!(arrived.exchanges.is_empty(), "the whole request is sent on");
        for request in [permitted(), denied(), call("get_weather", 100_000)] {
            is_ours(&scene.refused(name, &request, 503));
        }
        scene.says("it found no gate before");
    }
}

#[test]
fn a_request_that_nobody_decides_gets_504() {
    let short = || gate_with(&[Role::Admit], "wait_seconds", 1);
    let chains = vec![
        ("short", vec![held(Part::Admit), short()]),
        (
            "plugin",
            vec![held(Part::Admit), short()]
                .into_iter()
                .map(of_a_plugin)
                .collect(),
        ),
    ];
    let Some(scene) = Scene::start("slow bodies", chains) else {
        return;
    };
    for name in ["short", "plugin"] {
        let mut slow = scene.connect(name);
        let begun = Instant::now();
        slow.write(&halves(&permitted()).0).expect("written");
        let answer = slow.answer(false).expect("an answer");
        assert_eq!(answer.status, 504, "{answer:?}");
        is_ours(&answer);
        let waited = begun.elapsed();
        assert!(waited > Duration::from_millis(900), "{waited:?}");
        assert!(waited < Duration::from_secs(4), "{waited:?}");
        assert_eq!(scene.arrived(), 0, "{name}");
        scene.says("a gate gives a request up");
        scene.served(name, &permitted());
    }
}

#[test]
fn no_more_requests_wait_than_may() {
    let few = gate_with(&[Role::Admit], "max_waiting", 2);
    let Some(scene) = Scene::start("waiting", vec![("few", vec![held(Part::Admit), few])]) else {
        return;
    };
    let (most, last) = halves(&permitted());
    let mut slow: Vec<_> = (0..2).map(|_| scene.connect("few")).collect();
    for connection in &mut slow {
        connection.write(&most).expect("written");
    }
    thread::sleep(Duration::from_millis(200));
    is_ours(&scene.refused("few", &permitted(), 503));
    scene.says("2 wait already");
    for connection in &mut slow {
        connection.write(&last).expect("written");
        assert_eq!(connection.answer(false).expect("an answer").status, 200);
    }
    scene.served("few", &permitted());
}

fn served_within(scene: &Scene, listener: &str, patience: Duration) {
    let deadline = Instant::now() + patience;
    loop {
        let answer = scene.send(listener, &permitted());
        if answer.status == 200 && answer.body == ANSWER.as_bytes() {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:?}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Gates that fail when a request arrives, when it goes on, when it is edited;
/// an admit that fails when it permits one. Where the gate fails while it holds
/// one, nobody but admit answers, once the gate has had its time.
#[test]
fn whoever_fails_sends_nothing_on() {
    let alone = || gate_with(&[Role::Admit], "wait_seconds", 1);
    let failing = |capability| vec![held(Part::Admit), without(alone(), capability)];
    for (name, mut chain) in [
        ("arrives", failing("proxy_set_property")),
        ("goes on", failing("proxy_continue_stream")),
        ("edited", failing("proxy_remove_header_map_value")),
        (
            "permitted",
            vec![
                without(held(Part::Admit), "proxy_enqueue_shared_queue"),
                alone(),
            ],
        ),
    ] {
        // Each has a VM of its own, or a fault in one answers for the others.
        for (at, entry) in chain.iter_mut().enumerate() {
            entry.pointer_mut(VM).expect("a VM")["vm_id"] = json!(format!("{name}-{at}"));
        }
        let Some(scene) = Scene::start("failing gates", vec![(name, chain)]) else {
            return;
        };
        let stale = permitted().header("mcp-method", "tools/list");
        scene.refused(name, &stale, 503);
        if name == "edited" {
            scene.says("the gate has failed");
            served_within(&scene, name, RELOAD);
        }
        scene.arrived();
        let answer = scene.send(name, &denied());
        // In its first second a VM that failed has no successor.
        assert!(matches!(answer.status, 403 | 503), "{name}: {answer:?}");
        assert_eq!(scene.arrived(), 0, "{name}");
    }
}

/// A gate's configuration changes while its VM lives on and requests are held.
#[test]
fn a_gate_that_changes_goes_on_releasing() {
    let Some(binary) = envoy::or_skip("a gate that changes") else {
        return;
    };
    let recorder = Recorder::start().expect("a server");
    let chains = [
        vec![held(Part::Admit), gate(&[Role::Admit])],
        vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)],
        vec![
            held(Part::Admit),
            gate_with(&[Role::Admit], "wait_seconds", 30),
        ],
    ];
    let bootstrap = |chain: &[Value]| {
        Bootstrap::new(
            recorder.address(),
            vec![listener("guarded", chain.to_vec())],
        )
    };
    let flags = Flags {
        drain_seconds: 1,
        ..Flags::default()
    };
    let started = Discovery::start(&binary, &bootstrap(&chains[0]), flags);
    let (discovery, envoy) = started.unwrap_or_else(|error| panic!("{error}"));
    let to = envoy.listener("guarded");
    let (most, last) = halves(&permitted());
    for round in 0..6 {
        let mut slow = Connection::open(to).expect("a connection");
        slow.write(&most).expect("written");
        thread::sleep(Duration::from_millis(100));
        let before = envoy
            .stat("listener_manager.lds.update_success")
            .expect("statistics");
        let next = &chains[(round + 1) % chains.len()];
        discovery.publish(&bootstrap(next)).expect("published");
        let deadline = Instant::now() + Duration::from_secs(20);
        while envoy
            .stat("listener_manager.lds.update_success")
            .expect("statistics")
            == before
        {
            assert!(Instant::now() < deadline, "the update is not taken");
            thread::sleep(Duration::from_millis(20));
        }
        for request in [permitted(), denied()] {
            let answer = request.send(to).expect("an answer");
            let expected = if request == denied() { 403 } else { 200 };
            assert_eq!(answer.status, expected, "round {round}: {answer:?}");
        }
        slow.write(&last).expect("written");
        let answer = slow.answer(false).expect("an answer");
        assert_eq!(answer.status, 200, "round {round}: {answer:?}");
        // The old listener goes, and with it the gate's old configuration.
        thread::sleep(Duration::from_millis(1500));
        for _ in 0..5 {
            assert_eq!(permitted().send(to).expect("an answer").status, 200);
        }
    }
}

#[test]
fn what_is_no_gate_is_refused() {
    let Some(binary) = envoy::or_skip("configurations of gates") else {
        return;
    };
    let configured = |mut entry: Value, text: &str| {
        *entry.pointer_mut(VALUE).expect("a configuration") = json!(text);
        entry
    };
    let changed = |key: &str, value: Value| {
        let mut entry = held(Part::Admit);
        let text = entry.pointer_mut(VALUE).expect("a configuration");
        let mut own: Value = serde_json::from_str(text.as_str().expect("text")).expect("JSON");
        own[key] = value;
        if key == "place" {
            own["role"] = json!("recheck");
        }
        *text = json!(own.to_string());
        entry
    };
    for (entry, said) in [
        (configured(gate(BOTH), "{}"), "write `\"role\": \"gate\"`"),
        (
            configured(
                gate(BOTH),
                r#"{"role":"gate","awaits":["admit"],"hold":"gate"}"#,
            ),
            "`hold` is no setting of a gate",
        ),
        (
            configured(gate(BOTH), ""),
            "`mcp-policy envoy --role gate` prints a valid one",
        ),
        (changed("hold", json!("body")), "unknown variant `body`"),
        (
            changed("place", json!("upstream")),
            "behind the route there is none",
        ),
    ] {
        let listener = listener("guarded", vec![entry]);
        let bootstrap = Bootstrap::new(envoy::Place::new("127.0.0.1", 9), vec![listener]);
        let refused = match Envoy::launch(&binary, &bootstrap).expect("envoy runs") {
            Ok(_) => panic!("{said}: envoy starts"),
            Err(refused) => refused,
        };
        assert!(refused.log.contains(said), "{said}: {refused}");
    }
}
