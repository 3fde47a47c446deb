//! What happens to a permitted request that a filter rewrites on its way.
//!
//! A Lua filter between admit and recheck does what the request's own headers
//! tell it to. The recheck stands where operators put it: last before the
//! router, or in the cluster's chain, behind everything.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::{Request, Response};
use mcp_boundary_tests::envoy::Listener;
use mcp_boundary_tests::policy::Part;
use mcp_boundary_tests::recorder::Recording;
use mcp_boundary_tests::rewriter::lua;
use mcp_boundary_tests::scene::{GUARDED, Scene, UNADMITTED, instance};
use serde_json::Value;

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - name: strict
    hosts: [server.test]
    path: /mcp
    denial: http
    versions: ["2025-11-25"]
    allow:
      methods: [initialize, tools/list]
      tools: [get_weather, get_forecast]
  - name: weak
    hosts: [weak.test]
    path: /mcp
    denial: http
    allow: { tools: ["*"] }
  - name: moving
    path: /moving
    denial: http
    upstream: { path: /backend/mcp, hosts: [inner.test] }
    allow: { tools: [get_weather] }
  - name: tried
    path: /tried
    mode: audit
    allow: { tools: [get_weather] }
  - name: a
    path: /a
    denial: http
    allow: { tools: [delete_repo] }
  - name: b
    path: /b
    denial: http
    allow: { tools: ["*"] }
    deny: { tools: [delete_repo] }
  - name: owned
    path: /owned
    denial: http
    arguments: { forbid: [_owner, _admin], set_by_filters: [_owner] }
    allow: { tools: [get_weather] }
"#;

const LUA: &str = r#"
function envoy_on_request(handle)
  local headers = handle:headers()
  local from, to = headers:get("x-from"), headers:get("x-to")
  if from and to then
    local body = handle:body()
    local text = body:getBytes(0, body:length())
    body:setBytes((string.gsub(text, from, to)))
  end
  headers = handle:headers()
  for _, name in ipairs({"path", "method", "authority"}) do
    local value = headers:get("x-" .. name)
    if value then headers:replace(":" .. name, value) end
  end
end
"#;

const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_weather","arguments":{}}}"#;

struct Chain {
    scene: Scene,
    recheck: Recheck,
}

/// Where the recheck stands.
#[derive(Debug, Clone, Copy)]
enum Recheck {
    Last,
    Upstream,
}

impl Chain {
    fn start(test: &str, recheck: Recheck) -> Option<Self> {
        let mut chain = Listener::new(GUARDED);
        chain.admit = Some(instance(POLICY, Part::Admit, GUARDED));
        chain.between = vec![lua(LUA)];
        let mut unadmitted = Listener::new(UNADMITTED);
        let mut upstream = Vec::new();
        match recheck {
            Recheck::Last => {
                chain.recheck = Some(instance(POLICY, Part::Recheck, GUARDED));
                unadmitted.recheck = Some(instance(POLICY, Part::Recheck, UNADMITTED));
            }
            Recheck::Upstream => upstream.push(instance(POLICY, Part::Upstream, "behind")),
        }
        let scene = Scene::of(test, vec![unadmitted, chain], |bootstrap| {
            bootstrap.upstream_filters = upstream;
        })?;
        Some(Self { scene, recheck })
    }

    fn send(&self, listener: &str, request: &Request) -> (Response, Recording) {
        (self.scene.ask(listener, request), self.scene.arrived())
    }

    /// The request is refused with this status, and no byte of it gets through.
    fn refuses(&self, listener: &str, request: &Request, status: u16, reason: Option<&str>) {
        let response = self.scene.refused(listener, request, status);
        let body = String::from_utf8_lossy(&response.body).into_owned();
        let answer = response.json().expect("a refusal is JSON");
        assert!(answer["error"]["code"].is_i64(), "{body}");
        if let Some(reason) = reason {
            assert_eq!(answer["error"]["data"]["reason"], reason, "{body}");
        }
    }

    /// The request reaches the server with this body.
    fn forwards(&self, request: &Request, body: &str) {
        let exchange = self.scene.forwarded(GUARDED, request);
        assert_eq!(String::from_utf8_lossy(&exchange.body), body);
    }
}

fn call() -> Request {
    Request::mcp("server.test", "/mcp", Some("2025-11-25"), CALL)
}

fn call_at(path: &str) -> Request {
    let path = path.to_owned();
    Request { path, ..call() }
}

fn rewriting(from: &str, to: &str) -> Request {
    call().header("x-from", from).header("x-to", to)
}

fn every_rewrite_is_judged(chain: &Chain) {
    chain.forwards(&call(), CALL);
    // Lua's patterns: `get_weather` has no character of their syntax.
    let forecast = CALL.replace("get_weather", "get_forecast");
    chain.forwards(&rewriting("get_weather", "get_forecast"), &forecast);

    let denied = rewriting("get_weather", "delete_repo");
    chain.refuses(GUARDED, &denied, 403, None);
    let two_names = rewriting("\"name\"", "\"name\":\"get_weather\",\"name\"");
    chain.refuses(GUARDED, &two_names, 400, Some("json_duplicate_member"));
    let unknown = rewriting("tools/call", "tools/destroy");
    let (response, recording) = chain.send(GUARDED, &unknown);
    assert_eq!(recording.bytes, 0, "{recording:?}");
    assert!(matches!(response.status, 400 | 403), "{}", response.status);
}

fn what_admit_recorded_must_still_hold(chain: &Chain) {
    for request in [
        call().header("x-path", "/mcp?as=admin"),
        call().header("x-path", "/other"),
        call().header("x-method", "PUT"),
    ] {
        let (response, recording) = chain.send(GUARDED, &request);
        assert_eq!(recording.bytes, 0, "{request:?}: {recording:?}");
        assert!(response.status >= 400, "{request:?}: {}", response.status);
    }
    // Nothing was admitted, so nothing was recorded.
    let (response, recording) = chain.send(UNADMITTED, &call());
    assert_eq!(recording.bytes, 0, "{recording:?}");
    assert!(response.status >= 400, "{}", response.status);
}

/// An `initialize` needs no version header, but only while it is one.
fn initialize_rewritten_into_a_call_gets_no_exemption(chain: &Chain) {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let plain = Request::mcp("server.test", "/mcp", None, initialize);
    chain.forwards(&plain, initialize);
    let rewritten = plain
        .header("x-from", "initialize")
        .header("x-to", "tools/list");
    chain.refuses(GUARDED, &rewritten, 400, None);
}

/// Another endpoint's host is refused, whatever its rules would say.
fn a_rewritten_host_is_refused(chain: &Chain) {
    let moved = call().header("x-authority", "weak.test");
    chain.refuses(GUARDED, &moved, 400, Some("host_rewritten"));
    let weaker = rewriting("get_weather", "delete_repo").header("x-authority", "weak.test");
    chain.refuses(GUARDED, &weaker, 400, Some("host_rewritten"));
}

/// `/b` denies the tool that `/a` permits: moving the call there helps nobody.
fn a_call_moved_to_another_endpoint_is_refused(chain: &Chain) {
    let mut request = call_at("/a").header("x-path", "/b");
    request.body = Some(CALL.replace("get_weather", "delete_repo").into_bytes());
    chain.refuses(GUARDED, &request, 400, Some("path_rewritten"));
}

fn what_a_route_may_do_is_written_down(chain: &Chain) {
    let at = || call_at("/moving?a=1");
    let moved = at().header("x-path", "/backend/mcp?a=1");
    let inner = moved.clone().header("x-authority", "inner.test:81");
    match chain.recheck {
        Recheck::Last => {
            chain.refuses(GUARDED, &moved, 400, Some("path_rewritten"));
            chain.refuses(GUARDED, &inner, 400, Some("host_rewritten"));
        }
        Recheck::Upstream => {
            chain.forwards(&moved, CALL);
            chain.forwards(&inner, CALL);
            let query = at().header("x-path", "/backend/mcp?a=2");
            chain.refuses(GUARDED, &query, 400, Some("query_rewritten"));
            let tool = moved
                .header("x-from", "get_weather")
                .header("x-to", "delete_repo");
            chain.refuses(GUARDED, &tool, 403, Some("tool_not_allowed"));
        }
    }
    let below = at().header("x-path", "/backend/mcp/x?a=1");
    chain.refuses(GUARDED, &below, 400, Some("path_rewritten"));
    let outer = at().header("x-authority", "outer.test");
    chain.refuses(GUARDED, &outer, 400, Some("host_rewritten"));
}

/// What clients must not send, a filter may set, if the policy names it.
fn arguments_are_set_by_filters_alone(chain: &Chain) {
    let owned = |name: &str| {
        call_at("/owned")
            .header("x-from", "{}")
            .header("x-to", &format!("{{\"{name}\":1}}"))
    };
    let set = CALL.replace("{}", "{\"_owner\":1}");
    chain.forwards(&owned("_owner"), &set);
    chain.refuses(GUARDED, &owned("_admin"), 403, Some("argument_forbidden"));
    let mut sent = call_at("/owned");
    sent.body = Some(set.into_bytes());
    chain.refuses(GUARDED, &sent, 403, Some("argument_forbidden"));
}

fn audit_passes_denied_rewrites_and_no_malformed_ones(chain: &Chain) {
    let rewriting =
        |from: &str, to: &str| call_at("/tried").header("x-from", from).header("x-to", to);
    let deleted = CALL.replace("get_weather", "delete_repo");
    chain.forwards(&rewriting("get_weather", "delete_repo"), &deleted);
    let two_names = rewriting("\"name\"", "\"name\":\"get_weather\",\"name\"");
    chain.refuses(GUARDED, &two_names, 400, Some("json_duplicate_member"));
}

/// Admit let it pass, but the access log says who refused it and why.
fn a_refusal_is_in_the_access_log(chain: &Chain) {
    let logged = |request: &Request| {
        let before = chain.scene.envoy.access_log().lines().count();
        chain.send(GUARDED, request);
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let log = chain.scene.envoy.access_log();
            if let Some(line) = log.lines().nth(before) {
                return serde_json::from_str::<Value>(line).expect("JSON");
            }
            assert!(Instant::now() < deadline, "{log}");
            thread::sleep(Duration::from_millis(50));
        }
    };
    // Every earlier line is written.
    thread::sleep(Duration::from_millis(500));
    let line = logged(&rewriting("get_weather", "delete_repo"));
    assert_eq!(line["verdict"], "deny", "{line}");
    assert_eq!(line["reason"], "tool_not_allowed", "{line}");
    assert_eq!(line["role"], "recheck", "{line}");
    assert_eq!(line["rule"], "", "admit's rule permitted it: {line}");
    assert_eq!(line["mcp_names"], r#"["delete_repo"]"#, "{line}");
    assert_eq!(line["status"], 403, "{line}");
    let line = logged(&call().header("x-path", "/other"));
    assert_eq!(line["verdict"], "reject", "{line}");
    assert_eq!(line["reason"], "path_rewritten", "{line}");
    let line = logged(&call());
    assert_eq!(line["verdict"], "forward", "{line}");
    assert_eq!(line["role"], "admit", "{line}");
}

fn everything_holds(chain: &Chain) {
    every_rewrite_is_judged(chain);
    what_admit_recorded_must_still_hold(chain);
    initialize_rewritten_into_a_call_gets_no_exemption(chain);
    a_rewritten_host_is_refused(chain);
    a_call_moved_to_another_endpoint_is_refused(chain);
    what_a_route_may_do_is_written_down(chain);
    arguments_are_set_by_filters_alone(chain);
    audit_passes_denied_rewrites_and_no_malformed_ones(chain);
    a_refusal_is_in_the_access_log(chain);
}

#[test]
fn last_before_the_router() {
    if let Some(chain) = Chain::start("recheck before the router", Recheck::Last) {
        everything_holds(&chain);
    }
}

#[test]
fn in_the_clusters_chain() {
    if let Some(chain) = Chain::start("recheck in the cluster's chain", Recheck::Upstream) {
        everything_holds(&chain);
    }
}
