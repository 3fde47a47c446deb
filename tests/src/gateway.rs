//! Cases through a real Envoy, with a recording server behind it.
//!
//! All cases go through one process, one after the other, so that whatever
//! reaches the server between two of them belongs to the first. Each distinct
//! policy is an endpoint of its own host, so that one filter instance holds
//! them all. Every case is sent twice: through admit alone, whose mistakes a
//! recheck would cover up, and through the whole chain.

mod judge;
mod plan;

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::client::{self, Request};
use crate::corpus::{Case, Http, Runner};
use crate::envoy::Envoy;
use crate::error::{Context, Error, Result};
use crate::recorder::Recorder;
use crate::report::{Got, Outcome};

use plan::{Plan, Route};

/// How long a refused request is given to turn up at the server after all. One
/// that takes longer still fails the run, with the case after it.
const GRACE: Duration = Duration::from_millis(3);

/// Runs every case that Envoy can run.
///
/// # Errors
/// If Envoy does not start or bytes reached the server that belong to no case.
pub fn run(binary: &Path, cases: &[Case]) -> Result<Vec<Outcome>> {
    let here: Vec<&Case> = cases
        .iter()
        .filter(|case| case.runs_in(Runner::Envoy))
        .collect();
    let recorder = Recorder::start()?;
    let plan = Plan::new(&here);
    let envoy = Envoy::start(binary, &plan.bootstrap(&recorder)?)?;
    let mut unreadable = false;
    let mut outcomes = Vec::new();
    for case in here {
        let result = through_all(case, &plan, &envoy, &recorder);
        unreadable |= result.is_err();
        outcomes.push(Outcome::new(case, Runner::Envoy, result));
    }
    if unreadable {
        eprintln!("the end of envoy's log:\n{}", envoy.log_tail());
    }
    // Late arrivals: everything that belongs to a case was taken by it.
    thread::sleep(100 * GRACE);
    match recorder.take().bytes {
        0 => Ok(outcomes),
        bytes => Err(Error::new(format!(
            "{bytes} bytes reached the server after the last case; some refused request got through late"
        ))),
    }
}

/// Sends a case through each of its listeners; they must agree.
fn through_all(case: &Case, plan: &Plan, envoy: &Envoy, recorder: &Recorder) -> Result<Got> {
    let mut first: Option<Got> = None;
    for route in plan.routes(case)? {
        let place = &route.listener;
        let got = send(case, &route, envoy, recorder).context(format!("through `{place}`"))?;
        match &first {
            Some(first) if first.verdict != got.verdict => {
                let detail = format!("only through `{place}`; {}", got.detail);
                return Ok(Got { detail, ..got });
            }
            Some(_) => {}
            None => first = Some(got),
        }
    }
    first.ok_or_else(|| Error::new("the case has no listener"))
}

fn send(case: &Case, route: &Route, envoy: &Envoy, recorder: &Recorder) -> Result<Got> {
    let stray = recorder.take();
    if stray.bytes > 0 {
        return Err(Error::new(format!(
            "{} bytes of an earlier case reached the server late",
            stray.bytes
        )));
    }
    let to = envoy.listener(&route.listener);
    let response = if let Some(bytes) = case.raw_bytes() {
        client::send_bytes(to, &bytes)
    } else if case.transport.http == Some(Http::H2) {
        request(case, route).send_h2(to)
    } else {
        request(case, route).send(to)
    };
    let answered_by_server = response.as_ref().is_ok_and(judge::is_the_servers);
    if !answered_by_server {
        thread::sleep(GRACE);
    }
    judge::judge(case, response, recorder.take())
}

fn request(case: &Case, route: &Route) -> Request {
    Request {
        method: case.method.clone(),
        path: case.path.clone(),
        authority: Some(route.authority.clone()),
        headers: case.header_bytes(),
        body: case.body(),
        chunk_sizes: case.transport.chunk_sizes.clone(),
        trailers: case.trailer_bytes(),
    }
}
