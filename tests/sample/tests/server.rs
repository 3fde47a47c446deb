//! The sample server on its own: what it answers in each revision, and that it ends when asked.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use mcp_boundary_tests::client::Request;
use serde_json::{Value, json};

struct Server {
    child: Child,
    authority: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sample-server"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let authority = line
            .trim()
            .strip_prefix("http://")
            .unwrap()
            .strip_suffix("/mcp")
            .unwrap()
            .to_owned();
        Self { child, authority }
    }

    fn ask(&self, revision: &str, headers: &[(&str, &str)], body: &Value) -> Value {
        let mut request = Request::mcp(&self.authority, "/mcp", Some(revision), &body.to_string());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.send(self.authority.parse().unwrap()).unwrap();
        assert_eq!(response.status, 200);
        response.json().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[test]
fn one_request_is_a_complete_call_in_every_revision() {
    let server = Server::start(&[]);
    let params = json!({"name": "get_weather", "arguments": {"city": "Oslo"}});
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = server.ask(revision, &[], &request("tools/call", params.clone()));
        assert_eq!(
            answer["result"]["content"][0]["text"], "It is sunny in Oslo.",
            "{revision}"
        );
    }
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mirrors = [("mcp-method", "tools/call"), ("mcp-name", "get_weather")];
    let answer = server.ask("2026-07-28", &mirrors, &request("tools/call", params));
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn offers_what_the_example_policy_speaks_of() {
    let server = Server::start(&[]);
    let listed = server.ask("2025-11-25", &[], &request("tools/list", json!({})));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["delete_repo", "get_weather", "search_docs"]);

    // Without the boundary nothing stops it.
    let deletion = json!({"name": "delete_repo", "arguments": {"repo": "main"}});
    let answer = server.ask("2025-11-25", &[], &request("tools/call", deletion));
    assert_eq!(answer["result"]["content"][0]["text"], "deleted main");

    let prompt = json!({"name": "review", "arguments": {"subject": "the change"}});
    let answer = server.ask("2025-11-25", &[], &request("prompts/get", prompt));
    assert_eq!(
        answer["result"]["messages"][0]["content"]["text"],
        "Please review the change."
    );

    let resource = json!({"uri": "file:///docs/readme.md"});
    let answer = server.ask("2025-11-25", &[], &request("resources/read", resource));
    assert_eq!(
        answer["result"]["contents"][0]["text"],
        "Everything worth knowing."
    );
}

#[test]
fn hands_out_sessions_only_when_told_to() {
    let hello = request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
    );
    for (arguments, expected) in [(&[][..], false), (&["--sessions"][..], true)] {
        let server = Server::start(arguments);
        let response = Request::mcp(&server.authority, "/mcp", None, &hello.to_string())
            .send(server.authority.parse().unwrap())
            .unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(
            response.header("mcp-session-id").is_some(),
            expected,
            "{arguments:?}"
        );
    }
}

#[test]
fn ends_on_term() {
    let mut server = Server::start(&[]);
    let killed = Command::new("kill")
        .arg(server.child.id().to_string())
        .status()
        .unwrap();
    assert!(killed.success());
    let started = Instant::now();
    let status = loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{status}");
}

#[test]
fn says_how_it_is_used() {
    let output = Command::new(env!("CARGO_BIN_EXE_sample-server"))
        .arg("--port")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("unknown argument `--port`"), "{text}");
}
