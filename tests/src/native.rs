//! Cases through the engine alone: no HTTP, no proxy, no wasm.

use std::collections::HashMap;

use mcp_boundary_engine::{Effect, Engine, Head, Kind, Outcome as Decided, Role};

use crate::claims;
use crate::corpus::{Case, Expected, Http, Runner};
use crate::error::{Error, Result};
use crate::report::{Got, Outcome};

/// The host of every request that lists none. The policies here name no hosts.
const AUTHORITY: &[u8] = b"cases.test";

/// Runs every case that the engine can run.
pub fn run(cases: &[Case]) -> Vec<Outcome> {
    let mut engines = Engines::default();
    let here = cases.iter().filter(|case| case.runs_in(Runner::Native));
    here.map(|case| Outcome::new(case, Runner::Native, decide(case, &mut engines)))
        .collect()
}

fn decide(case: &Case, engines: &mut Engines) -> Result<Got> {
    let engine = engines.of(case)?;
    let headers = headers(case);
    let headers: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
        .collect();
    let body = case.body();
    let head = Head {
        headers: &headers,
        end_of_stream: body.as_ref().is_none_or(Vec::is_empty)
            && case.transport.trailers.is_empty(),
        attributes: &claims::attributes(engine, case),
        record: None,
    };
    Ok(got(
        &engine.decide(head, body.as_deref().unwrap_or_default())
    ))
}

/// What a runner reports about a decision.
fn got(decided: &Decided) -> Got {
    let verdict = &decided.verdict;
    let mut got = Got {
        // Audit forwards what the policy denies.
        verdict: Expected::Forward,
        code: Some(verdict.reason.code().to_owned()),
        status: None,
        headers: Vec::new(),
        empty: false,
        answer: None,
        detail: verdict.detail.to_string(),
    };
    if let Effect::Answer {
        status,
        headers,
        body,
    } = &decided.effect
    {
        got.verdict = match verdict.kind {
            Kind::Deny => Expected::Deny,
            Kind::Reject | Kind::Forward => Expected::Reject,
        };
        got.status = Some(*status);
        let owned = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
        got.headers = headers.iter().map(owned).collect();
        got.empty = body.is_empty();
        got.answer = serde_json::from_slice(body).ok();
    }
    got
}

/// The headers as Envoy shows them to a filter: names in lower case, the host
/// as a pseudo-header, the length or framing a client adds.
pub fn headers(case: &Case) -> Vec<(Vec<u8>, Vec<u8>)> {
    let authority = case.header("host").unwrap_or_else(|| AUTHORITY.to_vec());
    let mut headers = vec![
        (b":authority".to_vec(), authority),
        (b":path".to_vec(), case.path.clone().into_bytes()),
        (b":method".to_vec(), case.method.clone().into_bytes()),
        (b":scheme".to_vec(), b"http".to_vec()),
    ];
    let listed = case.header_bytes().into_iter();
    headers.extend(
        listed
            .map(|(name, value)| (name.to_ascii_lowercase(), trimmed(&value)))
            .filter(|(name, _)| name != b"host"),
    );
    if case.lists("content-length") || case.lists("transfer-encoding") {
        return headers;
    }
    let in_pieces = !case.transport.chunk_sizes.is_empty() || !case.transport.trailers.is_empty();
    match case.body() {
        Some(_) if in_pieces && case.transport.http != Some(Http::H2) => {
            headers.push((b"transfer-encoding".to_vec(), b"chunked".to_vec()));
        }
        Some(body) => {
            let length = body.len().to_string().into_bytes();
            headers.push((b"content-length".to_vec(), length));
        }
        None => {}
    }
    headers
}

/// A codec drops white space around a value before any filter sees it.
fn trimmed(value: &[u8]) -> Vec<u8> {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = value.iter().position(|b| !blank(b)).unwrap_or(value.len());
    let end = value
        .iter()
        .rposition(|b| !blank(b))
        .map_or(start, |at| at + 1);
    value[start..end].to_vec()
}

/// One engine for each policy the cases use.
#[derive(Debug, Default)]
pub struct Engines(HashMap<String, Result<Engine>>);

impl Engines {
    /// The engine with a case's policy.
    ///
    /// # Errors
    /// If the policy does not compile.
    pub fn of(&mut self, case: &Case) -> Result<&Engine> {
        let text = case.policy.document()?;
        let engine = self.0.entry(text).or_insert_with_key(|text| engine(text));
        engine.as_ref().map_err(Error::clone)
    }
}

fn engine(text: &str) -> Result<Engine> {
    let compiled = crate::policy::compile(text)?;
    Ok(Engine::new(compiled, Role::Admit))
}
