//! Every kind of rewriting, against both places of the recheck and both modes.
//!
//! A rewriter (Lua, an external processor, a wasm module) stands between admit
//! and recheck, or the route itself rewrites. Whatever is refused must leave no
//! byte at the server; whatever passes must arrive as it was rewritten.

mod rows;

use std::thread;
use std::time::Duration;

use mcp_boundary_tests::client::{Request, Response};
use mcp_boundary_tests::envoy::Listener;
use mcp_boundary_tests::error::Result;
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::recorder::{ANSWER, Recording};
use mcp_boundary_tests::rewriter::Rewriter;
use mcp_boundary_tests::scene::{Scene, UNADMITTED, instance};
use mcp_boundary_tests::{ext_proc, gateway};
use rows::Fate::{self, Passes, Refused};
use rows::{Rewrite, rows};
use serde_json::{Value, json};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: enforce
    hosts: [server.test]
    path: /enforce
    denial: http
    versions: ["2025-06-18", "2025-11-25"]
    arguments: &arguments { forbid: [_owner, _admin], set_by_filters: [_owner] }
    allow: &rules
      methods: [initialize, tasks/list]
      tools: [get_weather, get_forecast]
  - name: audit
    hosts: [server.test]
    path: /audit
    mode: audit
    versions: ["2025-06-18", "2025-11-25"]
    arguments: *arguments
    allow: *rules
  - name: enforce-moving
    hosts: [server.test]
    path: /enforce/moving
    denial: http
    upstream: &moved { path: /backend/moving, hosts: [inner.test] }
    allow: *rules
  - name: audit-moving
    hosts: [server.test]
    path: /audit/moving
    mode: audit
    upstream: *moved
    allow: *rules
  - name: enforce-below
    hosts: [server.test]
    path_prefix: /enforce/below
    denial: http
    upstream: &below { path_prefix: /backend/below }
    allow: *rules
  - name: audit-below
    hosts: [server.test]
    path_prefix: /audit/below
    mode: audit
    upstream: *below
    allow: *rules
  - name: weak
    hosts: [weak.test]
    path_prefix: /enforce
    denial: http
    allow: { tools: ["*"] }
"#;

/// Where the recheck stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Last,
    Upstream,
}

impl Position {
    const fn column(self) -> &'static str {
        match self {
            Self::Last => "chain end",
            Self::Upstream => "upstream position",
        }
    }
}

fn route(kind: &str, prefix: &str, rewrite: &str, value: &str) -> Value {
    json!({
        "match": {
            "prefix": prefix,
            "headers": [{ "name": "x-route", "string_match": { "exact": kind } }],
        },
        "route": { "cluster": "mcp_server", "timeout": "0s", rewrite: value },
    })
}

struct Chain {
    scene: Scene,
    position: Position,
}

impl Chain {
    fn start(position: Position) -> Option<Self> {
        let last = |listener: &str| {
            (position == Position::Last).then(|| instance(POLICY, Part::Recheck, listener))
        };
        let mut unadmitted = Listener::new(UNADMITTED);
        unadmitted.recheck = last(UNADMITTED);
        let mut listeners = vec![unadmitted];
        for rewriter in Rewriter::ALL {
            let name = rewriter.name();
            let mut listener = Listener::new(name);
            listener.admit = Some(instance(POLICY, Part::Admit, name));
            listener.between = vec![rewriter.filter().expect("a rewriting filter")];
            listener.recheck = last(name);
            listener.routes = vec![
                route("path", "/enforce", "prefix_rewrite", "/backend"),
                route("path", "/audit", "prefix_rewrite", "/backend"),
                route("weak", "/", "host_rewrite_literal", "weak.test"),
                route("inner", "/", "host_rewrite_literal", "inner.test"),
            ];
            listeners.push(listener);
        }
        let scene = Scene::of(position.column(), listeners, |bootstrap| {
            bootstrap.clusters = vec![ext_proc::cluster(ext_proc::start().expect("a processor"))];
            if position == Position::Upstream {
                bootstrap.upstream_filters = vec![instance(POLICY, Part::Upstream, "behind")];
            }
        })?;
        Some(Self { scene, position })
    }

    fn send(&self, listener: &str, request: &Request) -> (Result<Response>, Recording) {
        let answer = request.send(self.scene.envoy.listener(listener));
        thread::sleep(Duration::from_millis(10));
        (answer, self.scene.recorder.take())
    }

    /// What is wrong with the fate of `sent`, if anything is.
    fn fault(&self, by: &str, sent: &Request, wanted: &Request, fate: Fate) -> Option<String> {
        let (answer, recording) = self.send(by, sent);
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Some(format!("{by}: {error}")),
        };
        let got = format!(
            "{by}: {} {}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        );
        match fate {
            Refused(..) if recording.bytes > 0 => {
                Some(format!("{got}: the server got {recording:?}"))
            }
            Refused(status, reason) => {
                let json = answer.json().unwrap_or_default();
                let told = &json["error"]["data"]["reason"];
                (answer.status != status || told != reason).then_some(got)
            }
            Passes => {
                let [exchange] = recording.exchanges.as_slice() else {
                    return Some(got);
                };
                if recording.unattributed() > 0 || answer.body != ANSWER.as_bytes() {
                    return Some(got);
                }
                gateway::difference(wanted, exchange, false).map(|what| format!("{by}: {what}"))
            }
        }
    }

    fn judge(&self, rewrite: &Rewrite, mode: &str, wrong: &mut Vec<String>) -> Row {
        let fate = match (self.position, rewrite.at_end, mode) {
            (Position::Last, Some(fate), _) => fate,
            (_, _, "audit") => rewrite.audit,
            _ => rewrite.enforce,
        };
        let told = match fate {
            Passes if self.position == Position::Last && rewrite.at_end.is_some() => {
                "is not seen there"
            }
            Passes => "passes",
            Refused(..) => "is refused",
        };
        let guarantee = format!("recheck, {mode}: {} {told}", rewrite.name);
        let mut row = Row::new(guarantee, self.position.column());
        for by in &rewrite.by {
            let (sent, wanted) = (rewrite.sent(mode), rewrite.rewritten(mode));
            let fault = self.fault(by.name(), &sent, &wanted, fate);
            row.count(fault.is_none());
            wrong.extend(fault.map(|fault| format!("{mode} {}: {fault}", rewrite.name)));
        }
        row
    }
}

fn matrix(position: Position, name: &str) {
    let Some(chain) = Chain::start(position) else {
        return;
    };
    let mut table = Vec::new();
    let mut wrong = Vec::new();
    for mode in ["enforce", "audit"] {
        table.extend(rows().iter().map(|row| chain.judge(row, mode, &mut wrong)));
        let guarantee = format!("recheck, {mode}: a request that admit did not see is refused");
        let mut row = Row::new(guarantee, position.column());
        let sent = Rewrite::always("", Passes).sent(mode);
        let fault = chain.fault(UNADMITTED, &sent, &sent, Refused(503, "record_missing"));
        row.count(fault.is_none());
        wrong.extend(fault);
        table.push(row);
    }
    evidence::record(name, &table);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn at_the_end_of_the_chain() {
    matrix(Position::Last, "recheck-last");
}

#[test]
fn in_the_clusters_chain() {
    matrix(Position::Upstream, "recheck-upstream");
}
