//! Cases through a real Envoy, with a recording server behind it.
//!
//! All cases go through one process, one after the other, so that whatever
//! reaches the server between two of them belongs to the first. Each distinct
//! policy is an endpoint of its own host, so that one filter instance holds
//! them all. Every case is sent twice: through admit alone, whose mistakes a
//! recheck would cover up, and through the whole chain.

mod between;
mod intact;
mod judge;
mod plan;
mod soak;

use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::certificate::Certificate;
use crate::client::{self, Request, Response, Trust};
use crate::corpus::{Case, Http, Runner};
use crate::envoy::Envoy;
use crate::error::{Context, Error, Result};
use crate::recorder::Recorder;
use crate::report::{self, Got, Outcome};
use crate::token;

pub use intact::difference;
use plan::{Plan, Route};
pub use soak::{Soaked, soak};

/// How long a refused request is given to turn up at the server after all. One
/// that takes longer still fails the run, with the case after it.
const GRACE: Duration = Duration::from_millis(3);

/// How Envoy says that a filter asked for what it is not granted.
const RESTRICTED: &str = "Attempted call to restricted ";

/// What the requests of a run are sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// HTTP/1.1.
    Http11,
    /// HTTP/2 in clear text.
    Http2,
    /// HTTP/2 over TLS.
    Tls,
}

impl Over {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Http11, Self::Http2, Self::Tls];

    /// The column of the evidence table.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Tls => "TLS",
        }
    }

    /// Why the case says nothing when it is sent over this; `None` if it does.
    pub fn cannot_carry(self, case: &Case) -> Option<&'static str> {
        if self == Self::Http11 {
            return None;
        }
        let hop_by_hop = ["connection", "transfer-encoding", "upgrade"];
        if case.is_raw() {
            Some("bytes of HTTP/1.1")
        } else if hop_by_hop.iter().any(|name| case.lists(name)) {
            Some("a header that HTTP/2 does not have")
        } else if case.lists("host") || case.lists("content-length") {
            Some("a host or a length beside the frames that say so")
        } else if request(case, "cases.test").fits_h2().is_err() {
            Some("characters that HTTP/2 cannot carry")
        } else {
            None
        }
    }
}

/// Runs every case that Envoy can run, each as it says itself.
///
/// # Errors
/// If Envoy does not start or bytes reached the server that belong to no case.
pub fn run(binary: &Path, cases: &[Case]) -> Result<Vec<Outcome>> {
    let all: Vec<&Case> = cases.iter().collect();
    run_with(binary, &all, None)
}

/// Runs every case that Envoy can run and that can be sent over `over`.
///
/// # Errors
/// As [`run`].
pub fn run_over(binary: &Path, cases: &[Case], over: Over) -> Result<Vec<Outcome>> {
    let fit: Vec<&Case> = cases
        .iter()
        .filter(|case| over.cannot_carry(case).is_none())
        .collect();
    run_with(binary, &fit, Some(over))
}

fn run_with(binary: &Path, cases: &[&Case], over: Option<Over>) -> Result<Vec<Outcome>> {
    let here: Vec<&Case> = cases
        .iter()
        .copied()
        .filter(|case| case.runs_in(Runner::Envoy))
        .collect();
    let recorder = Recorder::start()?;
    let plan = Plan::new(&here);
    let mut bootstrap = plan.bootstrap(&recorder)?;
    let mut trust = None;
    if over == Some(Over::Tls) {
        let certificate = Certificate::for_host("cases.test")?;
        trust = Some(certificate.trust()?);
        for listener in &mut bootstrap.listeners {
            listener.transport_socket = Some(certificate.transport_socket());
        }
    }
    let run = Run {
        envoy: Envoy::start(binary, &bootstrap)?,
        plan,
        recorder,
        over,
        trust,
    };
    let mut unreadable = false;
    let mut outcomes = Vec::new();
    for case in here {
        let result = run.through_all(case);
        unreadable |= result.is_err();
        outcomes.push(Outcome::new(case, Runner::Envoy, result));
    }
    if unreadable {
        eprintln!("the end of envoy's log:\n{}", run.envoy.log_tail());
    }
    // A filter that asks for more than it is granted is answered by a failure,
    // which some requests survive.
    if let Some(line) = run
        .envoy
        .log()
        .lines()
        .find(|line| line.contains(RESTRICTED))
    {
        return Err(Error::new(format!(
            "the filter uses what it is not granted: {line}"
        )));
    }
    // Late arrivals: everything that belongs to a case was taken by it.
    thread::sleep(100 * GRACE);
    match run.recorder.take().bytes {
        0 => Ok(outcomes),
        bytes => Err(Error::new(format!(
            "{bytes} bytes reached the server after the last case; some refused request got through late"
        ))),
    }
}

struct Run {
    envoy: Envoy,
    plan: Plan,
    recorder: Recorder,
    /// What every case is sent over; as it says itself if absent.
    over: Option<Over>,
    trust: Option<Trust>,
}

impl Run {
    /// Sends a case through each of its listeners and hands out what is not as
    /// expected, wherever it is: a recheck would cover up what admit let pass.
    fn through_all(&self, case: &Case) -> Result<Got> {
        let mut first: Option<Got> = None;
        for route in self.plan.routes(case)? {
            let through = route.shown();
            let got = self.send(case, &route).context(&through)?;
            let got = Got { through, ..got };
            if report::mismatch(case, &got).is_some() {
                return Ok(got);
            }
            first.get_or_insert(got);
        }
        first.ok_or_else(|| Error::new("the case has no listener"))
    }

    fn send(&self, case: &Case, route: &Route) -> Result<Got> {
        let stray = self.recorder.take();
        if stray.bytes > 0 {
            return Err(Error::new(format!(
                "{} bytes of an earlier case reached the server late",
                stray.bytes
            )));
        }
        let request = request(case, &route.authority);
        let sent = signed(case, request.clone())?;
        let response = self.exchange(case, &sent, self.envoy.listener(&route.listener));
        let answered_by_server = response.as_ref().is_ok_and(judge::is_the_servers);
        if !answered_by_server {
            thread::sleep(GRACE);
        }
        let wanted = match &case.between {
            Some(between) => between.rewritten(request),
            None => request,
        };
        judge::judge(case, &wanted, response, self.recorder.take())
    }

    fn exchange(&self, case: &Case, request: &Request, to: SocketAddr) -> Result<Response> {
        if let Some(bytes) = case.raw_bytes() {
            return client::send_bytes(to, &bytes);
        }
        let as_written = match case.transport.http {
            Some(Http::H2) => Over::Http2,
            Some(Http::Http11) | None => Over::Http11,
        };
        match (self.over.unwrap_or(as_written), &self.trust) {
            (Over::Http11, _) => request.send(to),
            (Over::Http2, _) => request.send_h2(to),
            (Over::Tls, Some(trust)) => request.send_tls(to, trust),
            (Over::Tls, None) => Err(Error::new("nothing is trusted")),
        }
    }
}

/// The request with the token that the case is about, which `jwt_authn` drops
/// again.
fn signed(case: &Case, request: Request) -> Result<Request> {
    let Some((_, Some(claims))) = case.token() else {
        return Ok(request);
    };
    let token = token::sign(&json!(claims).to_string())?;
    Ok(request.header(token::HEADER, &token))
}

fn request(case: &Case, authority: &str) -> Request {
    let mut headers = case.header_bytes();
    if case.between.is_some() {
        let id = case.id.clone().into_bytes();
        headers.push((between::CASE.as_bytes().to_vec(), id));
    }
    Request {
        method: case.method.clone(),
        path: case.path.clone(),
        authority: Some(authority.to_owned()),
        headers,
        body: case.body(),
        chunk_sizes: case.transport.chunk_sizes.clone(),
        trailers: case.trailer_bytes(),
    }
}
