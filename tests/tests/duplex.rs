//! An external processor in full duplex between admit and recheck: it gets the
//! body in pieces and gives it back in pieces, while the recheck waits for its
//! end. Whoever holds the headers, every byte is judged and every byte arrives.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use mcp_boundary_tests::client::{Connection, Request, Response};
use mcp_boundary_tests::envoy::{self, Listener};
use mcp_boundary_tests::error::Result;
use mcp_boundary_tests::evidence::Tally;
use mcp_boundary_tests::ext_proc;
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::rewriter::Edits;
use mcp_boundary_tests::scene::Scene;
use mcp_policy::envoy::Hold;

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather, get_forecast] }
";

const SIZES: [usize; 5] = [0, 5_000, 60_000, 300_000, 900_000];

/// Listeners by their names, and who holds the headers there.
const WAYS: [(&str, Hold); 2] = [("headers", Hold::Headers), ("gate", Hold::Gate)];

fn listener(name: &str, hold: Hold) -> Listener {
    let module = envoy::filter_module().expect("the filter's module");
    let stanza = |part, role: &str| {
        let own = format!("{name}-{role}");
        policy::stanza_held(POLICY, part, &own, &module, hold).expect("a stanza")
    };
    let mut listener = Listener::new(name);
    listener.admit = Some(stanza(Part::Admit, "admit"));
    listener.between = vec![ext_proc::full_duplex()];
    listener.recheck = Some(stanza(Part::Recheck, "recheck"));
    listener
}

/// Envoy with these listeners and a processor; none if there is no Envoy here.
fn running(test: &str, listeners: Vec<Listener>) -> Option<Scene> {
    Scene::of(test, listeners, |bootstrap| {
        let processor = ext_proc::start().expect("a processor");
        bootstrap.clusters.push(ext_proc::cluster(processor));
    })
}

fn both_ways() -> Vec<Listener> {
    WAYS.map(|(name, hold)| listener(name, hold)).to_vec()
}

/// Rewrites the tool's name.
fn renamed(to: &str, size: usize) -> Request {
    let edits = Edits {
        body: Some(("get_weather".to_owned(), to.to_owned())),
        ..Edits::default()
    };
    edits.ask(call("get_weather", size))
}

#[test]
fn what_a_processor_streams_is_judged_whole() {
    let Some(Scene {
        envoy, recorder, ..
    }) = running("full duplex", both_ways())
    else {
        return;
    };
    let mut tally = Tally::new("duplex");
    for (name, _) in WAYS {
        for size in SIZES {
            for pieces in [vec![], vec![7_000]] {
                for http2 in [false, true] {
                    for (tool, mode, served) in [
                        ("get_weather", "1", true),
                        ("get_weather", ext_proc::ECHO, true),
                        ("get_forecast", "1", true),
                        ("delete_repo", "1", false),
                    ] {
                        let mut request = renamed(tool, size).header(ext_proc::DUPLEX, mode);
                        request.chunk_sizes.clone_from(&pieces);
                        let to = envoy.listener(name);
                        let answer = if http2 {
                            request.send_h2(to)
                        } else {
                            request.send(to)
                        };
                        let status = answer.as_ref().map_or(0, |answer| answer.status);
                        thread::sleep(Duration::from_millis(10));
                        let arrived = recorder.take();
                        let sent = request.body.clone().unwrap_or_default();
                        let sent = String::from_utf8_lossy(&sent).replace("get_weather", tool);
                        let whole = match arrived.exchanges.as_slice() {
                            [one] => one.body == sent.as_bytes() && arrived.unattributed() == 0,
                            _ => false,
                        };
                        let kept = match served {
                            true => status == 200 && whole,
                            false => status == 403 && arrived.bytes == 0,
                        };
                        let said = format!(
                            "{tool}, {mode}, {size} bytes, {pieces:?}, HTTP/2 {http2}: {status}, {} bytes arrived",
                            arrived.bytes
                        );
                        tally.count(
                            "what a processor streams in full duplex is judged whole",
                            &format!("held by {name}"),
                            (!kept).then_some(said),
                        );
                    }
                }
            }
        }
    }
    tally.conclude();
}

/// A processor takes a piece of the body that admit still holds, and gives back
/// what admit never saw. Without a recheck behind it nothing may come of that.
#[test]
fn what_a_processor_takes_early_is_not_sent_unseen() {
    let mut alone = listener("alone", Hold::Gate);
    alone.recheck = None;
    let listeners = vec![alone, listener("both", Hold::Gate)];
    let test = "pieces that are taken early";
    let Some(Scene {
        envoy, recorder, ..
    }) = running(test, listeners)
    else {
        return;
    };
    for name in ["alone", "both"] {
        let body = |tool| call(tool, 0).body.expect("a body");
        let pieces = [body("delete_repo"), body("get_weather")];
        let answer = slowly(envoy.listener(name), "1", &pieces);
        thread::sleep(Duration::from_millis(50));
        let arrived = recorder.take();
        println!("{name}: {answer:?} {arrived:?}");
        assert_eq!(arrived.bytes, 0, "{name}");
        let status = answer.map_or(0, |answer| answer.status);
        assert!(matches!(status, 400 | 503), "{name}: {status}");
    }
}

/// Sends a body piece by piece, each a while after the other.
fn slowly(to: SocketAddr, mode: &str, pieces: &[Vec<u8>]) -> Result<Response> {
    let mut request = call("get_weather", 0).header(ext_proc::DUPLEX, mode);
    request.body = None;
    let mut connection = Connection::open(to)?;
    connection.write(&request.header("transfer-encoding", "chunked").to_bytes())?;
    for piece in pieces {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend(piece);
        chunk.extend(b"\r\n");
        connection.write(&chunk)?;
        thread::sleep(Duration::from_millis(200));
    }
    connection.write(b"0\r\n\r\n")?;
    connection.answer(false)
}

#[test]
fn slow_bodies_pass_a_processor_whole() {
    let Some(Scene {
        envoy, recorder, ..
    }) = running("slow bodies in full duplex", both_ways())
    else {
        return;
    };
    let body = call("get_weather", 20_000).body.expect("a body");
    let pieces: Vec<_> = body.chunks(6_000).map(<[u8]>::to_vec).collect();
    for (name, _) in WAYS {
        for mode in ["1", ext_proc::ECHO] {
            let answer = slowly(envoy.listener(name), mode, &pieces).expect("an answer");
            assert_eq!(answer.status, 200, "{name} {mode}: {answer:?}");
            let arrived = recorder.take();
            assert_eq!(arrived.exchanges.len(), 1, "{name} {mode}");
            assert!(
                arrived.exchanges[0].body == body,
                "{name} {mode}: another body"
            );
        }
    }
}
