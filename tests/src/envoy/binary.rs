//! Finding an Envoy binary.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::workspace;

/// No Envoy could be had; says what was tried.
#[derive(Debug, Clone)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The Envoy binary: the one the environment variable `ENVOY` names, else
/// `envoy` on the path, else what `tests/fetch-envoy.sh` fetches into the
/// workspace's cache.
///
/// # Errors
/// If `ENVOY` names no file, or nothing is on the path and the fetch fails.
pub fn find() -> Result<PathBuf, Missing> {
    static FOUND: OnceLock<Result<PathBuf, Missing>> = OnceLock::new();
    FOUND.get_or_init(search).clone()
}

/// The version that the binary says it is, such as `1.40.0`.
///
/// # Errors
/// If there is none, or it says no version.
pub fn version() -> Result<String, Missing> {
    static VERSION: OnceLock<Result<String, Missing>> = OnceLock::new();
    VERSION.get_or_init(|| version_of(&find()?)).clone()
}

fn version_of(binary: &Path) -> Result<String, Missing> {
    let wrong = |what: &str| Missing(format!("`{}` says no version: {what}", binary.display()));
    let said = Command::new(binary).arg("--version").output();
    let said = said.map_err(|error| wrong(&error.to_string()))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    version_in(&said).ok_or_else(|| wrong(said.trim()))
}

/// `PATH  version: <commit>/<version>/<state>/<build>/<library>`
fn version_in(said: &str) -> Option<String> {
    let (_, named) = said.split_once("version: ")?;
    named.split('/').nth(1).map(str::to_owned)
}

fn search() -> Result<PathBuf, Missing> {
    if let Some(named) = env::var_os("ENVOY").filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        // Nothing else is tried: whoever names one means that one.
        return path.is_file().then_some(path.clone()).ok_or_else(|| {
            Missing(format!(
                "`ENVOY` names `{}`, which is no file",
                path.display()
            ))
        });
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join("envoy"));
    if let Some(found) = on_path.into_iter().find(|candidate| candidate.is_file()) {
        return Ok(found);
    }
    fetch(&workspace().join("tests/fetch-envoy.sh"))
}

fn fetch(script: &Path) -> Result<PathBuf, Missing> {
    let advice = "set `ENVOY` to a binary or put one on the path";
    let output = Command::new("sh").arg(script).output().map_err(|error| {
        Missing(format!(
            "no envoy, and no shell to fetch one: {error}; {advice}"
        ))
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        return Err(Missing(format!(
            "no envoy, and it cannot be fetched: {last}; {advice}"
        )));
    }
    Ok(PathBuf::from(
        String::from_utf8_lossy(&output.stdout).trim_end(),
    ))
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn the_version_is_not_a_part_of_the_path() {
        let said = "/a/b/envoy  version: 6eb0d2d9/1.39.3/Clean/RELEASE/BoringSSL\n";
        assert_eq!(version_in(said).as_deref(), Some("1.39.3"));
        assert_eq!(version_in("envoy: not found"), None);
    }
}
