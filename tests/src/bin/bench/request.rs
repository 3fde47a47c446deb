//! The requests that are measured.

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::load::call;
use serde_json::{Value, json};

const KIB: usize = 1 << 10;

/// One kind of request.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its name in the table.
    pub(crate) title: &'static str,
    /// What is sent.
    pub(crate) request: Request,
    /// Whether it reaches the server.
    pub(crate) permitted: bool,
    /// How many each client sends for one measurement.
    pub(crate) count: usize,
}

/// All of them, the short ones first.
pub(crate) fn all() -> Vec<Kind> {
    let kind = |title, request, count| Kind {
        title,
        request,
        permitted: true,
        count,
    };
    vec![
        kind("call, 0.2 KiB", call("get_weather", 0), 200),
        kind("call of 2026-07-28 with mirrors, 0.4 KiB", modern(), 200),
        Kind {
            permitted: false,
            ..kind("denied call", call("delete_repo", 0), 200)
        },
        kind("call, 4 KiB of members", members(4 * KIB), 100),
        kind("call, 64 KiB of members", members(64 * KIB), 20),
        kind("call, 64 KiB of text", call("get_weather", 64 * KIB), 40),
        kind("call, 1 MiB of text", call("get_weather", 1024 * KIB), 4),
    ]
}

fn modern() -> Request {
    let meta = "io.modelcontextprotocol";
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "get_weather",
            "arguments": { "city": "Oslo" },
            "_meta": {
                format!("{meta}/protocolVersion"): "2026-07-28",
                format!("{meta}/clientInfo"): { "name": "bench", "version": "1" },
                format!("{meta}/clientCapabilities"): {},
            },
        },
    });
    let mut request = Request::mcp("server.test", "/mcp", Some("2026-07-28"), &body.to_string());
    for (name, value) in [("mcp-method", "tools/call"), ("mcp-name", "get_weather")] {
        request.headers.push((name.into(), value.into()));
    }
    request
}

/// A call with about `size` bytes of small members, as data tools take.
fn members(size: usize) -> Request {
    let rows: Vec<Value> = (0..size / 80)
        .map(|row| {
            json!({
                "id": row, "name": format!("row number {row}"),
                "score": row as f64 / 8.0, "tags": ["a", "b"], "open": row % 2 == 0,
            })
        })
        .collect();
    let params = json!({ "name": "get_weather", "arguments": { "rows": rows } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    Request::mcp("server.test", "/mcp", Some("2025-11-25"), &body.to_string())
}
