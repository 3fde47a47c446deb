//! `unmatched`: what becomes of requests that no endpoint matches.

use mcp_boundary_format::{Endpoint, PassEntry, Unmatched};

use super::paths::Escapes;
use super::{doors, hosts, paths};
use crate::report::{Finding, Report};
use crate::schema;

pub(super) fn lower(
    source: &schema::Unmatched,
    endpoints: &[Endpoint],
    report: &mut Report<'_>,
) -> Unmatched {
    let entries = match source {
        schema::Unmatched::Deny => return Unmatched::Deny,
        schema::Unmatched::Pass(at) => {
            report.push(
                Finding::warning("`unmatched: pass` lets everything else go to the server unseen")
                    .at(at, "including doors to MCP that no endpoint lists")
                    .help("list what is not MCP: `unmatched: { pass: [{path: /healthz}, {path_prefix: /.well-known}] }`"),
            );
            return Unmatched::Pass;
        }
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
            .and_then(|path| paths::lower(path, Escapes::Needed, report));
        let Some((path, path_at)) = path else {
            continue;
        };
        let entry_of = PassEntry { path, hosts };
        if let Some(why) = doors::useless(&entry_of, endpoints) {
            report.push(
                Finding::error("this entry lets nothing pass")
                    .at(&path_at, why)
                    .help("remove it, or name a path that the endpoints leave over"),
            );
        }
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
