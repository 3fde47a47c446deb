//! A run of the tool.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use assert_cmd::Command;

/// The tool, to be given its arguments.
pub(crate) fn tool() -> Command {
    Command::cargo_bin("mcp-policy").unwrap()
}

/// Exit code, output and errors of a run.
pub(crate) fn ran(tool: &mut Command) -> (i32, String, String) {
    let output = tool.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}
