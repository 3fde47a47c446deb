//! The counter of verdicts.

use crate::answer::reason::Kind;
use crate::answer::verdict::Verdict;
use crate::engine::Engine;

/// The labels that differ between the verdicts of one instance. All of them
/// are finite; names of tools are never among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counted {
    verdict: &'static str,
    reason: &'static str,
    revision: &'static str,
    mode: &'static str,
    endpoint: Option<usize>,
}

impl Engine {
    /// What a verdict counts as. A request that would be denied, is denied or
    /// rejected counts as that once, so a recheck counts nothing where admit
    /// counted the same would-be denial; what is forwarded counts for each
    /// role.
    pub fn counted(&self, verdict: &Verdict) -> Option<Counted> {
        let counts = verdict.kind == Kind::Forward || verdict.is_news();
        counts.then(|| Counted {
            verdict: verdict.word(),
            reason: verdict.reason.code(),
            revision: verdict.revision_word(),
            mode: verdict.mode.as_str(),
            endpoint: verdict.endpoint,
        })
    }

    /// The counter's name. It has the labels in it, in the form that Istio's
    /// `extraStatTags` and Envoy's `stats_tags` extract.
    pub fn counter(&self, counted: Counted) -> String {
        let labels = [
            ("verdict", counted.verdict),
            ("reason", counted.reason),
            ("revision", counted.revision),
            ("mode", counted.mode),
            ("role", self.role().as_str()),
            ("endpoint", endpoint_name(self, counted.endpoint)),
        ];
        let mut name = String::from("mcp_boundary_requests_total");
        for (label, value) in labels {
            name.push('.');
            name.push_str(label);
            name.push_str("=.=");
            name.push_str(value);
            name.push_str(";.;");
        }
        name
    }
}

/// Name of the endpoint that decided; `-` if none did.
pub(super) fn endpoint_name(engine: &Engine, endpoint: Option<usize>) -> &str {
    let endpoint = endpoint.and_then(|index| engine.endpoint_at(index));
    endpoint.map_or("-", |endpoint| &endpoint.name)
}
