//! Writes what the engine decides natively about every case of the corpus:
//! policies, requests, reasons and answers, for a run on another machine to be
//! compared with.

use std::collections::HashMap;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::{Effect, Head};
use mcp_boundary_tests::claims::attributes;
use mcp_boundary_tests::corpus::{Corpus, Runner, folder};
use mcp_boundary_tests::error::{Context, Error, Result};
use mcp_boundary_tests::native::{Engines, headers};
use serde_json::{Value, json};

fn main() -> ExitCode {
    match std::env::args().nth(1).map(|path| write(&path)) {
        Some(Ok(count)) => {
            println!("{count} verdicts");
            ExitCode::SUCCESS
        }
        Some(Err(error)) => {
            eprintln!("native-verdicts: {error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("native-verdicts: say where to write: native-verdicts FILE");
            ExitCode::from(2)
        }
    }
}

fn write(path: &str) -> Result<usize> {
    let encoded = |bytes: &[u8]| Value::from(STANDARD.encode(bytes));
    let mut engines = Engines::default();
    let (mut policies, mut requests) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    for case in Corpus::load(&folder())?.cases {
        // Cases about policies that do not compile have no verdict.
        let Ok(engine) = engines.of(&case) else {
            continue;
        };
        if !case.runs_in(Runner::Native) {
            continue;
        }
        let policy = match known.get(engine.policy().digest().as_bytes()) {
            Some(index) => *index,
            None => {
                let blob = engine.policy().encode();
                policies.push(encoded(&blob.context("cannot encode a policy")?));
                known.insert(*engine.policy().digest().as_bytes(), policies.len() - 1);
                policies.len() - 1
            }
        };
        let headers = headers(&case);
        let lines: Vec<(&[u8], &[u8])> = headers
            .iter()
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();
        let body = case.body().unwrap_or_default();
        let attributes = attributes(engine, &case);
        let head = Head {
            headers: &lines,
            end_of_stream: body.is_empty(),
            attributes: &attributes,
            record: None,
        };
        let outcome = engine.decide(head, &body);
        let answer = match &outcome.effect {
            Effect::Forward { .. } => Value::Null,
            Effect::Answer { body, .. } => encoded(body),
        };
        let lines: Vec<Value> = lines
            .iter()
            .map(|(name, value)| json!([encoded(name), encoded(value)]))
            .collect();
        requests.push(json!({
            "id": case.id,
            "policy": policy,
            "headers": lines,
            "body": encoded(&body),
            "attributes": attributes
                .iter()
                .map(|bytes| bytes.as_deref().map(encoded))
                .collect::<Vec<_>>(),
            "reason": outcome.verdict.reason.code(),
            "answer": answer,
        }));
    }
    if requests.is_empty() {
        return Err(Error::new("the corpus has no case that runs natively"));
    }
    let document = json!({"policies": policies, "requests": requests});
    std::fs::write(path, document.to_string()).context(format!("cannot write `{path}`"))?;
    Ok(requests.len())
}
