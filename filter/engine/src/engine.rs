//! A policy in a role.

use std::sync::Arc;

use mcp_boundary_format::{Endpoint, Policy, Role, Source};

use crate::answer::verdict::Verdict;
use crate::policy::principals::Attribute;

/// A policy, ready to decide.
///
/// ```
/// use mcp_boundary_engine::{Effect, Engine, Head, Role};
/// use mcp_boundary_format::{Endpoint, Names, PathPattern, Policy, Rule, Unmatched};
///
/// // What `mcp-policy compile` writes and `Policy::decode` reads, made by hand.
/// let allow = Rule {
///     id: "all".parse()?,
///     tools: Names::new(["get_weather".to_owned()])?,
///     ..Rule::default()
/// };
/// let endpoint = Endpoint {
///     name: "weather".parse()?,
///     path: PathPattern::Exact("/mcp".parse()?),
///     allow: vec![allow],
///     ..Endpoint::default()
/// };
/// let policy = Policy::seal(Unmatched::Deny, vec![endpoint])?;
/// let engine = Engine::new(policy, Role::Admit);
///
/// let headers: [(&[u8], &[u8]); 5] = [
///     (b":method", b"POST"),
///     (b":authority", b"mcp.example.com"),
///     (b":path", b"/mcp"),
///     (b"content-type", b"application/json"),
///     (b"mcp-protocol-version", b"2025-11-25"),
/// ];
/// let head = Head { headers: &headers, ..Head::default() };
/// let verdict = |tool: &str| {
///     let body = format!(
///         r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}"}}}}"#
///     );
///     engine.decide(head, body.as_bytes())
/// };
/// assert!(matches!(verdict("get_weather").effect, Effect::Forward { .. }));
/// let denied = verdict("delete_repo");
/// assert!(matches!(denied.effect, Effect::Answer { status: 200, .. }));
/// assert_eq!(denied.verdict.reason.code(), "tool_not_allowed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    core: Arc<Core>,
}

/// What all requests of an engine share.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub(crate) policy: Policy,
    /// The policy's digest, as logs show it.
    pub(crate) digest: String,
    pub(crate) role: Role,
    /// A recheck behind the route, in the cluster's own chain.
    pub(crate) upstream: bool,
    /// A recheck that only this endpoint's requests may reach.
    pub(crate) only_endpoint: Option<Seat>,
    /// What rules ask the host for.
    pub(crate) sources: Vec<Source>,
    pub(crate) attributes: Vec<Attribute>,
    /// Names of headers that rules ask for.
    pub(crate) principals: Vec<String>,
}

/// An endpoint and its place in the policy.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    /// In [`Policy::endpoints`] order.
    pub(crate) index: usize,
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Engine {
    /// An engine in the given role.
    pub fn new(policy: Policy, role: Role) -> Self {
        let mut sources: Vec<Source> = policy.sources().cloned().collect();
        sources.sort();
        sources.dedup();
        let header = |source: &Source| match source {
            Source::Header(name) => Some(name.clone()),
            Source::JwtClaim { .. } | Source::PeerSan => None,
        };
        let principals = sources.iter().filter_map(header).collect();
        sources.retain(|source| header(source).is_none());
        let core = Core {
            digest: policy.digest().to_string(),
            policy,
            role,
            upstream: false,
            only_endpoint: None,
            attributes: Attribute::of(&sources),
            sources,
            principals,
        };
        Self {
            core: Arc::new(core),
        }
    }

    /// Puts a recheck behind the route, where the endpoints' `upstream` names
    /// what the route may have written (`place: upstream`). Without this it
    /// takes no change at all (`place: chain`).
    #[must_use]
    pub fn upstream(self) -> Self {
        self.with(|core| core.upstream = true)
    }

    /// Makes a recheck refuse whatever was admitted for another endpoint than
    /// this one; `None` if the policy has no endpoint of that name. It takes
    /// away and never grants: the rules are the recorded endpoint's.
    pub fn for_endpoint(self, name: &str) -> Option<Self> {
        let seat = self.core.seats().find(|seat| seat.endpoint.name == name)?;
        Some(self.with(|core| core.only_endpoint = Some(seat)))
    }

    /// Requests that are on their way keep the core that they began with.
    fn with(mut self, change: impl FnOnce(&mut Core)) -> Self {
        change(Arc::make_mut(&mut self.core));
        self
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.core.policy
    }

    /// The endpoint that a verdict is about; `None` if none was found.
    pub fn endpoint_of(&self, verdict: &Verdict) -> Option<&Endpoint> {
        self.endpoint_at(verdict.endpoint?)
    }

    pub(crate) fn endpoint_at(&self, index: usize) -> Option<&Endpoint> {
        let endpoint = self.policy().endpoints().get(index)?;
        Some(endpoint)
    }

    /// What the host must look up for [`Head::attributes`].
    ///
    /// [`Head::attributes`]: crate::Head::attributes
    pub fn attributes(&self) -> &[Attribute] {
        &self.core.attributes
    }

    /// The policy's digest, as logs show it.
    pub fn digest(&self) -> &str {
        &self.core.digest
    }

    /// What it decides on.
    pub fn role(&self) -> Role {
        self.core.role
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }
}

impl Core {
    /// The endpoints, each with its place.
    pub(crate) fn seats(&self) -> impl Iterator<Item = Seat> {
        let endpoints = self.policy.endpoints().iter().enumerate();
        endpoints.map(|(index, endpoint)| Seat {
            index,
            endpoint: Arc::clone(endpoint),
        })
    }
}
