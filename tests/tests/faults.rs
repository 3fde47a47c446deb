//! What happens when the filter cannot work as configured: nothing gets
//! through that should not, and what worked before goes on working.
//!
//! Words in the log for operators are `configuration.rs`; here it is requests
//! that tell.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Listener};
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::recorder::Recorder;
use mcp_boundary_tests::scene::{GUARDED, Scene};
use mcp_policy::envoy::Hold;
use serde_json::{Value, json};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: tools
    path: /mcp
    denial: http
    compat: { stale_mirrors: true }
    allow: { tools: [get_weather] }
"#;

const CONFIG: &str = "/typed_config/config";
const VALUE: &str = "/typed_config/config/configuration/value";
const VM_ID: &str = "/typed_config/config/vm_config/vm_id";

/// What a trapped filter answers as long as it has no new VM: Envoy's backoff
/// starts at a second and is jittered.
const RELOAD: Duration = Duration::from_secs(10);

fn stanza(text: &str, part: Part) -> Value {
    let module = envoy::filter_module().expect("the filter's module");
    let name = format!("{part:?}").to_lowercase();
    policy::stanza(text, part, &name, &module).expect("a stanza")
}

fn guarded(admit: Value, recheck: Value) -> Listener {
    let mut listener = Listener::new("guarded");
    listener.admit = Some(admit);
    listener.recheck = Some(recheck);
    listener
}

fn remove(stanza: &mut Value, map: &str, key: &str) {
    let map = stanza.pointer_mut(map).and_then(Value::as_object_mut);
    let before = map.expect("a map").remove(key);
    assert!(before.is_some(), "no `{key}` to remove");
}

/// The stanza with one member of the filter's own configuration replaced, or
/// removed by null.
fn with(mut stanza: Value, member: &str, value: impl Fn(&str) -> Value) -> Value {
    let text = stanza.pointer_mut(VALUE).expect("a configuration");
    let mut own: Value = serde_json::from_str(text.as_str().expect("text")).expect("JSON");
    let old = own[member].as_str().unwrap_or_default().to_owned();
    own[member] = value(&old);
    if own[member].is_null() {
        own.as_object_mut().expect("members").remove(member);
    }
    *text = json!(own.to_string());
    stanza
}

/// Listeners that must not come into force, by what is wrong with them.
fn unsound() -> Vec<(&'static str, Listener)> {
    let admit = || stanza(POLICY, Part::Admit);
    let recheck = || stanza(POLICY, Part::Recheck);
    let mut bare = admit();
    remove(&mut bare, CONFIG, "configuration");
    let one_bit = |blob: &str| {
        let middle = blob.len() / 2;
        let other = if blob[middle..].starts_with('A') {
            "B"
        } else {
            "A"
        };
        json!([&blob[..middle], other, &blob[middle + 1..]].concat())
    };
    vec![
        ("no configuration", guarded(bare, recheck())),
        (
            "no policy",
            guarded(with(admit(), "policy", |_| Value::Null), recheck()),
        ),
        (
            "a damaged policy",
            guarded(with(admit(), "policy", one_bit), recheck()),
        ),
        (
            "a damaged policy at the recheck",
            guarded(admit(), with(recheck(), "policy", one_bit)),
        ),
        (
            "half a policy",
            guarded(
                with(admit(), "policy", |blob| json!(blob[..blob.len() / 8 * 4])),
                recheck(),
            ),
        ),
        (
            "another policy than the digest says",
            guarded(
                with(admit(), "digest", |_| json!("0".repeat(64))),
                recheck(),
            ),
        ),
        (
            "an unknown role",
            guarded(with(admit(), "role", |_| json!("observe")), recheck()),
        ),
        (
            "no role",
            guarded(with(admit(), "role", |_| Value::Null), recheck()),
        ),
        (
            "no role at the recheck",
            guarded(admit(), with(recheck(), "role", |_| Value::Null)),
        ),
        (
            "an unknown setting",
            guarded(with(admit(), "mode", |_| json!("off")), recheck()),
        ),
        (
            "an endpoint that is not in the policy",
            guarded(admit(), with(recheck(), "endpoint", |_| json!("other"))),
        ),
    ]
}

struct Gateway(Scene);

impl Gateway {
    fn start(test: &str, listener: Listener) -> Option<Self> {
        let soon = |bootstrap: &mut Bootstrap| bootstrap.give_up_after(1.0);
        Scene::of(test, vec![listener], soon).map(Self)
    }

    fn to(&self) -> SocketAddr {
        self.0.envoy.listener("guarded")
    }

    /// The status, and how many bytes arrived at the server.
    fn ask(&self, request: &Request) -> (u16, u64) {
        let status = request.send(self.to()).map_or(0, |answer| answer.status);
        thread::sleep(Duration::from_millis(10));
        (status, self.0.recorder.take().bytes)
    }
}

/// Whether the endpoint permits `permitted` and denies `denied`, and nothing
/// of the denial arrives.
fn enforces(to: SocketAddr, recorder: &Recorder, permitted: &str, denied: &str) -> bool {
    let status = |tool| call(tool, 0).send(to).map_or(0, |answer| answer.status);
    let refused = status(denied) == 403;
    thread::sleep(Duration::from_millis(10));
    let silent = recorder.take().bytes == 0;
    let passed = status(permitted) == 200;
    refused && silent && passed && recorder.take().exchanges.len() == 1
}

fn column(envoy: &Envoy) -> String {
    format!("Envoy {}", envoy.version().expect("a version"))
}

fn conclude(name: &str, rows: &[Row], wrong: &[String]) {
    evidence::record(name, rows);
    println!("{rows:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(rows.iter().all(|row| row.run > 0), "{rows:?}");
}

#[test]
fn an_unsound_configuration_starts_nothing() {
    let Some(Scene {
        envoy, recorder, ..
    }) = Scene::guarded("unsound configurations", POLICY)
    else {
        return;
    };
    let binary = envoy::find().unwrap_or_else(|missing| panic!("{missing}"));
    let guarantee = "Envoy does not start with an unsound configuration";
    let mut row = Row::new(guarantee, column(&envoy));
    let mut wrong = Vec::new();
    // A refused Envoy takes five seconds to end; all of them do so at once.
    let statuses: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = unsound()
            .into_iter()
            .map(|(what, listener)| {
                let bootstrap = Bootstrap::new(recorder.address(), vec![listener]);
                let binary = &binary;
                let launch = move || Envoy::launch(binary, &bootstrap).expect("envoy runs").err();
                (what, scope.spawn(launch))
            })
            .collect();
        let ended = threads.into_iter().map(|(what, thread)| {
            let refused = thread.join().expect("no panic");
            (what, refused.and_then(|refused| refused.status))
        });
        ended.collect()
    });
    for (what, status) in statuses {
        let kept = status.is_some_and(|status| !status.success());
        row.count(kept);
        if !kept {
            wrong.push(format!("{what}: {status:?}"));
        }
    }
    conclude("faults-start", &[row], &wrong);
}

#[test]
fn an_unsound_update_changes_nothing() {
    let other = POLICY.replace("get_weather", "get_forecast");
    let sound = |text| guarded(stanza(text, Part::Admit), stanza(text, Part::Recheck));
    let changing = Scene::changing("unsound updates", vec![sound(POLICY)], |_| ());
    let Some((
        Scene {
            envoy, recorder, ..
        },
        discovery,
    )) = changing
    else {
        return;
    };
    let to = envoy.listener(GUARDED);
    let guarantee = "an unsound update leaves the policy in force";
    let mut refusing = Row::new(guarantee, column(&envoy));
    let guarantee = "a sound update after an unsound one comes into force";
    let mut recovering = Row::new(guarantee, column(&envoy));
    let mut wrong = Vec::new();
    let mut policies = [
        (POLICY, "get_weather", "get_forecast"),
        (other.as_str(), "get_forecast", "get_weather"),
    ]
    .into_iter()
    .cycle();
    let (_, mut permitted, mut denied) = policies.next().expect("endless");
    assert!(
        enforces(to, &recorder, permitted, denied),
        "{}",
        envoy.log()
    );
    for (what, listener) in unsound() {
        let updated = |counter: &str, listener: Listener| {
            let counter = format!("listener_manager.lds.{counter}");
            let before = envoy.stat(&counter).expect("statistics");
            discovery.publish(vec![listener]).expect("written");
            until(|| envoy.stat(&counter).expect("statistics") > before)
        };
        let rejected = updated("update_rejected", listener);
        let kept = rejected && enforces(to, &recorder, permitted, denied);
        refusing.count(kept);
        if !kept {
            wrong.push(format!(
                "{what}: rejected {rejected}, or not in force any more"
            ));
        }
        let next = policies.next().expect("endless");
        (permitted, denied) = (next.1, next.2);
        let accepted = updated("update_success", sound(next.0));
        let kept = accepted && enforces(to, &recorder, permitted, denied);
        recovering.count(kept);
        if !kept {
            wrong.push(format!(
                "after {what}: accepted {accepted}, or not in force"
            ));
        }
    }
    conclude("faults-update", &[refusing, recovering], &wrong);
}

/// Waits for something that takes a moment; whether it came.
fn until(done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + RELOAD;
    while !done() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(50));
    }
    true
}

/// An instance that one request makes trap: it may not remove headers. With a
/// gate in the chain it has no need to; `gate.rs` has that gate trap.
fn trapping(part: Part) -> Value {
    let mut stanza = stanza(POLICY, part);
    let taken = policy::granted(&mut stanza).remove("proxy_remove_header_map_value");
    assert!(taken.is_some(), "nothing to take away");
    stanza
}

/// A request whose mirror is stale, so that the filter removes it.
fn trap() -> Request {
    call("get_weather", 0).header("mcp-method", "tools/list")
}

#[test]
fn after_a_trap_a_new_vm_serves() {
    if policy::hold() != Hold::Headers {
        return;
    }
    let trapping = guarded(trapping(Part::Admit), stanza(POLICY, Part::Recheck));
    let Some(gateway) = Gateway::start("traps", trapping) else {
        return;
    };
    let column = column(&gateway.0.envoy);
    let mut trapped = Row::new(
        "a trapped request and those during the reload are refused",
        &column,
    );
    let mut served = Row::new("after a trap a new VM serves", &column);
    let mut wrong = Vec::new();
    let mut slowest = Duration::ZERO;
    for round in 0..5 {
        let got = gateway.ask(&trap());
        trapped.count(got == (503, 0));
        let begun = Instant::now();
        // Denied ones are refused throughout, by the filter or for its lack.
        let mut passed = false;
        while !passed && begun.elapsed() < RELOAD {
            let denied = gateway.ask(&call("delete_repo", 0));
            trapped.count(matches!(denied, (403 | 503, 0)));
            passed = gateway.ask(&call("get_weather", 0)).0 == 200;
        }
        slowest = slowest.max(begun.elapsed());
        served.count(passed);
        if !passed || got != (503, 0) {
            wrong.push(format!("round {round}: {got:?}, then served: {passed}"));
        }
    }
    let reloads = gateway
        .0
        .envoy
        .stat("wasm.mcp_boundary.vm_reload_success")
        .expect("statistics");
    println!("{reloads} reloads, the slowest after {slowest:?}");
    if reloads < 5 {
        wrong.push(format!("{reloads} reloads"));
    }
    if trapped.failed > 0 {
        wrong.push(format!("{} not refused", trapped.failed));
    }
    conclude("faults-trap", &[trapped, served], &wrong);
}

/// Two listeners, the first of which traps. With VMs of their own, the second
/// one never notices; sharing one, it does.
fn second_falls(shared: bool) -> Option<(u64, u64)> {
    let instance = |name: &str| {
        let mut listener = guarded(trapping(Part::Admit), stanza(POLICY, Part::Recheck));
        listener.name = name.to_owned();
        if !shared {
            let id = listener
                .admit
                .as_mut()
                .and_then(|stanza| stanza.pointer_mut(VM_ID));
            *id.expect("an id") = json!(name);
        }
        listener
    };
    let listeners = vec![instance("first"), instance("second")];
    let Scene {
        envoy, recorder, ..
    } = Scene::of("two instances", listeners, |_| ())?;
    let (mut run, mut failed) = (0, 0);
    for _ in 0..5 {
        let trapped = trap()
            .send(envoy.listener("first"))
            .map_or(0, |answer| answer.status);
        assert_eq!(trapped, 503);
        for _ in 0..10 {
            run += 1;
            failed += u64::from(!enforces(
                envoy.listener("second"),
                &recorder,
                "get_weather",
                "delete_repo",
            ));
        }
    }
    Some((run, failed))
}

#[test]
fn instances_with_their_own_vm_do_not_fall_together() {
    if policy::hold() != Hold::Headers {
        return;
    }
    let (Some(alone), Some(together)) = (second_falls(false), second_falls(true)) else {
        return;
    };
    let mut row = Row::new(
        "a trap in one instance is not noticed by another",
        "chain end",
    );
    (row.run, row.failed) = alone;
    let wrong = (row.failed > 0).then(|| format!("{} of {}", row.failed, row.run));
    conclude("faults-instances", &[row], wrong.as_slice());
    // The control: this is what an id of their own is for.
    assert!(
        together.1 > 0,
        "instances that share a VM should fall together"
    );
}

/// Without `allow_on_headers_stop_iteration` a body is never shown to the
/// filter: the request ends without a decision, and nothing of it is sent.
#[test]
fn without_the_switch_requests_end_undecided() {
    if policy::hold() != Hold::Headers {
        return;
    }
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for part in [Part::Admit, Part::Recheck] {
        let (mut admit, mut recheck) = (stanza(POLICY, Part::Admit), stanza(POLICY, Part::Recheck));
        let blind = match part {
            Part::Admit => &mut admit,
            Part::Recheck | Part::Upstream => &mut recheck,
        };
        remove(blind, CONFIG, "allow_on_headers_stop_iteration");
        let Some(gateway) = Gateway::start("a missing switch", guarded(admit, recheck)) else {
            return;
        };
        let name = format!("{part:?}").to_lowercase();
        let guarantee = format!("{name} without the switch sends nothing on, and the log says so");
        let mut row = Row::new(guarantee, column(&gateway.0.envoy));
        for request in [
            call("get_weather", 0),
            call("delete_repo", 0),
            call("get_weather", 100_000),
        ] {
            let (status, bytes) = gateway.ask(&request);
            // Once is enough: a client that leaves early looks the same.
            let told = until(|| gateway.0.envoy.log().contains(SWITCH));
            // Admit may still deny where only the recheck is blind.
            let denied = status == 403 && part == Part::Recheck;
            let kept = bytes == 0 && (denied || (matches!(status, 408 | 504) && told));
            row.count(kept);
            if !kept {
                wrong.push(format!(
                    "{name}: {status}, {bytes} bytes arrived, told: {told}"
                ));
            }
        }
        rows.push(row);
    }
    conclude("faults-switch", &rows, &wrong);
}

/// What the log names.
const SWITCH: &str = "`allow_on_headers_stop_iteration: true` is missing";
