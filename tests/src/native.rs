//! Cases through the engine alone: no HTTP, no proxy, no wasm.

use std::collections::HashMap;

use mcp_boundary_engine::{Effect, Engine, Head, Kind, Outcome as Decided, Role};

use crate::claims;
use crate::corpus::{Case, Expected, Http, Place, Recorded, Runner};
use crate::error::{Error, Result};
use crate::report::{Got, Outcome};

/// The host of every request that lists none. The policies here name no hosts.
const AUTHORITY: &[u8] = b"cases.test";

/// Runs every case that the engine can run.
pub fn run(cases: &[Case]) -> Vec<Outcome> {
    let mut engines = Engines::default();
    let here = cases.iter().filter(|case| case.runs_in(Runner::Native));
    here.map(|case| run_one(case, &mut engines)).collect()
}

/// Runs one case, which must be one that the engine can run.
pub fn run_one(case: &Case, engines: &mut Engines) -> Outcome {
    Outcome::new(case, Runner::Native, decide(case, engines))
}

fn decide(case: &Case, engines: &mut Engines) -> Result<Got> {
    let (lines, body) = (headers(case), case.body());
    let Some(between) = &case.between else {
        let decided = ask(engines.of(case)?, case, &lines, body, None);
        return Ok(got(&decided, "the engine as admit"));
    };
    let record = match between.recorded()? {
        Recorded::Nothing => None,
        Recorded::Bytes(bytes) => Some(bytes),
        Recorded::ByAdmit => match ask(engines.of(case)?, case, &lines, body.clone(), None) {
            Decided {
                effect: Effect::Forward { record, .. },
                ..
            } => record,
            refused => {
                return Err(Error::new(format!(
                    "admit refused it before anything could be rewritten: {}",
                    got(&refused, "")
                )));
            }
        },
    };
    let lines = between.lines(lines);
    let body = between.body.clone().map(String::into_bytes).or(body);
    let recheck = engines.recheck(case, between.place)?;
    let decided = ask(recheck, case, &lines, body, record.as_deref());
    Ok(got(
        &decided,
        "the engine as recheck, after the case's changes",
    ))
}

fn ask(
    engine: &Engine,
    case: &Case,
    lines: &[(Vec<u8>, Vec<u8>)],
    body: Option<Vec<u8>>,
    record: Option<&[u8]>,
) -> Decided {
    let headers: Vec<(&[u8], &[u8])> = lines
        .iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
        .collect();
    let head = Head {
        headers: &headers,
        end_of_stream: body.as_ref().is_none_or(Vec::is_empty)
            && case.transport.trailers.is_empty(),
        attributes: &claims::attributes(engine, case),
        record,
    };
    engine.decide(head, body.as_deref().unwrap_or_default())
}

/// What a runner reports about a decision.
fn got(decided: &Decided, through: &str) -> Got {
    let verdict = &decided.verdict;
    let mut got = Got {
        // Audit forwards what the policy denies.
        verdict: Expected::Forward,
        code: Some(verdict.reason.code().to_owned()),
        status: None,
        headers: Vec::new(),
        empty: false,
        answer: None,
        through: through.to_owned(),
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

/// One engine for each policy the cases use, as admit and in either place of
/// the recheck.
#[derive(Debug, Default)]
pub struct Engines(HashMap<(String, Option<Place>), Result<Engine>>);

impl Engines {
    /// Admit with a case's policy.
    ///
    /// # Errors
    /// If the policy does not compile.
    pub fn of(&mut self, case: &Case) -> Result<&Engine> {
        self.get(case, None)
    }

    /// The recheck with a case's policy.
    ///
    /// # Errors
    /// If the policy does not compile.
    pub fn recheck(&mut self, case: &Case, place: Place) -> Result<&Engine> {
        self.get(case, Some(place))
    }

    fn get(&mut self, case: &Case, place: Option<Place>) -> Result<&Engine> {
        let key = (case.policy.document()?, place);
        let engine = self.0.entry(key).or_insert_with_key(|(text, place)| {
            let policy = crate::policy::compile(text)?;
            Ok(match place {
                None => Engine::new(policy, Role::Admit),
                Some(Place::Chain) => Engine::new(policy, Role::Recheck),
                Some(Place::Upstream) => Engine::new(policy, Role::Recheck).upstream(),
            })
        });
        engine.as_ref().map_err(Error::clone)
    }
}
