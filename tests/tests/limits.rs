//! How much a request may be: in bytes, in time, and in the memory it takes.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::{Connection, Request, Response};
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::gateway::Over;
use mcp_boundary_tests::load::{Drain, call, call_text, large_calls};
use mcp_boundary_tests::recorder::{ANSWER, Recorder};
use mcp_boundary_tests::scene::{GUARDED, PLAIN, Scene, guarded};
use mcp_boundary_tests::usage;

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather] }
  - path: /small
    limits: { body_bytes: 4096 }
    allow: { tools: [get_weather] }
"#;

const MIB: usize = 1 << 20;

/// How long the slow bodies take, a byte a second at the end.
const SECONDS: usize = 4;

/// How a body says how long it is.
const FRAMINGS: [(&str, &[usize]); 3] = [
    ("declared", &[]),
    ("undeclared, in one piece", &[usize::MAX]),
    ("undeclared, in pieces", &[700, 65_536]),
];

fn start(test: &str) -> Option<Scene> {
    let recorder = Recorder::start().expect("a server");
    Scene::start(test, POLICY, recorder, |_| ())
}

fn sized(path: &str, size: usize, pieces: &[usize]) -> Request {
    Request {
        path: path.to_owned(),
        chunk_sizes: pieces.to_vec(),
        ..call("get_weather", size)
    }
}

fn shown(answer: &Response) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    let cut: String = body.chars().take(200).collect();
    format!("{} `{cut}`", answer.status)
}

fn conclude(name: &str, rows: &[Row], wrong: &[String]) {
    evidence::record(name, rows);
    println!("{rows:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(rows.iter().all(|row| row.run > 0), "{rows:?}");
}

/// Whether the answer is the filter's own 413.
fn is_our_413(answer: &Response) -> bool {
    let code = |answer: serde_json::Value| answer["error"]["code"].as_i64();
    answer.status == 413
        && answer.header("content-type").as_deref() == Some("application/json")
        && answer.json().and_then(code) == Some(-32600)
        && answer
            .json()
            .is_some_and(|a| a["error"]["data"]["reason"] == "body_too_large")
}

#[test]
fn bodies_around_the_limit() {
    let Some(scene) = start("bodies around the limit") else {
        return;
    };
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for over in Over::ALL {
        let mut within = Row::new("a body within the limit is forwarded whole", over.column());
        let mut beyond = Row::new(
            "a body over the limit is answered 413 as JSON-RPC and not sent on",
            over.column(),
        );
        for (path, limit) in [("/small", 4096), ("/mcp", MIB)] {
            for (framing, pieces) in FRAMINGS {
                for size in [limit - 1, limit, limit + 1, 3 * limit] {
                    let request = sized(path, size, pieces);
                    let answer = scene.send(over, &request);
                    let arrived = scene.arrived();
                    let kept = if size > limit {
                        arrived.bytes == 0 && answer.as_ref().is_ok_and(is_our_413)
                    } else {
                        let whole = |body| Some(body) == request.body.as_ref();
                        let bodies: Vec<_> = arrived.exchanges.iter().map(|e| &e.body).collect();
                        matches!(bodies[..], [body] if whole(body))
                            && answer.as_ref().is_ok_and(|a| a.body == ANSWER.as_bytes())
                    };
                    let row = if size > limit {
                        &mut beyond
                    } else {
                        &mut within
                    };
                    row.count(kept);
                    if !kept {
                        let shown = answer
                            .map(|a| (a.status, String::from_utf8_lossy(&a.body).into_owned()));
                        wrong.push(format!(
                            "{path}, {size} bytes, {framing}, {}: {shown:?}, {} bytes arrived",
                            over.column(),
                            arrived.bytes
                        ));
                    }
                }
            }
        }
        rows.extend([within, beyond]);
    }
    // More than Envoy itself holds, in a burst and without a length: it adds
    // what it has read before it asks the filter, so either may answer.
    let mut burst = Row::new(
        "a burst over Envoy's own limit is answered 413 by either and not sent on",
        "HTTP/1.1",
    );
    for _ in 0..10 {
        let request = sized("/mcp", 8 * MIB, &[65_536]);
        let status = request
            .send(scene.envoy.listener(PLAIN))
            .map_or(0, |answer| answer.status);
        let bytes = scene.arrived().bytes;
        burst.count((status, bytes) == (413, 0));
        if (status, bytes) != (413, 0) {
            wrong.push(format!("a burst: {status}, {bytes} bytes arrived"));
        }
    }
    rows.push(burst);
    conclude("limits-body", &rows, &wrong);
}

/// Envoy's buffer limit below the policy's: a body between the two is refused
/// by Envoy over HTTP/1.1, in plain text. Over HTTP/2 the limit is that of the
/// stream's window, so that nothing changes.
#[test]
fn envoys_own_limit_below_ours() {
    let test = "envoy's own limit";
    let Some(scene) = Scene::of(test, vec![guarded(GUARDED, POLICY)], |bootstrap| {
        let small = ("limit_bytes: 4194304", "limit_bytes: 32768".to_owned());
        bootstrap.replaced.push(small);
    }) else {
        return;
    };
    let to = scene.envoy.listener(GUARDED);

    let mut rows = [Over::Http11, Over::Http2].map(|over| {
        let guarantee = "no part of a body is sent on where Envoy's own limit is lower";
        Row::new(guarantee, over.column())
    });
    let mut wrong = Vec::new();
    for size in [16_000, 32_768, 40_000, MIB, MIB + 1, 3 * MIB] {
        for (framing, pieces) in FRAMINGS {
            let request = sized("/mcp", size, pieces);
            for (row, h2) in rows.iter_mut().zip([false, true]) {
                let answer = match h2 {
                    true => request.send_h2(to),
                    false => request.send(to),
                };
                let answer = answer.unwrap_or_default();
                thread::sleep(Duration::from_millis(20));
                let arrived = scene.recorder.take();
                let forwarded = arrived.exchanges.len() == 1 && arrived.unattributed() == 0;
                let stopped = arrived.bytes == 0;
                // A declared length is judged before there is any body.
                let judged_by_us = size > MIB && (h2 || framing == "declared");
                let kept = if judged_by_us {
                    stopped && is_our_413(&answer)
                } else if size > 32_768 && !h2 {
                    stopped && answer.status == 413 && answer.body == b"Payload Too Large"
                } else {
                    forwarded && answer.status == 200
                };
                row.count(kept);
                if !kept {
                    wrong.push(format!(
                        "{size} bytes, {framing}, h2 {h2}: {}, {arrived:?}",
                        shown(&answer)
                    ));
                }
            }
        }
    }
    conclude("limits-envoy", &rows, &wrong);
}

/// A request that is written byte by byte is decided at its end, and nobody
/// waits for it: not even with one worker.
#[test]
fn a_slow_body_is_awaited_and_holds_nobody_up() {
    let Some(scene) = start("slow bodies") else {
        return;
    };
    let to = scene.envoy.listener(PLAIN);
    let mut rows = [
        Row::new("a slow body is decided at its end, not before", "HTTP/1.1"),
        Row::new("a slow body holds no other request up", "HTTP/1.1"),
    ];
    let mut wrong = Vec::new();
    let [mut early, mut held_up] = [0, 0];
    let tools = [("get_weather", 200), ("delete_repo", 403)];
    let mut slow: Vec<_> = tools
        .iter()
        .map(|(tool, status)| {
            let request = call(tool, 0);
            let bytes = request.to_bytes();
            let (start, end) = bytes.split_at(bytes.len() - SECONDS);
            let mut connection = Connection::open(to).expect("a connection");
            connection.write(start).expect("written");
            (connection, end.to_vec(), *status)
        })
        .collect();
    let begun = Instant::now();
    for second in 0..SECONDS {
        while begun.elapsed() < Duration::from_secs(second as u64 + 1) {
            let asked = Instant::now();
            let (permitted, denied) = (call("get_weather", 500), call("delete_repo", 500));
            let statuses = [permitted, denied].map(|r| r.send(to).map_or(0, |a| a.status));
            let in_time = asked.elapsed() < Duration::from_secs(1);
            let kept = statuses == [200, 403] && in_time;
            rows[1].count(kept);
            held_up += u64::from(!kept);
            // The permitted one, and nothing of the slow ones.
            early += u64::from(scene.recorder.take().exchanges.len() != 1);
        }
        for (connection, end, _) in &mut slow {
            let answered = connection.until(b"HTTP/1.1 ", Duration::from_millis(1));
            early += u64::from(answered.is_ok());
            connection.write(&end[second..=second]).expect("written");
        }
    }
    for (connection, _, status) in &mut slow {
        let answer = connection.answer(false).unwrap_or_default();
        rows[0].count(answer.status == *status && early == 0);
        if answer.status != *status {
            wrong.push(format!("{status} expected: {}", shown(&answer)));
        }
    }
    let arrived = scene.arrived();
    let bodies: Vec<_> = arrived.exchanges.iter().map(|e| e.body.clone()).collect();
    if early + held_up > 0 {
        wrong.push(format!("{early} too early, {held_up} held up"));
    }
    if bodies != [call_text("get_weather", 0).into_bytes()] {
        wrong.push(format!("arrived: {arrived:?}"));
    }
    conclude("limits-slow", &rows, &wrong);
}

#[test]
fn large_bodies_leave_memory_flat() {
    // Both divide by eight: four connections, two kinds of requests.
    const WARM_UP: usize = 96;
    const MEASURED: usize = 504;
    let Some(scene) = start("memory") else {
        return;
    };
    let to = scene.envoy.listener(PLAIN);
    let permitted = call_text("get_weather", MIB).into_bytes();
    let drain = Drain::start(&scene.recorder, move |exchange| exchange.body == permitted);
    let resident = || usage::resident(scene.envoy.id()).expect("envoy runs");
    large_calls(to, WARM_UP, MIB).unwrap_or_else(|error| panic!("{error}"));
    let before = resident();
    let sent = large_calls(to, MEASURED, MIB);
    let after = resident();
    let drained = drain.finish();

    let grown = after.saturating_sub(before);
    println!("{MEASURED} requests of 1 MiB: {before} bytes before, {after} after");
    let mut row = Row::new("requests of 1 MiB leave memory flat", "HTTP/1.1");
    row.run = MEASURED as u64;
    // One request in thirty kept would be too many.
    let kept = sent.is_ok() && grown < 16 << 20;
    row.failed = u64::from(!kept);
    evidence::record("limits-memory", &[row]);
    assert!(sent.is_ok(), "{sent:?}");
    assert!(kept, "{before} bytes before, {after} after");
    assert_eq!((drained.wrong, drained.stray), (0, 0), "{drained:?}");
    assert_eq!(drained.requests, (WARM_UP + MEASURED) as u64 / 2);
}
