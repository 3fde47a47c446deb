//! The modules as Envoy gets them: how big they are and what they import.

use std::process::Command;

#[test]
fn the_modules_are_small_and_import_only_what_envoy_offers() {
    let output = Command::new(env!("CARGO_BIN_EXE_check-module"))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("imports env.proxy_"), "{stdout}");
    for limit in ["below the limit of 900000", "below the limit of 150000"] {
        assert!(stdout.contains(limit), "{stdout}");
    }
}

/// A program for the host is no module.
#[test]
fn the_check_can_fail() {
    let checker = env!("CARGO_BIN_EXE_check-module");
    let output = Command::new(checker).arg(checker).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("not a WebAssembly module"), "{stderr}");
}
