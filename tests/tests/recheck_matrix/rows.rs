//! The matrix's rows: what is rewritten and what must become of it.

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::rewriter::{Edits, Rewriter};

const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_weather","arguments":{"a":[]}}}"#;
const TASKS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tasks/list"}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

const VERSION: &str = "mcp-protocol-version";

/// What must become of a rewritten request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Passes,
    /// With this status and reason.
    Refused(u16, &'static str),
}

use Fate::{Passes, Refused};

/// One row: what is sent, what is rewritten, what must become of it.
#[derive(Debug, Clone)]
pub(crate) struct Rewrite {
    pub(crate) name: &'static str,
    request: Request,
    edits: Edits,
    /// What the route does, by the value of `x-route`.
    route: Option<&'static str>,
    pub(crate) by: Vec<Rewriter>,
    pub(crate) enforce: Fate,
    pub(crate) audit: Fate,
    /// The fate at the end of the chain, which is ahead of the route, where it
    /// is another one.
    pub(crate) at_end: Option<Fate>,
}

impl Rewrite {
    fn new(name: &'static str, enforce: Fate, audit: Fate) -> Self {
        Self {
            name,
            request: Request::mcp("server.test", "", Some("2025-11-25"), CALL),
            edits: Edits::default(),
            route: None,
            by: Rewriter::ALL.to_vec(),
            enforce,
            audit,
            at_end: None,
        }
    }

    /// The same fate in both modes.
    pub(crate) fn always(name: &'static str, fate: Fate) -> Self {
        Self::new(name, fate, fate)
    }

    fn of(mut self, version: Option<&str>, body: &str) -> Self {
        self.request = Request::mcp("server.test", "", version, body);
        self
    }

    fn at(mut self, below: &str) -> Self {
        below.clone_into(&mut self.request.path);
        self
    }

    fn body(mut self, from: &str, to: &str) -> Self {
        self.edits.body = Some((from.to_owned(), to.to_owned()));
        self
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.edits.set = Some((name.to_owned(), value.to_owned()));
        self
    }

    fn stale(mut self) -> Self {
        self.edits.stale_length = true;
        self.by = vec![Rewriter::Wasm];
        self
    }

    fn record(mut self, text: &str) -> Self {
        self.edits.record = Some(text.to_owned());
        self.by(&[Rewriter::Wasm])
    }

    fn by(mut self, rewriters: &[Rewriter]) -> Self {
        self.by = rewriters.to_vec();
        self
    }

    fn route(mut self, kind: &'static str) -> Self {
        self.route = Some(kind);
        self
    }

    fn at_end(mut self, fate: Fate) -> Self {
        self.at_end = Some(fate);
        self
    }

    /// What the client sends in this mode: the endpoint's path begins with it.
    pub(crate) fn sent(&self, mode: &str) -> Request {
        let mut request = self.edits.ask(self.request.clone());
        request.path = format!("/{mode}{}", request.path);
        if let Some(kind) = self.route {
            request = request.header("x-route", kind);
        }
        request
    }

    /// What the server must get of it.
    pub(crate) fn rewritten(&self, mode: &str) -> Request {
        let mut request = self.sent(mode);
        let body = request.body.clone().unwrap_or_default();
        request.body = Some(self.edits.body(&body).unwrap_or(body));
        match &self.edits.set {
            Some((name, value)) if name == ":path" => value.clone_into(&mut request.path),
            Some((name, value)) => {
                let listed = |(listed, _): &&mut (Vec<u8>, Vec<u8>)| listed == name.as_bytes();
                if let Some(line) = request.headers.iter_mut().find(listed) {
                    line.1 = value.clone().into_bytes();
                }
            }
            None => {}
        }
        if self.route == Some("path") {
            let below = request.path.strip_prefix(&format!("/{mode}"));
            request.path = format!("/backend{}", below.unwrap_or_default());
        }
        request
    }
}

pub(crate) fn rows() -> Vec<Rewrite> {
    let name_denied = |rewrite: Rewrite| rewrite.body("get_weather", "delete_repo");
    let path_changed = Refused(400, "path_rewritten");
    let host_changed = Refused(400, "host_rewritten");
    let not_allowed = Refused(403, "tool_not_allowed");
    let call = r#""method":"tools/call","params":{"name":"get_weather","arguments":{}}"#;
    let initialize = &INITIALIZE[r#"{"jsonrpc":"2.0","id":1,"#.len()..INITIALIZE.len() - 1];
    let mut mirrored = Rewrite::always("mirror not updated", Refused(400, "mirror_mismatch"))
        .body("get_weather", "get_forecast");
    mirrored.request = mirrored.request.header("mcp-name", "get_weather");
    let always = Rewrite::always;
    vec![
        always("untouched", Passes),
        always("to another allowed tool", Passes).body("get_weather", "get_forecast"),
        name_denied(Rewrite::new("to a denied tool", not_allowed, Passes)),
        always(
            "malformed: a name twice",
            Refused(400, "json_duplicate_member"),
        )
        .body(r#""name""#, r#""name":"delete_repo","name""#),
        always("malformed: cut off", Refused(400, "json_invalid")).body(r#"{"a":[]}}}"#, "{"),
        always("profile-invalid: arguments", Refused(400, "params_invalid"))
            .body(r#"{"a":[]}"#, "[]"),
        always(
            "profile-invalid: a server's method",
            Refused(400, "method_wrong_direction"),
        )
        .body("tools/call", "roots/list"),
        always("to another permitted revision", Passes).set(VERSION, "2025-06-18"),
        always(
            "to another revision without the method",
            Refused(400, "method_unavailable"),
        )
        .of(Some("2025-11-25"), TASKS)
        .set(VERSION, "2025-06-18"),
        always(
            "to a revision not permitted",
            Refused(400, "version_not_permitted"),
        )
        .set(VERSION, "2025-03-26"),
        mirrored,
        always("initialize untouched", Passes).of(None, INITIALIZE),
        always("initialize into a call", Refused(400, "version_missing"))
            .of(None, INITIALIZE)
            .body(initialize, call),
        always("longer body", Passes).body("[]", r#"["a much longer list","than before"]"#),
        always("shorter body", Passes).body(r#""a":[]"#, ""),
        always(
            "stale length, longer body",
            Refused(400, "content_length_mismatch"),
        )
        .body("[]", "[1,2,3]")
        .stale(),
        always(
            "stale length, shorter body",
            Refused(400, "content_length_mismatch"),
        )
        .body(r#""a":[]"#, "")
        .stale(),
        always(
            "stale length, body untouched",
            Refused(400, "content_length_mismatch"),
        )
        .set("content-length", "9")
        .by(&[Rewriter::Lua, Rewriter::Wasm]),
        always("record overwritten", Refused(503, "record_invalid")).record("anything"),
        always("method changed", Refused(400, "verb_rewritten")).set(":method", "PUT"),
        always("path changed", path_changed).set(":path", "/audit/moving"),
        always("path changed as upstream names it", Passes)
            .at("/moving?a=1")
            .set(":path", "/backend/moving?a=1")
            .at_end(path_changed),
        always("path changed otherwise", path_changed)
            .at("/moving?a=1")
            .set(":path", "/backend/moving/x?a=1"),
        always("query changed", Refused(400, "query_rewritten"))
            .at("/moving?a=1")
            .set(":path", "/backend/moving?a=2")
            .at_end(path_changed),
        always("prefix changed as upstream names it", Passes)
            .at("/below/x?a=1")
            .set(":path", "/backend/below/x?a=1")
            .at_end(path_changed),
        always("prefix and rest changed", path_changed)
            .at("/below/x?a=1")
            .set(":path", "/backend/below/y?a=1"),
        always("route rewrites the path", path_changed)
            .route("path")
            .at_end(Passes),
        always("route rewrites the path as upstream names it", Passes)
            .at("/moving?a=1")
            .route("path"),
        always("route rewrites the prefix as upstream names it", Passes)
            .at("/below/x?a=1")
            .route("path"),
        name_denied(Rewrite::new(
            "route rewrites the path as upstream names it, denied tool",
            not_allowed,
            Passes,
        ))
        .at("/moving")
        .route("path"),
        always("route rewrites the host", host_changed)
            .route("weak")
            .at_end(Passes),
        always("route rewrites the host as upstream names it", Passes)
            .at("/moving")
            .route("inner"),
        name_denied(Rewrite::new(
            "route rewrites the host as upstream names it, denied tool",
            not_allowed,
            Passes,
        ))
        .at("/moving")
        .route("inner"),
        always("host changed", host_changed).set(":authority", "weak.test"),
        name_denied(always("host changed, denied tool", host_changed))
            .set(":authority", "weak.test"),
        always("host changed as upstream names it", Passes)
            .at("/moving")
            .set(":authority", "inner.test:81")
            .at_end(host_changed),
        always("an argument set that filters may set", Passes).body(r#""a":[]"#, r#""_owner":1"#),
        Rewrite::new(
            "an argument set that nobody may set",
            Refused(403, "argument_forbidden"),
            Passes,
        )
        .body(r#""a":[]"#, r#""_admin":1"#),
    ]
}
