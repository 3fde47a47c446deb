//! Policies that take turns while requests come in.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Drain, Drained, Kept, call};
use crate::client::Response;
use crate::envoy::{Bootstrap, Discovery, Envoy, Flags, Listener, filter_module};
use crate::error::{Context, Error, Result};
use crate::policy::{self, Part};
use crate::recorder::{ANSWER, Recorder};

const LISTENER: &str = "guarded";
/// Each policy permits one of these and denies the other.
const TOOLS: [&str; 2] = ["get_weather", "get_forecast"];
const WORKERS: u32 = 2;
const CLIENTS: usize = 8;
/// How long Envoy may take to have logged everything or to take an update.
const PATIENCE: Duration = Duration::from_secs(30);

/// What became of the requests.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Swapped {
    /// Swaps that came into force.
    pub swaps: u64,
    /// Requests sent; those that a closing connection did not take, once.
    pub sent: u64,
    /// Requests that were forwarded and those that were denied.
    pub answered: [u64; 2],
    /// Answers that are neither, or none.
    pub lost: Vec<String>,
    /// Requests decided under each policy, by its digest.
    pub decided: BTreeMap<String, u64>,
    /// Log lines that agree with neither policy.
    pub contradicting: Vec<String>,
    /// What arrived at the server.
    pub arrived: Drained,
    /// Connections by worker.
    pub workers: Vec<u64>,
}

impl Swapped {
    /// Requests that no policy, or not exactly one, decided.
    pub fn failed(&self) -> u64 {
        let decided: u64 = self.decided.values().sum();
        let [forwarded, denied] = self.answered;
        let wrong = self.lost.len() + self.contradicting.len();
        wrong as u64
            + decided.abs_diff(self.sent)
            + (forwarded + denied).abs_diff(self.sent)
            + forwarded.abs_diff(self.arrived.requests)
            + self.arrived.wrong
            + self.arrived.stray
    }
}

fn policy_for(tool: &str) -> String {
    format!(
        "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    denial: http\n    allow: {{ tools: [{tool}] }}\n"
    )
}

fn bootstrap(tool: &str, recorder: &Recorder) -> Result<Bootstrap> {
    let module = filter_module()?;
    let text = policy_for(tool);
    let mut listener = Listener::new(LISTENER);
    listener.admit = Some(policy::stanza(&text, Part::Admit, "admit", &module)?);
    listener.recheck = Some(policy::stanza(&text, Part::Recheck, "recheck", &module)?);
    Ok(Bootstrap::new(recorder.address(), vec![listener]))
}

/// Swaps two policies `swaps` times while eight clients send at least
/// `requests` requests, half of the clients over kept connections.
///
/// # Errors
/// If Envoy does not start or an update does not come into force.
pub fn swap(binary: &Path, swaps: u64, requests: u64) -> Result<Swapped> {
    let recorder = Recorder::start()?;
    let [first, second] = [
        bootstrap(TOOLS[0], &recorder)?,
        bootstrap(TOOLS[1], &recorder)?,
    ];
    let flags = Flags {
        workers: WORKERS,
        ..Flags::default()
    };
    let (discovery, envoy) = Discovery::start(binary, &first, flags)?;
    let drain = Drain::start(&recorder, |exchange| exchange.method == "POST");
    let done = AtomicBool::new(false);
    let sent = AtomicU64::new(0);
    let to = envoy.listener(LISTENER);
    let mut swapped = Swapped::default();
    let outcome = thread::scope(|scope| {
        let (done, sent) = (&done, &sent);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|index| scope.spawn(move || client(to, index, done, sent)))
            .collect();
        let mut result = Ok(());
        while result.is_ok() && (swapped.swaps < swaps || sent.load(Ordering::Relaxed) < requests) {
            if swapped.swaps < swaps {
                let next = if swapped.swaps % 2 == 0 {
                    &second
                } else {
                    &first
                };
                result = update(&discovery, &envoy, next);
                swapped.swaps += u64::from(result.is_ok());
            }
            // In each policy's time, its share of the requests.
            let goal = requests * swapped.swaps / swaps.max(1);
            while result.is_ok() && sent.load(Ordering::Relaxed) < goal {
                thread::sleep(Duration::from_millis(5));
            }
        }
        done.store(true, Ordering::Release);
        for client in clients {
            let Ok((answered, lost)) = client.join() else {
                return Err(Error::new("a client panicked"));
            };
            swapped.answered[0] += answered[0];
            swapped.answered[1] += answered[1];
            swapped.lost.extend(lost);
        }
        result
    });
    outcome?;
    swapped.sent = sent.into_inner();
    swapped.arrived = drain.finish();
    read_log(&envoy, &mut swapped)?;
    for worker in 0..WORKERS {
        // Statistics are named by the configured port.
        let name = format!("listener.127.0.0.1_0.worker_{worker}.downstream_cx_total");
        swapped.workers.push(envoy.stat(&name)?);
    }
    Ok(swapped)
}

fn update(discovery: &Discovery, envoy: &Envoy, next: &Bootstrap) -> Result<()> {
    let accepted = || envoy.stat("listener_manager.lds.update_success");
    let before = accepted()?;
    discovery.publish(next)?;
    let deadline = Instant::now() + PATIENCE;
    while accepted()? == before {
        if Instant::now() > deadline {
            return Err(Error::new("envoy does not take an update"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// One client; even ones keep their connection for as long as Envoy does.
fn client(
    to: SocketAddr,
    index: usize,
    done: &AtomicBool,
    sent: &AtomicU64,
) -> ([u64; 2], Vec<String>) {
    let requests = TOOLS.map(|tool| call(tool, 300));
    let mut answered = [0, 0];
    let mut lost = Vec::new();
    let mut kept = Kept::new(to);
    for round in index.. {
        if done.load(Ordering::Acquire) {
            break;
        }
        sent.fetch_add(1, Ordering::Relaxed);
        if index % 2 == 1 {
            kept.close();
        }
        match kept.ask(&requests[round % 2]) {
            Ok(answer) if answer.body == ANSWER.as_bytes() => answered[0] += 1,
            Ok(answer) if is_a_denial(&answer) => answered[1] += 1,
            Ok(answer) => lost.push(format!(
                "{} `{}`",
                answer.status,
                String::from_utf8_lossy(&answer.body)
            )),
            Err(error) => lost.push(error.to_string()),
        }
    }
    (answered, lost)
}

fn is_a_denial(answer: &Response) -> bool {
    answer.status == 403
        && answer
            .json()
            .is_some_and(|body| body["error"]["data"]["reason"] == "tool_not_allowed")
}

/// Holds every line of the access log against the policy that it names.
fn read_log(envoy: &Envoy, swapped: &mut Swapped) -> Result<()> {
    let mut permits = BTreeMap::new();
    for tool in TOOLS {
        let policy = policy::compile(&policy_for(tool))?;
        permits.insert(policy.digest().to_string(), tool);
    }
    let deadline = Instant::now() + PATIENCE;
    let lines = loop {
        let log = envoy.access_log();
        let lines: Vec<String> = log.lines().map(str::to_owned).collect();
        if lines.len() as u64 >= swapped.sent || Instant::now() > deadline {
            break lines;
        }
        thread::sleep(Duration::from_millis(100));
    };
    for line in lines {
        let entry: Value = serde_json::from_str(&line).context("an access log line")?;
        let digest = entry["policy"].as_str().unwrap_or_default();
        let wanted = match (permits.get(digest), entry["mcp_names"].as_str()) {
            (Some(permitted), Some(name)) if *permitted == name => ("forward", 200),
            (Some(_), Some(_)) => ("deny", 403),
            _ => ("nothing", 0),
        };
        let verdict = entry["verdict"].as_str().unwrap_or_default();
        let status = entry["status"].as_u64().unwrap_or_default();
        if (verdict, status) == wanted {
            *swapped.decided.entry(digest.to_owned()).or_default() += 1;
        } else {
            swapped.contradicting.push(line);
        }
    }
    Ok(())
}
