//! Why a request gets what it gets: the engine's own decision, and what each
//! rule says of each thing that it asks for.

use std::fmt::Write as _;

use mcp_boundary_engine::{
    Considered, Effect, Engine, Kind, Met, Operation, OperationKind, Outcome, Reason,
};
use mcp_boundary_format::{Condition, Endpoint, Source};
use serde_json::{Value, json};

use crate::RulePlace;
use crate::request::Request;
use crate::show::Shown;

/// A decision, and why.
#[derive(Debug)]
pub struct Explained<'a> {
    outcome: Outcome,
    endpoint: Option<&'a Endpoint>,
    /// Each thing that is asked for, with the rules that have to do with it.
    asked: Vec<(Operation, Vec<Told<'a>>)>,
}

/// What one rule says.
#[derive(Debug)]
struct Told<'a> {
    says: Considered<'a>,
    /// Where it is written.
    line: Option<usize>,
}

impl<'a> Explained<'a> {
    /// Decides, and asks each rule.
    pub fn new(engine: &'a Engine, request: &Request, places: &[RulePlace]) -> Self {
        let outcome = request.decide(engine);
        let endpoint = engine.endpoint_of(&outcome.verdict);
        let asked = outcome.verdict.operations.iter().map(|operation| {
            let rules = endpoint.map(|endpoint| {
                request.with_head(engine, |head| {
                    let said = engine.consider(endpoint, head, operation).into_iter();
                    // One that names it, or would if the caller were another.
                    let said = said.filter(|says| !says.named.is_empty());
                    let told = said.map(|says| Told {
                        line: RulePlace::line(places, &endpoint.name, &says.rule.id),
                        says,
                    });
                    told.collect::<Vec<_>>()
                })
            });
            (operation.clone(), rules.unwrap_or_default())
        });
        let asked = asked.collect();
        Self {
            outcome,
            endpoint,
            asked,
        }
    }

    /// What was decided.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Where it was decided.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        self.endpoint
    }

    /// The rules that allow or deny something that is asked for.
    pub fn applying(&self) -> impl Iterator<Item = &Considered<'a>> {
        let told = self.asked.iter().flat_map(|(_, told)| told);
        told.map(|told| &told.says).filter(|says| says.applies)
    }

    /// For a person; `file` is what the policy is called.
    pub fn human(&self, file: &str) -> String {
        let verdict = &self.outcome.verdict;
        let mut out = format!("{}  {}", verdict.word(), verdict.reason.code());
        if let Some(endpoint) = self.endpoint {
            let _ = write!(out, "  endpoint {}", endpoint.name);
        }
        if let Some(revision) = verdict.revision {
            let _ = write!(out, "  revision {}", revision.as_str());
        }
        out.push('\n');
        if !verdict.detail.is_empty() {
            let _ = writeln!(out, "  {}", verdict.detail);
        }
        for (operation, rules) in &self.asked {
            let _ = writeln!(out, "  {}", shown(operation));
            let id = rules
                .iter()
                .map(|told| told.says.rule.id.len())
                .max()
                .unwrap_or_default();
            for told in rules {
                let place = told
                    .line
                    .map_or_else(String::new, |line| format!("  {file}:{line}"));
                let _ = writeln!(
                    out,
                    "    {:<5}  {:<id$}{place}  {}",
                    told.side(),
                    told.says.rule.id.as_str(),
                    told.why()
                );
            }
            if rules.is_empty()
                && self.endpoint.is_some()
                && operation.kind != OperationKind::Response
            {
                out.push_str("    no rule names it\n");
            }
        }
        match self.help() {
            Some(help) => {
                let _ = writeln!(out, "  to permit it: {help}");
            }
            None if verdict.kind == Kind::Reject => {
                out.push_str("  no policy permits it: it is not what the protocol has, or means more than one thing\n");
            }
            None => {}
        }
        match &self.outcome.effect {
            Effect::Answer { status, body, .. } => {
                let body = String::from_utf8_lossy(body);
                let _ = writeln!(out, "  the client gets {status}  {body}");
            }
            Effect::Forward { edits, .. } => {
                for edit in edits {
                    let _ = writeln!(out, "  a header is changed: {edit:?}");
                }
                if self.endpoint.is_some() {
                    out.push_str("  a recheck wants the same verb, host, path, query and caller, and judges the body by then with these rules\n");
                }
            }
        }
        out
    }

    /// For a program.
    pub fn json(&self, file: &str) -> Value {
        let verdict = &self.outcome.verdict;
        let rules = |told: &Told<'_>| {
            json!({
                "rule": told.says.rule.id.as_str(),
                "side": told.side(),
                "applies": told.says.applies,
                "file": told.line.map(|_| file),
                "line": told.line,
                "why": told.why(),
            })
        };
        let asked = self.asked.iter().map(|(operation, told)| {
            json!({
                "method": operation.method,
                "name": operation.name,
                "rules": told.iter().map(rules).collect::<Vec<_>>(),
            })
        });
        let answer = match &self.outcome.effect {
            Effect::Answer { status, body, .. } => json!({
                "status": status,
                "body": serde_json::from_slice::<Value>(body).ok(),
            }),
            Effect::Forward { .. } => Value::Null,
        };
        json!({
            "verdict": verdict.word(),
            "reason": verdict.reason.code(),
            "detail": verdict.detail,
            "endpoint": self.endpoint.map(|endpoint| endpoint.name.as_str()),
            "revision": verdict.revision.map(|revision| revision.as_str()),
            "rule": verdict.rule,
            "asked": asked.collect::<Vec<_>>(),
            "help": self.help(),
            "answer": answer,
        })
    }

    /// What would have to change in the policy, where that could help.
    fn help(&self) -> Option<String> {
        let verdict = &self.outcome.verdict;
        if verdict.kind != Kind::Deny {
            return match verdict.reason {
                Reason::VersionNotPermitted => {
                    Some("list the revision under `versions`".to_owned())
                }
                _ => None,
            };
        }
        let endpoint = self.endpoint.map_or("-", |endpoint| endpoint.name.as_str());
        if let Some(rule) = &verdict.rule {
            return Some(format!(
                "narrow the deny {} of endpoint `{endpoint}`",
                Shown(rule)
            ));
        }
        let (operation, rules) = self.asked.iter().find(|(_, rules)| {
            !rules
                .iter()
                .any(|told| told.says.applies && !told.says.denies)
        })?;
        if let Some(told) = rules.iter().find(|told| !told.says.denies) {
            return Some(format!(
                "let the caller be one that allow {} asks for",
                Shown(&told.says.rule.id)
            ));
        }
        if operation.kind == OperationKind::Response {
            return Some(format!("write `responses: allow` in endpoint `{endpoint}`"));
        }
        let (key, name) = selector(operation)?;
        Some(format!(
            "add {} to `{key}` of an allow of endpoint `{endpoint}`",
            Shown(name)
        ))
    }
}

/// The list of a rule in which an operation is named, and the name.
pub(crate) fn selector(operation: &Operation) -> Option<(&'static str, &str)> {
    let (key, name) = match operation.kind {
        OperationKind::Tool => ("tools", operation.name.as_deref()),
        OperationKind::Prompt => ("prompts", operation.name.as_deref()),
        OperationKind::Resource => ("resources", operation.name.as_deref()),
        OperationKind::Extension => ("extensions", Some(operation.method.as_str())),
        OperationKind::Method => ("methods", Some(operation.method.as_str())),
        OperationKind::Response => return None,
    };
    Some((key, name?))
}

impl Told<'_> {
    fn side(&self) -> &'static str {
        match self.says.denies {
            true => "deny",
            false => "allow",
        }
    }

    /// In words.
    fn why(&self) -> String {
        let names = self.says.named.iter();
        let names: Vec<_> = names.map(|name| Shown(name).to_string()).collect();
        let mut why = format!("{} matches", names.join(", "));
        for (condition, met) in &self.says.when {
            let _ = write!(why, "; {}", met_in_words(condition, *met, self.says.denies));
        }
        why
    }
}

fn met_in_words(condition: &Condition, met: Met, denies: bool) -> String {
    let source = match &condition.source {
        Source::JwtClaim { payload, path } => format!("jwt {payload} {}", path.join(".")),
        Source::PeerSan => "peer".to_owned(),
        Source::Header(name) => format!("header {name}"),
    };
    let wanted: Vec<_> = condition.values.iter().collect();
    let wanted = match wanted.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("one of {}", several.join(", ")),
    };
    match (met, denies) {
        (Met::Yes, _) => format!("{source} is {wanted}"),
        (Met::No, _) => format!("{source} is not {wanted}"),
        (Met::Unknown, true) => format!("{source} is not known, so that it may be {wanted}"),
        (Met::Unknown, false) => format!("{source} is not known, so that it is not {wanted}"),
    }
}

fn shown(operation: &Operation) -> String {
    match (&operation.name, operation.kind) {
        (_, OperationKind::Response) => "an answer of the client".to_owned(),
        (Some(name), _) => format!("{} {}", operation.method, Shown(name)),
        (None, _) => operation.method.clone(),
    }
}
