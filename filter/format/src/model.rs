//! What a policy says, as tables the engine reads directly.
//!
//! Everything here is plain data; the guarantee that it is sorted, complete
//! and in bounds comes from [`Policy`], whose fields are private.

mod revision;
mod switch;

use std::fmt;
use std::sync::Arc;

use crate::text::{ExactPath, Glob, Host, Label, Name, NormalPath, NotA, is_glob};

pub use revision::{Revision, Revisions};
pub use switch::{Denial, Mode, ResourceUris, Switch, ToolNames};

/// SHA-256 of a blob's header and contents; the policy's identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub(crate) [u8; 32]);

impl Digest {
    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A host an endpoint answers to, lower case, without port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostPattern {
    /// Exactly this host.
    Exact(Host),
    /// Any host that ends with a dot and this (`*.example.com` holds `example.com`).
    Suffix(Host),
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => f.write_str(host),
            Self::Suffix(suffix) => write!(f, "*.{suffix}"),
        }
    }
}

/// The path an endpoint answers on, in normal form, without query.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathPattern {
    /// Exactly this path.
    Exact(ExactPath),
    /// This path and everything below it, at a segment boundary.
    Prefix(NormalPath),
}

impl PathPattern {
    /// The path that is compared.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Exact(path) => path,
            Self::Prefix(path) => path,
        }
    }
}

/// Requests that may pass uninspected although no endpoint matches them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassEntry {
    /// The path, exact or as a prefix.
    pub path: PathPattern,
    /// Hosts it is for; none means any.
    pub hosts: Vec<HostPattern>,
}

/// What happens to a request that no endpoint matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Unmatched {
    /// It is refused.
    #[default]
    Deny,
    /// It is forwarded uninspected.
    Pass,
    /// It is forwarded uninspected if one of these covers it, else refused.
    Listed(Vec<PassEntry>),
}

/// What a route may make of an admitted request's head, as a recheck in the
/// upstream position finds it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upstream {
    /// The only other path: exactly this one, or this prefix in place of the
    /// endpoint's with the rest unchanged.
    pub path: Option<PathPattern>,
    /// The only other hosts, lower case, without port; sorted.
    pub hosts: Vec<Host>,
}

/// A set of names: exact ones and globs (`*`), each sorted and without repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Names without `*`.
    pub exact: Vec<Name>,
    /// Patterns with `*`.
    pub globs: Vec<Glob>,
}

impl Names {
    /// Sorts `names` into exact ones and globs.
    ///
    /// # Errors
    /// If one is empty, too long or holds a control character.
    pub fn new(names: impl IntoIterator<Item = String>) -> Result<Self, NotA> {
        let mut sorted = Self::default();
        for name in names {
            match is_glob(&name) {
                true => sorted.globs.push(Glob::new(name)?),
                false => sorted.exact.push(Name::new(name)?),
            }
        }
        sorted.globs.sort();
        sorted.exact.sort();
        Ok(sorted)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.globs.is_empty()
    }

    /// Every entry, exact ones first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let exact = self.exact.iter().map(Name::as_str);
        exact.chain(self.globs.iter().map(Glob::as_str))
    }
}

/// Where a condition's value is read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A claim that Envoy's `jwt_authn` filter put into its dynamic metadata:
    /// the `payload_in_metadata` key, then the claim's path.
    JwtClaim {
        /// `payload_in_metadata` of the provider.
        payload: String,
        /// Member names from the payload's root to the claim.
        path: Vec<String>,
    },
    /// A URI or DNS subject alternative name of the client's certificate.
    PeerSan,
    /// A request header, lower case, that an earlier filter sets.
    Header(String),
}

/// One thing that must hold for a rule to apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Where the value comes from.
    pub source: Source,
    /// It holds when the value matches one of these.
    pub values: Names,
}

/// One entry of an endpoint's `allow` or `deny`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// Unique within the endpoint; what logs show.
    pub id: Label,
    /// All of these must hold; none means always.
    pub when: Vec<Condition>,
    /// Core methods.
    pub methods: Names,
    /// Tool names.
    pub tools: Names,
    /// Prompt names.
    pub prompts: Names,
    /// Resource URIs; here `*` stops at `/` and `**` does not.
    pub resources: Names,
    /// Exact extension methods.
    pub extensions: Vec<Name>,
}

impl Rule {
    /// What it names: methods, tools, prompts, resources.
    pub fn lists(&self) -> [&Names; 4] {
        [&self.methods, &self.tools, &self.prompts, &self.resources]
    }
}

/// Bounds on what is inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest request body in bytes.
    pub body_bytes: u32,
    /// Containers open at once, the root counting 1.
    pub depth: u8,
    /// Most members of a batch.
    pub batch_members: u16,
}

impl Limits {
    /// 1 MiB, 64 levels, 64 members.
    pub const DEFAULT: Self = Self {
        body_bytes: 1 << 20,
        depth: 64,
        batch_members: 64,
    };
    /// The largest each may be: 64 MiB, 128 levels, 1024 members.
    pub const MAX: Self = Self {
        body_bytes: 64 << 20,
        depth: 128,
        batch_members: 1024,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Escape hatches for shipping clients; all off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compat {
    /// Collapse `X, X` or two equal `MCP-Protocol-Version` lines into one.
    pub equal_version_repeats: Switch,
    /// Drop a mirror that disagrees on a legacy request instead of refusing.
    pub stale_mirrors: Switch,
}

impl Compat {
    /// The first switch that is on, by its key in a policy; each has headers
    /// changed.
    pub fn first_on(self) -> Option<&'static str> {
        let switches = [
            ("equal_version_repeats", self.equal_version_repeats),
            ("stale_mirrors", self.stale_mirrors),
        ];
        let mut on = switches.into_iter().filter(|(_, on)| *on == Switch::Allow);
        on.next().map(|(key, _)| key)
    }
}

/// Hosts and a path, the revisions permitted there, and the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Unique within the policy; what logs and metrics show.
    pub name: Label,
    /// Hosts it answers to; none means any.
    pub hosts: Vec<HostPattern>,
    /// The path it answers on.
    pub path: PathPattern,
    /// Revisions a request may select.
    pub revisions: Revisions,
    /// Enforce or audit.
    pub mode: Mode,
    /// How denials are answered.
    pub denial: Denial,
    /// Client responses in legacy revisions.
    pub responses: Switch,
    /// GET streams in legacy revisions.
    pub streams: Switch,
    /// DELETE of a session in legacy revisions.
    pub sessions: Switch,
    /// What the route may rewrite, seen by a recheck in the upstream chain.
    pub upstream: Upstream,
    /// Which tool names are well-formed.
    pub tool_names: ToolNames,
    /// Which resource URIs are well-formed.
    pub resource_uris: ResourceUris,
    /// Switches for shipping clients.
    pub compat: Compat,
    /// Bounds.
    pub limits: Limits,
    /// Permitted `Origin` values; none means the header is not judged.
    pub origins: Vec<String>,
    /// Top-level argument names that no `tools/call` may carry.
    pub forbidden_arguments: Vec<String>,
    /// Those of them that a filter between admit and recheck sets, so that a
    /// recheck takes them.
    pub set_by_filters: Vec<String>,
    /// Rules that permit.
    pub allow: Vec<Rule>,
    /// Rules that forbid; they always win.
    pub deny: Vec<Rule>,
}

impl Endpoint {
    /// Its rules, those that permit first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.allow.iter().chain(&self.deny)
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Self {
            name: Label::default(),
            hosts: Vec::new(),
            path: PathPattern::Exact(ExactPath::default()),
            revisions: Revisions::DEFAULT,
            mode: Mode::Enforce,
            denial: Denial::Rpc,
            responses: Switch::Allow,
            streams: Switch::Allow,
            sessions: Switch::Allow,
            upstream: Upstream::default(),
            tool_names: ToolNames::Strict,
            resource_uris: ResourceUris::Strict,
            compat: Compat::default(),
            limits: Limits::DEFAULT,
            origins: Vec::new(),
            forbidden_arguments: Vec::new(),
            set_by_filters: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
        }
    }
}

/// A checked policy. Its parts cannot be changed after the check.
///
/// ```
/// use mcp_boundary_format::{LoadError, Policy};
///
/// // Anything but what `mcp-policy compile` wrote is refused, with the reason.
/// let error = Policy::decode(b"mcp_policy: 1").unwrap_err();
/// assert!(matches!(error, LoadError::NotABlob), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub(crate) unmatched: Unmatched,
    /// Shared: whoever decides about a request keeps the endpoint's rules alive.
    pub(crate) endpoints: Vec<Arc<Endpoint>>,
    pub(crate) digest: Digest,
}

impl Policy {
    /// What happens to requests that no endpoint matches.
    pub fn unmatched(&self) -> &Unmatched {
        &self.unmatched
    }

    /// The endpoints, sorted by name.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// What conditions of rules ask for, as often as they do.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let rules = self.endpoints.iter().flat_map(|endpoint| endpoint.rules());
        let conditions = rules.flat_map(|rule| &rule.when);
        conditions.map(|condition| &condition.source)
    }

    /// The policy's identity.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}
