//! Paths against each other: what one server reads as another endpoint's, and
//! what opens nothing. Contract section 3.

use mcp_boundary_engine::near::{Form, Guarded};
use mcp_boundary_format::{
    Endpoint, HostPattern, PassEntry, PathPattern, decode_optional, path_fault,
};

use super::endpoint::Lowered;
use super::readers::readings;
use crate::report::{Finding, Report};
use crate::show::Shown;

/// An exact path with escapes is compared byte for byte, so no rule of the
/// filter keeps it apart from what servers make of it.
pub(super) fn refuse_misread(endpoints: &[Lowered], report: &mut Report<'_>) {
    for lowered in endpoints {
        let PathPattern::Exact(path) = &lowered.endpoint.path else {
            continue;
        };
        let bytes = path.as_bytes();
        if path_fault(bytes).is_none() && *decode_optional(bytes) == *bytes {
            continue;
        }
        let Some(readings) = readings(path) else {
            report.push(
                Finding::error(format!("path {} has too many readings", Shown(path)))
                    .at(&lowered.path_at, "")
                    .help("write it with fewer escapes"),
            );
            continue;
        };
        let others = endpoints
            .iter()
            .filter(|other| other.endpoint.path != lowered.endpoint.path);
        for other in others {
            let taken = |reading: &&Vec<u8>| is_of(reading, &other.endpoint, &lowered.endpoint);
            let Some(reading) = readings.iter().find(taken) else {
                continue;
            };
            let shown = String::from_utf8_lossy(reading).into_owned();
            report.push(
                Finding::error(format!(
                    "some servers read path {} as {}, which belongs to another endpoint",
                    Shown(path),
                    Shown(&shown)
                ))
                .at(&lowered.path_at, "judged by the rules here")
                .at(&other.path_at, "served by the rules there")
                .help("write it without the escapes that are read so, or give both paths to one endpoint"),
            );
        }
    }
}

/// Whether a reading of `own`'s path is `other`'s, since it is near what
/// `other` guards and `own` guards no longer one that it is near.
fn is_of(reading: &[u8], other: &Endpoint, own: &Endpoint) -> bool {
    let near = |endpoint: &Endpoint| {
        let guarded = Form::ALL.map(|form| Guarded::of(&endpoint.path, form));
        let near = guarded
            .into_iter()
            .filter(|guarded| guarded.is_near(reading));
        near.map(|guarded| guarded.length()).max()
    };
    near(other).is_some_and(|length| near(own) <= Some(length))
}

/// Why an entry of what may pass changes nothing, if so.
pub(super) fn useless(entry: &PassEntry, endpoints: &[Endpoint]) -> Option<&'static str> {
    let path = entry.path.as_str();
    let guards = |endpoint: &Endpoint, form| {
        let guarded = Guarded::of(&endpoint.path, form);
        guarded.is_near(&form.of(path.as_bytes()))
    };
    let pairs = || {
        let forms = Form::ALL.into_iter();
        forms.flat_map(|form| endpoints.iter().map(move |endpoint| (endpoint, form)))
    };
    // A prefix such as `/mcp.json`: all below it is near, and none of it meant.
    let closed = |(endpoint, form): (&Endpoint, Form)| {
        let guarded = Guarded::of(&endpoint.path, form);
        guards(endpoint, form) && !guarded.is_meant_by(entry, form)
    };
    if pairs().any(closed) {
        return Some(
            "all that it covers is near the path of an endpoint, and a prefix must be at or below that",
        );
    }
    let judging = endpoints
        .iter()
        .filter(|endpoint| covers_hosts(&endpoint.hosts, &entry.hosts))
        .filter(|endpoint| covers_path(&endpoint.path, &entry.path))
        .max_by_key(|endpoint| Guarded::of(&endpoint.path, Form::Sent).length())?;
    // It may still let that endpoint judge what is near a longer path.
    let lifts = |(endpoint, form): (&Endpoint, Form)| {
        let own = Guarded::of(&judging.path, form).length();
        guards(endpoint, form) && own < Guarded::of(&endpoint.path, form).length()
    };
    match pairs().any(lifts) {
        true => None,
        false => Some("an endpoint matches all that it covers, and where one matches, it judges"),
    }
}

/// Whether every host of `inner` is one of `outer`; none means any.
fn covers_hosts(outer: &[HostPattern], inner: &[HostPattern]) -> bool {
    let below = |host: &str, suffix: &str| {
        host.strip_suffix(suffix)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    let covered = |inner: &HostPattern| {
        outer.iter().any(|outer| match (outer, inner) {
            (HostPattern::Suffix(outer), HostPattern::Exact(inner)) => below(inner, outer),
            (HostPattern::Suffix(outer), HostPattern::Suffix(inner)) => {
                outer == inner || below(inner, outer)
            }
            (HostPattern::Exact(_), _) => outer == inner,
        })
    };
    outer.is_empty() || (!inner.is_empty() && inner.iter().all(covered))
}

fn covers_path(outer: &PathPattern, inner: &PathPattern) -> bool {
    let path = inner.as_str();
    match outer {
        PathPattern::Exact(_) => outer == inner,
        PathPattern::Prefix(prefix) => path
            .strip_prefix(prefix.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}
