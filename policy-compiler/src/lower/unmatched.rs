//! `unmatched`: what becomes of requests that no endpoint matches.

use mcp_boundary_format::{PassEntry, Unmatched};

use super::{hosts, paths};
use crate::report::{Finding, Report};
use crate::schema;

pub(super) fn lower(source: &schema::Unmatched, report: &mut Report<'_>) -> Unmatched {
    let entries = match source {
        schema::Unmatched::Deny => return Unmatched::Deny,
        schema::Unmatched::Pass(_) => return Unmatched::Pass,
        schema::Unmatched::Listed(entries) => entries,
    };
    let mut lowered: Vec<PassEntry> = Vec::new();
    for entry in &entries.value {
        let hosts = entry
            .hosts
            .as_ref()
            .map(|hosts| hosts::lower(hosts, report))
            .unwrap_or_default();
        let mut hosts: Vec<_> = hosts.into_iter().map(|(host, _)| host).collect();
        hosts.sort();
        let path = entry
            .path
            .as_ref()
            .and_then(|path| paths::lower(path, report));
        let Some((path, _)) = path else { continue };
        let entry_of = PassEntry { path, hosts };
        if lowered.contains(&entry_of) {
            report.push(
                Finding::error("the same entry is listed twice")
                    .at(&entry.at, "the second")
                    .help("remove one"),
            );
        } else {
            lowered.push(entry_of);
        }
    }
    Unmatched::Listed(lowered)
}
