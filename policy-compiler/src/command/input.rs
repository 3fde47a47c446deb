//! Reading policies and blobs.

use std::io::Read as _;
use std::path::Path;

use mcp_boundary_format::{MAGIC, Policy};

use super::console::Console;
use crate::cli::Exit;
use crate::{Compiled, RulePlace};

/// Larger than any policy; keeps a wrong file from filling the memory.
const MAX_BYTES: u64 = 64 << 20;

/// Whether the path stands for standard input or output.
pub(super) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What to call the input in messages.
pub(super) fn shown(path: &Path) -> String {
    if is_dash(path) {
        "<stdin>".into()
    } else {
        path.display().to_string()
    }
}

pub(super) fn bytes(console: &Console, path: &Path) -> Result<Vec<u8>, Exit> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES.saturating_add(1);
    let read = if is_dash(path) {
        std::io::stdin().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    let file = shown(path);
    if let Err(error) = read {
        return Err(console.fail(
            Exit::Input,
            &file,
            format!("cannot read `{file}`: {error}"),
            "check the path and its permissions",
        ));
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
        return Err(console.fail(
            Exit::Input,
            &file,
            format!("`{file}` is larger than 64 MiB"),
            "this is not a policy",
        ));
    }
    Ok(bytes)
}

/// A policy or compiled policy, whichever it is, and where its rules are
/// written; what is wrong with it is told, warnings are not.
pub(super) fn either(console: &Console, path: &Path) -> Result<(Policy, Vec<RulePlace>), Exit> {
    let bytes = bytes(console, path)?;
    if looks_like_a_blob(&bytes) {
        return Ok((decode(console, path, &bytes)?, Vec::new()));
    }
    let compiled = compiled(console, path, bytes)?.1;
    Ok((compiled.policy, compiled.places))
}

/// A policy or compiled policy, whichever it is; errors and warnings are told.
pub(super) fn policy(console: &Console, path: &Path) -> Result<Policy, Exit> {
    let bytes = bytes(console, path)?;
    match looks_like_a_blob(&bytes) {
        true => decode(console, path, &bytes),
        false => compile(console, path, bytes, false),
    }
}

/// Compiles a policy and tells its errors or warnings.
pub(super) fn compile(
    console: &Console,
    path: &Path,
    bytes: Vec<u8>,
    deny_warnings: bool,
) -> Result<Policy, Exit> {
    let (text, compiled) = compiled(console, path, bytes)?;
    console.tell(&compiled.warnings, &shown(path), &text);
    match deny_warnings && !compiled.warnings.is_empty() {
        true => Err(Exit::Policy),
        false => Ok(compiled.policy),
    }
}

/// The text of a policy and what became of it; its errors are told.
fn compiled(console: &Console, path: &Path, bytes: Vec<u8>) -> Result<(String, Compiled), Exit> {
    let file = shown(path);
    if looks_like_a_blob(&bytes) {
        return Err(console.fail(
            Exit::Input,
            &file,
            format!("`{file}` is already a compiled policy"),
            "give the YAML it was compiled from; `mcp-policy inspect` shows what it says",
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error
            .as_bytes()
            .get(..good)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
            .count();
        console.fail(
            Exit::Input,
            &file,
            format!("`{file}` is not UTF-8: invalid byte in line {line}"),
            "save it as UTF-8",
        )
    })?;
    match crate::compile(&text) {
        Ok(compiled) => Ok((text, compiled)),
        Err(errors) => {
            console.tell(&errors, &file, &text);
            Err(Exit::Policy)
        }
    }
}

/// Reads a compiled policy.
pub(super) fn decode(console: &Console, path: &Path, bytes: &[u8]) -> Result<Policy, Exit> {
    Policy::decode(bytes).map_err(|error| {
        let file = shown(path);
        console.fail(
            Exit::Input,
            &file,
            format!("cannot load `{file}`: {error}"),
            "compile the policy again with `mcp-policy compile`",
        )
    })
}

/// No text begins like this, not even one that was damaged on the way.
pub(super) fn looks_like_a_blob(bytes: &[u8]) -> bool {
    let label = MAGIC.get(1..5).unwrap_or_default();
    bytes
        .get(..MAGIC.len())
        .is_some_and(|start| start.windows(label.len()).any(|window| window == label))
}
