//! One endpoint.

use mcp_boundary_format::{Endpoint, HostPattern, PathPattern, ToolNames};

use super::names::{bounded, is_label};
use super::{hosts, limits, origins, paths, rules, versions};
use crate::report::{Finding, Report};
use crate::schema;
use crate::show::Shown;
use crate::source::Route;

/// An endpoint and the places that checks across endpoints point at.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(super) endpoint: Endpoint,
    /// Whether the name was given, not derived.
    pub(super) named: bool,
    pub(super) name_at: Route,
    pub(super) hosts: Vec<(HostPattern, Route)>,
    pub(super) path_at: Route,
}

pub(super) fn lower(source: &schema::Endpoint, report: &mut Report<'_>) -> Option<Lowered> {
    let hosts = source
        .hosts
        .as_ref()
        .map(|hosts| hosts::lower(hosts, report))
        .unwrap_or_default();
    let path = source
        .path
        .as_ref()
        .and_then(|path| paths::lower(path, report));
    let revisions = versions::lower(source.versions.as_ref(), report);
    let context = rules::Context {
        revisions,
        strict: source.tool_names == ToolNames::Strict,
    };
    let (allow, deny) = rules::lower(source, context, report);
    let limits = limits::lower(&source.limits, report);
    let origins = source
        .origins
        .as_ref()
        .map(|origins| origins::lower(origins, report))
        .unwrap_or_default();
    for name in &source.forbidden_arguments {
        bounded(name, "argument name", report);
    }
    if let Some(name) = &source.name {
        check_name(name, report);
    }
    let (path, path_at) = path?;
    let mut patterns: Vec<_> = hosts.iter().map(|(host, _)| host.clone()).collect();
    patterns.sort();
    let name = match &source.name {
        Some(name) => name.value.clone(),
        None => derived_name(patterns.first(), &path),
    };
    Some(Lowered {
        named: source.name.is_some(),
        name_at: source
            .name
            .as_ref()
            .map_or(&source.at, |name| &name.at)
            .clone(),
        hosts,
        path_at,
        endpoint: Endpoint {
            name,
            hosts: patterns,
            path,
            revisions,
            mode: source.mode,
            denial: source.denial,
            responses: source.responses,
            streams: source.streams,
            sessions: source.sessions,
            route_rewrites: source.route_rewrites,
            tool_names: source.tool_names,
            compat: source.compat,
            limits,
            origins,
            forbidden_arguments: source
                .forbidden_arguments
                .iter()
                .map(|name| name.value.clone())
                .collect(),
            allow,
            deny,
        },
    })
}

fn check_name(name: &schema::Text, report: &mut Report<'_>) {
    if !is_label(&name.value) {
        report.push(
            Finding::error(format!("{} cannot be an endpoint name", Shown(&name.value)))
                .at(&name.at, "")
                .help("use 1 to 64 of `A-Z a-z 0-9 _ . / -`; logs and metric labels show it"),
        );
    }
}

/// First host and path, in the characters that a name may have. The first in
/// sorted order, so that the order in the file does not matter.
fn derived_name(host: Option<&HostPattern>, path: &PathPattern) -> String {
    let (PathPattern::Exact(path) | PathPattern::Prefix(path)) = path;
    let host = match host {
        Some(HostPattern::Exact(host) | HostPattern::Suffix(host)) => host.as_str(),
        None => "",
    };
    let name = format!("{host}{path}");
    let name: String = name
        .trim_matches('/')
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "_-./".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(64)
        .collect();
    if name.is_empty() { "root".into() } else { name }
}
