//! Policies and requests for tests, in a line each.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod metadata;

use mcp_boundary_engine::{Effect, Engine, Head, Outcome, Role};
use mcp_boundary_format::{Condition, Endpoint, Names, Policy, Revisions, Rule, Source, Unmatched};

pub(crate) fn names(names: &[&str]) -> Names {
    Names::new(names.iter().map(|name| (*name).to_owned())).unwrap()
}

/// A rule that names tools.
pub(crate) fn tools(id: &str, tools: &[&str]) -> Rule {
    Rule {
        id: id.parse().unwrap(),
        tools: names(tools),
        ..Rule::default()
    }
}

pub(crate) fn when(source: Source, values: &[&str], rule: Rule) -> Rule {
    let condition = Condition {
        source,
        values: names(values),
    };
    Rule {
        when: vec![condition],
        ..rule
    }
}

/// An endpoint at `/mcp` for every revision.
pub(crate) fn endpoint() -> Endpoint {
    Endpoint {
        name: "test".parse().unwrap(),
        revisions: Revisions::new(mcp_boundary_format::Revision::ALL).unwrap(),
        ..Endpoint::default()
    }
}

pub(crate) fn policy(endpoint: Endpoint) -> Policy {
    Policy::seal(Unmatched::Deny, vec![endpoint]).unwrap()
}

pub(crate) fn admit(endpoint: Endpoint) -> Engine {
    Engine::new(policy(endpoint), Role::Admit)
}

pub(crate) fn call(tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    )
}

/// Sends a POST of revision 2025-11-25 to `/mcp`.
pub(crate) struct Post<'a> {
    pub(crate) body: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) attributes: &'a [Option<Vec<u8>>],
    pub(crate) record: Option<&'a [u8]>,
    pub(crate) verb: &'a str,
    pub(crate) target: &'a str,
    pub(crate) host: &'a str,
}

impl<'a> Post<'a> {
    pub(crate) fn new(body: &'a str) -> Self {
        Self {
            body,
            headers: &[("mcp-protocol-version", "2025-11-25")],
            attributes: &[],
            record: None,
            verb: "POST",
            target: "/mcp",
            host: "mcp.test",
        }
    }

    pub(crate) fn to(&self, engine: &Engine) -> Outcome {
        let mut headers = vec![
            (":method", self.verb),
            (":path", self.target),
            (":authority", self.host),
            ("content-type", "application/json"),
        ];
        headers.extend(self.headers);
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
            .collect();
        let head = Head {
            headers: &headers,
            end_of_stream: false,
            attributes: self.attributes,
            record: self.record,
        };
        engine.decide(head, self.body.as_bytes())
    }
}

/// `forward`, or the reason code.
pub(crate) fn result(outcome: &Outcome) -> &'static str {
    match outcome.effect {
        Effect::Forward { .. } => "forward",
        Effect::Answer { .. } => outcome.verdict.reason.code(),
    }
}

pub(crate) fn record(outcome: &Outcome) -> Vec<u8> {
    match &outcome.effect {
        Effect::Forward {
            record: Some(record),
            ..
        } => record.clone(),
        other => panic!("no record in {other:?}"),
    }
}
