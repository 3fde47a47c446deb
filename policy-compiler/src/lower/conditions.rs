//! `when`.

use mcp_boundary_engine::is_list_of_words;
use mcp_boundary_format::{Condition, Source};

use super::names::bounded;
use super::rules::names;
use crate::report::{Finding, Report};
use crate::schema::{self, Claim, Principal, Text};
use crate::show::Shown;
use crate::source::Route;

pub(super) fn lower(conditions: &[schema::Condition], report: &mut Report<'_>) -> Vec<Condition> {
    let mut lowered: Vec<(Condition, &Route)> = Vec::new();
    for condition in conditions {
        for value in &condition.values.value {
            bounded(value, "value", report);
        }
        let Some(source) = source(&condition.principal, report) else {
            continue;
        };
        refuse_blanks(condition, &source, report);
        if let Some((_, first)) = lowered.iter().find(|(other, _)| other.source == source) {
            report.push(
                Finding::error("`when` asks the same principal twice")
                    .at(&condition.at, "the second")
                    .at(first, "the first")
                    .help("if any of the values will do, list them in one `in`; that two of them hold at once cannot be asked"),
            );
            continue;
        }
        let values = names(&condition.values.value, report);
        lowered.push((Condition { source, values }, &condition.at));
    }
    lowered
        .into_iter()
        .map(|(condition, _)| condition)
        .collect()
}

/// A deny asks for the names that a peer has, but a filter is shown only the
/// first URI and the first DNS name: whoever has another name first is missed.
/// An allow only ever loses by it. Contract section 10.
pub(super) fn refuse_unseen_names(deny: &[schema::Rule], report: &mut Report<'_>) {
    let conditions = deny.iter().flat_map(|rule| &rule.when);
    for condition in conditions {
        if let Principal::Peer {
            acknowledged: false,
        } = condition.principal
        {
            report.push(
                Finding::error("a `peer` condition in a `deny` misses names that Envoy does not show")
                    .at(&condition.at, "only the first URI SAN and the first DNS SAN are seen")
                    .help("`allow` the peers that may instead; or, if every certificate of your CA has one URI SAN, add `first_san: acknowledged` to `peer`"),
            );
        }
    }
}

/// `scope` and `scp` are compared word by word.
fn refuse_blanks(condition: &schema::Condition, source: &Source, report: &mut Report<'_>) {
    let Source::JwtClaim { path, .. } = source else {
        return;
    };
    let Some(name) = path.last().filter(|name| is_list_of_words(name)) else {
        return;
    };
    for value in &condition.values.value {
        if value.value.contains(' ') {
            report.push(
                Finding::error(format!(
                    "{} never matches: `{name}` is a list of words",
                    Shown(&value.value)
                ))
                .at(&value.at, "has a blank")
                .help("write each word as a value of its own: `in: [a, b]` holds if one of them is there"),
            );
        }
    }
}

fn source(principal: &Principal, report: &mut Report<'_>) -> Option<Source> {
    match principal {
        Principal::Jwt { payload, claim } => {
            let payload_fits = bounded(payload, "JWT payload key", report);
            let path = claim_path(claim, report)?;
            payload_fits.then(|| Source::JwtClaim {
                payload: payload.value.clone(),
                path,
            })
        }
        Principal::Peer { .. } => Some(Source::PeerSan),
        Principal::Header(name) => header(name, report),
    }
}

fn claim_path(claim: &Claim, report: &mut Report<'_>) -> Option<Vec<String>> {
    match claim {
        Claim::Dotted(text) => {
            if !bounded(text, "claim", report) {
                return None;
            }
            let problem = if text.value.contains("://") {
                "looks like one name, but dots part it into several"
            } else if text.value.split('.').any(str::is_empty) {
                "has an empty name between dots"
            } else {
                return Some(text.value.split('.').map(str::to_owned).collect());
            };
            report.push(
                Finding::error(format!("claim {} {problem}", Shown(&text.value)))
                    .at(&text.at, "")
                    .help(format!(
                        "write a claim whose name has dots as a list: `[{:?}]`",
                        text.value
                    )),
            );
            None
        }
        Claim::Members(members) => {
            if members.value.is_empty() {
                report.push(
                    Finding::error("the claim's list of names is empty")
                        .at(&members.at, "")
                        .help("list the member names from the payload's root to the claim"),
                );
                return None;
            }
            let fit: Vec<_> = members
                .value
                .iter()
                .filter(|member| bounded(member, "claim", report))
                .map(|member| member.value.clone())
                .collect();
            (fit.len() == members.value.len()).then_some(fit)
        }
    }
}

fn header(name: &Text, report: &mut Report<'_>) -> Option<Source> {
    if !bounded(name, "header name", report) {
        return None;
    }
    let lower = name.value.to_ascii_lowercase();
    let fits = lower
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !fits {
        report.push(
            Finding::error(format!("{} cannot be a header name", Shown(&name.value)))
                .at(&name.at, "")
                .help("use letters, digits and `-`; servers confuse `_` with `-`"),
        );
        return None;
    }
    // Headers that mean something else to the boundary and say who nobody is.
    if lower == "connection" || lower == "upgrade" || lower.starts_with("mcp-") {
        report.push(
            Finding::error(format!(
                "header {} does not say who is asking",
                Shown(&lower)
            ))
            .at(&name.at, "belongs to the protocol")
            .help("name a header that an earlier filter sets for this purpose"),
        );
        return None;
    }
    report.push(
        Finding::warning(format!("clients can send header {} themselves", Shown(&lower)))
            .at(&name.at, "believed as it arrives")
            .help("only safe if Envoy strips it from clients' requests and an earlier filter sets it; prefer `jwt` or `peer`"),
    );
    Some(Source::Header(lower))
}
