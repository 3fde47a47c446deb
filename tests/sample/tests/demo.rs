//! The demonstration succeeds in front of the filter, and fails where there is none.

use std::process::{Command, Output};

use mcp_boundary_sample::server::{self, Options};
use mcp_boundary_tests::envoy;
use tokio_util::sync::CancellationToken;

fn demo(arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(arguments)
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, stdout)
}

#[test]
fn every_call_goes_as_the_policy_says() {
    if envoy::or_skip("the demonstration").is_none() {
        return;
    }
    let (output, stdout) = demo(&[]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let steps: Vec<&str> = stdout
        .lines()
        .filter(|line| line.starts_with("ok "))
        .collect();
    assert_eq!(steps.len(), 7, "{stdout}");
    let refused: Vec<&&str> = steps
        .iter()
        .filter(|line| !line.contains("got forward"))
        .collect();
    assert_eq!(refused.len(), 3, "{stdout}");
    for line in refused {
        assert!(line.ends_with("upstream 0 bytes"), "{line}");
    }
}

/// What the filter is for, seen from the other side: without it, three of the seven calls go wrong.
#[tokio::test(flavor = "multi_thread")]
async fn fails_without_the_filter() {
    let (listener, address) = server::bind("127.0.0.1:0").await.unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(server::serve(listener, Options::default(), stop.clone()));
    let (output, stdout) =
        tokio::task::spawn_blocking(move || demo(&["--gateway", &address.to_string()]))
            .await
            .unwrap();
    stop.cancel();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("FAIL tools/call delete_repo"), "{stdout}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("3 calls did not go as the policy says"),
        "{stdout}\n{stderr}"
    );
}

#[test]
fn says_how_it_is_used() {
    let (output, _) = demo(&["--gateway"]);
    assert_eq!(output.status.code(), Some(2));
}
