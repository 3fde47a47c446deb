//! What the tests about guarantees measured, as a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use mcp_boundary_tests::error::{Context, Error, Result};
use mcp_boundary_tests::evidence::{self, Row};
use mcp_boundary_tests::workspace;

/// The table's first columns; a column for each Envoy follows.
const COLUMNS: [&str; 5] = [
    "HTTP/1.1",
    "HTTP/2",
    "TLS",
    "chain end",
    "upstream position",
];
const ENVOY: &str = "Envoy ";
/// The file of what `matrix` found.
const MATRIX: &str = "matrix";
/// What must have left something; the order of the table.
const SUITES: [&str; 8] = [
    "transport",
    "framing",
    "recheck",
    "streams",
    "limits",
    "faults",
    "swap",
    "outages",
];
/// Suites that run against each Envoy, beside the corpus.
const PER_VERSION: [&str; 4] = ["recheck", "forwarding", "capabilities", "faults"];

/// Who holds the headers while the corpus runs, and how that is said.
const HOLDERS: [(&str, &str); 4] = [
    ("headers", ""),
    ("gate", ", held by a gate"),
    ("istio", ", as Istio loads the filter"),
    ("envoy-gateway", ", as Envoy Gateway loads the filter"),
];

/// Collects evidence.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Runs the corpus and some suites against each of these Envoys, fetching
    /// those that are not there.
    Matrix {
        /// Versions: `1.40.0`.
        #[arg(required = true)]
        versions: Vec<String>,
    },
    /// Writes the table. Fails if something is missing or a cell has failures.
    Table {
        /// The file to write.
        output: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        Verb::Matrix { versions } => matrix(&versions),
        Verb::Table { output } => table(&output),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn matrix(versions: &[String]) -> Result<()> {
    let mut rows = Vec::new();
    for version in versions {
        let binary = fetch(version)?;
        for holder in HOLDERS {
            rows.push(corpus_with(&binary, version, holder)?);
        }
        for suite in PER_VERSION {
            let guarantee = format!("tests of `{suite}`");
            rows.push(suite_with(&binary, version, suite, &guarantee, "headers")?);
        }
        // What the suites themselves counted with this version.
        let column = format!("{ENVOY}{version}");
        let own = all_rows()?.into_iter().filter(|(name, _)| name != MATRIX);
        rows.extend(
            own.flat_map(|(_, rows)| rows)
                .filter(|r| r.column == column),
        );
        evidence::record(MATRIX, &rows);
    }
    for row in &rows {
        println!(
            "{}: {}: {} / {}",
            row.column, row.guarantee, row.run, row.failed
        );
    }
    match rows.iter().filter(|row| row.failed > 0).count() {
        0 => Ok(()),
        failed => Err(Error::new(format!("{failed} of these rows have failures"))),
    }
}

fn fetch(version: &str) -> Result<PathBuf> {
    let output = Command::new("sh")
        .arg(workspace().join("tests/fetch-envoy.sh"))
        .env("ENVOY_VERSION", version)
        .output()
        .context("cannot run `tests/fetch-envoy.sh`")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("no Envoy {version}: {said}")));
    }
    let path = String::from_utf8_lossy(&output.stdout);
    Ok(PathBuf::from(path.trim_end()))
}

/// The corpus with whoever holds the headers.
fn corpus_with(binary: &Path, version: &str, (holder, words): (&str, &str)) -> Result<Row> {
    let guarantee = format!("every case of the corpus gets its verdict{words}");
    suite_with(binary, version, "corpus_envoy", &guarantee, holder)
}

/// Runs one suite; its tests are what is counted.
fn suite_with(
    binary: &Path,
    version: &str,
    suite: &str,
    guarantee: &str,
    holder: &str,
) -> Result<Row> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--no-fail-fast", "--test", suite])
        .current_dir(workspace())
        .env("ENVOY", workspace().join(binary))
        .env("MCP_BOUNDARY_HOLD", holder)
        // Without an Envoy, or with another one, a test must not pass.
        .env("CI", "true")
        .output()
        .context("cannot run cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let result = said.lines().find(|line| line.starts_with("test result:"));
    let count = |what: &str| -> Option<u64> {
        let before = result?.split_once(what)?.0;
        before
            .rsplit([' ', ';'])
            .find(|word| !word.is_empty())?
            .parse()
            .ok()
    };
    let (Some(passed), Some(failed)) = (count(" passed"), count(" failed")) else {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("`{suite}` did not run: {errors}")));
    };
    if failed > 0 {
        println!("Envoy {version}, {suite}:\n{said}");
    }
    let mut row = Row::new(guarantee, format!("{ENVOY}{version}"));
    row.run = passed + failed;
    row.failed = failed;
    Ok(row)
}

/// Every file's rows, by its name.
fn all_rows() -> Result<BTreeMap<String, Vec<Row>>> {
    let folder = evidence::folder();
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&folder).context("no evidence; run `make evidence`")? {
        let path = entry.context("cannot list the evidence")?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if stem.starts_with('.') || path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let shown = path.display();
        let text = fs::read(&path).context(format!("cannot read `{shown}`"))?;
        let rows = serde_json::from_slice(&text).context(format!("`{shown}` is no evidence"))?;
        files.insert(stem.into_owned(), rows);
    }
    Ok(files)
}

fn table(output: &Path) -> Result<()> {
    let files = all_rows()?;
    let suites = SUITES.into_iter().chain([MATRIX, "soak"]);
    let of = |file: &str, suite: &str| file == suite || file.starts_with(&format!("{suite}-"));
    let missing: Vec<&str> = suites
        .clone()
        .filter(|suite| !files.keys().any(|file| of(file, suite)))
        .collect();
    if !missing.is_empty() {
        let missing = missing.join("`, `");
        return Err(Error::new(format!(
            "nothing was left by `{missing}`; run `make evidence`"
        )));
    }
    // Suites in their order, then whatever else there is.
    let place = |file: &str| {
        suites
            .clone()
            .position(|suite| of(file, suite))
            .unwrap_or(99)
    };
    let mut names: Vec<&String> = files.keys().collect();
    names.sort_by_key(|file| (place(file), file.as_str()));

    let mut cells: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    let mut guarantees: Vec<&str> = Vec::new();
    for name in names {
        for row in &files[name] {
            if !guarantees.contains(&row.guarantee.as_str()) {
                guarantees.push(&row.guarantee);
            }
            // The matrix has taken over what suites counted for a version.
            if name != MATRIX && row.column.starts_with(ENVOY) {
                continue;
            }
            let cell = cells.entry((&row.guarantee, &row.column)).or_default();
            cell.0 += row.run;
            cell.1 += row.failed;
        }
    }
    let columns = columns(cells.keys().map(|(_, column)| *column))?;
    let mut wrong = Vec::new();
    for ((guarantee, column), (run, failed)) in &cells {
        if *failed > 0 || *run == 0 {
            wrong.push(format!("{guarantee}, {column}: {run} / {failed}"));
        }
    }
    let text = markdown(&guarantees, &columns, &cells);
    fs::write(output, text).context(format!("cannot write `{}`", output.display()))?;
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(Error::new(format!(
            "cells without a run or with failures:\n{}",
            wrong.join("\n")
        ))),
    }
}

/// The fixed columns, then the Envoys by version.
fn columns<'a>(found: impl Iterator<Item = &'a str>) -> Result<Vec<&'a str>> {
    let found: BTreeSet<&str> = found.collect();
    let (mut versions, others): (Vec<&str>, Vec<&str>) = found
        .into_iter()
        .partition(|column| column.starts_with(ENVOY));
    if let Some(unknown) = others.iter().find(|column| !COLUMNS.contains(column)) {
        return Err(Error::new(format!(
            "no column is called `{unknown}`; they are {COLUMNS:?} and `{ENVOY}<version>`"
        )));
    }
    let numbers = |version: &str| -> Vec<u32> {
        let parts = version.trim_start_matches(ENVOY).split('.');
        parts.map(|part| part.parse().unwrap_or_default()).collect()
    };
    versions.sort_by_key(|version| numbers(version));
    Ok(COLUMNS.into_iter().chain(versions).collect())
}

fn markdown(
    guarantees: &[&str],
    columns: &[&str],
    cells: &BTreeMap<(&str, &str), (u64, u64)>,
) -> String {
    let mut text = String::from(
        "<!-- Generated by `make evidence` from what the tests left in build/evidence. Do not edit. -->\n\n\
         # Boundary evidence\n\n\
         What was tried against a real Envoy, how often, and how often it failed: `run / failed`. The counts are of\n\
         requests, cases, rounds or tests, whatever the row is about. An empty cell was not tried. Columns without a version\n\
         ran against the Envoy that `tests/fetch-envoy.sh` fetches, or the one that `ENVOY` named.\n\n",
    );
    let _ = writeln!(text, "| guarantee | {} |", columns.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(columns.len()));
    for guarantee in guarantees {
        let _ = write!(text, "| {guarantee} |");
        for column in columns {
            match cells.get(&(*guarantee, *column)) {
                Some((run, failed)) => {
                    let _ = write!(text, " {run} / {failed} |");
                }
                None => text.push_str(" |"),
            }
        }
        text.push('\n');
    }
    text
}
