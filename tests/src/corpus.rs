//! The corpus: one JSON file a case, described in `tests/corpus/README.md`.

mod between;
mod case;
mod policy;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};

pub use between::{Between, HeaderChanges, Place, Recorded};
pub use case::{Case, ENVOY, Expected, ExpectedId, Http, Raw, Runner, Transport};
pub use policy::{Shorthand, document};

/// The folder of the product's own cases.
pub fn folder() -> PathBuf {
    crate::workspace().join("tests/corpus")
}

/// What a folder of cases holds.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The cases that load, by file name.
    pub cases: Vec<Case>,
    /// The files that do not, with the reason.
    pub broken: Vec<(String, Error)>,
}

impl Corpus {
    /// Reads every `*.json` file of `folder`. A file that is not a case is
    /// recorded, so that the others still run.
    ///
    /// # Errors
    /// If the folder cannot be read or holds no case at all: a run of nothing
    /// must not look like a run without failures.
    pub fn load(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).context(format!("cannot read the folder `{shown}`"))? {
            let path = entry.context(format!("cannot list `{shown}`"))?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(Error::new(format!(
                "no cases: `{shown}` holds no `.json` file"
            )));
        }
        let mut corpus = Self::default();
        for path in files {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            match load(&path, &stem) {
                Ok(case) => corpus.cases.push(case),
                Err(error) => corpus.broken.push((stem.into_owned(), error)),
            }
        }
        Ok(corpus)
    }

    /// The product's own cases: as [`Self::load`], and a refusing case that
    /// names no reason code is broken. Other folders may hold such cases, since
    /// the contract's format has no codes.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_own() -> Result<Self> {
        let mut corpus = Self::load(&folder())?;
        let (without, cases): (Vec<_>, Vec<_>) =
            corpus.cases.into_iter().partition(Case::lacks_code);
        corpus.cases = cases;
        let broken = without.into_iter().map(|case| {
            let error = Error::new(format!(
                "`{}` expects {} without a reason: add `\"expected_code\": \"…\"`, one of docs/reasons.md, or `{ENVOY}` if Envoy itself refuses it",
                case.id,
                case.expected.as_str()
            ));
            (case.id, error)
        });
        corpus.broken.extend(broken);
        Ok(corpus)
    }
}

fn load(path: &Path, stem: &str) -> Result<Case> {
    let text = fs::read_to_string(path).context("cannot read the case")?;
    let case: Case = serde_json::from_str(&text).context("not a case")?;
    if case.id != stem {
        return Err(Error::new(format!(
            "`id` is `{}`, but the file is called `{stem}.json`; make them the same",
            case.id
        )));
    }
    case.check()?;
    Ok(case)
}

#[cfg(test)]
mod tests;
