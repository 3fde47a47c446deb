//! Which endpoint a request belongs to. Contract section 3.
//!
//! Paths are compared as they are sent. That is safe because no path gets here
//! that servers read in different ways: such are refused, whatever the policy
//! says of unmatched requests, and what some server serves as the path of a
//! stricter endpoint goes to nobody else.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_boundary_format::{
    Endpoint, PassEntry, PathPattern, Policy, Unmatched, decode_optional, path_fault,
};

use super::host;
use super::near::{Form, Guarded, OLD_DOORS};
use crate::answer::reason::{Reason, Refusal};
use crate::engine::Seat;

/// Splits `:path` at the query.
pub(crate) fn split_query(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match target.iter().position(|byte| *byte == b'?') {
        Some(at) => (
            target.get(..at).unwrap_or_default(),
            target.get(at.saturating_add(1)..),
        ),
        None => (target, None),
    }
}

/// Where a request belongs.
#[derive(Debug)]
pub(crate) enum Place {
    /// An endpoint.
    Endpoint(Seat),
    /// Nowhere, and the policy lets it pass.
    Passed,
}

impl Place {
    /// The endpoint, if it is one's.
    pub(crate) fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Endpoint(seat) => Some(&seat.endpoint),
            Self::Passed => None,
        }
    }
}

/// Finds the endpoint of a request by its `:authority` and `:path`.
pub(crate) fn select(policy: &Policy, authority: &[u8], target: &[u8]) -> Result<Place, Refusal> {
    let host = host::parse(authority).ok_or_else(host_invalid)?;
    let (path, _) = split_query(target);
    let endpoints = policy.endpoints();
    let selected = most_specific(endpoints, &host, path);
    let endpoint = selected.as_ref().map(|seat| &*seat.endpoint);
    if !endpoint.is_some_and(|endpoint| matches!(endpoint.path, PathPattern::Exact(_))) {
        normal(path)?;
        let shorter = decode_optional(path);
        let index = |seat: &Option<Seat>| seat.as_ref().map(|seat| seat.index);
        if matches!(shorter, Cow::Owned(_))
            && index(&most_specific(endpoints, &host, &shorter)) != index(&selected)
        {
            return Err(not_normal(
                "escapes of characters that need none, and without these it is another endpoint's; write `! $ & ' ( ) * + , : = @` as they are",
            ));
        }
    }
    let entries = entries(policy.unmatched(), &host, path);
    refuse_near(endpoints, endpoint, path, &entries)?;
    match (selected, policy.unmatched()) {
        (Some(seat), _) => Ok(Place::Endpoint(seat)),
        (None, Unmatched::Pass) => {
            refuse_old_doors(path)?;
            Ok(Place::Passed)
        }
        (None, Unmatched::Listed(_)) if !entries.is_empty() => Ok(Place::Passed),
        (None, Unmatched::Listed(_) | Unmatched::Deny) => Err(Refusal::new(
            Reason::NoEndpoint,
            "no endpoint of the policy matches this host and path; check both in the URL",
        )),
    }
}

/// The endpoint that names host and path most specifically: an exact host
/// before a longer suffix before any host, then an exact path before a longer
/// prefix.
fn most_specific(endpoints: &[Arc<Endpoint>], host: &str, path: &[u8]) -> Option<Seat> {
    let all = endpoints.iter().enumerate();
    let matching = all.filter_map(|(at, endpoint)| {
        let by_host = host::specificity(&endpoint.hosts, host)?;
        Some(((by_host, path_specificity(&endpoint.path, path)?), at))
    });
    let (_, index) = matching.max()?;
    let endpoint = Arc::clone(endpoints.get(index)?);
    Some(Seat { index, endpoint })
}

fn path_specificity(pattern: &PathPattern, path: &[u8]) -> Option<usize> {
    match pattern {
        PathPattern::Exact(wanted) => (wanted.as_bytes() == path).then_some(usize::MAX),
        PathPattern::Prefix(prefix) => {
            let rest = path.strip_prefix(prefix.trim_end_matches('/').as_bytes())?;
            matches!(rest, [] | [b'/', ..]).then(|| prefix.len().saturating_add(1))
        }
    }
}

/// Those entries of `unmatched` that cover host and path.
fn entries<'p>(unmatched: &'p Unmatched, host: &str, path: &[u8]) -> Vec<&'p PassEntry> {
    let Unmatched::Listed(entries) = unmatched else {
        return Vec::new();
    };
    let covers = |entry: &&PassEntry| {
        host::specificity(&entry.hosts, host).is_some()
            && path_specificity(&entry.path, path).is_some()
    };
    entries.iter().filter(covers).collect()
}

/// Refuses a path that is near a guarded one, on whatever host, unless the
/// endpoint that judges it names as much of it, or what may pass means it.
fn refuse_near(
    endpoints: &[Arc<Endpoint>],
    selected: Option<&Endpoint>,
    path: &[u8],
    entries: &[&PassEntry],
) -> Result<(), Refusal> {
    for form in Form::ALL {
        // What is guarded may be decoded once where the path no longer is.
        let mut paths = vec![Cow::Borrowed(path)];
        if form == Form::Decoded {
            paths.push(form.of(path));
        }
        let own = selected.map(|endpoint| Guarded::of(&endpoint.path, form).length());
        for endpoint in endpoints {
            let guarded = Guarded::of(&endpoint.path, form);
            if paths.iter().any(|path| guarded.is_near(path))
                && own.is_none_or(|own| own < guarded.length())
                && !guarded.is_opened(entries, form)
            {
                return Err(match path_specificity(&endpoint.path, path) {
                    Some(_) => other_host(),
                    None => near(),
                });
            }
        }
    }
    Ok(())
}

fn refuse_old_doors(path: &[u8]) -> Result<(), Refusal> {
    let near = |form: Form, door| Guarded::door(door).is_near(&form.of(path));
    for form in Form::ALL {
        if OLD_DOORS.into_iter().any(|door| near(form, door)) {
            return Err(Refusal::new(
                Reason::NoEndpoint,
                "paths of the old HTTP+SSE transport are refused; use the server's Streamable HTTP URL (if this path is not MCP, the operator can list it under `unmatched: { pass: … }`)",
            ));
        }
    }
    Ok(())
}

fn normal(path: &[u8]) -> Result<(), Refusal> {
    match path_fault(path) {
        None => Ok(()),
        Some(fault) => Err(not_normal(fault.as_str())),
    }
}

fn not_normal(what: &str) -> Refusal {
    Refusal::new(
        Reason::PathNotNormal,
        format!(
            "servers read this path in different ways: it has {what}; use the exact URL that the operator gave"
        ),
    )
}

fn host_invalid() -> Refusal {
    Refusal::new(
        Reason::HostInvalid,
        "`Host` is not plain: send an ASCII name without user information, escapes or a final dot, four decimal numbers for IPv4, the shortest lower-case form for IPv6, and a port from 1 to 65535 or none",
    )
}

/// The path is an endpoint's to the letter, so the host is to blame.
fn other_host() -> Refusal {
    Refusal::new(
        Reason::NoEndpoint,
        "an endpoint of the policy has this path, but none for this host; use its host (the operator can add this one to `hosts`)",
    )
}

fn near() -> Refusal {
    Refusal::new(
        Reason::NoEndpoint,
        "this path is too much like an endpoint's but differs in case, slashes, escapes, what follows, or host; use the endpoint's exact URL (if this path is meant, the operator can list it as an endpoint or under `unmatched: { pass: … }`)",
    )
}

#[cfg(test)]
mod tests;
