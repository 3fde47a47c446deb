//! A policy that changes under traffic, by ECDS: connections stay open, and from one request to the next another policy
//! decides. Prints who decided what.

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::Path,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use mcp_boundary_tests::{
    client::Connection,
    envoy::{self, Bootstrap, Envoy, Listener, filter_module},
    error::{Context, Error, Result},
    load::call,
    policy::compile,
    recorder::Recorder,
    scene::until,
};
use mcp_policy::envoy::{Release, Role, Stanza, discovered, http_filter, resource};
use serde_json::Value;

const CLIENTS: usize = 4;
const TOOLS: [&str; 2] = ["get_weather", "get_forecast"];
/// How long each policy is in force.
const PHASE: Duration = Duration::from_millis(700);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("demo-rollout: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn policy(tool: &str) -> String {
    format!(
        "{{mcp_policy: 1, endpoints: [{{name: demo, path: /mcp, denial: http, allow: {{tools: [{tool}]}}}}]}}"
    )
}

/// The two files that Envoy discovers, moved into place one after the other, the recheck's first. Returns the policy's
/// digest.
fn publish(folder: &Path, tool: &str) -> Result<String> {
    let compiled = compile(&policy(tool))?;
    let blob = compiled.encode().context("no blob")?;
    let module = filter_module()?;
    let version = envoy::version().map_err(|missing| Error::new(missing.to_string()))?;
    for role in [Role::Recheck, Role::Admit] {
        let stanza = Stanza {
            module: module.to_str().unwrap_or_default(),
            envoy: Release::of(&version),
            ..Stanza::new(&blob, role)
        };
        let next = folder.join("next");
        fs::write(&next, resource(&http_filter(&stanza))).context("cannot write")?;
        fs::rename(&next, folder.join(format!("{role}.yaml"))).context("cannot move")?;
    }
    Ok(compiled.digest().to_string())
}

/// The entry that reads one of them.
fn entry(folder: &Path, role: Role) -> Result<Value> {
    let name = Stanza::new(b"", role).entry_name();
    let path = folder.join(format!("{role}.yaml"));
    let text = discovered(&name, &path.to_string_lossy());
    let mut entries: Vec<Value> = serde_yaml::from_str(&text).context("no YAML")?;
    entries.pop().ok_or_else(|| Error::new("no entry"))
}

fn start(folder: &Path, server: &Recorder) -> Result<Envoy> {
    let binary = envoy::find().map_err(|missing| Error::new(missing.to_string()))?;
    let mut listener = Listener::new("mcp");
    listener.admit = Some(entry(folder, Role::Admit)?);
    listener.recheck = Some(entry(folder, Role::Recheck)?);
    let bootstrap = Bootstrap::new(server.address(), vec![listener]);
    // Any discovery needs a node.
    let text = format!(
        "node: {{ id: demo, cluster: demo }}\n{}",
        bootstrap.render()?
    );
    Envoy::start_with(&binary, &text, bootstrap.flags)
}

/// Asks for one tool after the other over one connection; how often, until that is enough.
fn ask(to: SocketAddr, enough: &AtomicBool) -> Result<usize> {
    let mut connection = Connection::open(to)?;
    let mut asked = 0;
    while !enough.load(Ordering::Relaxed) {
        for tool in TOOLS {
            let answer = connection.ask(&call(tool, 0))?;
            if !matches!(answer.status, 200 | 403) {
                return Err(Error::new(format!("a request got {}", answer.status)));
            }
            asked += 1;
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(asked)
}

fn run() -> Result<()> {
    let folder = tempfile::tempdir().context("no folder")?;
    let server = Recorder::start()?;
    let mut digests = vec![publish(folder.path(), TOOLS[0])?];
    let envoy = start(folder.path(), &server)?;
    let to = envoy.listener("mcp");
    let enough = AtomicBool::new(false);
    let asked = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| scope.spawn(|| ask(to, &enough)))
            .collect();
        thread::sleep(PHASE);
        let begun = Instant::now();
        let changed = publish(folder.path(), TOOLS[1]);
        until("in force", || {
            Connection::open(to)
                .and_then(|mut one| one.ask(&call(TOOLS[1], 0)))
                .is_ok_and(|it| it.status == 200)
        });
        println!(
            "the second policy is in force {:?} after its files were moved into place",
            begun.elapsed()
        );
        thread::sleep(PHASE);
        enough.store(true, Ordering::Relaxed);
        digests.push(changed?);
        let mut asked = 0;
        for client in clients {
            asked += client
                .join()
                .map_err(|_| Error::new("a client panicked"))??;
        }
        Ok::<_, Error>(asked)
    })?;
    tell(&envoy, &digests, asked, server.connections())
}

/// Who decided what, from the access log.
fn tell(envoy: &Envoy, digests: &[String], asked: usize, connections: usize) -> Result<()> {
    until("logged", || envoy.access_log().lines().count() >= asked);
    let mut decided: BTreeMap<(usize, String, String, String), usize> = BTreeMap::new();
    for line in envoy.access_log().lines() {
        let line: Value = serde_json::from_str(line).context("no log line")?;
        let text = |member: &str| line[member].as_str().unwrap_or("-").to_owned();
        let by = digests.iter().position(|digest| *digest == text("policy"));
        let by = by.ok_or_else(|| Error::new(format!("nobody's policy decided: {line}")))?;
        *decided
            .entry((by, text("mcp_names"), text("role"), text("verdict")))
            .or_default() += 1;
    }
    println!(
        "{asked} requests over {CLIENTS} open connections, none broke; {connections} to the server\n"
    );
    println!(
        "{:<8}  {:<18}  {:<8}  {:<8}  requests",
        "policy", "tool", "by", "verdict"
    );
    for ((by, tool, role, verdict), count) in &decided {
        println!(
            "{:<8}  {tool:<18}  {role:<8}  {verdict:<8}  {count}",
            ["first", "second"][*by]
        );
        let meant = tool.contains(TOOLS[*by]) == (verdict == "forward");
        // Between the two files, admit has the first policy and the recheck the second.
        if !meant && role == "admit" {
            return Err(Error::new("a policy decided what it does not say"));
        }
    }
    println!("\nwhile admit has the first policy and the recheck the second, a request needs both");
    Ok(())
}
