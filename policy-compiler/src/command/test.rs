//! `test POLICY TESTS…`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mcp_boundary_engine::{Engine, Role};
use mcp_boundary_format::{Name, Policy, Revision, Rule};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::console::Console;
use super::explain::caller;
use super::{input, output};
use crate::RulePlace;
use crate::cli::Exit;
use crate::explain::Explained;
use crate::request::{Asked, Call, Request};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example, tests.yaml:
  - { call: get_ticket, as: { jwt: { role: agent } }, expect: allow }
  - { call: delete_ticket, as: { jwt: { role: agent } }, expect: tool_denied }
  - { method: tools/list, expect: allow }

  mcp-policy test policy.yaml tests.yaml --coverage")]
pub(crate) struct Args {
    /// A policy or compiled policy
    policy: PathBuf,
    /// Files of tests, or `-` for standard input
    #[arg(required = true)]
    tests: Vec<PathBuf>,
    /// Tell which endpoints, rules and patterns no test hits
    #[arg(long)]
    coverage: bool,
    /// Fail if fewer of them are hit, in percent
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    min_coverage: Option<u8>,
}

/// One test as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    name: Option<String>,
    endpoint: Option<String>,
    host: Option<String>,
    path: Option<String>,
    revision: Option<String>,
    #[serde(default, rename = "as")]
    who: Who,
    /// A tool, as `tool` is.
    call: Option<String>,
    tool: Option<String>,
    prompt: Option<String>,
    resource: Option<String>,
    method: Option<String>,
    params: Option<Value>,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// A whole request, as HTTP/1.1 has it.
    request: Option<String>,
    expect: String,
}

/// Who asks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Who {
    /// Claims of each provider that rules read.
    jwt: Option<Map<String, Value>>,
    /// Claims by the key of their provider.
    #[serde(default)]
    tokens: BTreeMap<String, Map<String, Value>>,
    #[serde(default)]
    peer: Vec<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The words that `expect` takes beside reason codes.
const VERDICTS: [&str; 4] = ["allow", "deny", "reject", "would_deny"];

impl Test {
    /// What it sends.
    fn request(&self, policy: &Policy) -> Result<Request, String> {
        let mut tokens: Vec<_> = self
            .who
            .jwt
            .iter()
            .map(|claims| (None, claims.clone()))
            .collect();
        let own = self.who.tokens.iter();
        tokens.extend(own.map(|(key, claims)| (Some(key.clone()), claims.clone())));
        let caller = caller(policy, &tokens, &self.who.peer);
        let headers: Vec<_> = self
            .who
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        if let Some(text) = &self.request {
            let mut request = Request::from_http(text.as_bytes())
                .map_err(|error| format!("`request` is none in HTTP/1.1: {error}"))?;
            request.send(&headers, caller);
            return Ok(request);
        }
        let calls = [
            self.call.clone().map(Call::Tool),
            self.tool.clone().map(Call::Tool),
            self.prompt.clone().map(Call::Prompt),
            self.resource.clone().map(Call::Resource),
            self.method
                .clone()
                .map(|method| Call::Method(method, self.params.clone())),
        ];
        let mut calls = calls.into_iter().flatten();
        let (Some(call), None) = (calls.next(), calls.next()) else {
            return Err(
                "write one of `call`, `prompt`, `resource`, `method` and `request`".to_owned(),
            );
        };
        let revision = self.revision.as_ref().map(|text| {
            Revision::from_bytes(text.as_bytes())
                .ok_or_else(|| format!("`revision` is `{text}`, which is none"))
        });
        let asked = Asked {
            endpoint: self.endpoint.clone(),
            host: self.host.clone(),
            path: self.path.clone(),
            revision: revision.transpose()?,
            arguments: self.arguments.clone(),
            headers,
            caller,
            ..Asked::new(call)
        };
        asked
            .request(policy)
            .map_err(|unclear| format!("{unclear}; write `endpoint`, or `path` and `host`"))
    }

    fn title(&self) -> String {
        let what = [
            &self.call,
            &self.tool,
            &self.prompt,
            &self.resource,
            &self.method,
        ];
        let what = what.into_iter().flatten().next();
        self.name
            .clone()
            .or_else(|| what.cloned())
            .unwrap_or_else(|| "a request".to_owned())
    }
}

pub(crate) fn run(console: &Console, args: &Args) -> Result<(), Exit> {
    let (policy, places) = input::either(console, &args.policy)?;
    let file = input::shown(&args.policy);
    let engine = Engine::new(policy, Role::Admit);
    let mut hit = Hit::default();
    let (mut count, mut failed) = (0_usize, 0_usize);
    let mut out = String::new();
    for path in &args.tests {
        for (index, test) in tests(console, path)?.iter().enumerate() {
            count = count.saturating_add(1);
            let place = format!("{}#{}", input::shown(path), index.saturating_add(1));
            let request = test.request(engine.policy()).map_err(|wrong| {
                console.fail(
                    Exit::Input,
                    &place,
                    format!("`{}` is no test: {wrong}", test.title()),
                    "correct it",
                )
            })?;
            let explained = Explained::new(&engine, &request, &places);
            hit.see(&explained);
            let verdict = &explained.outcome().verdict;
            let got = [verdict.word(), verdict.reason.code()];
            let expected = if test.expect == "allow" {
                "forward"
            } else {
                &test.expect
            };
            if !got.contains(&expected) {
                failed = failed.saturating_add(1);
                let _ = writeln!(
                    out,
                    "FAIL  {place}  {}\n  expected {}, got:",
                    test.title(),
                    test.expect
                );
                for line in explained.human(&file).lines() {
                    let _ = writeln!(out, "  {line}");
                }
                out.push('\n');
            }
        }
    }
    if count == 0 {
        let place = args
            .tests
            .first()
            .map_or_else(String::new, |path| input::shown(path));
        return Err(console.fail(
            Exit::Input,
            &place,
            "there is no test",
            "write one: `- { call: TOOL, expect: allow }`",
        ));
    }
    let passed = count.saturating_sub(failed);
    let _ = writeln!(out, "{passed} of {count} tests passed");
    let (percent, missed) = hit.missed(engine.policy(), &places, &file);
    if args.coverage || args.min_coverage.is_some() {
        let _ = writeln!(out, "{percent} % of endpoints, rules and patterns hit");
        for line in &missed {
            let _ = writeln!(out, "  never hit: {line}");
        }
    }
    output::stdout(console, out.as_bytes())?;
    let enough = args
        .min_coverage
        .is_none_or(|least| percent >= usize::from(least));
    match failed == 0 && enough {
        true => Ok(()),
        false => Err(Exit::Policy),
    }
}

fn tests(console: &Console, path: &Path) -> Result<Vec<Test>, Exit> {
    let bytes = input::bytes(console, path)?;
    let file = input::shown(path);
    let wrong = |message: String| {
        console.fail(
            Exit::Input,
            &file,
            message,
            "write a list of tests such as `- { call: get_ticket, as: { jwt: { role: agent } }, expect: allow }`",
        )
    };
    let tests: Vec<Test> = match serde_yaml::from_slice::<Option<Vec<Test>>>(&bytes) {
        Ok(tests) => tests.unwrap_or_default(),
        Err(error) => return Err(wrong(format!("`{file}` has no tests: {error}"))),
    };
    let codes: BTreeSet<_> = mcp_boundary_engine::Reason::ALL
        .iter()
        .map(|reason| reason.code())
        .collect();
    for test in &tests {
        let expected = test.expect.as_str();
        if !VERDICTS.contains(&expected) && !codes.contains(expected) {
            return Err(wrong(format!(
                "`expect` of `{}` is `{expected}`, which is neither allow, deny, reject, would_deny nor a code of docs/reasons.md",
                test.title()
            )));
        }
    }
    Ok(tests)
}

/// What tests have hit: endpoints; rules of them that applied; names and
/// patterns of those that were asked for.
#[derive(Debug, Default)]
struct Hit {
    endpoints: BTreeSet<String>,
    rules: BTreeSet<(String, String)>,
    names: BTreeSet<(String, String, String)>,
}

impl Hit {
    fn see(&mut self, explained: &Explained<'_>) {
        let Some(endpoint) = explained.endpoint() else {
            return;
        };
        self.endpoints.insert(endpoint.name.to_string());
        for one in explained.applying() {
            let (name, rule) = (endpoint.name.to_string(), one.rule.id.to_string());
            self.rules.insert((name.clone(), rule.clone()));
            let names = one.named.iter().map(|name| (*name).to_owned());
            self.names
                .extend(names.map(|listed| (name.clone(), rule.clone(), listed)));
        }
    }

    /// How much is hit, in percent, and what is not.
    fn missed(&self, policy: &Policy, places: &[RulePlace], file: &str) -> (usize, Vec<String>) {
        let mut missed = Vec::new();
        let mut all = 0_usize;
        let mut look = |is_hit: bool, what: &dyn Fn() -> String| {
            all = all.saturating_add(1);
            if !is_hit {
                missed.push(what());
            }
        };
        for endpoint in policy.endpoints() {
            let name = &endpoint.name;
            look(self.endpoints.contains(name.as_str()), &|| {
                format!("endpoint {name}")
            });
            for rule in endpoint.rules() {
                let at = || {
                    let line = RulePlace::line(places, name, &rule.id);
                    line.map_or_else(String::new, |line| format!("  {file}:{line}"))
                };
                let key = (name.to_string(), rule.id.to_string());
                look(self.rules.contains(&key), &|| {
                    format!("rule {} of {name}{}", rule.id, at())
                });
                for pattern in listed(rule) {
                    let key = (name.to_string(), rule.id.to_string(), pattern.to_owned());
                    look(self.names.contains(&key), &|| {
                        format!("`{pattern}` in rule {} of {name}{}", rule.id, at())
                    });
                }
            }
        }
        let hit = all.saturating_sub(missed.len());
        (
            hit.saturating_mul(100).checked_div(all).unwrap_or(100),
            missed,
        )
    }
}

/// The names and patterns of a rule.
fn listed(rule: &Rule) -> impl Iterator<Item = &str> {
    let names = rule.lists().into_iter().flat_map(|names| names.iter());
    names.chain(rule.extensions.iter().map(Name::as_str))
}
