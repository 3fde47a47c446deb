//! The rules that hold for every [`Policy`](crate::Policy), however it was made.

use std::collections::BTreeSet;

use crate::model::*;

/// Longest name, pattern, host, path or origin in bytes.
pub const MAX_PATTERN_BYTES: usize = 1024;

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

/// Whether a name is a pattern.
pub fn is_glob(name: &str) -> bool {
    name.contains('*')
}

/// Whether a path is in normal form: absolute, visible ASCII, no dot or empty
/// segments (a final `/` is a segment of its own), no backslash, `?` or `#`,
/// and percent-encoding only, and validly, of what needs it.
pub fn is_normal_path(path: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(b"/") else {
        return false;
    };
    let mut segments = rest.split(|byte| *byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        if segment == b"." || segment == b".." || (segment.is_empty() && !last) {
            return false;
        }
        if !is_normal_segment(segment) {
            return false;
        }
    }
    true
}

fn is_normal_segment(segment: &[u8]) -> bool {
    let mut bytes = segment.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' | b'?' | b'#' => return false,
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|d| d.and_then(|d| hex(*d)));
                let [Some(high), Some(low)] = digits else {
                    return false;
                };
                let decoded = high << 4 | low;
                let unreserved = decoded.is_ascii_alphanumeric() || b"-._~".contains(&decoded);
                if unreserved || matches!(decoded, b'/' | b'\\' | 0) {
                    return false;
                }
            }
            0x21..=0x7e => {}
            _ => return false,
        }
    }
    true
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
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
        for HostPattern::Exact(name) | HostPattern::Suffix(name) in &entry.hosts {
            if name.is_empty() || name.len() > MAX_PATTERN_BYTES || !is_host(name) {
                return Err(text("host", name));
            }
        }
        let (PathPattern::Exact(path) | PathPattern::Prefix(path)) = &entry.path;
        if path.len() > MAX_PATTERN_BYTES || !is_path(&entry.path) {
            return Err(text("path", path));
        }
    }
    Ok(())
}

/// A path as patterns hold it: a prefix has no final slash.
fn is_path(pattern: &PathPattern) -> bool {
    match pattern {
        PathPattern::Exact(path) => is_normal_path(path.as_bytes()),
        PathPattern::Prefix(path) => {
            is_normal_path(path.as_bytes()) && (path == "/" || !path.ends_with('/'))
        }
    }
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
                    first: first.clone(),
                    second: endpoint.name.clone(),
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
        self.text("endpoint name", &endpoint.name, is_label)?;
        self.sorted("hosts", &endpoint.hosts, |host| host)?;
        for host in &endpoint.hosts {
            let (HostPattern::Exact(name) | HostPattern::Suffix(name)) = host;
            self.text("host", name, is_host)?;
        }
        self.path("path", &endpoint.path)?;
        if let Some(path) = &endpoint.upstream.path {
            self.path("upstream path", path)?;
        }
        self.texts("upstream hosts", "host", &endpoint.upstream.hosts, is_host)?;
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
                endpoint: endpoint.name.clone(),
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

    fn path(&self, what: &'static str, pattern: &PathPattern) -> Result<(), ModelError> {
        let (PathPattern::Exact(path) | PathPattern::Prefix(path)) = pattern;
        self.text(what, path, |_| true)?;
        if is_path(pattern) {
            Ok(())
        } else {
            Err(self.text_error(what, path))
        }
    }

    fn rule(&self, rule: &Rule) -> Result<(), ModelError> {
        self.text("rule id", &rule.id, is_label)?;
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
            self.names("values of a condition", "value", &condition.values)?;
        }
        self.names("methods", "method", &rule.methods)?;
        self.names("tools", "tool name", &rule.tools)?;
        self.names("prompts", "prompt name", &rule.prompts)?;
        self.names("resources", "resource URI", &rule.resources)?;
        self.texts("extensions", "extension method", &rule.extensions, |name| {
            !is_glob(name)
        })
    }

    fn names(
        &self,
        table: &'static str,
        what: &'static str,
        names: &Names,
    ) -> Result<(), ModelError> {
        self.texts(table, what, &names.exact, |name| !is_glob(name))?;
        self.texts(table, what, &names.globs, is_glob)
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
        let bounded = (1..=MAX_PATTERN_BYTES).contains(&text.len());
        if bounded && !text.chars().any(char::is_control) && valid(text) {
            Ok(())
        } else {
            Err(self.text_error(what, text))
        }
    }

    fn text_error(&self, what: &'static str, text: &str) -> ModelError {
        ModelError::Text {
            what,
            text: text.to_owned(),
            endpoint: self.endpoint.name.clone(),
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
            endpoint: self.endpoint.name.clone(),
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
                endpoint: self.endpoint.name.clone(),
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

/// What logs and metric labels can show unescaped.
fn is_label(text: &str) -> bool {
    text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}

/// A host as it is compared: lower case, no port, an IPv6 address in brackets.
fn is_host(text: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let address = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match address {
        Some(address) => address
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b':' | b'.')),
        None => {
            let plain = text
                .bytes()
                .all(|byte| lower(byte) || b"-._".contains(&byte));
            plain && !text.starts_with('.') && !text.ends_with('.')
        }
    }
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_header_name(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_in_the_form_they_are_compared_in() {
        for host in [
            "a",
            "mcp.example.com",
            "a-b_c.d",
            "127.0.0.1",
            "[::1]",
            "[::ffff:1.2.3.4]",
        ] {
            assert!(is_host(host), "{host}");
        }
        for host in ["A", "a.", ".a", "a:1", "[A:1]", "[::1", "[x]", "a/b", "ä"] {
            assert!(!is_host(host), "{host}");
        }
    }

    #[test]
    fn normal_paths() {
        for path in ["/", "/a", "/a/", "/a/b", "/a%20b", "/a;b", "/..a", "/a%25"] {
            assert!(is_normal_path(path.as_bytes()), "{path}");
        }
        for path in [
            "", "a", "//", "/a//b", "/./a", "/a/..", "/%61", "/%2f", "/%5C", "/%00", "/%", "/%2",
            "/%zz", "/a\\b", "/a?b", "/a#b", "/a b", "/ä",
        ] {
            assert!(!is_normal_path(path.as_bytes()), "{path}");
        }
    }
}
