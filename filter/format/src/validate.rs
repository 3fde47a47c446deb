//! The rules that hold for every [`Policy`](crate::Policy), however it was made.

use std::collections::BTreeSet;

use crate::model::*;
use crate::path::is_plain_path;
use crate::text::is_text;

/// A rule that a set of endpoints breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Nothing to enforce.
    #[error("it has no endpoint")]
    NoEndpoint,
    /// A table longer than the format can count.
    #[error("too many {what}: at most 65535")]
    TooMany {
        /// Of what.
        what: &'static str,
    },
    /// Entries out of order or repeated.
    #[error("{what} of endpoint `{endpoint}` are repeated or not sorted")]
    Unsorted {
        /// Which table.
        what: &'static str,
        /// Where.
        endpoint: String,
    },
    /// Two endpoints answer to the same host and path.
    #[error("endpoints `{first}` and `{second}` match the same host and path")]
    Overlap {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// A text that its place does not allow.
    #[error("`{text}` is not a valid {what} in endpoint `{endpoint}`")]
    Text {
        /// What it should be.
        what: &'static str,
        /// What it is.
        text: String,
        /// Where.
        endpoint: String,
    },
    /// Denied resources where their URIs can be spelled in many ways.
    #[error(
        "endpoint `{endpoint}` denies resources but takes any URI: with `resource_uris: any` no such rule can hold"
    )]
    DeniedAnyUri {
        /// Where.
        endpoint: String,
    },
    /// A number out of bounds.
    #[error("`{what}` of endpoint `{endpoint}` is {value}: it must be 1 to {max}")]
    Bound {
        /// Which limit.
        what: &'static str,
        /// What it is.
        value: u32,
        /// The most it may be.
        max: u32,
        /// Where.
        endpoint: String,
    },
}

pub(crate) fn policy(unmatched: &Unmatched, endpoints: &[Endpoint]) -> Result<(), ModelError> {
    if let Unmatched::Listed(entries) = unmatched {
        pass_entries(entries)?;
    }
    if endpoints.is_empty() {
        return Err(ModelError::NoEndpoint);
    }
    let Some(()) = strictly_ascending(endpoints, |endpoint| &endpoint.name) else {
        return Err(ModelError::Unsorted {
            what: "names",
            endpoint: "*".into(),
        });
    };
    for endpoint in endpoints {
        Check { endpoint }.all()?;
    }
    overlaps(endpoints)
}

/// The endpoint that texts outside of any are said to be in.
const UNMATCHED: &str = "unmatched";

fn pass_entries(entries: &[PassEntry]) -> Result<(), ModelError> {
    let text = |what, text: &str| ModelError::Text {
        what,
        text: text.to_owned(),
        endpoint: UNMATCHED.to_owned(),
    };
    let unsorted = |what| ModelError::Unsorted {
        what,
        endpoint: UNMATCHED.to_owned(),
    };
    if entries.is_empty() {
        return Err(text("list of what may pass", ""));
    }
    strictly_ascending(entries, |entry| entry).ok_or_else(|| unsorted("entries"))?;
    for entry in entries {
        strictly_ascending(&entry.hosts, |host| host).ok_or_else(|| unsorted("hosts"))?;
        // One that needs an escape could be spelled in two ways.
        let path = entry.path.as_str();
        if !is_plain_path(path.as_bytes()) {
            return Err(text("path", path));
        }
    }
    Ok(())
}

/// Most specific wins, so only the very same host pattern and path collide.
fn overlaps(endpoints: &[Endpoint]) -> Result<(), ModelError> {
    let mut seen = std::collections::BTreeMap::new();
    for endpoint in endpoints {
        let any = endpoint.hosts.is_empty().then_some(None);
        let hosts = endpoint.hosts.iter().map(Some).chain(any);
        for host in hosts {
            if let Some(first) = seen.insert((host, &endpoint.path), &endpoint.name) {
                return Err(ModelError::Overlap {
                    first: first.to_string(),
                    second: endpoint.name.to_string(),
                });
            }
        }
    }
    Ok(())
}

struct Check<'a> {
    endpoint: &'a Endpoint,
}

impl Check<'_> {
    fn all(&self) -> Result<(), ModelError> {
        let endpoint = self.endpoint;
        self.sorted("hosts", &endpoint.hosts, |host| host)?;
        self.sorted("upstream hosts", &endpoint.upstream.hosts, |host| host)?;
        let (limits, max) = (endpoint.limits, Limits::MAX);
        self.bound("body_bytes", limits.body_bytes, max.body_bytes)?;
        self.bound("depth", limits.depth.into(), max.depth.into())?;
        self.bound(
            "batch_members",
            limits.batch_members.into(),
            max.batch_members.into(),
        )?;
        self.texts("origins", "origin", &endpoint.origins, is_visible)?;
        self.texts(
            "forbidden arguments",
            "argument name",
            &endpoint.forbidden_arguments,
            |_| true,
        )?;
        self.texts(
            "arguments set by filters",
            "argument name",
            &endpoint.set_by_filters,
            |_| true,
        )?;
        let forbidden = &endpoint.forbidden_arguments;
        let mut set = endpoint.set_by_filters.iter();
        if let Some(name) = set.find(|name| !forbidden.contains(name)) {
            return Err(self.text_error("forbidden argument that filters set", name));
        }
        let mut deny = endpoint.deny.iter();
        if endpoint.resource_uris == ResourceUris::Any
            && deny.any(|rule| !rule.resources.is_empty())
        {
            return Err(ModelError::DeniedAnyUri {
                endpoint: endpoint.name.to_string(),
            });
        }
        let mut ids = BTreeSet::new();
        for (what, rules) in [
            ("`allow` rules", &endpoint.allow),
            ("`deny` rules", &endpoint.deny),
        ] {
            self.sorted(what, rules, |rule| &rule.id)?;
            for rule in rules {
                if !ids.insert(&rule.id) {
                    return Err(self.unsorted("rule ids"));
                }
                self.rule(rule)?;
            }
        }
        Ok(())
    }

    fn rule(&self, rule: &Rule) -> Result<(), ModelError> {
        self.sorted("conditions", &rule.when, |condition| &condition.source)?;
        for condition in &rule.when {
            match &condition.source {
                Source::JwtClaim { payload, path } => {
                    self.text("JWT payload key", payload, |_| true)?;
                    if path.is_empty() {
                        return Err(self.text_error("JWT claim", ""));
                    }
                    for member in path {
                        self.text("JWT claim", member, |_| true)?;
                    }
                }
                Source::PeerSan => {}
                Source::Header(name) => self.text("header name", name, is_header_name)?,
            }
            if condition.values.is_empty() {
                return Err(self.text_error("value of a condition", ""));
            }
            self.names("values of a condition", &condition.values)?;
        }
        self.names("methods", &rule.methods)?;
        self.names("tools", &rule.tools)?;
        self.names("prompts", &rule.prompts)?;
        self.names("resources", &rule.resources)?;
        self.sorted("extensions", &rule.extensions, |name| name)
    }

    fn names(&self, table: &'static str, names: &Names) -> Result<(), ModelError> {
        self.sorted(table, &names.exact, |name| name)?;
        self.sorted(table, &names.globs, |glob| glob)
    }

    fn texts(
        &self,
        table: &'static str,
        what: &'static str,
        texts: &[String],
        valid: fn(&str) -> bool,
    ) -> Result<(), ModelError> {
        self.sorted(table, texts, |text| text)?;
        texts
            .iter()
            .try_for_each(|text| self.text(what, text, valid))
    }

    /// Non-empty, bounded, free of control characters, and `valid`.
    fn text(
        &self,
        what: &'static str,
        text: &str,
        valid: fn(&str) -> bool,
    ) -> Result<(), ModelError> {
        match is_text(text, valid) {
            true => Ok(()),
            false => Err(self.text_error(what, text)),
        }
    }

    fn text_error(&self, what: &'static str, text: &str) -> ModelError {
        ModelError::Text {
            what,
            text: text.to_owned(),
            endpoint: self.endpoint.name.to_string(),
        }
    }

    fn sorted<T, K: Ord + ?Sized>(
        &self,
        what: &'static str,
        items: &[T],
        key: impl Fn(&T) -> &K,
    ) -> Result<(), ModelError> {
        strictly_ascending(items, key).ok_or_else(|| self.unsorted(what))
    }

    fn unsorted(&self, what: &'static str) -> ModelError {
        ModelError::Unsorted {
            what,
            endpoint: self.endpoint.name.to_string(),
        }
    }

    fn bound(&self, what: &'static str, value: u32, max: u32) -> Result<(), ModelError> {
        if (1..=max).contains(&value) {
            Ok(())
        } else {
            Err(ModelError::Bound {
                what,
                value,
                max,
                endpoint: self.endpoint.name.to_string(),
            })
        }
    }
}

fn strictly_ascending<T, K: Ord + ?Sized>(items: &[T], key: impl Fn(&T) -> &K) -> Option<()> {
    items
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if key(a) < key(b)))
        .then_some(())
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_header_name(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-".contains(&byte))
}
