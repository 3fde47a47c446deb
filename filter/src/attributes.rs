//! Who sent a request, as Envoy knows it.

use mcp_boundary_format::Source;
use proxy_wasm::hostcalls;

/// Filter state key of what admit records.
pub(crate) const RECORD: &str = "mcp_boundary_record";

/// The values of each source; `None` where the host has none.
pub(crate) fn values(sources: &[Source]) -> Vec<Option<Vec<String>>> {
    sources.iter().map(value).collect()
}

fn value(source: &Source) -> Option<Vec<String>> {
    match source {
        Source::JwtClaim { payload, path } => {
            let filter = "envoy.filters.http.jwt_authn";
            let mut full = vec!["metadata", "filter_metadata", filter, payload];
            full.extend(path.iter().map(String::as_str));
            texts(property(full)?)
        }
        Source::PeerSan => {
            let san = |name| property(vec!["connection", name]).and_then(texts);
            let names: Vec<String> = ["uri_san_peer_certificate", "dns_san_peer_certificate"]
                .into_iter()
                .filter_map(san)
                .flatten()
                .collect();
            (!names.is_empty()).then_some(names)
        }
        // The engine reads headers itself.
        Source::Header(_) => None,
    }
}

/// What admit recorded for this request.
pub(crate) fn record() -> Option<Vec<u8>> {
    property(vec![RECORD])
}

fn property(path: Vec<&str>) -> Option<Vec<u8>> {
    hostcalls::get_property(path).ok().flatten()
}

/// A string as it is, a list as the host serialises it: a count, then a pair
/// of lengths for each element, then each element and an empty value, both
/// ended by NUL. Anything else is not known.
fn texts(bytes: Vec<u8>) -> Option<Vec<String>> {
    if let Some(list) = list(&bytes) {
        return Some(list);
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then(|| vec![text])
}

fn list(bytes: &[u8]) -> Option<Vec<String>> {
    let (count, mut rest) = number(bytes)?;
    let mut lengths = Vec::new();
    for _ in 0..count {
        let (element, tail) = number(rest)?;
        let (empty, tail) = number(tail)?;
        if empty != 0 {
            return None;
        }
        lengths.push(element);
        rest = tail;
    }
    let mut elements = Vec::new();
    for length in lengths {
        let (element, tail) = rest.split_at_checked(length)?;
        rest = tail.strip_prefix(b"\0\0")?;
        elements.push(String::from_utf8(element.to_vec()).ok()?);
    }
    rest.is_empty().then_some(elements)
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}
