//! No resource URI means one thing here and another to a server.
//!
//! URIs are made near denied ones. For every one that is forwarded, readers
//! that repair URIs must leave it as it is, and whatever a server makes of it
//! (decoded, cut, normalised) must not be a denied one. `URIS` sets how many
//! are made, `SEED` starts another sequence. Contract section 10.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;
use mcp_boundary_engine::{Engine, Head, Kind, Reason, Role, template_fault, uri_fault};
use mcp_boundary_tests::foreign;
use mcp_boundary_tests::policy::compile;
use mcp_boundary_tests::uris::{DENIED, NOT_CANONICAL, REAL, decoded, denied_by, forms, near};
use serde_json::{Value, json};

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

fn engine(allow: &[&str], deny: &[&str]) -> Engine {
    let policy = json!({
        "mcp_policy": 1,
        "endpoints": [{
            "path": "/mcp",
            "allow": {"resources": allow},
            "deny": {"resources": deny},
        }],
    });
    let policy = compile(&policy.to_string()).expect("the policy compiles");
    Engine::new(policy, Role::Admit)
}

fn reason(engine: &Engine, uri: &str) -> Reason {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri},
    });
    let body = body.to_string().into_bytes();
    let length = body.len().to_string();
    let headers: [(&[u8], &[u8]); 7] = [
        (b":authority", b"cases.test"),
        (b":path", b"/mcp"),
        (b":method", b"POST"),
        (b"content-type", b"application/json"),
        (b"accept", b"application/json, text/event-stream"),
        (b"mcp-protocol-version", b"2025-11-25"),
        (b"content-length", length.as_bytes()),
    ];
    let head = Head {
        headers: &headers,
        ..Head::default()
    };
    let verdict = engine.decide(head, &body).verdict;
    assert_eq!(
        verdict.kind == Kind::Forward,
        verdict.reason == Reason::Allowed,
        "{uri}"
    );
    verdict.reason
}

/// URIs that are forwarded although some are denied.
fn forwarded() -> Vec<String> {
    let count = setting("URIS", 200_000);
    let start = std::time::Instant::now();
    let mut rng = Rng::with_seed(setting("SEED", 20_260_728));
    let engine = engine(&["**", "*://*@**"], DENIED);
    let (mut denied, mut refused) = (0_u64, 0_u64);
    let mut forwarded = BTreeSet::new();
    for _ in 0..count {
        let uri = near(&mut rng);
        match reason(&engine, &uri) {
            Reason::Allowed => {
                forwarded.insert(uri);
            }
            Reason::ResourceDenied => denied += 1,
            Reason::NameInvalid => refused += 1,
            Reason::ResourceNotAllowed => {}
            other => panic!("{uri}: {other:?}"),
        }
    }
    println!(
        "{count} URIs: {denied} denied, {refused} refused, {} different ones forwarded; {:?}",
        forwarded.len(),
        start.elapsed()
    );
    assert!(
        forwarded.len() as u64 > count / 20 && denied > count / 20 && refused > count / 20,
        "the sequence says nothing"
    );
    forwarded.into_iter().collect()
}

/// Panics if one of these forms, or what becomes of it when decoded, is denied.
fn none_denied(forms: BTreeSet<String>, uri: &str, reader: &str) -> usize {
    let mut seen = BTreeSet::new();
    for mut text in forms {
        for _ in 0..7 {
            let next = decoded(&text);
            if !seen.insert(std::mem::replace(&mut text, next)) {
                break;
            }
        }
    }
    for text in &seen {
        if let Some(pattern) = denied_by(text) {
            panic!("{reader} reads {text} of {uri}: denied by {pattern}");
        }
    }
    seen.len()
}

#[test]
fn no_reader_finds_a_denied_uri_in_what_is_forwarded() {
    let uris = forwarded();
    let mut looked_at = 0;
    for uri in &uris {
        if let Ok(url) = url::Url::parse(uri) {
            assert_eq!(url.as_str(), uri, "the crate `url` repairs it");
        }
        let mut forms = forms(uri);
        let parsed = forms.iter().filter_map(|form| url::Url::parse(form).ok());
        let repaired: Vec<String> = parsed.map(String::from).collect();
        forms.extend(repaired);
        looked_at += none_denied(forms, uri, "a server");
    }
    println!("{looked_at} forms of {} URIs: none denied", uris.len());
    let read = [
        ("Node", other_reader(Path::new("node"), "urls.mjs", &uris)),
        (
            "pydantic",
            python().is_some_and(|python| other_reader(&python, "urls.py", &uris)),
        ),
    ];
    for (name, _) in read.iter().filter(|(_, read)| *read) {
        println!("{name} leaves all of them as they are, or fails");
    }
}

/// A Python with pydantic, fetched once; `None` without pip.
fn python() -> Option<std::path::PathBuf> {
    let script = mcp_boundary_tests::workspace().join("tests/harness/install.sh");
    let output = Command::new("bash")
        .arg(script)
        .arg("readers")
        .output()
        .expect("bash");
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(std::env::var_os("CI").is_none(), "pydantic: {error}");
        eprintln!("SKIPPED the reader `pydantic`: {error}");
        return None;
    }
    let folder = String::from_utf8(output.stdout).expect("UTF-8");
    Some(Path::new(folder.trim_end()).join("bin/python"))
}

/// Asks a reader in another language for `[repaired or null, forms…]` of each
/// URI; false if there is none and that is acceptable.
fn other_reader(program: &Path, script: &str, uris: &[String]) -> bool {
    let Some(answers) = foreign::ask(program, script, uris) else {
        return false;
    };
    let shown = program.display();
    for (uri, answer) in uris.iter().zip(&answers) {
        let answer: Vec<Option<String>> = serde_json::from_str(answer).expect("JSON");
        let (repaired, forms) = answer.split_first().expect("not empty");
        if let Some(repaired) = repaired {
            assert_eq!(repaired, uri, "{shown} repairs it");
        }
        none_denied(forms.iter().flatten().cloned().collect(), uri, script);
    }
    true
}

#[test]
fn real_uris_stay_legal() {
    assert!(REAL.len() >= 60, "{}", REAL.len());
    let engine = engine(&["**", "*://*@**", "git+ssh://git@**"], &["zz://denied/**"]);
    for (uri, server) in REAL {
        assert_eq!(template_fault(uri), None, "{uri} of {server}");
        let template = uri.contains('{');
        let user = uri.contains("://") && uri.contains('@');
        if !template && !user {
            assert_eq!(reason(&engine, uri), Reason::Allowed, "{uri} of {server}");
        }
        if let Ok(url) = url::Url::parse(uri) {
            assert!(template || url.as_str() == *uri, "{url} of {server}");
        }
    }
    for (uri, source) in NOT_CANONICAL {
        assert!(template_fault(uri).is_some(), "{uri} of {source}");
    }
}

#[test]
fn refusals_say_how_to_write_it() {
    let engine = engine(&["**"], &[]);
    assert_eq!(reason(&engine, "https://example.com"), Reason::NameInvalid);
    let said: Value = json!(uri_fault("https://example.com"));
    assert!(said.to_string().contains("write the final `/`"));
}
