//! Paths that some server serves as one that an endpoint guards. Contract
//! section 3, "Near paths".
//!
//! Public for the compiler, which judges a policy's own paths by it.

use std::borrow::Cow;

use mcp_boundary_format::{PassEntry, PathPattern, decode_path};

/// The old transport's doors, guarded under bare `unmatched: pass`.
pub const OLD_DOORS: [&[u8]; 3] = [b"/sse", b"/message", b"/messages"];

/// How paths are written when they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As they are in a request.
    Sent,
    /// With every escape decoded once.
    Decoded,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sent, Self::Decoded];

    /// A path in this form.
    pub fn of(self, path: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Sent => Cow::Borrowed(path),
            Self::Decoded => decode_path(path),
        }
    }
}

/// A path that must not be reached past its endpoint, without final slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded<'a> {
    path: Cow<'a, [u8]>,
    only_itself: bool,
}

impl<'a> Guarded<'a> {
    /// What a pattern guards.
    pub fn of(pattern: &'a PathPattern, form: Form) -> Self {
        let text = pattern.as_str();
        let path = form.of(text.strip_suffix('/').unwrap_or(text).as_bytes());
        // Everything is below `/`, which an exact path does not mean.
        let only_itself = path.is_empty() && matches!(pattern, PathPattern::Exact(_));
        Self { path, only_itself }
    }

    /// A path that no endpoint names.
    pub fn door(path: &'static [u8]) -> Self {
        Self {
            path: Cow::Borrowed(path),
            only_itself: false,
        }
    }

    /// How much of a path it names, in bytes.
    pub fn length(&self) -> usize {
        self.path.len()
    }

    /// Whether `path`, in the same form, is near: in any case the guarded path
    /// itself, or followed by what does not continue its last word.
    pub fn is_near(&self, path: &[u8]) -> bool {
        if self.only_itself {
            return path == b"/";
        }
        match self.rest(path) {
            Some([]) => true,
            Some([next, ..]) => !(next.is_ascii_alphanumeric() || b"-_".contains(next)),
            None => false,
        }
    }

    /// Whether what may pass is meant for this very path or what is below: an
    /// exact entry, or a prefix that is not above it.
    pub fn is_meant_by(&self, entry: &PassEntry, form: Form) -> bool {
        match &entry.path {
            PathPattern::Exact(_) => true,
            PathPattern::Prefix(_) => {
                let prefix = Guarded::of(&entry.path, form);
                matches!(self.rest(&prefix.path), Some([] | [b'/', ..]))
            }
        }
    }

    /// Whether one of the entries, which all cover the path, opens it.
    pub fn is_opened(&self, entries: &[&PassEntry], form: Form) -> bool {
        entries.iter().any(|entry| self.is_meant_by(entry, form))
    }

    /// What follows the guarded path, ASCII case ignored.
    fn rest<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let (start, rest) = path.split_at_checked(self.path.len())?;
        start.eq_ignore_ascii_case(&self.path).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(pattern: &PathPattern, path: &str) -> bool {
        Guarded::of(pattern, Form::Sent).is_near(path.as_bytes())
    }

    #[test]
    fn what_goes_on_with_another_word_is_not_near() {
        let mcp = PathPattern::Exact("/mcp".parse().unwrap());
        for path in [
            "/mcp",
            "/MCP",
            "/mcp/",
            "/mcp/x",
            "/MCP/x",
            "/mcp.json",
            "/mcp:x",
            "/mcp~",
            "/mcp%20",
            "/mcp@x",
            "/mcp(x)",
        ] {
            assert!(near(&mcp, path), "{path}");
        }
        for path in [
            "/mcpx", "/mcp2", "/mcp-x", "/mcp_x", "/mcP_", "/mc", "/", "/x/mcp",
        ] {
            assert!(!near(&mcp, path), "{path}");
        }
        assert!(near(&PathPattern::Exact("/mcp/".parse().unwrap()), "/MCP"));
    }

    #[test]
    fn near_the_root_is_itself_or_all() {
        let exact = PathPattern::Exact("/".parse().unwrap());
        assert!(near(&exact, "/"));
        assert!(!near(&exact, "/x"));
        let prefix = PathPattern::Prefix("/".parse().unwrap());
        assert!(near(&prefix, "/") && near(&prefix, "/x"));
    }

    #[test]
    fn a_prefix_above_opens_nothing_near() {
        let mcp = PathPattern::Exact("/mcp".parse().unwrap());
        let opens = |path| {
            let entry = PassEntry {
                path,
                hosts: Vec::new(),
            };
            Guarded::of(&mcp, Form::Sent).is_opened(&[&entry], Form::Sent)
        };
        for prefix in ["/mcp", "/MCP", "/mcp/health"] {
            assert!(
                opens(PathPattern::Prefix(prefix.parse().unwrap())),
                "{prefix}"
            );
        }
        for prefix in ["/", "/m", "/mcp.json", "/mcpx"] {
            assert!(
                !opens(PathPattern::Prefix(prefix.parse().unwrap())),
                "{prefix}"
            );
        }
        assert!(opens(PathPattern::Exact("/mcp.json".parse().unwrap())));
    }
}
