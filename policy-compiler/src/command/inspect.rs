//! `inspect BLOB|POLICY`

use std::path::Path;

use mcp_boundary_format::{FORMAT_VERSION, Policy};
use serde::Serialize;

use super::console::Console;
use super::{input, output};
use crate::cli::{Exit, Print};
use crate::print::{Tree, to_tree, to_yaml};

pub(crate) fn run(console: &Console, blob: &Path, format: Print) -> Result<(), Exit> {
    let (policy, _) = input::either(console, blob)?;
    let text = match format {
        Print::Yaml => yaml(&policy),
        Print::Json => json(&policy),
    };
    output::stdout(console, text.as_bytes())
}

fn yaml(policy: &Policy) -> String {
    format!(
        "# digest: {}\n# format version: {FORMAT_VERSION}\n{}",
        policy.digest(),
        to_yaml(policy)
    )
}

fn json(policy: &Policy) -> String {
    let document = Document {
        digest: policy.digest().to_string(),
        format_version: FORMAT_VERSION,
        policy: to_tree(policy),
    };
    // Strings, numbers, lists and maps of them cannot fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Document {
    digest: String,
    format_version: u16,
    policy: Tree,
}
