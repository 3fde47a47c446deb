//! From what a policy says to what the filter loads.
//!
//! Checks what the values mean, alone and together, and builds the tables of
//! `mcp_boundary_format`. Nothing here depends on the order of anything in the
//! file, except which of two repeated things is called the second.

mod conditions;
mod doors;
mod endpoint;
mod foreign;
mod forms;
mod globs;
mod hosts;
mod known;
mod levels;
mod limits;
mod methods;
mod names;
mod origins;
mod paths;
mod readers;
mod resources;
mod rules;
mod unmatched;
mod upstream;
mod uris;
mod versions;

use std::collections::BTreeMap;
use std::str::FromStr;

use mcp_boundary_format::{HostPattern, NotA, PathPattern, Policy};

use crate::report::{Finding, Report};
use crate::schema::{self, Document};
use crate::show::Shown;
use crate::source::Route;
use endpoint::Lowered;

/// The policy, or `None` after reporting why not.
pub(crate) fn policy(document: &Document, report: &mut Report<'_>) -> Option<Policy> {
    let endpoints: Vec<_> = document
        .endpoints
        .iter()
        .filter_map(|endpoint| endpoint::lower(endpoint, report))
        .collect();
    refuse_equal_names(&endpoints, report);
    refuse_overlaps(&endpoints, report);
    doors::refuse_misread(&endpoints, report);
    let endpoints: Vec<_> = endpoints
        .into_iter()
        .map(|lowered| lowered.endpoint)
        .collect();
    let unmatched = unmatched::lower(&document.unmatched, &endpoints, report);
    if report.has_errors() {
        return None;
    }
    match Policy::seal(unmatched, endpoints) {
        Ok(policy) => Some(policy),
        Err(error) => {
            report.push(
                Finding::error(format!("the policy cannot be compiled: {error}"))
                    .help("split it into several policies, or use patterns instead of lists"),
            );
            None
        }
    }
}

fn refuse_equal_names(endpoints: &[Lowered], report: &mut Report<'_>) {
    let mut seen: BTreeMap<&str, &Lowered> = BTreeMap::new();
    for lowered in endpoints {
        let name = lowered.endpoint.name.as_str();
        let Some(first) = seen.get(name) else {
            seen.insert(name, lowered);
            continue;
        };
        let remark = |lowered: &Lowered| {
            if lowered.named {
                "named here"
            } else {
                "gets this name from its host and path"
            }
        };
        report.push(
            Finding::error(format!("two endpoints have the name {}", Shown(name)))
                .at(&lowered.name_at, remark(lowered))
                .at(&first.name_at, remark(first))
                .help("give them names: add a different `name` to each"),
        );
    }
}

/// The most specific endpoint wins, so only the very same host pattern and
/// path cannot be told apart. Contract section 3.
fn refuse_overlaps(endpoints: &[Lowered], report: &mut Report<'_>) {
    let mut seen: BTreeMap<(Option<&HostPattern>, &PathPattern), &Route> = BTreeMap::new();
    for lowered in endpoints {
        let path = &lowered.endpoint.path;
        let any = lowered.hosts.is_empty().then_some((None, &lowered.path_at));
        let hosts = lowered.hosts.iter().map(|(host, at)| (Some(host), at));
        for (host, at) in hosts.chain(any) {
            let Some(first) = seen.get(&(host, path)) else {
                seen.insert((host, path), at);
                continue;
            };
            let text = path.as_str();
            let host = host.map_or("any host".to_owned(), |host| {
                format!("host {}", Shown(&host.to_string()))
            });
            report.push(
                Finding::error(format!(
                    "two endpoints match {host} and path {}",
                    Shown(text)
                ))
                .at(at, "the second")
                .at(first, "the first")
                .help("merge them, or give them different hosts or paths"),
            );
        }
    }
}

/// A text that must have a grammar. Whoever looked at it before has told what is
/// wrong with it, in other words than these.
fn parsed<T: FromStr<Err = NotA>>(text: &schema::Text, report: &mut Report<'_>) -> Option<T> {
    match text.value.parse() {
        Ok(parsed) => Some(parsed),
        Err(fault) => {
            if !report.has_errors() {
                let finding = Finding::error(fault.to_string()).at(&text.at, "");
                report.push(finding.help("write another one"));
            }
            None
        }
    }
}
