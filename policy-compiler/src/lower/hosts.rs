//! `hosts`: exact ones, `*.suffix`, or a lone `*`.

use std::net::{Ipv4Addr, Ipv6Addr};

use mcp_boundary_format::{
    Host, HostPattern, MAX_PATTERN_BYTES, canonical_ipv6, ends_in_number, is_host,
};

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
    if let Some((why, help)) = malformed(&text) {
        return refuse(report, why, &help);
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
    if let Ok(address) = name.parse::<Ipv6Addr>() {
        let canonical = canonical_ipv6(&format!("[{address}]")).unwrap_or_default();
        return refuse(
            report,
            "is an IPv6 address without brackets",
            &format!("write `{canonical}`"),
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
    if suffix && (bracketed || ends_in_number(name)) {
        return refuse(
            report,
            "is a pattern below an address",
            "addresses have nothing below them; list each host in full",
        );
    }
    if !is_host(name) {
        let canonical = canonical(name).filter(|canonical| is_host(canonical));
        let help = match &canonical {
            Some(canonical) => format!("write `{canonical}`, the form that requests must have"),
            None => "write a host such as `mcp.example.com`, without a final dot".to_owned(),
        };
        let why = match (&canonical, ends_in_number(name)) {
            (Some(_), _) => "is not how this host is written",
            (None, true) => "ends in a number but is no IPv4 address",
            (None, false) => "is not a host",
        };
        return refuse(report, why, &help);
    }
    let host = Host::new(name).ok()?;
    Some(match suffix {
        true => HostPattern::Suffix(host),
        false => HostPattern::Exact(host),
    })
}

/// What no host has, with how to go on; `text` is in lower case.
fn malformed(text: &str) -> Option<(&'static str, String)> {
    let (why, help) = if text.is_empty() {
        ("is empty", "write a host such as `mcp.example.com`")
    } else if text.len() > MAX_PATTERN_BYTES {
        ("is too long", "use at most 1024 bytes")
    } else if text.contains('@') {
        (
            "has user information",
            "write what follows the `@`: requests with user information are refused",
        )
    } else if text.contains([' ', '\t']) {
        ("has a blank", "write one host an entry, without blanks")
    } else if text.starts_with('[') && !text.contains(']') {
        (
            "opens a bracket and does not close it",
            "write an IPv6 address as `[::1]`",
        )
    } else if text.starts_with('[') && text.ends_with(']') && canonical_ipv6(text).is_none() {
        (
            "is in brackets, but no IPv6 address",
            "write an IPv6 address such as `[::1]`, without a zone; other hosts stand without brackets",
        )
    } else if text
        .split_once(']')
        .is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with(':'))
    {
        (
            "goes on after its bracket",
            "write an IPv6 address as `[::1]`",
        )
    } else if let Some(name) = text.strip_prefix('.').filter(|name| is_host(name)) {
        return Some((
            "begins with a dot",
            format!("write `*.{name}` for every host below `{name}`"),
        ));
    } else if text.contains("..") {
        (
            "has nothing between two dots",
            "write a host such as `mcp.example.com`",
        )
    } else {
        return None;
    };
    Some((why, help.to_owned()))
}

/// The one form of a host that is written in another, if there is one.
fn canonical(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.starts_with('[') {
        return canonical_ipv6(name);
    }
    match ends_in_number(name) {
        true => ipv4(name),
        false => Some(name.to_owned()),
    }
}

/// An IPv4 address as URL readers take it: one to four parts, each decimal,
/// octal or hexadecimal, the last one filling what is left.
fn ipv4(name: &str) -> Option<String> {
    let part = |part: &str| match part.strip_prefix("0x") {
        Some("") => Some(0),
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    };
    let parts: Vec<u32> = name.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    // What is left for the last part, by how many come before it.
    let most = [u32::MAX, 0x00ff_ffff, 0xffff, 0xff].get(first.len())?;
    if last > most || first.iter().any(|part| *part > 255) {
        return None;
    }
    let shifts = [24, 16, 8];
    let high = first.iter().zip(shifts).map(|(part, shift)| part << shift);
    Some(Ipv4Addr::from(high.sum::<u32>() | last).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_canonical_form() {
        for (written, form) in [
            ("a.", "a"),
            ("127.1", "127.0.0.1"),
            ("0x7f.0.0.1", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("[::0001]", "[::1]"),
            ("[::ffff:1.2.3.4]", "[::ffff:102:304]"),
        ] {
            assert_eq!(canonical(written).as_deref(), Some(form), "{written}");
        }
        for written in ["1.2.3.4.5", "256.0.0.1", "a.1", "08.1", "1.2.3.256"] {
            assert_eq!(canonical(written), None, "{written}");
        }
    }
}
