//! `hosts`: exact ones, `*.suffix`, or a lone `*`.

use mcp_boundary_format::{HostPattern, MAX_PATTERN_BYTES};

use crate::report::{Finding, Report};
use crate::schema::{Located, Text};
use crate::show::Shown;
use crate::source::Route;

/// The patterns with their places; empty when any host will do.
pub(super) fn lower(
    hosts: &Located<Vec<Text>>,
    report: &mut Report<'_>,
) -> Vec<(HostPattern, Route)> {
    if hosts.value.is_empty() {
        report.push(
            Finding::error("`hosts` is empty")
                .at(&hosts.at, "no host would ever match")
                .help("list hosts, or leave `hosts` out to match any"),
        );
    }
    let texts: Vec<_> = hosts.value.iter().map(|host| &host.value).collect();
    let mut patterns: Vec<(HostPattern, Route)> = Vec::new();
    for host in &hosts.value {
        if host.value == "*" {
            if hosts.value.len() > 1 {
                report.push(
                    Finding::error("`*` stands for any host and cannot be listed with others")
                        .at(&host.at, "")
                        .help("list it alone, or remove it"),
                );
            }
            continue;
        }
        let Some(pattern) = pattern(host, report) else {
            continue;
        };
        let Some((_, first)) = patterns.iter().find(|(other, _)| *other == pattern) else {
            patterns.push((pattern, host.at.clone()));
            continue;
        };
        // Twice the very same text was reported when the list was read.
        if texts.iter().filter(|text| ***text == *host.value).count() == 1 {
            report.push(
                Finding::error(format!("{} is listed twice", Shown(&host.value)))
                    .at(&host.at, "the second")
                    .at(first, "the first")
                    .help("remove one; hosts are compared without case"),
            );
        }
    }
    patterns
}

fn pattern(host: &Text, report: &mut Report<'_>) -> Option<HostPattern> {
    let text = host.value.to_ascii_lowercase();
    let refuse = |report: &mut Report<'_>, why: &str, help: &str| {
        report.push(
            Finding::error(format!("{} {why}", Shown(&host.value)))
                .at(&host.at, "")
                .help(help),
        );
        None
    };
    if text.contains("://") || text.contains('/') {
        return refuse(
            report,
            "is not a host: it has a scheme or a path",
            "write the host alone, such as `mcp.example.com`; the path belongs in `path`",
        );
    }
    let (suffix, name) = match text.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, text.as_str()),
    };
    if name.contains('*') {
        return refuse(
            report,
            "has a `*` where it has no meaning",
            "`*.example.com` matches every host below `example.com`; nothing else is a pattern",
        );
    }
    let bracketed = name.starts_with('[');
    if (bracketed && !name.ends_with(']')) || (!bracketed && name.contains(':')) {
        return refuse(
            report,
            "has a port",
            "leave the port out: hosts are compared without it; an IPv6 address needs brackets",
        );
    }
    if !name.is_ascii() {
        return refuse(
            report,
            "is not an ASCII host",
            "write its `xn--` form, which is what clients send",
        );
    }
    let well_formed = if bracketed {
        !suffix && name.bytes().all(|byte| byte.is_ascii_graphic())
    } else {
        !name.is_empty()
            && !name.starts_with('.')
            && !name.ends_with('.')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    if !well_formed || name.len() > MAX_PATTERN_BYTES {
        return refuse(
            report,
            "is not a host",
            "write a host such as `mcp.example.com`, without a final dot",
        );
    }
    Some(if suffix {
        HostPattern::Suffix(name.to_owned())
    } else {
        HostPattern::Exact(name.to_owned())
    })
}
