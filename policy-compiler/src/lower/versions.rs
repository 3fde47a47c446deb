//! `versions`: exact revisions only.

use mcp_boundary_format::{Revision, Revisions};

use crate::report::{Finding, Report};
use crate::schema::{Located, Text};
use crate::show::{Shown, one_of, suggestion};

/// The set; after an error whatever of it is known.
pub(super) fn lower(versions: Option<&Located<Vec<Text>>>, report: &mut Report<'_>) -> Revisions {
    let Some(versions) = versions else {
        return Revisions::DEFAULT;
    };
    if versions.value.is_empty() {
        report.push(
            Finding::error("`versions` is empty")
                .at(&versions.at, "no request could select a revision")
                .help(format!(
                    "list revisions, or leave it out for `{}`",
                    Revision::V2025_11_25
                )),
        );
    }
    let known = versions.value.iter().filter_map(|version| {
        let revision = Revision::from_bytes(version.value.as_bytes());
        if revision.is_none() {
            unknown(version, report);
        }
        revision
    });
    Revisions::new(known).unwrap_or(Revisions::DEFAULT)
}

fn unknown(version: &Text, report: &mut Report<'_>) {
    let dates = Revision::ALL.map(Revision::as_str);
    let help = match suggestion(&version.value.replace('_', "-"), &dates) {
        Some(near) if !version.value.is_empty() => format!("did you mean `{near}`?"),
        _ => format!("the revisions are {}", one_of(&dates, "and")),
    };
    report.push(
        Finding::error(format!("revision {} is not known", Shown(&version.value)))
            .at(&version.at, "")
            .help(help),
    );
}
