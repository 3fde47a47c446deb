//! How a body is sent and what shares its connection change no verdict:
//! declared lengths, chunks, single bytes, trailers, `Expect`, kept and
//! pipelined connections, streams side by side.

use std::time::Duration;

use mcp_boundary_tests::client::{self, Connection, Request, Response};
use mcp_boundary_tests::error::Result;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::gateway::{self, Over};
use mcp_boundary_tests::recorder::{ANSWER, Exchange, Recorder, Recording};
use mcp_boundary_tests::scene::{HOST, PLAIN, Scene};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { methods: [tools/list], tools: [get_weather] }
"#;

/// What a request is and what must become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Forward,
    Deny,
    RejectBody,
    RejectHead,
}

const KINDS: [Kind; 4] = [
    Kind::Forward,
    Kind::Deny,
    Kind::RejectBody,
    Kind::RejectHead,
];

impl Kind {
    fn request(self, id: usize) -> Request {
        let (tool, twice) = match self {
            Self::Forward | Self::RejectHead => ("get_weather", ""),
            Self::Deny => ("delete_repo", ""),
            Self::RejectBody => ("get_weather", r#","name":"delete_repo""#),
        };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"{twice},"arguments":{{"city":"Zürich"}}}}}}"#
        );
        let mut request = Request::mcp(HOST, "/mcp", Some("2025-11-25"), &body);
        if self == Self::RejectHead {
            request.headers[0].1 = b"text/plain".to_vec();
        }
        request
    }

    const fn status(self) -> u16 {
        match self {
            Self::Forward => 200,
            Self::Deny => 403,
            Self::RejectBody => 400,
            Self::RejectHead => 415,
        }
    }

    /// Whether an answer is the one that this kind must get.
    fn answered(self, answer: &Result<Response>) -> bool {
        answer.as_ref().is_ok_and(|answer| {
            let servers = answer.body == ANSWER.as_bytes();
            answer.status == self.status() && servers == (self == Self::Forward)
        })
    }
}

/// Whether exactly these requests arrived, in any order, each as it was sent.
fn arrived(recording: &Recording, sent: &[Request]) -> bool {
    recording.unattributed() == 0
        && recording.exchanges.len() == sent.len()
        && sent.iter().all(|request| {
            let intact = |exchange: &Exchange| {
                let trailers = exchange.trailers.iter();
                let trailers = trailers.map(|(name, value)| (name.as_bytes(), value.as_slice()));
                let sent = request.trailers.iter();
                trailers.eq(sent.map(|(name, value)| (name.as_slice(), value.as_slice())))
                    && gateway::difference(request, exchange, false).is_none()
            };
            recording.exchanges.iter().any(intact)
        })
}

const FRAMINGS: [&str; 7] = [
    "a declared length",
    "one chunk",
    "one-byte chunks",
    "uneven chunks",
    "trailers",
    "one-byte chunks and trailers",
    "Expect: 100-continue",
];

fn framed(mut request: Request, framing: &str) -> Request {
    let trailers = vec![(b"x-checksum".to_vec(), b"1".to_vec())];
    match framing {
        "one chunk" => request.chunk_sizes = vec![4096],
        "one-byte chunks" => request.chunk_sizes = vec![1],
        "uneven chunks" => request.chunk_sizes = vec![90, 1, 3],
        "trailers" => request.trailers = trailers,
        "one-byte chunks and trailers" => {
            request.chunk_sizes = vec![1];
            request.trailers = trailers;
        }
        "Expect: 100-continue" => request = request.header("expect", "100-continue"),
        "a declared length" => {}
        other => panic!("no framing `{other}`"),
    }
    request
}

fn start(test: &str) -> Option<Scene> {
    let recorder = Recorder::start().expect("a server");
    Scene::start(test, POLICY, recorder, |bootstrap| {
        bootstrap.upstream_trailers = true;
    })
}

/// Writes the rows down and then fails if one of them did.
fn conclude(name: &str, rows: &[Row], wrong: &[String]) {
    evidence::record(name, rows);
    println!("{rows:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(rows.iter().all(|row| row.run > 0), "{rows:?}");
}

#[test]
fn framing_changes_no_verdict() {
    let Some(scene) = start("framing of bodies") else {
        return;
    };
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for over in Over::ALL {
        for framing in FRAMINGS {
            let guarantee = format!("the verdict and the bytes are the same with {framing}");
            let mut row = Row::new(guarantee, over.column());
            for (id, kind) in KINDS.into_iter().cycle().take(12).enumerate() {
                let request = framed(kind.request(id), framing);
                let answer = scene.send(over, &request);
                let recording = scene.arrived();
                let forwarded = forwarded(std::slice::from_ref(&request), &[kind]);
                let kept = kind.answered(&answer) && arrived(&recording, &forwarded);
                row.count(kept);
                if !kept {
                    wrong.push(format!(
                        "{over:?} {framing} {kind:?}: {answer:?} {recording:?}"
                    ));
                }
            }
            rows.push(row);
        }
    }
    conclude("framing", &rows, &wrong);
}

/// The client waits for leave before it sends the body.
#[test]
fn expect_is_answered_before_the_verdict() {
    let Some(scene) = start("Expect: 100-continue") else {
        return;
    };
    let mut row = Row::new("a body sent after 100 Continue is judged", "HTTP/1.1");
    let mut wrong = Vec::new();
    for kind in [Kind::Forward, Kind::Deny, Kind::RejectBody] {
        let request = framed(kind.request(1), "Expect: 100-continue");
        let body = request.body.clone().expect("a body");
        let bytes = request.to_bytes();
        let head = &bytes[..bytes.len() - body.len()];
        let mut connection = Connection::open(scene.envoy.listener(PLAIN)).expect("envoy");
        connection.write(head).expect("written");
        let leave = connection.until(b"100 Continue\r\n\r\n", Duration::from_secs(5));
        let early = scene.arrived().bytes;
        connection.write(&body).expect("written");
        let answer = connection.answer(false);
        let recording = scene.arrived();
        let forwarded = forwarded(&[request], &[kind]);
        let kept = leave.is_ok()
            && early == 0
            && kind.answered(&answer)
            && arrived(&recording, &forwarded);
        row.count(kept);
        if !kept {
            wrong.push(format!(
                "{kind:?}: {leave:?}, {early} early, {answer:?} {recording:?}"
            ));
        }
    }
    conclude("framing-expect", &[row], &wrong);
}

/// Orders of verdicts. A refusal by the head is none of them: Envoy closes a
/// connection whose request it did not read to its end.
const ORDERS: [&[Kind]; 4] = [
    &[Kind::Forward, Kind::Deny, Kind::Forward],
    &[Kind::Forward, Kind::RejectBody, Kind::Forward],
    &[Kind::Forward, Kind::Deny, Kind::RejectBody, Kind::Forward],
    &[Kind::Deny, Kind::Forward, Kind::Deny, Kind::Forward],
];

#[test]
fn requests_of_one_connection_are_judged_one_by_one() {
    let Some(scene) = start("kept and pipelined connections") else {
        return;
    };
    let mut waiting = Row::new(
        "requests on a kept connection keep their verdicts",
        "HTTP/1.1",
    );
    let mut pipelined = Row::new("pipelined requests keep their verdicts", "HTTP/1.1");
    let mut wrong = Vec::new();
    for framing in ["a declared length", "one-byte chunks", "trailers"] {
        for (order, ahead) in ORDERS
            .iter()
            .flat_map(|order| [(order, false), (order, true)])
        {
            let request = |(id, kind): (usize, &Kind)| framed(kind.request(id), framing);
            let requests: Vec<Request> = order.iter().enumerate().map(request).collect();
            let (answers, connections) = converse(&scene, &requests, ahead);
            let recording = scene.arrived();
            let mut pairs = order.iter().zip(&answers);
            let all = pairs.all(|(kind, answer)| kind.answered(answer));
            // Envoy itself closes a connection after a 400.
            let reopened = connections > 1 && !ahead && !order.contains(&Kind::RejectBody);
            let kept = all && !reopened && arrived(&recording, &forwarded(&requests, order));
            let row = if ahead { &mut pipelined } else { &mut waiting };
            order.iter().for_each(|_| row.count(kept));
            if !kept {
                wrong.push(format!(
                    "{framing} {order:?} {ahead} {connections}: {answers:?} {recording:?}"
                ));
            }
        }
    }
    conclude("framing-connections", &[waiting, pipelined], &wrong);
}

fn forwarded(requests: &[Request], order: &[Kind]) -> Vec<Request> {
    let pairs = requests.iter().zip(order);
    let through = pairs.filter(|(_, kind)| **kind == Kind::Forward);
    through.map(|(request, _)| request.clone()).collect()
}

/// Sends the requests over one connection, all `ahead` of the first answer or
/// each after the answer to the one before, and says how many connections it
/// took: what was not answered when Envoy closed one is sent again over another
/// (RFC 9112, 9.3.2). With pipelined requests that happens after many a
/// refusal; a Lua filter that answers by itself fares no better.
fn converse(scene: &Scene, requests: &[Request], ahead: bool) -> (Vec<Result<Response>>, usize) {
    let mut answers = Vec::new();
    let mut connections = 0;
    while answers.len() < requests.len() && connections < requests.len() {
        connections += 1;
        let mut connection = Connection::open(scene.envoy.listener(PLAIN)).expect("envoy");
        let rest = &requests[answers.len()..];
        if ahead {
            let bytes: Vec<u8> = rest.iter().flat_map(Request::to_bytes).collect();
            connection.write(&bytes).expect("written");
        }
        for request in rest {
            let answer = match ahead {
                true => connection.answer(false),
                false => connection.ask(request),
            };
            let Ok(answer) = answer else { break };
            let closes = answer.header("connection").as_deref() == Some("close");
            answers.push(Ok(answer));
            if closes {
                break;
            }
        }
    }
    (answers, connections)
}

#[test]
fn streams_of_one_connection_do_not_mix() {
    let Some(scene) = start("multiplexed streams") else {
        return;
    };
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for over in [Over::Http2, Over::Tls] {
        let guarantee = "streams of one connection keep their verdicts";
        let mut row = Row::new(guarantee, over.column());
        for framing in ["a declared length", "one-byte chunks", "trailers"] {
            // As many as the shipped configuration lets one connection open.
            let order: Vec<Kind> = KINDS.into_iter().cycle().take(32).collect();
            let request = |(id, kind): (usize, &Kind)| framed(kind.request(id), framing);
            let requests: Vec<Request> = order.iter().enumerate().map(request).collect();
            let (to, trust) = scene.place(over);
            let answers = client::multiplex(to, trust, &requests).expect("one connection");
            for (kind, answer) in order.iter().zip(&answers) {
                row.count(kind.answered(answer));
                if !kind.answered(answer) {
                    wrong.push(format!("{over:?} {framing} {kind:?}: {answer:?}"));
                }
            }
            let recording = scene.arrived();
            if !arrived(&recording, &forwarded(&requests, &order)) {
                row.failed += 1;
                wrong.push(format!("{over:?} {framing}: {recording:?}"));
            }
        }
        rows.push(row);
    }
    conclude("framing-streams", &rows, &wrong);
}
