//! `origins`: compared with the `Origin` header byte for byte.

use mcp_boundary_format::is_host;

use super::names::bounded;
use crate::report::{Finding, Report};
use crate::schema::{Located, Text};
use crate::show::Shown;

pub(super) fn lower(origins: &Located<Vec<Text>>, report: &mut Report<'_>) -> Vec<String> {
    if origins.value.is_empty() {
        report.push(
            Finding::error("`origins` is empty")
                .at(&origins.at, "it does not mean that every origin is refused")
                .help("list origins, or leave `origins` out if the header shall not be judged"),
        );
    }
    for origin in &origins.value {
        check(origin, report);
    }
    origins
        .value
        .iter()
        .map(|origin| origin.value.clone())
        .collect()
}

fn check(origin: &Text, report: &mut Report<'_>) {
    let text = origin.value.as_str();
    let fault = if text == "null" {
        Some((
            "the origin `null` cannot be permitted".to_owned(),
            "any sandboxed page can send it; list real origins",
        ))
    } else if text.contains('*') {
        Some((
            format!("origin {} is a pattern", Shown(text)),
            "list exact origins, or leave `origins` out if the header shall not be judged",
        ))
    } else {
        match text.split_once("://") {
            Some((scheme, rest))
                if !scheme.is_empty()
                    && !rest.is_empty()
                    && text.bytes().all(|byte| byte.is_ascii_graphic()) =>
            {
                rest.contains(['/', '?', '#', '@']).then(|| {
                    (
                        format!("origin {} has more than scheme, host and port", Shown(text)),
                        "write it as browsers send it, such as `https://app.example`, without a final `/`",
                    )
                })
            }
            _ => Some((
                format!("{} is not an origin", Shown(text)),
                "write scheme and host, such as `https://app.example`",
            )),
        }
    };
    if let Some((message, help)) = fault {
        report.push(Finding::error(message).at(&origin.at, "").help(help));
        return;
    }
    if !bounded(origin, "origin", report) {
        return;
    }
    if let Some(fault) = network_fault(text) {
        report.push(
            Finding::error(format!("origin {} never matches", Shown(text)))
                .at(&origin.at, fault)
                .help("write it as browsers send it, such as `https://app.example:8443`"),
        );
        return;
    }
    let default_port = (text.starts_with("https://") && text.ends_with(":443"))
        || (text.starts_with("http://") && text.ends_with(":80"));
    if default_port || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        report.push(
            Finding::warning(format!("origin {} never matches", Shown(text)))
                .at(&origin.at, "no browser sends it in this form")
                .help("write it in lower case and without the default port"),
        );
    }
}

/// What is wrong with host or port of a web origin; other schemes, such as
/// those of extensions, have names of their own kind there.
fn network_fault(origin: &str) -> Option<&'static str> {
    let origin = origin.to_ascii_lowercase();
    let rest = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"))?;
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (rest, None),
    };
    let number = |port: &str| port.parse::<u16>().is_ok_and(|it| it.to_string() == port);
    if !is_host(host) {
        Some("its host is not written as browsers write one")
    } else if port.is_some_and(|port| !number(port)) {
        Some("its port is no number from 0 to 65535 without leading zeros")
    } else {
        None
    }
}
