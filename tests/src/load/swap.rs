//! Policies that take turns while requests come in, each by every way that it
//! can get to admit and recheck. Meanwhile the two may hold different ones.

mod way;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Drain, Drained, Kept, call};
use crate::client::Response;
use crate::envoy::{Bootstrap, Envoy, Flags, Listener, filter_module};
use crate::error::{Context, Error, Result};
use crate::policy::{self, Part};
use crate::recorder::{ANSWER, Recorder};

use way::Watched;
pub use way::{By, Way};

const LISTENER: &str = "guarded";
/// Both policies permit the one, only the first permits the other.
const TOOLS: [&str; 2] = ["get_weather", "get_forecast"];
/// What each policy permits.
const PERMITTED: [&[&str]; 2] = [&TOOLS, &[TOOLS[0]]];
const WORKERS: u32 = 2;
const CLIENTS: usize = 8;
/// How long Envoy may take to have logged everything.
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
    /// Requests that admit decided under each policy, by its digest.
    pub decided: BTreeMap<String, u64>,
    /// Requests that one policy admitted and the other's recheck denied.
    pub between: u64,
    /// What rechecks logged about them.
    pub told: u64,
    /// Log lines that agree with neither policy.
    pub contradicting: Vec<String>,
    /// What arrived at the server.
    pub arrived: Drained,
    /// Connections by worker.
    pub workers: Vec<u64>,
}

impl Swapped {
    /// Requests that were lost, or decided otherwise than by every policy
    /// that saw them.
    pub fn failed(&self) -> u64 {
        let decided: u64 = self.decided.values().sum();
        let [forwarded, denied] = self.answered;
        let wrong = self.lost.len() + self.contradicting.len();
        wrong as u64
            + decided.abs_diff(self.sent)
            + self.between.abs_diff(self.told)
            + (forwarded + denied).abs_diff(self.sent)
            + forwarded.abs_diff(self.arrived.requests)
            + self.arrived.wrong
            + self.arrived.stray
    }
}

fn policy_for(tools: &[&str]) -> String {
    format!(
        "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    denial: http\n    allow: {{ tools: [{}] }}\n",
        tools.join(", ")
    )
}

fn bootstrap(way: Way, tools: &[&str], recorder: &Recorder) -> Result<Bootstrap> {
    let module = filter_module()?;
    let text = policy_for(tools);
    let mut listener = Listener::new(LISTENER);
    listener.admit = Some(policy::stanza(&text, Part::Admit, "admit", &module)?);
    let mut bootstrap = Bootstrap::new(recorder.address(), Vec::new());
    if way.upstream {
        let recheck = policy::stanza(&text, Part::Upstream, "recheck", &module)?;
        bootstrap.upstream_filters = vec![recheck];
    } else {
        listener.recheck = Some(policy::stanza(&text, Part::Recheck, "recheck", &module)?);
    }
    bootstrap.listeners.push(listener);
    Ok(bootstrap)
}

/// Swaps two policies `swaps` times by one way while eight clients send at
/// least `requests` requests, half of the clients over kept connections.
///
/// # Errors
/// If Envoy does not start or an update does not come into force.
pub fn swap(binary: &Path, way: Way, swaps: u64, requests: u64) -> Result<Swapped> {
    let recorder = Recorder::start()?;
    let [first, second] = [
        bootstrap(way, PERMITTED[0], &recorder)?,
        bootstrap(way, PERMITTED[1], &recorder)?,
    ];
    let flags = Flags {
        workers: WORKERS,
        ..Flags::default()
    };
    let (mut watched, envoy) = Watched::start(binary, way, &first, flags)?;
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
                result = watched.update(&envoy, next);
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
    for round in index / 2.. {
        if done.load(Ordering::Acquire) {
            break;
        }
        sent.fetch_add(1, Ordering::Relaxed);
        if index % 2 == 1 {
            kept.close();
        }
        let tool = round % 2;
        match kept.ask(&requests[tool]) {
            Ok(answer) if answer.body == ANSWER.as_bytes() => answered[0] += 1,
            // What both permit is never denied.
            Ok(answer) if tool == 1 && is_a_denial(&answer) => answered[1] += 1,
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

/// Holds every line of the access log against the policy that it names, and
/// what rechecks say against both.
fn read_log(envoy: &Envoy, swapped: &mut Swapped) -> Result<()> {
    let mut permits = BTreeMap::new();
    for tools in PERMITTED {
        let policy = policy::compile(&policy_for(tools))?;
        permits.insert(policy.digest().to_string(), tools);
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
        let names = entry["mcp_names"].as_str().unwrap_or_default();
        let names: Vec<String> = serde_json::from_str(names).context("names in an access log")?;
        let name = names.first().map_or("", String::as_str);
        let verdict = entry["verdict"].as_str().unwrap_or_default();
        let admits = permits.get(digest).map(|tools| tools.contains(&name));
        let right = matches!(
            (admits, verdict, entry["status"].as_u64()),
            (Some(true), "forward", Some(200)) | (Some(false), "deny", Some(403))
        );
        // Admitted by one and denied by the other.
        if right && entry["role"] == "recheck" && verdict == "deny" {
            swapped.between += 1;
        }
        if right {
            *swapped.decided.entry(digest.to_owned()).or_default() += 1;
        } else {
            swapped.contradicting.push(line);
        }
    }
    for line in envoy.log().lines() {
        let Some(at) = line.find("{\"mcp_boundary\":") else {
            continue;
        };
        let entry: Value = serde_json::from_str(&line[at..]).context("a line of the log")?;
        if entry["role"] != "recheck" {
            continue;
        }
        let permitted = |policy: &Value, name: &str| {
            let tools = permits.get(policy.as_str().unwrap_or_default());
            tools.is_some_and(|tools| tools.contains(&name))
        };
        let name = entry["names"][0].as_str().unwrap_or_default();
        // Admitted by one, denied by the other, and both are named.
        if entry["reason"] == "tool_not_allowed"
            && permitted(&entry["admitted_by"], name)
            && !permitted(&entry["policy"], name)
        {
            swapped.told += 1;
        } else {
            swapped.contradicting.push(line.to_owned());
        }
    }
    Ok(())
}
