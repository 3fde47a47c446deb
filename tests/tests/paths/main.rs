//! No path and no host leads past the rules.
//!
//! Paths are made by changing those of policies at random. Whatever is
//! forwarded unseen, or judged by an endpoint, must not be read as the path of
//! a stricter endpoint by any reader: those here, alone and in a row, and the
//! real ones of Node and Python. `TARGETS` sets how many are made (200,000 take
//! minutes without optimisation), `SEED` starts another sequence.

mod make;
mod readers;

use std::collections::BTreeMap;

use fastrand::Rng;
use mcp_boundary_engine::{Effect, Engine, Head, Outcome, Reason, Role};
use mcp_boundary_format::{Endpoint, HostPattern, PathPattern};
use mcp_boundary_tests::foreign;
use mcp_boundary_tests::policy::compile;
use readers::Reading;

/// Policies with what paths are made of: their own, and what they let pass.
const POLICIES: &[(&str, &[&str])] = &[
    (
        "
unmatched: pass
endpoints:
  - {path: /mcp, allow: {methods: [ping]}}",
        &["/mcp", "/sse", "/static", "/x/mcp"],
    ),
    (
        "
unmatched: pass
endpoints:
  - {path: /mcp, hosts: [one.test], allow: {methods: [ping]}}
  - {path: /Api/v1/, hosts: [cases.test], allow: {methods: [ping]}}
  - {path: /, allow: {methods: [ping]}}",
        &["/mcp", "/Api/v1/", "/Api/v2/", "/", "/healthz"],
    ),
    (
        "
unmatched: { pass: [{path: /healthz}, {path_prefix: /.well-known}, {path_prefix: /m}, {path_prefix: /static}, {path_prefix: /}] }
endpoints:
  - {path: /mcp, hosts: [one.test], allow: {methods: [ping]}}
  - {path: /static/tools, allow: {methods: [ping]}}
  - {path_prefix: /m/servers, allow: {methods: [ping]}}",
        &["/mcp", "/static/tools", "/static/x", "/m/servers/a", "/m/x", "/.well-known/oauth/mcp", "/healthz"],
    ),
    (
        "
endpoints:
  - {path_prefix: /servers, allow: {methods: [ping]}}
  - {path: /servers/admin, allow: {methods: [ping]}}
  - {path_prefix: /servers/a, allow: {methods: [ping]}}
  - {path: /servers/a/deep, hosts: [one.test], allow: {methods: [ping]}}",
        &["/servers", "/servers/admin", "/servers/a/b", "/servers/a/deep", "/servers/x"],
    ),
    (
        "
unmatched: pass
endpoints:
  - {path: /runtimes/arn%3Aaws%2Fname/invocations, allow: {methods: [ping]}}
  - {path_prefix: /runtimes, allow: {methods: [ping]}}
  - {path: /s/%40scope/mcp, allow: {methods: [ping]}}
  - {path_prefix: /t, allow: {methods: [ping]}}
  - {path: /t/@scope, allow: {methods: [ping]}}
  - {path: /caf%C3%A9, allow: {methods: [ping]}}
  - {path: /kiosk, allow: {methods: [ping]}}",
        &[
            "/runtimes/arn%3Aaws%2Fname/invocations",
            "/runtimes/arn:aws/name/invocations",
            "/s/%40scope/mcp",
            "/s/@scope/mcp",
            "/t/@scope",
            "/t/%40scope",
            "/caf%C3%A9",
            "/kiosk",
        ],
    ),
    (
        "
endpoints:
  - {path_prefix: /, allow: {methods: [ping]}}
  - {path: /mcp, allow: {methods: [ping]}}
  - {path_prefix: /Admin, allow: {methods: [ping]}}",
        &["/mcp", "/Admin/x", "/x", "/x/mcp"],
    ),
];

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

fn engine(policy: &str) -> Engine {
    let policy = compile(&format!("mcp_policy: 1{policy}\n")).expect("it compiles");
    Engine::new(policy, Role::Admit)
}

fn ping(engine: &Engine, authority: &str, target: &str) -> Outcome {
    let headers: [(&[u8], &[u8]); 5] = [
        (b":method", b"POST"),
        (b":authority", authority.as_bytes()),
        (b":path", target.as_bytes()),
        (b"content-type", b"application/json"),
        (b"mcp-protocol-version", b"2025-11-25"),
    ];
    let head = Head {
        headers: &headers,
        ..Head::default()
    };
    engine.decide(head, br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
}

/// What became of a target: nothing if it was refused.
fn forwarded(engine: &Engine, authority: &str, target: &str) -> Option<Option<usize>> {
    let outcome = ping(engine, authority, target);
    if !matches!(outcome.effect, Effect::Forward { .. }) {
        return None;
    }
    match outcome.verdict.reason {
        Reason::Unmatched => Some(None),
        _ => Some(outcome.verdict.endpoint),
    }
}

/// Whether a server that has taken in a path so serves it at the endpoint's.
fn serves(endpoint: &Endpoint, reading: &Reading) -> bool {
    let pattern = endpoint.path.as_str();
    let prefix = matches!(endpoint.path, PathPattern::Prefix(_));
    let pattern = pattern.as_bytes();
    if reading.path.len() + 1 < readers::decode(pattern).len() {
        return false;
    }
    [pattern.to_vec(), readers::decode(pattern)]
        .iter()
        .any(|pattern| {
            let fold = |text: &[u8]| match reading.folded {
                true => text.to_ascii_lowercase(),
                false => text.to_vec(),
            };
            let (pattern, path) = (fold(pattern), fold(&reading.path));
            let below = pattern.strip_suffix(b"/").unwrap_or(&pattern);
            path == pattern
                || prefix
                    && path
                        .strip_prefix(below)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        })
}

/// How much of a path an endpoint names.
fn length(endpoint: &Endpoint) -> usize {
    let pattern = endpoint.path.as_str();
    readers::decode(pattern.trim_end_matches('/').as_bytes()).len()
}

/// The endpoint that a reading belongs to although another one, or none, saw
/// the request.
fn stolen<'e>(engine: &'e Engine, by: Option<usize>, reading: &Reading) -> Option<&'e Endpoint> {
    let endpoints = engine.policy().endpoints();
    let own = by.map(|index| length(&endpoints[index]));
    endpoints
        .iter()
        .map(|endpoint| &**endpoint)
        .filter(|endpoint| own.is_none_or(|own| own < length(endpoint)))
        .find(|endpoint| serves(endpoint, reading))
}

struct Forwarded {
    policy: usize,
    target: String,
    by: Option<usize>,
}

#[test]
fn no_reader_takes_what_is_forwarded_for_a_stricter_endpoints() {
    let count = setting("TARGETS", 60_000);
    let mut rng = Rng::with_seed(setting("SEED", 9));
    let engines: Vec<_> = POLICIES.iter().map(|(policy, _)| engine(policy)).collect();
    let mut all = Vec::new();
    for _ in 0..count {
        let policy = rng.usize(..POLICIES.len());
        let base = rng.choice(POLICIES[policy].1).expect("some");
        let target = make::path(base, &mut rng);
        if let Some(by) = forwarded(&engines[policy], "cases.test", &target) {
            all.push(Forwarded { policy, target, by });
        }
    }
    let unseen = all.iter().filter(|one| one.by.is_none()).count();
    assert!(unseen as u64 > count / 50, "too few passed to say anything");
    let mut wrong = BTreeMap::<&str, (usize, String)>::new();
    let mut readings = BTreeMap::<&str, usize>::new();
    let mut note = |reader: &'static str, one: &Forwarded, reading: &Reading| {
        *readings.entry(reader).or_default() += 1;
        if let Some(endpoint) = stolen(&engines[one.policy], one.by, reading) {
            let shown = String::from_utf8_lossy(&reading.path);
            let entry = wrong.entry(reader).or_default();
            entry.0 += 1;
            entry.1 = format!("`{}` is `{shown}` of `{}`", one.target, endpoint.name);
        }
    };
    let path = |one: &Forwarded| {
        let end = one.target.find('?').unwrap_or(one.target.len());
        one.target.as_bytes()[..end].to_vec()
    };
    let lines: Vec<_> = all
        .iter()
        .map(|one| ("path", one.target.as_str()))
        .collect();
    let others = [
        ("Node", ask("node", "path-reader.mjs", &lines)),
        ("Python", ask("python3", "path-reader.py", &lines)),
    ];
    for (at, one) in all.iter().enumerate() {
        for (name, reader) in readers::READERS {
            for reading in readers::alone(&path(one), *reader) {
                note(name, one, &reading);
            }
        }
        let known = readers::combined(&path(one));
        for reading in &known {
            note("several in a row", one, reading);
        }
        for (name, answers) in &others {
            for path in answers.iter().flat_map(|answers| &answers[at]) {
                let reading = Reading {
                    path: path.clone().into_bytes(),
                    folded: false,
                };
                note(name, one, &reading);
                // What follows from it, if nothing here read it so.
                if !known.contains(&reading) {
                    for reading in readers::combined(path.as_bytes()) {
                        note(name, one, &reading);
                    }
                }
            }
        }
    }
    println!(
        "{count} paths, {unseen} forwarded unseen, {} judged by an endpoint",
        all.len() - unseen
    );
    for (reader, count) in &readings {
        let (wrong, example) = wrong.get(reader).cloned().unwrap_or_default();
        println!("{count:9} readings by {reader}: {wrong} a stricter endpoint's {example}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Endpoints for hosts, and one for any other.
const HOSTS: &str = "
endpoints:
  - {name: admin, hosts: [admin.example.com], path: /mcp, allow: {methods: [ping]}}
  - {name: below, hosts: ['*.example.com'], path: /mcp, allow: {methods: [ping]}}
  - {name: loopback, hosts: [127.0.0.1, '[::1]', localhost], path: /mcp, allow: {methods: [ping]}}
  - {name: mapped, hosts: ['[2001:db8::a]', '[::ffff:102:304]'], path: /mcp, allow: {methods: [ping]}}
  - {name: lax, path: /mcp, allow: {methods: [ping]}}";

#[test]
fn no_reader_takes_a_host_for_another_endpoints() {
    let count = setting("TARGETS", 60_000) / 4;
    let mut rng = Rng::with_seed(setting("SEED", 9));
    let engine = engine(HOSTS);
    let bases = [
        "admin.example.com",
        "127.0.0.1",
        "[::1]",
        "localhost",
        "[2001:db8::a]",
        "[::ffff:102:304]",
        "2130706433",
        "www.example.com",
    ];
    let mut all = Vec::new();
    for _ in 0..count {
        let authority = make::host(rng.choice(bases).expect("some"), &mut rng);
        if let Some(by) = forwarded(&engine, &authority, "/mcp") {
            all.push((authority, by.expect("an endpoint for any host")));
        }
    }
    let lines: Vec<_> = all
        .iter()
        .map(|(host, _)| ("host", host.as_str()))
        .collect();
    let mut asked = 0;
    for (program, script) in [("node", "path-reader.mjs"), ("python3", "path-reader.py")] {
        for ((authority, by), hosts) in all
            .iter()
            .zip(ask(program, script, &lines).into_iter().flatten())
        {
            for host in hosts {
                // Python and `url.parse` drop the brackets.
                let host = match host.contains(':') && !host.starts_with('[') {
                    true => format!("[{host}]"),
                    false => host,
                };
                asked += 1;
                let theirs = &engine.policy().endpoints()[most_specific(&engine, &host)];
                let ours = &engine.policy().endpoints()[*by];
                assert_eq!(
                    ours.name, theirs.name,
                    "{program} reads `{authority}` as `{host}`"
                );
            }
        }
    }
    println!(
        "{count} hosts, {} forwarded, {asked} readings, 0 another endpoint's",
        all.len()
    );
    assert!(
        all.len() as u64 > count / 50,
        "too few were forwarded to say anything"
    );
}

/// By comparing texts alone.
fn most_specific(engine: &Engine, host: &str) -> usize {
    let rank = |endpoint: &Endpoint| {
        let one = |pattern: &HostPattern| match pattern {
            HostPattern::Exact(wanted) if wanted == host => Some(2),
            HostPattern::Suffix(suffix) if host.ends_with(&format!(".{suffix}")) => Some(1),
            _ => None,
        };
        match endpoint.hosts.is_empty() {
            true => Some(0),
            false => endpoint.hosts.iter().filter_map(one).max(),
        }
    };
    let endpoints = engine.policy().endpoints().iter().enumerate();
    let best = endpoints
        .filter_map(|(at, endpoint)| Some((rank(endpoint)?, at)))
        .max();
    best.expect("one for any host").1
}

/// What a reader in another language makes of each line; none if there is no
/// such reader and that is acceptable.
fn ask(program: &str, script: &str, lines: &[(&str, &str)]) -> Option<Vec<Vec<String>>> {
    let asked = lines.iter().map(|line| serde_json::json!(line).to_string());
    let answers = foreign::ask(program, script, &asked.collect::<Vec<_>>())?;
    let read = |line: &String| serde_json::from_str(line).expect("a list of texts");
    Some(answers.iter().map(read).collect())
}
