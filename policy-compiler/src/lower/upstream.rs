//! `upstream`: what a route may make of an admitted request's head.

use mcp_boundary_format::{HostPattern, Upstream};

use super::{hosts, paths};
use crate::report::{Finding, Report};
use crate::schema;
use crate::show::Shown;

pub(super) fn lower(source: &schema::Upstream, report: &mut Report<'_>) -> Upstream {
    let path = source
        .path
        .as_ref()
        .and_then(|path| paths::lower(path, paths::Escapes::Any, report))
        .map(|(path, _)| path);
    let patterns = source
        .hosts
        .as_ref()
        .map(|hosts| hosts::lower(hosts, report))
        .unwrap_or_default();
    let written = source.hosts.as_ref().map(|hosts| hosts.value.as_slice());
    // Beside others, it was reported.
    if let Some([any]) = written
        && any.value == "*"
    {
        report.push(
            Finding::error("`*` names no host that a route writes")
                .at(
                    &any.at,
                    "a recheck would take no host beside the admitted one",
                )
                .help("list the hosts that the route writes, each in full"),
        );
    }
    let mut hosts = Vec::new();
    for (pattern, at) in patterns {
        match pattern {
            HostPattern::Exact(host) => hosts.push(host),
            HostPattern::Suffix(_) => report.push(
                Finding::error(format!("{} is a pattern", Shown(&pattern.to_string())))
                    .at(&at, "a route writes one host")
                    .help("list the hosts that the route writes, each in full"),
            ),
        }
    }
    hosts.sort();
    Upstream { path, hosts }
}
