//! What may have changed since admit: nothing but what the endpoint's
//! `upstream` names. Contract section 12.

use mcp_boundary_format::{Endpoint, PathPattern};

use super::endpoint::{Place, select, split_query};
use super::fields::Head;
use super::host;
use super::record::Record;
use crate::answer::reason::{Reason, Refusal};
use crate::engine::Core;

/// The endpoint whose rules a rechecked request is held to.
///
/// It is the one that admit recorded, by name, in this policy, and this policy
/// must select it for the recorded head too. With another policy than admit's
/// (a roll-out) both therefore judge the request, and neither widens the
/// other. The record never grants: it only fixes what must be equal.
pub(crate) fn rechecked<'a>(core: &Core, head: &Head<'a>) -> Result<(Place, Record<'a>), Refusal> {
    let Some(bytes) = head.record else {
        return Err(Refusal::new(
            Reason::RecordMissing,
            "nothing was recorded for this request: an instance with role `admit` must run before this recheck",
        ));
    };
    let Some(record) = Record::decode(bytes) else {
        return Err(Refusal::new(
            Reason::RecordInvalid,
            "what was recorded for this request cannot be read: run the same release of the filter as admit and recheck, and let no other plugin write `mcp_boundary_record`",
        ));
    };
    let place = recorded(core, &record)?;
    let route = Route {
        endpoint: place.endpoint().filter(|_| core.upstream),
        upstream: core.upstream,
    };
    if head.pseudo(b":method") != record.verb {
        return Err(Refusal::new(
            Reason::VerbRewritten,
            "a filter between admit and recheck changed the verb; it must stay what the client sent",
        ));
    }
    if !route.permits_host(record.host, head.pseudo(b":authority")) {
        return Err(Refusal::new(
            Reason::HostRewritten,
            "a filter or route between admit and recheck changed the host; the operator can name hosts that a route may write in the endpoint's `upstream`, for a recheck with `place: upstream`",
        ));
    }
    let (path, query) = split_query(head.pseudo(b":path"));
    let (admitted_path, admitted_query) = split_query(record.target);
    if !route.permits_path(admitted_path, path) {
        return Err(Refusal::new(
            Reason::PathRewritten,
            "a filter or route between admit and recheck changed the path; the operator can name the path that a route may write in the endpoint's `upstream`, for a recheck with `place: upstream`",
        ));
    }
    if query != admitted_query {
        return Err(Refusal::new(
            Reason::QueryRewritten,
            "a filter or route between admit and recheck changed the query; it must stay what the client sent",
        ));
    }
    Ok((place, record))
}

/// Where this policy puts the request that admit saw, if that is where admit
/// put it.
fn recorded(core: &Core, record: &Record<'_>) -> Result<Place, Refusal> {
    let moved = |now: &str| {
        let then = match record.endpoint {
            Some(name) => format!("endpoint `{name}`"),
            None => "no endpoint".to_owned(),
        };
        Err(Refusal::new(
            Reason::EndpointRewritten,
            format!(
                "admit took the request for {then}, but this recheck {now}{}",
                match core.policy.digest().as_bytes() == &record.digest {
                    true => "",
                    false =>
                        "; it runs another policy than admit: the operator must give both the same, and keep endpoint names while policies change",
                }
            ),
        ))
    };
    let selected = select(&core.policy, record.host, record.target);
    let place = match (selected, record.endpoint) {
        (Ok(place), _) => place,
        (Err(_), Some(_)) => return moved("finds no endpoint for it"),
        (Err(refusal), None) => {
            let detail = format!(
                "admit's policy let it pass uninspected, this recheck's does not: {}",
                refusal.detail
            );
            return Err(Refusal::new(refusal.reason, detail));
        }
    };
    let name = place.endpoint().map(|endpoint| endpoint.name.as_str());
    if name != record.endpoint {
        return moved(&match name {
            Some(name) => format!("takes it for `{name}`"),
            None => "takes it for none".to_owned(),
        });
    }
    match &core.only_endpoint {
        Some(only) if name != Some(only.endpoint.name.as_str()) => {
            moved(&format!("is configured for `{}` alone", only.endpoint.name))
        }
        _ => Ok(place),
    }
}

/// What may have become of host and path on their way.
#[derive(Debug, Clone, Copy)]
struct Route<'a> {
    /// The endpoint, if its `upstream` counts here.
    endpoint: Option<&'a Endpoint>,
    /// Whether the route was taken already.
    upstream: bool,
}

impl Route<'_> {
    fn permits_host(&self, admitted: &[u8], now: &[u8]) -> bool {
        if now == admitted {
            return true;
        }
        if !self.upstream {
            return false;
        }
        let Some(now) = host::parse(now) else {
            return false;
        };
        let named = |endpoint: &Endpoint| endpoint.upstream.hosts.iter().any(|host| *host == now);
        host::parse(admitted).as_deref() == Some(now.as_str()) || self.endpoint.is_some_and(named)
    }

    fn permits_path(&self, admitted: &[u8], now: &[u8]) -> bool {
        let named = |endpoint: &Endpoint| match &endpoint.upstream.path {
            None => false,
            Some(PathPattern::Exact(path)) => now == path.as_bytes(),
            Some(PathPattern::Prefix(prefix)) => is_moved(endpoint, admitted, prefix, now),
        };
        now == admitted || self.endpoint.is_some_and(named)
    }
}

/// Whether `now` is `admitted` with the endpoint's own path replaced by
/// `prefix` and the rest as it was.
fn is_moved(endpoint: &Endpoint, admitted: &[u8], prefix: &str, now: &[u8]) -> bool {
    let rest = match &endpoint.path {
        PathPattern::Exact(path) => (admitted == path.as_bytes()).then_some(&b""[..]),
        PathPattern::Prefix(path) => admitted.strip_prefix(path.trim_end_matches('/').as_bytes()),
    };
    match rest {
        Some(b"") => now == prefix.as_bytes(),
        // A prefix ends where a segment does.
        Some(rest) if rest.starts_with(b"/") => {
            now.strip_prefix(prefix.trim_end_matches('/').as_bytes()) == Some(rest)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_boundary_format::Upstream;

    #[test]
    fn a_prefix_alone_is_replaced() {
        let prefix = |path: &str| PathPattern::Prefix(path.parse().unwrap());
        let exact = |path: &str| PathPattern::Exact(path.parse().unwrap());
        for (own, upstream, admitted, now, permitted) in [
            (prefix("/s"), prefix("/inner"), "/s", "/inner", true),
            (prefix("/s"), prefix("/inner"), "/s/a", "/inner/a", true),
            (prefix("/s"), prefix("/inner"), "/s/a", "/s/a", true),
            (prefix("/s"), prefix("/inner"), "/s/a", "/inner/b", false),
            (prefix("/s"), prefix("/inner"), "/s/a", "/inner", false),
            (prefix("/s"), prefix("/inner"), "/s/a", "/inner/a/", false),
            (prefix("/s"), prefix("/inner"), "/s/a", "/inner//a", false),
            (prefix("/s"), prefix("/inner"), "/s/a", "/innera", false),
            (prefix("/s"), prefix("/inner"), "/s/", "/inner/", true),
            (prefix("/s"), prefix("/inner"), "/s/", "/inner", false),
            (prefix("/s"), prefix("/"), "/s", "/", true),
            (prefix("/s"), prefix("/"), "/s/a", "/a", true),
            (prefix("/s"), prefix("/"), "/s/a", "//a", false),
            (prefix("/"), prefix("/inner"), "/", "/inner/", true),
            (prefix("/"), prefix("/inner"), "/a", "/inner/a", true),
            (exact("/mcp"), prefix("/inner"), "/mcp", "/inner", true),
            (exact("/mcp"), prefix("/inner"), "/mcp", "/inner/a", false),
            (exact("/mcp"), exact("/inner"), "/mcp", "/inner", true),
            (exact("/mcp"), exact("/inner"), "/mcp", "/inner/", false),
            (exact("/mcp"), exact("/inner"), "/mcp", "/INNER", false),
            (prefix("/s"), exact("/inner"), "/s/a", "/inner", true),
            (prefix("/s"), exact("/inner"), "/s/a", "/inner/a", false),
        ] {
            let endpoint = Endpoint {
                path: own,
                upstream: Upstream {
                    path: Some(upstream),
                    hosts: Vec::new(),
                },
                ..Endpoint::default()
            };
            let route = Route {
                endpoint: Some(&endpoint),
                upstream: true,
            };
            let found = route.permits_path(admitted.as_bytes(), now.as_bytes());
            assert_eq!(found, permitted, "{endpoint:?} {admitted} {now}");
        }
    }
}
