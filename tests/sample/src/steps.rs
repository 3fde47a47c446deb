//! The demonstration: seven calls through the filter, and what has to become of each.

use std::net::SocketAddr;

use mcp_boundary_tests::client::Request;
use rmcp::{
    RoleClient, ServiceError, ServiceExt,
    model::{CallToolRequestParams, ClientConfig},
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};

use crate::{
    outcome::{Outcome, Verdict},
    server,
    tap::Tap,
};

/// A tool that the example policy allows, with what it answers.
const ALLOWED: &str = "get_weather";
/// A tool that the example policy denies.
const DENIED: &str = "delete_repo";

/// What has to become of a call.
#[derive(Debug, Clone, Copy)]
struct Expected {
    verdict: Verdict,
    reason: Option<&'static str>,
}

const FORWARD: Expected = Expected {
    verdict: Verdict::Forward,
    reason: None,
};

const fn deny(reason: &'static str) -> Expected {
    Expected {
        verdict: Verdict::Deny,
        reason: Some(reason),
    }
}

const fn reject(reason: &'static str) -> Expected {
    Expected {
        verdict: Verdict::Reject,
        reason: Some(reason),
    }
}

/// The demonstration's target and what it has found so far.
#[derive(Debug)]
pub struct Demonstration {
    gateway: SocketAddr,
    /// Counts what the server receives, where there is one to ask.
    tap: Option<Tap>,
    failed: usize,
    received: u64,
}

impl Demonstration {
    /// Of the filter that listens at `gateway`.
    pub fn new(gateway: SocketAddr, tap: Option<Tap>) -> Self {
        Self {
            gateway,
            tap,
            failed: 0,
            received: 0,
        }
    }

    /// Makes all calls, printing one line each; returns how many went otherwise than the policy says.
    pub async fn run(mut self) -> usize {
        self.as_sdk_client().await;
        self.as_raw_client().await;
        self.failed
    }

    async fn as_sdk_client(&mut self) {
        let client = match connect(self.gateway).await {
            Ok(client) => {
                self.judge("initialize (SDK client)", FORWARD, Outcome::forwarded(""))
                    .await;
                client
            }
            Err(problem) => {
                let outcome = Outcome::of_error_text(&problem);
                return self
                    .judge("initialize (SDK client)", FORWARD, outcome)
                    .await;
            }
        };
        let listed = match client.list_all_tools().await {
            Ok(tools) => Outcome::forwarded(format!("{} tools", tools.len())),
            Err(error) => of_error(&error),
        };
        self.judge("tools/list (SDK client)", FORWARD, listed).await;

        let allowed = call(&client, ALLOWED, json!({"city": "Oslo"})).await;
        self.judge("tools/call get_weather (SDK client)", FORWARD, allowed)
            .await;
        let denied = call(&client, DENIED, json!({"repo": "main"})).await;
        self.judge(
            "tools/call delete_repo (SDK client)",
            deny("tool_denied"),
            denied,
        )
        .await;
        // The connection's end is no step; a client that cannot end it says so in a later one.
        let _ = client.cancel().await;
    }

    async fn as_raw_client(&mut self) {
        let batch = json!([tool_call(1, ALLOWED), tool_call(2, DENIED)]);
        let request = self.request("2025-03-26", &batch);
        self.send(
            "batch, one member denied (2025-03-26)",
            deny("tool_denied"),
            request,
        )
        .await;

        let honest = self
            .request("2026-07-28", &modern_call(3, ALLOWED))
            .header("mcp-method", "tools/call")
            .header("mcp-name", ALLOWED);
        self.send("tools/call get_weather (2026-07-28)", FORWARD, honest)
            .await;

        let lying = self
            .request("2026-07-28", &modern_call(4, DENIED))
            .header("mcp-method", "tools/call")
            .header("mcp-name", ALLOWED);
        self.send(
            "delete_repo as Mcp-Name get_weather",
            reject("mirror_mismatch"),
            lying,
        )
        .await;
    }

    fn request(&self, revision: &str, body: &Value) -> Request {
        let authority = self.gateway.to_string();
        Request::mcp(&authority, server::PATH, Some(revision), &body.to_string())
    }

    async fn send(&mut self, step: &str, expected: Expected, request: Request) {
        let gateway = self.gateway;
        let answer = tokio::task::spawn_blocking(move || request.send(gateway)).await;
        let outcome = match answer {
            Ok(Ok(response)) => response.json().map_or_else(
                || Outcome::unexpected(format!("HTTP {} without JSON", response.status)),
                |message| Outcome::of_message(&message),
            ),
            Ok(Err(error)) => Outcome::unexpected(error.to_string()),
            Err(error) => Outcome::unexpected(error.to_string()),
        };
        self.judge(step, expected, outcome).await;
    }

    /// Prints a step's line.
    async fn judge(&mut self, step: &str, expected: Expected, outcome: Outcome) {
        let received = match &self.tap {
            Some(tap) => {
                let before = std::mem::replace(&mut self.received, tap.received().await);
                Some(self.received - before)
            }
            None => None,
        };
        // Refused means: not a byte of it. Forwarded means that the server saw it, not that somebody answered.
        let bytes_fit =
            received.is_none_or(|bytes| (bytes > 0) == (expected.verdict == Verdict::Forward));
        let fits = outcome.verdict == Some(expected.verdict)
            && outcome.reason.as_deref() == expected.reason
            && bytes_fit;
        self.failed += usize::from(!fits);

        let mark = if fits { "ok  " } else { "FAIL" };
        let got = outcome
            .verdict
            .map_or_else(|| "error".to_owned(), |verdict| verdict.to_string());
        let reason = outcome.reason.as_deref().unwrap_or("-");
        let upstream = received.map_or_else(
            || "not counted".to_owned(),
            |bytes| format!("{bytes} bytes"),
        );
        println!(
            "{mark} {step:<38} expected {:<8} got {got:<8} reason {reason:<16} upstream {upstream}",
            expected.verdict,
        );
        if !fits {
            let wanted = expected.reason.unwrap_or("-");
            println!(
                "     expected reason {wanted}; the answer was: {}",
                outcome.note
            );
        }
    }
}

type Client = RunningService<RoleClient, ClientConfig>;

async fn connect(gateway: SocketAddr) -> Result<Client, String> {
    let uri = format!("http://{gateway}{}", server::PATH);
    // A proxy from the environment would come between the client and loopback.
    let http = reqwest::Client::builder()
        .no_proxy()
        .build()
        .map_err(|error| error.to_string())?;
    let transport = StreamableHttpClientTransport::with_client(
        http,
        StreamableHttpClientTransportConfig::with_uri(uri),
    );
    ClientConfig::default()
        .serve(transport)
        .await
        .map_err(|error| error.to_string())
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Outcome {
    let mut params = CallToolRequestParams::new(tool);
    params.arguments = arguments.as_object().cloned();
    match client.call_tool(params).await {
        Ok(result) => match serde_json::to_value(&result) {
            Ok(result) => Outcome::of_message(&json!({ "result": result })),
            Err(error) => Outcome::unexpected(error.to_string()),
        },
        Err(error) => of_error(&error),
    }
}

fn of_error(error: &ServiceError) -> Outcome {
    match error {
        ServiceError::McpError(data) => Outcome::of_message(&json!({ "error": data })),
        other => Outcome::of_error_text(&other.to_string()),
    }
}

fn tool_call(id: u32, tool: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": { "name": tool, "arguments": { "city": "Oslo", "repo": "main" } },
    })
}

fn modern_call(id: u32, tool: &str) -> Value {
    let mut message = tool_call(id, tool);
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message
}
