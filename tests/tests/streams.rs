//! Verbs other than POST, and streams: what is refused is refused at once, and
//! a stream stays open and arrives as it is written.

use std::thread;
use std::time::Duration;

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::Bootstrap;
use mcp_boundary_tests::evidence::Tally;
use mcp_boundary_tests::gateway::{self, Over};
use mcp_boundary_tests::recorder::{Recorder, Step};
use mcp_boundary_tests::scene::{HOST, Scene};
use serde_json::json;

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    versions: ["2025-06-18", "2025-11-25"]
    allow: { methods: [ping], tools: [get_weather] }
  - path: /closed
    streams: deny
    sessions: deny
    allow: { methods: [ping] }
  - path: /modern
    versions: ["2026-07-28"]
    allow: { methods: [tools/list] }
"#;

const FIRST: &str = "event: message\ndata: first\n\n";
const LAST: &str = "event: message\ndata: last\n\n";

/// A first event "at once": without a word the server waits much longer.
const AT_ONCE: Duration = Duration::from_millis(900);

/// A stream of events that is silent between the first and the last.
fn events(silence: Duration) -> Vec<Step> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = |event: &str| format!("{:x}\r\n{event}\r\n", event.len());
    vec![
        Step::Write(format!("{head}{}", chunk(FIRST)).into_bytes()),
        Step::Wait(silence),
        Step::Write(format!("{}0\r\n\r\n", chunk(LAST)).into_bytes()),
    ]
}

fn request(method: &str, path: &str, version: Option<&str>) -> Request {
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        authority: Some(HOST.to_owned()),
        ..Request::default()
    };
    if let Some(version) = version {
        request = request.header("mcp-protocol-version", version);
    }
    request
}

fn get_stream() -> Request {
    request("GET", "/mcp", Some("2025-11-25"))
        .header("accept", "text/event-stream")
        .header("mcp-session-id", "s-1")
}

fn call() -> Request {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{}}}"#;
    Request::mcp(HOST, "/mcp", Some("2025-11-25"), body)
}

/// What is wrong with a stream that was watched, if anything is.
fn broken(pieces: &[(Duration, Vec<u8>)], silence: Duration) -> Option<String> {
    let seen = |text: &str| {
        let has = |piece: &&(Duration, Vec<u8>)| {
            piece
                .1
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        pieces.iter().find(has).map(|(time, _)| *time)
    };
    match (seen(FIRST), seen(LAST)) {
        (Some(first), Some(last)) if first < AT_ONCE && last >= silence => None,
        times => Some(format!("first and last event at {times:?}")),
    }
}

/// GET streams and streams that answer a POST, over everything at once.
fn streams(name: &'static str, silence: Duration) {
    let recorder = Recorder::scripted(move |_| events(silence)).expect("a server");
    let Some(scene) = Scene::start("streams of events", POLICY, recorder, |_| {}) else {
        return;
    };
    let mut tally = Tally::new(name);
    let seconds = silence.as_secs();
    let kinds = [
        (
            format!("a GET stream stays open, silent for {seconds} s"),
            get_stream(),
        ),
        (
            format!("a streamed answer to a POST stays open, silent for {seconds} s"),
            call(),
        ),
    ];
    let patience = silence + Duration::from_secs(10);
    let watched: Vec<_> = thread::scope(|scope| {
        let mut running = Vec::new();
        for over in Over::ALL {
            for (guarantee, request) in &kinds {
                let scene = &scene;
                let watch = move || scene.watch(over, request, patience);
                running.push((guarantee, over, scope.spawn(watch)));
            }
        }
        let join = |(guarantee, over, thread): (_, _, thread::ScopedJoinHandle<'_, _>)| {
            (guarantee, over, thread.join().expect("a client"))
        };
        running.into_iter().map(join).collect()
    });
    for (guarantee, over, pieces) in watched {
        let fault = match pieces {
            Ok(pieces) => broken(&pieces, silence),
            Err(error) => Some(error.to_string()),
        };
        tally.count(guarantee, over.column(), fault);
    }
    tally.conclude();
}

#[test]
fn streams_stay_open() {
    streams("streams", Duration::from_secs(5));
}

/// Longer than every time-out of the shipped bootstrap.
#[test]
#[ignore = "takes 75 seconds; run by `make evidence`"]
fn streams_stay_open_for_long() {
    streams("streams-long", Duration::from_secs(75));
}

/// Every request that only Envoy or the filter answers, with the status and
/// the `Allow` it must have.
fn refused() -> Vec<(&'static str, Request, u16, Option<&'static str>)> {
    let legacy = Some("2025-11-25");
    let modern = Some("2026-07-28");
    let body = call().body;
    let with_body = |mut request: Request| {
        request.body.clone_from(&body);
        request.header("content-type", "application/json")
    };
    let chunked = |request: Request| Request {
        chunk_sizes: vec![16],
        ..with_body(request)
    };
    let delete = || request("DELETE", "/mcp", legacy).header("mcp-session-id", "s-1");
    let two_sessions = delete().header("mcp-session-id", "s-2");
    let mut empty = call();
    empty.body = None;
    let mut zero = call();
    zero.body = Some(Vec::new());
    let events = |request: Request| request.header("accept", "text/event-stream");
    vec![
        (
            "GET with a body is refused",
            with_body(get_stream()),
            400,
            None,
        ),
        (
            "GET with a body is refused",
            chunked(get_stream()),
            400,
            None,
        ),
        (
            "DELETE with a body is refused",
            with_body(delete()),
            400,
            None,
        ),
        (
            "DELETE with a body is refused",
            chunked(delete()),
            400,
            None,
        ),
        (
            "a POST without a body is answered at once",
            empty,
            400,
            None,
        ),
        (
            "a POST with an empty body is answered at once",
            zero,
            400,
            None,
        ),
        (
            "GET that asks for no stream: 405",
            request("GET", "/mcp", legacy),
            405,
            Some(""),
        ),
        (
            "GET of a revision not permitted is refused",
            events(request("GET", "/mcp", Some("2025-03-26"))),
            405,
            Some(""),
        ),
        (
            "GET where streams are denied: 405",
            events(request("GET", "/closed", legacy)),
            405,
            Some("POST"),
        ),
        (
            "DELETE without a session: 405",
            request("DELETE", "/mcp", legacy),
            405,
            Some(""),
        ),
        ("DELETE of two sessions is refused", two_sessions, 400, None),
        (
            "DELETE where sessions are denied: 405",
            request("DELETE", "/closed", legacy).header("mcp-session-id", "s-1"),
            405,
            Some("POST"),
        ),
        (
            "GET in 2026-07-28: 405",
            events(request("GET", "/modern", modern)),
            405,
            Some("POST"),
        ),
        (
            "DELETE in 2026-07-28: 405",
            request("DELETE", "/modern", modern).header("mcp-session-id", "s-1"),
            405,
            Some("POST"),
        ),
        ("HEAD: 405", request("HEAD", "/mcp", legacy), 405, Some("")),
        (
            "PUT: 405",
            with_body(request("PUT", "/mcp", legacy)),
            405,
            Some(""),
        ),
        (
            "PATCH: 405",
            request("PATCH", "/mcp", legacy),
            405,
            Some(""),
        ),
        (
            "OPTIONS without the cors filter: 405",
            request("OPTIONS", "/mcp", legacy),
            405,
            Some(""),
        ),
    ]
}

#[test]
fn verbs() {
    let Some(scene) = start("verbs", |_| {}) else {
        return;
    };
    let mut tally = Tally::new("verbs");
    for over in Over::ALL {
        for (guarantee, request, status, allow) in refused() {
            let answer = scene.send(over, &request);
            let bytes = scene.arrived().bytes;
            let right = answer.as_ref().is_ok_and(|answer| {
                let told = answer.header("allow");
                answer.status == status
                    && match allow {
                        None => told.is_none(),
                        Some("") => told.is_some_and(|verbs| verbs.contains("POST")),
                        Some(verbs) => told.as_deref() == Some(verbs),
                    }
            });
            let fault = (!right || bytes > 0).then(|| format!("{bytes} bytes, {answer:?}"));
            tally.count(guarantee, over.column(), fault);
        }
        let session_end =
            request("DELETE", "/mcp", Some("2025-11-25")).header("mcp-session-id", "s-1");
        for (guarantee, request) in [
            ("DELETE of a session is forwarded", session_end),
            ("GET for a stream is forwarded", get_stream()),
        ] {
            let answer = scene.send(over, &request);
            let recording = scene.arrived();
            let fault = match (recording.exchanges.as_slice(), &answer) {
                ([got], Ok(answer)) if answer.status == 200 => {
                    gateway::difference(&request, got, false)
                }
                _ => Some(format!("{answer:?} {recording:?}")),
            };
            tally.count(guarantee, over.column(), fault);
        }
    }
    tally.conclude();
}

fn start(test: &str, arrange: impl FnOnce(&mut Bootstrap)) -> Option<Scene> {
    let recorder = Recorder::start().expect("a server");
    Scene::start(test, POLICY, recorder, arrange)
}

/// Envoy's cors filter stands ahead of admit and answers preflights.
#[test]
fn preflights_are_envoys() {
    let typed =
        |kind: &str| format!("type.googleapis.com/envoy.extensions.filters.http.cors.v3.{kind}");
    let policy = json!({
        "@type": typed("CorsPolicy"),
        "allow_origin_string_match": [{ "exact": "https://app.example" }],
        "allow_methods": "POST, GET, DELETE",
        "allow_headers": "mcp-protocol-version, mcp-session-id, content-type",
    });
    let arrange = |bootstrap: &mut Bootstrap| {
        for listener in &mut bootstrap.listeners {
            listener.before = vec![json!({
                "name": "envoy.filters.http.cors",
                "typed_config": { "@type": typed("Cors") },
            })];
            listener.routes = vec![json!({
                "match": { "prefix": "/" },
                "route": { "cluster": "mcp_server", "timeout": "0s" },
                "typed_per_filter_config": { "envoy.filters.http.cors": policy.clone() },
            })];
        }
    };
    let Some(scene) = start("preflights", arrange) else {
        return;
    };
    let mut tally = Tally::new("verbs-preflight");
    for over in Over::ALL {
        let preflight = request("OPTIONS", "/mcp", None)
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST");
        let answer = scene.send(over, &preflight).expect("an answer");
        let allowed = answer.header("access-control-allow-origin");
        let kept = answer.status == 200
            && allowed.as_deref() == Some("https://app.example")
            && scene.arrived().bytes == 0;
        let fault = (!kept).then(|| format!("{answer:?}"));
        tally.count(
            "a preflight is answered by Envoy ahead of the filter",
            over.column(),
            fault,
        );
        let answer = scene
            .send(over, &request("OPTIONS", "/mcp", None))
            .expect("an answer");
        let kept = answer.status == 405 && scene.arrived().bytes == 0;
        let fault = (!kept).then(|| format!("{answer:?}"));
        tally.count("OPTIONS that is no preflight: 405", over.column(), fault);
    }
    tally.conclude();
}
