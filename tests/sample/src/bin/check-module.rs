//! Says how big a wasm module is and what it imports; fails if Envoy would not take it.

use std::process::ExitCode;

use mcp_boundary_sample::module::{self, SIZE_LIMIT};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: check-module MODULE.wasm");
        return ExitCode::from(2);
    };
    match check(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("check-module: `{path}`: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn check(path: &str) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    println!("{path}: {} bytes (limit {SIZE_LIMIT})", bytes.len());
    let imports = module::imports(&bytes)?;
    for import in &imports {
        println!("  imports {import}");
    }
    if imports.is_empty() {
        return Err("imports nothing, so it is no proxy-wasm module".to_owned());
    }
    let foreign: Vec<String> = imports
        .iter()
        .filter(|import| !import.is_offered_by_envoy())
        .map(ToString::to_string)
        .collect();
    if !foreign.is_empty() {
        return Err(format!(
            "imports what Envoy does not offer: {}; find the dependency that asks for it",
            foreign.join(", ")
        ));
    }
    if bytes.len() >= SIZE_LIMIT {
        return Err(format!(
            "is not below {SIZE_LIMIT} bytes; find what made it grow"
        ));
    }
    println!("{path}: below the limit, and Envoy offers every import");
    Ok(())
}
