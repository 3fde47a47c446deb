//! What a test measured, left behind for the documentation: `build/evidence`.
//!
//! A green test says that nothing failed; it does not say how often it looked.
//! Tests about guarantees write one small file each, and `make evidence` makes
//! a table of them.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::held_by;
use crate::workspace;

/// One cell of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The guarantee, in the words of the table's rows.
    pub guarantee: String,
    /// What it was tried with: `HTTP/1.1`, `chain end`, `Envoy 1.36`.
    pub column: String,
    /// Requests, cases or rounds that were run.
    pub run: u64,
    /// Those of them that did not keep the guarantee.
    pub failed: u64,
}

impl Row {
    /// A cell that nothing was counted for yet.
    pub fn new(guarantee: impl Into<String>, column: impl Into<String>) -> Self {
        Self {
            guarantee: guarantee.into(),
            column: column.into(),
            run: 0,
            failed: 0,
        }
    }

    /// Counts one more.
    pub const fn count(&mut self, kept: bool) {
        self.run += 1;
        if !kept {
            self.failed += 1;
        }
    }
}

/// The folder of the files.
pub fn folder() -> PathBuf {
    workspace().join("build/evidence")
}

/// Writes `<name>.json`, in the place of what an earlier run left. Call it
/// before asserting, so that a failure is on record as well.
///
/// # Panics
/// If the file cannot be written: a test that cannot tell must not pass.
pub fn record(name: &str, rows: &[Row]) {
    let folder = folder();
    let (name, rows) = match held_by().as_str() {
        "headers" => (name.to_owned(), rows.to_vec()),
        holder => {
            let rows = rows.iter().map(|row| beside(holder, row));
            (format!("{name}-{holder}"), rows.collect())
        }
    };
    let path = folder.join(format!("{name}.json"));
    // Other tests may be reading: moved into place whole. Two processes may
    // run the same test.
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let text = serde_json::to_vec_pretty(&rows).expect("numbers and names are JSON");
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&draft, text))
        .and_then(|()| fs::rename(&draft, &path));
    if let Err(error) = written {
        panic!("cannot write `{}`: {error}", path.display());
    }
}

/// The cell of the same test with somebody in its chain who holds headers.
fn beside(holder: &str, row: &Row) -> Row {
    Row {
        column: format!("{}, {holder}", row.column),
        ..row.clone()
    }
}

/// The rows of one test while it runs, and what went wrong.
#[derive(Debug)]
pub struct Tally {
    name: &'static str,
    rows: Vec<Row>,
    wrong: Vec<String>,
}

impl Tally {
    /// Nothing counted yet; `name` is the file's.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            rows: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Counts one more for a cell; `fault` says what is wrong, if anything is.
    pub fn count(&mut self, guarantee: &str, column: &str, fault: Option<String>) {
        let known = |row: &&mut Row| row.guarantee == guarantee && row.column == column;
        let kept = fault.is_none();
        match self.rows.iter_mut().find(known) {
            Some(row) => row.count(kept),
            None => {
                let mut row = Row::new(guarantee, column);
                row.count(kept);
                self.rows.push(row);
            }
        }
        self.wrong
            .extend(fault.map(|fault| format!("{guarantee} [{column}]: {fault}")));
    }

    /// Writes the rows down.
    ///
    /// # Panics
    /// If anything is wrong, or nothing was counted.
    pub fn conclude(self) {
        record(self.name, &self.rows);
        assert!(self.wrong.is_empty(), "\n{}", self.wrong.join("\n"));
        assert!(!self.rows.is_empty(), "nothing was counted");
    }
}
