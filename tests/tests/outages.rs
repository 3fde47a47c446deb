//! Servers, clients and proxies that go away in the middle of it.

use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::Connection;
use mcp_boundary_tests::envoy::Bootstrap;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::recorder::ANSWER;
use mcp_boundary_tests::scene::{GUARDED, Scene, guarded, until};
use mcp_boundary_tests::usage;

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    denial: http
    allow: { tools: [get_weather] }
";

fn start(test: &str) -> Option<Scene> {
    Scene::guarded(test, POLICY)
}

fn conclude(name: &str, rows: &[Row], wrong: &[String]) {
    evidence::record(name, rows);
    println!("{rows:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(rows.iter().all(|row| row.run > 0), "{rows:?}");
}

/// A port that nobody listens on: bound once, then left.
fn nobody() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

#[test]
fn a_server_that_is_down_is_envoys_matter() {
    let down = |bootstrap: &mut Bootstrap| bootstrap.upstream = nobody().into();
    let listeners = vec![guarded(GUARDED, POLICY)];
    let Some(Scene { envoy, .. }) = Scene::of("a server that is down", listeners, down) else {
        return;
    };
    let to = envoy.listener("guarded");
    let mut rows = [
        Row::new(
            "with the server down, permitted calls get Envoy's own 503",
            "HTTP/1.1",
        ),
        Row::new(
            "with the server down, denied calls are denied as ever",
            "HTTP/1.1",
        ),
    ];
    for _ in 0..20 {
        let answer = call("get_weather", 0).send(to).unwrap_or_default();
        // Ours would be JSON-RPC.
        rows[0].count(answer.status == 503 && answer.json().is_none());
        let answer = call("delete_repo", 0).send(to).unwrap_or_default();
        let code = answer
            .json()
            .and_then(|body| body["error"]["code"].as_i64());
        rows[1].count(answer.status == 403 && code == Some(-31403));
    }
    let wrong = rows.iter().filter(|row| row.failed > 0);
    let wrong: Vec<_> = wrong.map(|row| row.guarantee.clone()).collect();
    conclude("outages-server", &rows, &wrong);
}

#[test]
fn clients_that_leave_halfway_leave_nothing_behind() {
    const CLIENTS: usize = 400;
    const SIZE: usize = 200_000;
    let Some(Scene {
        envoy, recorder, ..
    }) = start("clients that leave")
    else {
        return;
    };
    let to = envoy.listener("guarded");
    let mut row = Row::new("of a body that breaks off nothing is sent on", "HTTP/1.1");
    let halfway = |clients: usize| {
        for index in 0..clients {
            let mut request = call(["get_weather", "delete_repo"][index % 2], SIZE);
            // With and without a declared length.
            request.chunk_sizes = [vec![], vec![SIZE / 3]][index / 2 % 2].clone();
            let mut connection = Connection::open(to).expect("a connection");
            connection.write(&request.halves().0).expect("written");
            thread::sleep(Duration::from_millis(2));
        }
        until("all gone", || {
            envoy
                .stat("http.mcp.downstream_rq_active")
                .expect("statistics")
                == 0
        });
    };
    halfway(CLIENTS / 4);
    let before = usage::resident(envoy.id()).expect("envoy runs");
    halfway(CLIENTS);
    let after = usage::resident(envoy.id()).expect("envoy runs");
    let bytes = recorder.take().bytes;
    let served = call("get_weather", 0).send(to).unwrap_or_default().status;
    let denied = call("delete_repo", 0).send(to).unwrap_or_default().status;
    let reset = envoy
        .stat("http.mcp.downstream_rq_rx_reset")
        .expect("statistics");
    println!("{before} bytes before, {after} after, {reset} resets");

    row.run = CLIENTS as u64;
    // A fortieth of what was sent.
    let grown = after.saturating_sub(before);
    let kept = bytes == 0 && (served, denied) == (200, 403) && grown < 8 << 20;
    row.failed = u64::from(!kept);
    let said = format!("{bytes} bytes arrived, then {served} and {denied}, {grown} bytes grown");
    conclude("outages-client", &[row], (!kept).then_some(said).as_slice());
}

#[test]
fn a_drained_envoy_decides_what_is_under_way() {
    let Some(Scene {
        envoy, recorder, ..
    }) = start("draining")
    else {
        return;
    };
    let to = envoy.listener("guarded");
    let mut row = Row::new(
        "requests under way are decided while Envoy drains",
        "HTTP/1.1",
    );
    let mut under_way: Vec<_> = (0..40)
        .map(|index| {
            let permitted = index % 2 == 0;
            let request = call(["delete_repo", "get_weather"][usize::from(permitted)], 1000);
            let (start, end) = request.halves();
            let mut connection = Connection::open(to).expect("a connection");
            connection.write(&start).expect("written");
            (connection, end, permitted)
        })
        .collect();
    until("under way", || {
        envoy
            .stat("http.mcp.downstream_rq_active")
            .expect("statistics")
            == 40
    });
    let said = envoy
        .admin_post("/drain_listeners?graceful")
        .expect("an answer");
    assert_eq!(said.trim(), "OK");
    thread::sleep(Duration::from_millis(200));
    let mut forwarded = 0;
    for (connection, end, permitted) in &mut under_way {
        connection.write(end).expect("written");
        let answer = connection.answer(false).unwrap_or_default();
        let passed = answer.status == 200 && answer.body == ANSWER.as_bytes();
        row.count(if *permitted {
            passed
        } else {
            answer.status == 403
        });
        forwarded += usize::from(passed);
    }
    let arrived = recorder.take();
    let kept = arrived.exchanges.len() == forwarded && arrived.unattributed() == 0;
    let wrong =
        (row.failed > 0 || !kept).then(|| format!("{row:?}, {forwarded} of 20: {arrived:?}"));
    conclude("outages-drain", &[row], wrong.as_slice());
}

/// An update reaches new connections at once. One that is open keeps its
/// chain of filters, and so its policy, until Envoy has drained it: ten
/// minutes unless `--drain-time-s` says otherwise.
#[test]
fn an_open_connection_keeps_its_policy_for_the_drain_time() {
    const DRAIN: u32 = 2;
    let other = POLICY.replace("get_weather", "get_forecast");
    let listeners = |policy| vec![guarded(GUARDED, policy)];
    let drain = |bootstrap: &mut Bootstrap| bootstrap.flags.drain_seconds = DRAIN;
    let changing = Scene::changing("open connections", listeners(POLICY), drain);
    let Some((Scene { envoy, .. }, discovery)) = changing else {
        return;
    };
    let to = envoy.listener("guarded");
    let status = |tool| call(tool, 0).send(to).map_or(0, |answer| answer.status);
    let mut open = Connection::open(to).expect("a connection");
    let before = open.ask(&call("get_weather", 0)).expect("an answer");
    assert_eq!(before.status, 200);

    discovery.publish(listeners(&other)).expect("written");
    until("in force", || status("get_forecast") == 200);
    let begun = Instant::now();
    let mut new = Row::new("an update is in force for new connections", "chain end");
    let mut old = Row::new(
        "an open connection has one policy, the old one, until it is drained",
        "chain end",
    );
    // Until Envoy closes it.
    while begun.elapsed() < Duration::from_secs(15)
        && let Ok(answer) = open.ask(&call("get_weather", 0))
    {
        old.count(answer.status == 200 && begun.elapsed() < Duration::from_secs(10));
        new.count(status("get_weather") == 403 && status("get_forecast") == 200);
        thread::sleep(Duration::from_millis(100));
    }
    println!("closed after {:?}", begun.elapsed());
    let rows = [new, old];
    let wrong = rows.iter().filter(|row| row.failed > 0);
    let wrong: Vec<_> = wrong.map(|row| row.guarantee.clone()).collect();
    conclude("outages-open", &rows, &wrong);
}
