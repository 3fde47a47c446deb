//! Says how big the modules are and what they import; fails if one is too big or Envoy would not
//! take it. Looks at the module named as argument, else at filter and gate built from the tree as
//! it is.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use mcp_boundary_sample::module::{self, size_limit};
use mcp_boundary_tests::envoy::{filter_module, gate_module};

fn main() -> ExitCode {
    let checked = match std::env::args_os().nth(1) {
        Some(named) => check(&PathBuf::from(named)),
        None => [filter_module, gate_module].iter().try_for_each(|build| {
            let built = build().map_err(|error| error.to_string())?;
            check(&built)
        }),
    };
    match checked {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("check-module: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn check(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    println!("{}", path.display());
    let imports = module::imports(&bytes)?;
    for import in &imports {
        println!("  imports {import}");
    }
    if imports.is_empty() {
        return Err("it imports nothing, so it is no proxy-wasm module".to_owned());
    }
    let foreign: Vec<String> = imports
        .iter()
        .filter(|import| !import.is_offered_by_envoy())
        .map(ToString::to_string)
        .collect();
    if !foreign.is_empty() {
        return Err(format!(
            "it imports what Envoy does not offer: {}; find the dependency that asks for it",
            foreign.join(", ")
        ));
    }
    println!("  Envoy offers all {} of them", imports.len());
    let (size, limit) = (bytes.len(), size_limit(path));
    if size >= limit {
        return Err(format!(
            "it has {size} bytes, which is not below {limit}; find what made it grow"
        ));
    }
    println!("  {size} bytes, below the limit of {limit}");
    Ok(())
}
