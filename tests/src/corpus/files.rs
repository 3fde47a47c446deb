//! Case files in folders, and one of them by its name.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Case, folder, load};
use crate::error::{Context, Error, Result};

/// How many names are offered when none fits.
const OFFERED: usize = 8;

/// Every `*.json` file of `folder` and of the folders in it, sorted.
///
/// # Errors
/// If a folder cannot be read or there is no such file.
pub(super) fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(Error::new(format!(
            "no cases: `{}` holds no `.json` file, nor does a folder in it",
            folder.display()
        )));
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let shown = folder.display();
    for entry in fs::read_dir(folder).context(format!("cannot read the folder `{shown}`"))? {
        let entry = entry.context(format!("cannot list `{shown}`"))?;
        let (path, kind) = (entry.path(), entry.file_type());
        // A link to a folder is no folder here, so that no circle is walked.
        if kind.context(format!("cannot list `{shown}`"))?.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// The path of a file below `folder`, with `/` between its parts and without
/// `.json`.
pub(super) fn name(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// One case: the file `what`, or else the product's own case of this id or
/// name (`written/paths/ID`).
///
/// # Errors
/// If there is no such case, with ids that come near, or it does not load.
pub fn find(what: &str) -> Result<Case> {
    let path = Path::new(what);
    if path.is_file() {
        let parent = path.parent().unwrap_or(path);
        return load(path, &name(parent, path));
    }
    let own = folder();
    let files = below(&own)?;
    let named = |path: &&PathBuf| {
        let name = name(&own, path);
        name == what || name.rsplit('/').next() == Some(what)
    };
    if let Some(path) = files.iter().find(named) {
        return load(path, &name(&own, path));
    }
    let names = files.iter().map(|path| name(&own, path));
    let word = what.rsplit('/').next().unwrap_or(what);
    let near: Vec<String> = names.filter(|name| name.contains(word)).collect();
    let offered = match near.as_slice() {
        [] => "`find tests/corpus -name '*WORD*'` looks for one".to_owned(),
        some => {
            let more = if some.len() > OFFERED { ", …" } else { "" };
            let first = &some[..some.len().min(OFFERED)];
            format!("near it: {}{more}", first.join(", "))
        }
    };
    Err(Error::new(format!(
        "`{what}` is neither a file nor the id of a case in tests/corpus; {offered}"
    )))
}
