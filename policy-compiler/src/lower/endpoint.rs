//! One endpoint.

use mcp_boundary_format::{
    Endpoint, HostPattern, Label, PathPattern, ResourceUris, ToolNames, is_label,
};

use super::names::bounded;
use super::{hosts, limits, origins, parsed, paths, rules, upstream, versions};
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
        .and_then(|path| paths::lower(path, paths::Escapes::Any, report));
    let revisions = versions::lower(source.versions.as_ref(), report);
    let context = rules::Context {
        revisions,
        strict: source.tool_names == ToolNames::Strict,
        canonical_uris: source.resource_uris == ResourceUris::Strict,
    };
    let (allow, deny) = rules::lower(source, context, report);
    let limits = limits::lower(&source.limits, report);
    let origins = source
        .origins
        .as_ref()
        .map(|origins| origins::lower(origins, report))
        .unwrap_or_default();
    let (forbidden_arguments, set_by_filters) = arguments(&source.arguments, report);
    let upstream = source
        .upstream
        .as_ref()
        .map(|upstream| upstream::lower(upstream, report))
        .unwrap_or_default();
    if source.resource_uris == ResourceUris::Any {
        refuse_denied_resources(source, report);
    }
    if let Some(name) = &source.name {
        check_name(name, report);
    }
    let (path, path_at) = path?;
    let mut patterns: Vec<_> = hosts.iter().map(|(host, _)| host.clone()).collect();
    patterns.sort();
    let name: Label = match &source.name {
        Some(name) => parsed(name, report)?,
        None => derived_name(patterns.first(), &path)
            .parse()
            .unwrap_or_default(),
    };
    for rule in source.allow.iter().chain(&source.deny) {
        report.place(&name, &rule.id.value, &rule.at);
    }
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
            upstream,
            tool_names: source.tool_names,
            resource_uris: source.resource_uris,
            compat: source.compat,
            limits,
            origins,
            forbidden_arguments,
            set_by_filters,
            allow,
            deny,
        },
    })
}

/// Names that no call may carry, and those of them that a filter sets.
fn arguments(source: &schema::Arguments, report: &mut Report<'_>) -> (Vec<String>, Vec<String>) {
    for name in source.forbid.iter().chain(&source.set_by_filters) {
        bounded(name, "argument name", report);
    }
    let values = |names: &[schema::Text]| names.iter().map(|name| name.value.clone()).collect();
    let forbidden: Vec<String> = values(&source.forbid);
    for name in &source.set_by_filters {
        if !forbidden.contains(&name.value) {
            report.push(
                Finding::error(format!("{} is not in `forbid`", Shown(&name.value)))
                    .at(&name.at, "clients may send it anyway")
                    .help("list it in `forbid` too: clients must not send what a filter sets"),
            );
        }
    }
    (forbidden, values(&source.set_by_filters))
}

/// Where a URI can be spelled in many ways, no list of denied ones holds.
/// Contract section 10.
fn refuse_denied_resources(source: &schema::Endpoint, report: &mut Report<'_>) {
    let mut denied = source
        .deny
        .iter()
        .flat_map(|rule| &rule.selectors.resources);
    if let Some(first) = denied.next() {
        report.push(
            Finding::error("`deny.resources` cannot hold under `resource_uris: any`")
                .at(&first.at, "the same resource has other spellings")
                .help("leave `resource_uris` out, or permit what is wanted instead of denying the rest"),
        );
    }
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
    let path = path.as_str();
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
