//! The shipped configurations at their outer side: what a client says about
//! itself changes nothing that is logged, and what it can make Envoy hold is
//! bounded.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::{self, Request};
use mcp_boundary_tests::envoy::Envoy;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::scene::{GUARDED, Scene, guarded};
use mcp_boundary_tests::{usage, workspace};
use serde_json::Value;

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather] }
"#;

const MIB: usize = 1 << 20;

/// What one HTTP/2 connection may make the process hold, as docs/operations.md
/// says: 32 streams with 1 MiB each, and as much again for the machinery.
const HELD_BY_A_CONNECTION: u64 = 64 << 20;

fn start(behind_proxy: bool, replaced: &[(&'static str, &str)]) -> Option<Scene> {
    Scene::of(
        "the outer side",
        vec![guarded(GUARDED, POLICY)],
        |bootstrap| {
            bootstrap.behind_proxy = behind_proxy;
            let replaced = replaced.iter();
            bootstrap.replaced = replaced
                .map(|(old, new)| (*old, (*new).to_owned()))
                .collect();
        },
    )
}

/// Everything a client might say about a request's way, each with a value of
/// its own that must not turn up.
const FORGED: [(&str, &str); 14] = [
    ("x-forwarded-for", "6.6.6.1"),
    ("forwarded", "for=6.6.6.2;host=forged-2.test"),
    ("x-real-ip", "6.6.6.3"),
    ("true-client-ip", "6.6.6.4"),
    ("x-envoy-original-path", "/forged-5"),
    ("x-envoy-external-address", "6.6.6.6"),
    ("x-forwarded-host", "forged-7.test"),
    ("x-forwarded-prefix", "/forged-8"),
    ("x-original-url", "/forged-9"),
    ("x-rewrite-url", "/forged-10"),
    ("x-http-method", "FORGED11"),
    ("x-http-method-override", "FORGED12"),
    ("x-method-override", "FORGED13"),
    ("x-request-id", "00000000-6666-4666-8666-000000000014"),
];

/// What reaches the server although nothing here believes it.
const HARMLESS: [&str; 2] = ["x-real-ip", "true-client-ip"];

fn accessed(envoy: &Envoy, count: usize) -> Vec<Value> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let log = envoy.access_log();
        let lines: Vec<Value> = log
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        if lines.len() >= count {
            return lines;
        }
        assert!(Instant::now() < deadline, "{log}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn forged_headers_change_nothing_in_any_log() {
    let Some(Scene {
        envoy, recorder, ..
    }) = start(false, &[])
    else {
        return;
    };
    let to = envoy.listener("guarded");
    let forge = |tool| {
        let mut request = call(tool, 0);
        for (name, value) in FORGED {
            request = request.header(name, value);
        }
        request
    };
    assert_eq!(
        forge("get_weather").send(to).expect("an answer").status,
        200
    );
    assert_eq!(
        forge("delete_repo").send(to).expect("an answer").status,
        403
    );
    assert_eq!(
        forge("get_weather").send_h2(to).expect("an answer").status,
        200
    );

    let lines = accessed(&envoy, 3);
    let log = envoy.log();
    for (name, value) in FORGED {
        assert!(!log.contains(value), "`{name}` is believed:\n{log}");
    }
    for line in &lines {
        assert_eq!(line["client"], "127.0.0.1", "{line}");
        assert_eq!(line["path"], "/mcp", "{line}");
        assert_eq!(line["method"], "POST", "{line}");
    }
    // The line about the denial knows the client by Envoy, too.
    let told = log.lines().find(|line| line.contains("\"mcp_boundary\":"));
    let told = told.and_then(|line| line.get(line.find('{')?..));
    let told: Value = told
        .and_then(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("no line in\n{log}"));
    let denied = lines.iter().find(|line| line["verdict"] == "deny");
    let denied = denied.expect("a denial");
    for member in ["client", "path", "host", "request_id"] {
        assert_eq!(told[member], denied[member], "{member}: {told} {denied}");
    }
    let ids: BTreeSet<_> = lines
        .iter()
        .filter_map(|l| l["request_id"].as_str())
        .collect();
    assert_eq!(ids.len(), 3, "one id a request: {lines:?}");

    for exchange in recorder.take().exchanges {
        for (name, value) in FORGED {
            let sent = exchange
                .headers
                .iter()
                .any(|(_, sent)| String::from_utf8_lossy(sent).contains(value));
            assert_eq!(sent, HARMLESS.contains(&name), "{name}: {exchange:?}");
        }
    }
}

#[test]
fn behind_a_proxy_its_word_counts_and_nobody_elses() {
    let Some(Scene {
        envoy, recorder, ..
    }) = start(true, &[])
    else {
        return;
    };
    let request = call("get_weather", 0)
        // The client's own word, and behind it that of the proxy.
        .header("x-forwarded-for", "6.6.6.1, 7.7.7.7")
        .header("x-forwarded-host", "public.test")
        .header("x-envoy-original-path", "/forged")
        .header("x-original-url", "/forged")
        .header("x-method-override", "FORGED");
    let answer = request.send(envoy.listener("guarded")).expect("an answer");
    assert_eq!(answer.status, 200);
    let lines = accessed(&envoy, 1);
    assert_eq!(lines[0]["client"], "7.7.7.7", "{lines:?}");
    assert_eq!(lines[0]["path"], "/mcp");
    let exchanges = recorder.take().exchanges;
    let sent = |name: &str| exchanges[0].header(name);
    assert!(sent("x-forwarded-host").is_some(), "{exchanges:?}");
    for gone in [
        "x-envoy-original-path",
        "x-original-url",
        "x-method-override",
    ] {
        assert!(sent(gone).is_none(), "{exchanges:?}");
    }
}

/// Two files that drift apart would be two products.
#[test]
fn the_two_bootstraps_differ_in_what_they_believe_alone() {
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(workspace().join("envoy").join(name)).expect("shipped");
        let mut root: Value = serde_yaml::from_str(&text).expect("YAML");
        let manager = root
            .pointer_mut("/static_resources/listeners/0/filter_chains/0/filters/0/typed_config")
            .and_then(Value::as_object_mut)
            .expect("a connection manager");
        assert!(manager.remove("xff_num_trusted_hops").is_some());
        assert!(manager.remove("early_header_mutation_extensions").is_some());
        root
    };
    assert_eq!(read("bootstrap.yaml"), read("bootstrap-behind-proxy.yaml"));
}

#[test]
fn one_connection_holds_no_more_than_documented() {
    let Some(Scene { envoy, .. }) = start(false, &[]) else {
        return;
    };
    let to = envoy.listener("guarded");
    call("get_weather", 0).send_h2(to).expect("an answer");
    let before = usage::resident(envoy.id()).expect("envoy runs");
    let mut held = 0;
    let half = call("get_weather", MIB - 4096);
    let half = Request {
        chunk_sizes: vec![16_384],
        ..half
    };
    let streams = client::leave_open(to, &half, 1024, || {
        let now = usage::resident(envoy.id()).expect("envoy runs");
        held = now.saturating_sub(before);
    });
    let streams = streams.expect("a connection");
    println!("{streams} streams hold {held} bytes");
    let mut row = Row::new(
        "one HTTP/2 connection makes Envoy hold at most 64 MiB",
        "held",
    );
    row.count(held <= HELD_BY_A_CONNECTION);
    evidence::record("edge-connection", &[row]);
    assert!((16..=32).contains(&streams), "{streams} streams");
    // The test does fill them, or it would bound nothing.
    assert!(held > (streams * MIB / 4) as u64, "{held}");
    assert!(held <= HELD_BY_A_CONNECTION, "{held}");
    assert_eq!(
        call("get_weather", 0).send(to).expect("an answer").status,
        200
    );
}

/// Many connections fill the process up to its limit and not beyond; then
/// requests are answered 503, and once the others have gone all is well again.
#[test]
fn many_half_bodies_stop_at_the_heaps_limit() {
    const LIMIT: u64 = 192 << 20;
    const CONNECTIONS: usize = 800;
    let limit = LIMIT.to_string();
    let Some(Scene { envoy, .. }) = start(false, &[("536870912", &limit)]) else {
        return;
    };
    let to = envoy.listener("guarded");
    call("get_weather", 0).send(to).expect("an answer");
    let empty = usage::resident(envoy.id()).expect("envoy runs");
    let whole = call("get_weather", MIB - 4096).to_bytes();
    let half = &whole[..whole.len() - 2048];
    let mut open = Vec::new();
    let mut most = empty;
    for _ in 0..CONNECTIONS {
        let Ok(mut stream) = TcpStream::connect(to) else {
            break;
        };
        stream
            .set_write_timeout(Some(Duration::from_millis(200)))
            .expect("a timeout");
        // A refused one answers and closes; that is the point.
        let _ = stream.write_all(half);
        open.push(stream);
        most = most.max(usage::resident(envoy.id()).expect("envoy runs"));
        // Envoy looks at its heap ten times a second: 100 MB/s, not as fast as
        // loopback can.
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(500));
    let status = call("get_weather", 0)
        .send(to)
        .map_or(0, |answer| answer.status);
    println!(
        "{} connections: from {empty} to {most} bytes, then {status}",
        open.len()
    );
    drop(open);
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut served = false;
    while !served && Instant::now() < deadline {
        served = call("get_weather", 0)
            .send(to)
            .is_ok_and(|answer| answer.status == 200);
        thread::sleep(Duration::from_millis(200));
    }
    let mut row = Row::new(
        "half bodies of any number of clients stop at the heap's limit",
        "held",
    );
    // The heap is not the whole process, and fills a little further until Envoy
    // looks at it again.
    let bound = empty + LIMIT / 2 * 3;
    row.count(most <= bound);
    evidence::record("edge-heap", &[row]);
    assert!(most <= bound, "from {empty} to {most}");
    assert!(matches!(status, 0 | 503), "it was never full: {status}");
    assert!(served, "it never recovered");
}

#[test]
fn a_body_that_never_ends_is_given_up_in_time() {
    let shorter = [("request_timeout: 15s", "request_timeout: 1s")];
    let Some(Scene {
        envoy, recorder, ..
    }) = start(false, &shorter)
    else {
        return;
    };
    let whole = call("get_weather", 0).to_bytes();
    let begun = Instant::now();
    let answer = client::Connection::open(envoy.listener("guarded")).and_then(|mut connection| {
        connection.write(&whole[..whole.len() - 1])?;
        connection.answer(false)
    });
    assert_eq!(answer.expect("an answer").status, 408);
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(recorder.take().bytes, 0);
}
