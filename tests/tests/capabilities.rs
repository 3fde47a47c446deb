//! The filter is granted what it needs of Envoy and nothing else: with any one
//! capability less something breaks, and no other one is ever asked for.
//!
//! One Envoy, a listener for each capability taken away from admit or from the
//! recheck. The listeners come as an update, so that a filter which refuses
//! its configuration costs its own listener and no other.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::{self, Listener};
use mcp_boundary_tests::policy::{self, Part};
use mcp_boundary_tests::rewriter::lua;
use mcp_boundary_tests::scene::Scene;
use mcp_boundary_tests::usage;
use mcp_policy::envoy::capabilities;
use serde_json::{Value, json};

/// How Envoy says that a filter asked for what it is not granted.
const RESTRICTED: &str = "Attempted call to restricted ";
/// Where a stanza has the plugin's settings.
const CONFIG: &str = "/typed_config/config";
const VM_ID: &str = "/typed_config/config/vm_config/vm_id";

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: NAME
    path: /mcp
    denial: http
    compat: { equal_version_repeats: true, stale_mirrors: true }
    allow:
      - id: anyone
        tools: [get_weather]
      - id: auditors
        tools: [read_log]
        when: { jwt: { payload: token, claim: role, is: auditor } }
"#;

/// Stands where jwt_authn would: its result is what the filter reads.
const CLAIM: &str = r#"
function envoy_on_request(handle)
  handle:streamInfo():dynamicMetadata():set("envoy.filters.http.jwt_authn", "token", {role = "auditor"})
end
"#;

/// Between admit and recheck, on request: repeats the version, adds a stale
/// mirror, replaces the tool.
const REWRITE: &str = r#"
function envoy_on_request(handle)
  local headers = handle:headers()
  if headers:get("x-repeat") then
    headers:add("mcp-protocol-version", "2025-11-25")
    headers:add("mcp-method", "tools/list")
  end
  if headers:get("x-replace") then
    local body = handle:body()
    local text = body:getBytes(0, body:length())
    body:setBytes((string.gsub(text, "get_weather", "delete_repo")))
  end
end
"#;

/// Requests given up, and bytes of each that the filter keeps until then.
const GIVEN_UP: usize = 300;
const KEPT: usize = 50_000;

/// One capability taken away from one of the two instances; or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    taken: Option<(Part, &'static str)>,
    /// Whether the recheck lacks `allow_on_headers_stop_iteration`. The only
    /// way to leave it with half a request, since admit holds those.
    blind: bool,
}

impl Variant {
    fn all() -> Vec<Self> {
        let whole = |blind| Self { taken: None, blind };
        let parts = [Part::Admit, Part::Recheck];
        let taken = parts.into_iter().flat_map(|part| {
            capabilities().iter().copied().map(move |name| {
                let about_half_requests = name == "proxy_on_delete";
                Self {
                    taken: Some((part, name)),
                    blind: part == Part::Recheck && about_half_requests,
                }
            })
        });
        [whole(false), whole(true)]
            .into_iter()
            .chain(taken)
            .collect()
    }

    /// The listener's name, also the endpoint's and the VM's.
    fn name(self) -> String {
        match (self.taken, self.blind) {
            (None, false) => "whole".to_owned(),
            (None, true) => "whole-but-blind".to_owned(),
            (Some((part, name)), _) => format!("{part:?}-{name}").replace('_', "-").to_lowercase(),
        }
    }

    fn lacks(self, capability: &str) -> bool {
        self.taken.is_some_and(|(_, name)| name == capability)
    }

    fn policy(self) -> String {
        POLICY.replace("NAME", &self.name())
    }

    fn listener(self) -> Listener {
        let mut listener = Listener::new(self.name());
        listener.before = vec![lua(CLAIM)];
        listener.between = vec![lua(REWRITE)];
        listener.admit = Some(self.stanza(Part::Admit));
        listener.recheck = Some(self.stanza(Part::Recheck));
        listener
    }

    fn stanza(self, part: Part) -> Value {
        let module = envoy::filter_module().expect("the filter's module");
        // Instances that nothing is taken from share a VM.
        let whole = format!("whole-{part:?}").to_lowercase();
        let mut stanza = policy::stanza(&self.policy(), part, &whole, &module).expect("a stanza");
        if let Some((_, taken)) = self.taken.filter(|(of, _)| *of == part) {
            *stanza.pointer_mut(VM_ID).expect("an id") = json!(self.name());
            let before = policy::granted(&mut stanza).remove(taken);
            assert!(before.is_some(), "`{taken}` is not granted");
        }
        if self.blind && part == Part::Recheck {
            let config = stanza.pointer_mut(CONFIG).and_then(Value::as_object_mut);
            let before = config
                .expect("a map")
                .remove("allow_on_headers_stop_iteration");
            assert!(before.is_some(), "the stanza allows nothing");
        }
        stanza
    }
}

struct Gateway(Scene);

impl Gateway {
    fn start(test: &str, variants: &[Variant]) -> Option<Self> {
        let listeners = variants.iter().map(|variant| variant.listener());
        // Listeners that are refused do not keep Envoy from starting.
        let (scene, _) = Scene::changing(test, listeners.collect(), |bootstrap| {
            bootstrap.give_up_after(0.5);
        })?;
        Some(Self(scene))
    }

    /// The first thing that goes wrong with this variant.
    fn fault(&self, variant: Variant) -> Option<&'static str> {
        let Some(to) = self.0.envoy.listeners().get(&variant.name()).copied() else {
            return Some("the configuration is refused");
        };
        // What the last variant let through is no fault of this one.
        thread::sleep(Duration::from_millis(20));
        self.0.recorder.take();
        if !variant.blind {
            let fault = self.wrong_verdict(to);
            if fault.is_some() {
                return fault;
            }
        }
        let before = usage::resident(self.0.envoy.id()).expect("envoy runs");
        // Elsewhere one is enough for the log.
        let many = variant.taken.is_none() || variant.lacks("proxy_on_delete");
        for _ in 0..if many { GIVEN_UP } else { 1 } {
            give_up(to, variant.blind);
        }
        thread::sleep(Duration::from_millis(200));
        let after = usage::resident(self.0.envoy.id()).expect("envoy runs");
        if after.saturating_sub(before) > (GIVEN_UP * KEPT / 2) as u64 {
            return Some("requests given up stay in memory");
        }
        self.silence(variant)
    }

    fn wrong_verdict(&self, to: SocketAddr) -> Option<&'static str> {
        let call = || call("get_weather");
        let trailing = |mut request: Request| {
            request.trailers = vec![(b"x-sum".to_vec(), b"1".to_vec())];
            request
        };
        let replaced = || call().header("x-replace", "1");
        let permitted = [
            ("a permitted call", call()),
            ("a principal's call", self::call("read_log")),
            (
                "a repeated version",
                call().header("mcp-protocol-version", "2025-11-25"),
            ),
            ("a stale mirror", call().header("mcp-method", "tools/list")),
            ("repeated on the way", call().header("x-repeat", "1")),
            ("trailers", trailing(call())),
        ];
        for (what, request) in permitted {
            if !self.forwards(to, &request) {
                return Some(what);
            }
        }
        let refused = [
            ("a denial", self::call("delete_repo")),
            ("a denial at trailers", trailing(self::call("delete_repo"))),
            ("a replaced tool", replaced()),
            ("a tool replaced before trailers", trailing(replaced())),
        ];
        for (what, request) in refused {
            let status = request.send(to).map_or(0, |answer| answer.status);
            if status != 403 || self.0.recorder.take().bytes > 0 {
                return Some(what);
            }
        }
        None
    }

    fn forwards(&self, to: SocketAddr, request: &Request) -> bool {
        let status = request.send(to).map_or(0, |answer| answer.status);
        let recording = self.0.recorder.take();
        let [exchange] = recording.exchanges.as_slice() else {
            return false;
        };
        let versions = exchange.headers.iter();
        let versions = versions.filter(|(name, _)| name == "mcp-protocol-version");
        status == 200
            && request.body.as_ref() == Some(&exchange.body)
            && versions.count() == 1
            && exchange.header("mcp-method").is_none()
    }

    /// What the counters or the log do not tell.
    fn silence(&self, variant: Variant) -> Option<&'static str> {
        let name = variant.name();
        let part = match (variant.taken, variant.blind) {
            (Some((part, _)), _) => part,
            (None, false) => Part::Admit,
            (None, true) => Part::Recheck,
        };
        let part = format!("{part:?}").to_lowercase();
        let exported = self.0.envoy.admin("/stats/prometheus").expect("statistics");
        let labels = [format!(r#"endpoint="{name}""#), format!(r#"role="{part}""#)];
        let counted = exported.lines().any(|line| {
            line.starts_with("mcp_boundary_requests_total{")
                && !line.ends_with(" 0")
                && labels.iter().all(|label| line.contains(label))
        });
        // A blind recheck never gets as far as a verdict.
        if !counted && !variant.blind {
            return Some("no verdict is counted");
        }
        let vm = match variant.taken {
            Some(_) => format!(" {name}: "),
            None => format!(" mcp-boundary-whole-{part}: "),
        };
        let log = self.0.envoy.log();
        let mut lines = log.lines().filter(|line| line.contains(&vm));
        let told = lines.any(|line| line.contains("before any of its body was seen"));
        let tells = variant.blind || part == "admit";
        (tells && !told).then_some("the log is silent on requests without a body")
    }
}

fn call(tool: &str) -> Request {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    );
    Request::mcp("server.test", "/mcp", Some("2025-11-25"), &body)
}

/// Sends a request, with its body or only announcing it, and goes away. The
/// filter keeps the values of `mcp-param-*` until it decides.
fn give_up(to: SocketAddr, whole: bool) {
    let kept = "y".repeat(KEPT);
    let body = call("get_weather").body.unwrap_or_default();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: server.test\r\ncontent-type: application/json\r\nmcp-protocol-version: 2025-11-25\r\nmcp-param-x: {kept}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(to).expect("a connection");
    stream.write_all(head.as_bytes()).expect("written");
    if whole {
        stream.write_all(&body).expect("written");
    }
    thread::sleep(Duration::from_millis(3));
    let _ = stream.shutdown(Shutdown::Both);
}

#[test]
fn every_granted_capability_is_needed() {
    let all = Variant::all();
    let Some(gateway) = Gateway::start("capabilities", &all) else {
        return;
    };
    let mut unneeded = Vec::new();
    for variant in all {
        let fault = gateway.fault(variant);
        let name = variant.name();
        eprintln!("{name}: {}", fault.unwrap_or("nothing goes wrong"));
        if fault.is_some() != variant.taken.is_some() {
            unneeded.push((name, fault));
        }
    }
    assert!(unneeded.is_empty(), "{unneeded:#?}");

    // Each was missed by the instance it was taken from; nobody missed more.
    let log = gateway.0.envoy.log();
    let missed = log.lines().filter(|line| line.contains(RESTRICTED));
    let missed: BTreeSet<&str> = missed.filter_map(|line| line.rsplit(' ').next()).collect();
    let granted = capabilities();
    // Where a panic cannot even be logged, the standard library wants to print.
    let last_resort = "fd_write";
    let beyond: Vec<_> = missed
        .iter()
        .filter(|name| **name != last_resort && !granted.contains(name))
        .collect();
    assert!(beyond.is_empty(), "used, but not granted: {beyond:?}");
    assert!(
        missed.len() >= 9,
        "the log says who asks for what it lacks: {missed:?}"
    );
}
