//! The modules as Envoy loads them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::error::{Context, Error, Result};
use crate::workspace;

/// The filter's wasm module, built from the tree as it is, or the file that
/// the environment variable `MCP_BOUNDARY_WASM` names.
///
/// # Errors
/// If the build fails or the named file does not exist.
pub fn filter_module() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    let locate = || locate("MCP_BOUNDARY_WASM", "mcp-boundary-filter");
    BUILT.get_or_init(locate).clone()
}

/// The gate's wasm module, built from the tree as it is, or the file that the
/// environment variable `MCP_BOUNDARY_GATE_WASM` names.
///
/// # Errors
/// As [`filter_module`].
pub fn gate_module() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    let locate = || locate("MCP_BOUNDARY_GATE_WASM", "mcp-boundary-gate");
    BUILT.get_or_init(locate).clone()
}

/// The tests' own wasm module, a filter that rewrites requests as their headers
/// tell it to.
///
/// # Errors
/// If the build fails.
pub fn rewriter_module() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    let build = || build("mcp-boundary-test-rewriter");
    BUILT.get_or_init(build).clone()
}

fn locate(variable: &str, package: &str) -> Result<PathBuf> {
    if let Some(named) = env::var_os(variable).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        let shown = path.display();
        return path
            .canonicalize()
            .context(format!("`{variable}` names `{shown}`"));
    }
    build(package)
}

/// Always asks cargo, so that a test never runs yesterday's module.
fn build(package: &str) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "build",
        "--profile=wasm",
        "--target=wasm32-wasip1",
        "--message-format=json-render-diagnostics",
        "--package",
    ];
    let output = Command::new(cargo)
        .args(arguments)
        .arg(package)
        .current_dir(workspace())
        .stderr(Stdio::inherit())
        .output()
        .context(format!("cannot start cargo to build `{package}`"))?;
    if !output.status.success() {
        return Err(Error::new(format!(
            "`{package}` does not build for wasm32-wasip1"
        )));
    }
    let file = format!("/{}.wasm", package.replace('-', "_"));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter_map(|message| {
            let files = message["filenames"].as_array()?;
            let name = files.first()?.as_str()?;
            name.ends_with(&file).then(|| PathBuf::from(name))
        })
        .next_back()
        .ok_or_else(|| {
            Error::new(format!(
                "`{package}` was built, but cargo names no wasm module"
            ))
        })
}
