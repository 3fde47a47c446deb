//! The corpus again and again, over many connections at once.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Over, Plan, RESTRICTED, judge, request, signed};
use crate::client::{Request, Response};
use crate::corpus::{Case, Expected, Http, Runner};
use crate::envoy::{Envoy, Flags};
use crate::error::{Error, Result};
use crate::load::{Drain, Drained, Kept};
use crate::recorder::{Recorder, Recording};
use crate::report::{self, Got};
use crate::usage;

/// Wrong verdicts that are told in full.
const TOLD: usize = 20;

/// What a soak came to.
#[derive(Debug, Default, Clone)]
pub struct Soaked {
    /// Cases that took part.
    pub cases: usize,
    /// Requests answered.
    pub requests: u64,
    /// Requests that were forwarded.
    pub forwarded: u64,
    /// Requests whose verdict was not the expected one, or that got none.
    pub wrong: u64,
    /// The first of them.
    pub told: Vec<String>,
    /// 5xx answers, of whomever.
    pub server_errors: u64,
    /// What arrived at the server.
    pub arrived: Drained,
    /// VMs that were started again, and lines about missing capabilities.
    pub faults: u64,
    /// Resident bytes of Envoy, second by second.
    pub resident: Vec<u64>,
}

impl Soaked {
    /// Requests and events that should not have been.
    pub fn failed(&self) -> u64 {
        self.wrong
            + self.server_errors
            + self.faults
            + self.arrived.wrong
            + self.arrived.stray
            + self.arrived.requests.abs_diff(self.forwarded)
    }

    /// By how many bytes the peak of the last quarter is above that of the
    /// second; the first is for warming up.
    pub fn growth(&self) -> u64 {
        let quarter = self.resident.len() / 4;
        let peak = |part: &[u64]| part.iter().max().copied().unwrap_or_default();
        // Of a run of seconds at least one sample.
        let end = (2 * quarter).max(quarter + 1);
        let second = self.resident.get(quarter..end).unwrap_or_default();
        let last = self.resident.get(3 * quarter..).unwrap_or_default();
        peak(last).saturating_sub(peak(second))
    }
}

/// Sends random cases over `connections` kept connections for as long as
/// `duration`; through admit and recheck where the case's policy has both.
///
/// # Errors
/// If Envoy does not start, or no case can take part.
pub fn soak(
    binary: &Path,
    cases: &[Case],
    connections: usize,
    duration: Duration,
) -> Result<Soaked> {
    let fit: Vec<&Case> = cases.iter().filter(|case| fits(case)).collect();
    let recorder = Recorder::start()?;
    let plan = Plan::new(&fit);
    let text = plan.bootstrap(&recorder)?.render()?;
    let flags = Flags {
        workers: 2,
        quiet: true,
        ..Flags::default()
    };
    let envoy = Envoy::start_with(binary, &text, flags)?;
    let mut jobs = Vec::new();
    for case in &fit {
        // The last one is the whole chain. Policies that do not compile are
        // the business of the corpus' own run.
        if let Some(route) = plan.routes(case)?.pop() {
            let to = envoy.listener(&route.listener);
            let sent = signed(case, request(case, &route.authority))?;
            jobs.push((*case, sent, to));
        }
    }
    if jobs.is_empty() {
        return Err(Error::new("no case can take part"));
    }
    let forwardable: HashSet<Vec<u8>> = fit
        .iter()
        .filter(|case| case.expected == Expected::Forward)
        .map(|case| case.body().unwrap_or_default())
        .collect();
    let drain = Drain::start(&recorder, move |exchange| {
        forwardable.contains(&exchange.body)
    });

    let (done, sums) = (AtomicBool::new(false), Sums::default());
    let mut soaked = Soaked {
        cases: jobs.len(),
        ..Soaked::default()
    };
    let told = thread::scope(|scope| {
        let (jobs, done, sums) = (&jobs, &done, &sums);
        let clients: Vec<_> = (0..connections)
            .map(|_| scope.spawn(move || client(jobs, done, sums)))
            .collect();
        let begun = Instant::now();
        while begun.elapsed() < duration && !clients.iter().any(|c| c.is_finished()) {
            thread::sleep(Duration::from_secs(1).min(duration));
            soaked.resident.extend(usage::resident(envoy.id()));
        }
        done.store(true, Ordering::Release);
        let told: Result<Vec<Vec<String>>> = clients
            .into_iter()
            .map(|client| {
                let told = client.join();
                told.map_err(|_| Error::new("a client panicked"))
            })
            .collect();
        told
    })?;
    soaked.told = told.into_iter().flatten().take(TOLD).collect();
    soaked.requests = sums.requests.into_inner();
    soaked.forwarded = sums.forwarded.into_inner();
    soaked.wrong = sums.wrong.into_inner();
    soaked.server_errors = sums.server_errors.into_inner();
    soaked.arrived = drain.finish();
    let log = envoy.log();
    soaked.faults = log.matches(RESTRICTED).count() as u64
        + envoy.stat("wasm.mcp_boundary.vm_reload")?
        + envoy.stat("wasm.mcp_boundary_recheck.vm_reload")?;
    Ok(soaked)
}

/// Whether a case says something over a connection that others use as well.
fn fits(case: &Case) -> bool {
    let of_the_connection = [
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "transfer-encoding",
        "upgrade",
    ];
    case.runs_in(Runner::Envoy)
        // Some of them leave a length that closes the connection.
        && case.between.is_none()
        && !case.is_raw()
        && case.transport.http != Some(Http::H2)
        && Over::Http11.cannot_carry(case).is_none()
        && !matches!(case.method.as_str(), "HEAD" | "CONNECT")
        && !of_the_connection.iter().any(|name| case.lists(name))
}

#[derive(Debug, Default)]
struct Sums {
    requests: AtomicU64,
    forwarded: AtomicU64,
    wrong: AtomicU64,
    server_errors: AtomicU64,
}

type Job<'a> = (&'a Case, Request, SocketAddr);

/// One connection's share; what it found wrong.
fn client(jobs: &[Job<'_>], done: &AtomicBool, sums: &Sums) -> Vec<String> {
    let mut random = fastrand::Rng::new();
    let mut kept: Option<(SocketAddr, Kept)> = None;
    let mut told = Vec::new();
    while !done.load(Ordering::Acquire) {
        let Some((case, request, to)) = random.choice(jobs) else {
            break;
        };
        // One connection at a time; listeners of one case each are rare.
        if kept.as_ref().is_some_and(|(open, _)| open != to) {
            kept = None;
        }
        let (_, connection) = kept.get_or_insert_with(|| (*to, Kept::new(*to)));
        let answer = connection.ask(request);
        sums.requests.fetch_add(1, Ordering::Relaxed);
        if let Some(problem) = problem(case, request, answer, sums) {
            sums.wrong.fetch_add(1, Ordering::Relaxed);
            told.push(format!("{}: {problem}", case.id));
            told.truncate(TOLD);
        }
    }
    told
}

/// What is wrong with an answer. That a forwarded body arrived as it was sent
/// is looked at where it arrives.
fn problem(
    case: &Case,
    request: &Request,
    answer: Result<Response>,
    sums: &Sums,
) -> Option<String> {
    let got = match answer {
        Ok(answer) if judge::is_the_servers(&answer) => {
            sums.forwarded.fetch_add(1, Ordering::Relaxed);
            Got {
                verdict: Expected::Forward,
                code: None,
                status: None,
                headers: Vec::new(),
                empty: false,
                answer: None,
                through: String::new(),
                detail: String::new(),
            }
        }
        other => {
            if other.as_ref().is_ok_and(|answer| answer.status >= 500) {
                sums.server_errors.fetch_add(1, Ordering::Relaxed);
            }
            match judge::judge(case, request, other, Recording::default()) {
                Ok(got) => got,
                Err(error) => return Some(error.to_string()),
            }
        }
    };
    report::mismatch(case, &got)
}
