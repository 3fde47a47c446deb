//! `explain`, `test` and `replay`: what they print, and what they refuse.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use ran::{ran, tool};
use tempfile::TempDir;

mod ran;

const POLICY: &str = r#"mcp_policy: 1
endpoints:
  - name: crm
    path: /mcp
    allow:
      - id: agents
        tools: ["*_ticket", list_tickets]
        when: { jwt: { payload: jwt_payload, claim: role, in: [agent, admin] } }
      - id: all
        methods: [initialize, tools/list]
        resources: ["file:///docs/**"]
    deny:
      - id: destructive
        tools: ["delete_*"]
"#;

/// A folder with the policy, and other files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("policy.yaml"), POLICY).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Exit code, output and errors of a run in a folder.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    ran(tool().current_dir(folder).args(arguments))
}

/// What is printed for each command line.
fn printed(folder: &TempDir, lines: &[&[&str]]) -> String {
    let mut out = String::new();
    for line in lines {
        let (code, text, errors) = run(folder.path(), line);
        out.push_str(&format!(
            "$ mcp-policy {}\n{text}{errors}({code})\n\n",
            line.join(" ")
        ));
    }
    out
}

#[test]
fn explanations() {
    let request = "POST /mcp HTTP/1.1\nhost: a.test\ncontent-type: application/json\naccept: application/json, text/event-stream\nmcp-protocol-version: 2025-11-25\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"method\":\"tools/list\"}\n";
    let log = "[warning] wasm log: {\"mcp_boundary\":\"deny\",\"reason\":\"tool_denied\",\"host\":\"a.test\",\"path\":\"/mcp\",\"revision\":\"2025-11-25\",\"methods\":[\"tools/call\"],\"names\":[\"delete_ticket\"],\"principals\":{\"jwt.jwt_payload.role\":[\"agent\"]}}\n";
    let folder = folder(&[
        ("twice.http", request),
        ("envoy.log", log),
        ("bad.http", "hello\n"),
    ]);
    let viewer = r#"{"role":"viewer"}"#;
    let text = printed(
        &folder,
        &[
            &[
                "explain",
                "policy.yaml",
                "--tool",
                "delete_ticket",
                "--jwt",
                viewer,
            ],
            &[
                "explain",
                "policy.yaml",
                "--tool",
                "get_ticket",
                "--jwt",
                viewer,
            ],
            &[
                "explain",
                "policy.yaml",
                "--tool",
                "get_ticket",
                "--jwt",
                r#"jwt_payload={"role":"agent"}"#,
            ],
            &["explain", "policy.yaml", "--tool", "get_ticket"],
            &["explain", "policy.yaml", "--tool", "drop"],
            &["explain", "policy.yaml", "--resource", "file:///docs/../a"],
            &[
                "explain",
                "policy.yaml",
                "--method",
                "initialize",
                "--revision",
                "2025-03-26",
            ],
            &[
                "explain",
                "policy.yaml",
                "--method",
                "tools/list",
                "--path",
                "/other",
            ],
            &[
                "explain",
                "policy.yaml",
                "--method",
                "ping",
                "--revision",
                "2026-07-28",
            ],
            &["explain", "policy.yaml", "--request", "twice.http"],
            &["explain", "policy.yaml", "--log", "envoy.log"],
            &[
                "explain",
                "policy.yaml",
                "--tool",
                "drop",
                "--format",
                "json",
            ],
            &["explain", "policy.yaml"],
            &["explain", "policy.yaml", "--tool", "a", "--endpoint", "erp"],
            &["explain", "policy.yaml", "--request", "bad.http"],
            &["explain", "policy.yaml", "--log", "bad.http"],
            &["explain", "policy.yaml", "--tool", "a", "--jwt", "viewer"],
        ],
    );
    insta::assert_snapshot!("explain", text);
}

#[test]
fn a_blob_is_explained_without_lines() {
    let folder = folder(&[]);
    let (code, _, errors) = run(
        folder.path(),
        &["compile", "policy.yaml", "-o", "policy.blob"],
    );
    assert_eq!(code, 0, "{errors}");
    let (code, text, errors) = run(
        folder.path(),
        &["explain", "policy.blob", "--tool", "delete_x"],
    );
    assert_eq!(code, 0, "{errors}");
    assert!(
        text.starts_with("deny  tool_denied  endpoint crm"),
        "{text}"
    );
    assert!(!text.contains("policy.blob:"), "{text}");
}

#[test]
fn tests_of_a_policy() {
    let right = "
- { call: get_ticket, as: { jwt: { role: agent } }, expect: allow }
- { call: delete_ticket, as: { jwt: { role: agent } }, expect: tool_denied }
- { method: tools/list, revision: '2025-11-25', expect: allow }
- { resource: 'file:///docs/a', as: { headers: { X-A: b } }, expect: allowed }
- name: two names
  request: |
    POST /mcp HTTP/1.1
    host: a.test
    content-type: application/json
    mcp-protocol-version: 2025-11-25

    {\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"tools/list\"}
  expect: json_duplicate_member
";
    let wrong = "
- { name: viewers may look, call: get_ticket, as: { jwt: { role: viewer } }, expect: allow }
- { method: tools/list, expect: deny }
";
    let folder = folder(&[
        ("right.yaml", right),
        ("wrong.yaml", wrong),
        ("none.yaml", "[]"),
        ("empty.yaml", ""),
        ("typo.yaml", "- { call: a, expects: allow }"),
        ("code.yaml", "- { call: a, expect: tool_forbidden }"),
        ("two.yaml", "- { call: a, prompt: b, expect: allow }"),
    ]);
    let text = printed(
        &folder,
        &[
            &["test", "policy.yaml", "right.yaml"],
            &["test", "policy.yaml", "right.yaml", "--coverage"],
            &["test", "policy.yaml", "right.yaml", "--min-coverage", "100"],
            &["test", "policy.yaml", "right.yaml", "wrong.yaml"],
            &["test", "policy.yaml", "none.yaml"],
            &["test", "policy.yaml", "empty.yaml"],
            &["test", "policy.yaml", "typo.yaml"],
            &["test", "policy.yaml", "code.yaml"],
            &["test", "policy.yaml", "two.yaml"],
        ],
    );
    insta::assert_snapshot!("test", text);
}

/// A day of traffic, and a policy that permits less.
#[test]
fn logged_requests_are_decided_anew() {
    let line = |verdict: &str, tool: &str, role: &str| {
        format!(
            "{{\"verdict\":\"{verdict}\",\"reason\":\"x\",\"host\":\"a.test\",\"path\":\"/mcp\",\"revision\":\"2025-11-25\",\"mcp_methods\":\"[\\\"tools/call\\\"]\",\"mcp_names\":\"[\\\"{tool}\\\"]\",\"principals\":\"{{\\\"jwt.jwt_payload.role\\\":[\\\"{role}\\\"]}}\"}}\n"
        )
    };
    let mut log = String::from("not a line of JSON\n{\"a\":1}\n");
    for _ in 0..3 {
        log.push_str(&line("forward", "get_ticket", "agent"));
        log.push_str(&line("forward", "get_ticket", "viewer"));
        log.push_str(&line("forward", "search_web", "agent"));
        log.push_str(&line("deny", "delete_ticket", "admin"));
    }
    log.push_str(&line("deny", "list_tickets", "admin"));
    log.push_str(&line("forward", "name_that_is_c…", "admin"));
    log.push_str("{\"verdict\":\"reject\",\"reason\":\"json_invalid\",\"host\":\"a.test\",\"path\":\"/mcp\",\"mcp_methods\":null}\n");
    let folder = folder(&[("access.log", &log), ("empty.log", "")]);
    let text = printed(
        &folder,
        &[
            &["replay", "access.log", "--policy", "policy.yaml"],
            &[
                "replay",
                "access.log",
                "--policy",
                "policy.yaml",
                "--suggest",
                "--deny-narrowing",
            ],
            &["replay", "empty.log", "--policy", "policy.yaml"],
        ],
    );
    insta::assert_snapshot!("replay", text);
}
