//! Whether a forwarded request is still the one that was sent.

use std::collections::BTreeSet;

use crate::client::Request;
use crate::recorder::Exchange;

/// Headers that end at each hop: the proxy reads them and sends its own.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// What Envoy writes itself at the edge, whatever a client says.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// Headers that Envoy adds.
const ENVOYS: [&str; 5] = [
    "x-envoy-external-address",
    "x-forwarded-proto",
    "x-request-id",
    "x-envoy-original-path",
    "x-envoy-original-host",
];

/// What the policy's `compat` switches drop or collapse.
const EDITED: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/// What distinguishes the request at the server from the one that was sent:
/// its line, its framing, its headers or its body. `edited` if the policy
/// lets the filter change mirrors and versions.
pub fn difference(sent: &Request, got: &Exchange, edited: bool) -> Option<String> {
    if (&got.method, &got.path) != (&sent.method, &sent.path) {
        return Some(format!("the server got `{} {}`", got.method, got.path));
    }
    if got.body != sent.body.as_deref().unwrap_or_default() {
        let body = String::from_utf8_lossy(&got.body);
        return Some(format!("the server got another body: `{body}`"));
    }
    if let Some(difference) = framing(sent, got) {
        return Some(difference);
    }
    let names: BTreeSet<String> = sent
        .headers
        .iter()
        .map(|(name, _)| String::from_utf8_lossy(name).to_ascii_lowercase())
        .chain(got.headers.iter().map(|(name, _)| name.clone()))
        .filter(|name| !HOP_BY_HOP.contains(&name.as_str()) && name != FORWARDED_FOR)
        .filter(|name| !(edited && EDITED.contains(&name.as_str())))
        .collect();
    for name in names {
        let wanted = joined(
            sent.headers
                .iter()
                .filter(|(listed, _)| String::from_utf8_lossy(listed).eq_ignore_ascii_case(&name)),
        );
        let found = joined(got.headers.iter().filter(|(listed, _)| *listed == name));
        if wanted != found && !(wanted.is_none() && ENVOYS.contains(&name.as_str())) {
            let show = |value: &Option<Vec<u8>>| {
                value
                    .as_ref()
                    .map(|value| String::from_utf8_lossy(value).into_owned())
            };
            return Some(format!(
                "the server got the header `{name}` as {:?} instead of {:?}",
                show(&found),
                show(&wanted)
            ));
        }
    }
    None
}

/// Exactly one statement of the body's length, and a true one.
fn framing(sent: &Request, got: &Exchange) -> Option<String> {
    let values = |name: &str| -> Vec<&[u8]> {
        let lines = got.headers.iter().filter(|(listed, _)| listed == name);
        lines.map(|(_, value)| value.as_slice()).collect()
    };
    let lengths = values("content-length");
    let codings = values("transfer-encoding");
    let length = got.body.len().to_string();
    let right = match (lengths.as_slice(), codings.as_slice()) {
        ([stated], []) => *stated == length.as_bytes(),
        ([], [coding]) => *coding == b"chunked" && sent.body.is_some(),
        ([], []) => sent.body.is_none(),
        _ => false,
    };
    let show = |values: &[&[u8]]| {
        let texts = values.iter().map(|value| String::from_utf8_lossy(value));
        texts.collect::<Vec<_>>().join(", ")
    };
    (!right).then(|| {
        format!(
            "{length} bytes of body framed by content-length `{}` and transfer-encoding `{}`",
            show(&lengths),
            show(&codings)
        )
    })
}

/// Lines of one name as one value: proxies may join them.
fn joined<'a, N: 'a>(lines: impl Iterator<Item = &'a (N, Vec<u8>)>) -> Option<Vec<u8>> {
    let values: Vec<&[u8]> = lines.map(|(_, value)| value.trim_ascii()).collect();
    (!values.is_empty()).then(|| values.join(&b","[..]))
}
