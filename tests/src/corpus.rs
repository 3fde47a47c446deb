//! The corpus: one JSON file a case, described in `tests/corpus/README.md`.

mod between;
mod case;
mod files;
mod policy;
mod transport;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};

pub use between::{Between, HeaderChanges, Place, Recorded};
pub use case::{Case, ENVOY, Expected, ExpectedId, Runner};
pub use files::find;
pub use policy::{Shorthand, document};
pub use transport::{Http, Raw, Transport};

/// The folder of the product's own cases.
pub fn folder() -> PathBuf {
    crate::workspace().join("tests/corpus")
}

/// What a folder of cases holds.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The cases that load, by folder and file name.
    pub cases: Vec<Case>,
    /// The files that do not, by their path below the folder, without `.json`,
    /// and the reason.
    pub broken: Vec<(String, Error)>,
}

impl Corpus {
    /// Reads every `*.json` file of `folder` and of the folders in it. A file
    /// that is not a case is recorded, so that the others still run; so is one
    /// whose `id` another has.
    ///
    /// # Errors
    /// If the folder cannot be read or holds no case at all: a run of nothing
    /// must not look like a run without failures.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut corpus = Self::default();
        let mut ids = BTreeSet::new();
        for path in files::below(folder)? {
            let name = files::name(folder, &path);
            match load(&path, &name) {
                Ok(case) if ids.insert(case.id.clone()) => corpus.cases.push(case),
                Ok(case) => {
                    let error = Error::new(format!(
                        "another file has the id `{}`, too; rename one of them",
                        case.id
                    ));
                    corpus.broken.push((name, error));
                }
                Err(error) => corpus.broken.push((name, error)),
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
            (case.name(), error)
        });
        corpus.broken.extend(broken);
        Ok(corpus)
    }
}

/// Reads one case; `name` is its path below the folder, without `.json`.
fn load(path: &Path, name: &str) -> Result<Case> {
    let text = fs::read_to_string(path).context("cannot read the case")?;
    let mut case: Case = serde_json::from_str(&text).context("not a case")?;
    let (folder, stem) = name.rsplit_once('/').unwrap_or(("", name));
    folder.clone_into(&mut case.folder);
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
