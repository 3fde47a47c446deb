//! What operators are told about a request: a line in the log for what is not
//! simply forwarded, fields for the access log, a counter. Contract section 14;
//! `docs/operations.md` has the tables.
//!
//! Nothing here holds arguments, tokens, ids, or the parts of a URI where
//! secrets are. All of it is escaped and bounded.

mod counter;
mod names;
pub(crate) mod principals;

use mcp_boundary_format::Role;
use serde_json::{Value, json};

pub use counter::Counted;

use crate::answer::show::escaped;
use crate::answer::verdict::Verdict;
use crate::engine::Engine;
use crate::head::endpoint::split_query;
use crate::head::fields::Head;
use crate::head::record::admitted_by;

/// Where no endpoint decided, and for what is not shown.
const NONE: &str = "-";
/// Longest part of a host, path, address or request id, in bytes once escaped.
const MAX_HEAD: usize = 256;

/// What a line tells beside the verdict. The host looks it up when a line is
/// written, not before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    /// All header lines.
    pub headers: &'a [(&'a [u8], &'a [u8])],
    /// Address and port of the client, as the proxy knows it.
    pub client: Option<&'a [u8]>,
    /// For a recheck: what admit recorded.
    pub record: Option<&'a [u8]>,
}

impl Engine {
    /// The line for the log, one JSON object.
    pub fn line(&self, verdict: &Verdict, seen: &Seen<'_>) -> String {
        let head = Head {
            headers: seen.headers,
            ..Head::default()
        };
        let mut line = json!({
            "mcp_boundary": verdict.word(),
            "reason": verdict.reason.code(),
            "detail": verdict.detail,
            "request_id": request_id(&head),
            "client": seen.client.map(address),
            "host": host(head.pseudo(b":authority")),
            "path": path(head.pseudo(b":path")),
            "endpoint": counter::endpoint_name(self, verdict.endpoint),
            "mode": verdict.mode.as_str(),
            "role": self.role().as_str(),
            "revision": verdict.revision_word(),
            "requested": verdict.requested,
            "rule": verdict.rule,
            "methods": names::methods(&verdict.operations),
            "names": names::names(&verdict.operations),
            "principals": verdict.principals,
            "policy": self.digest(),
        });
        // Only where they differ: a roll-out is in progress.
        if let Some(other) = seen.record.and_then(admitted_by)
            && other != self.digest()
            && let Some(line) = line.as_object_mut()
        {
            line.insert("admitted_by".to_owned(), other.into());
        }
        line.to_string()
    }

    /// Keys and values of filter state, from where access logs take them. A
    /// recheck has some only for what it refuses, and for what audit lets
    /// through: these stand in the place of admit's. Admit leaves out what is
    /// empty.
    ///
    /// Behind the route a request that goes on gets none: were the proxy to
    /// refuse them there, the request would be lost for the sake of a log.
    pub fn state(&self, verdict: &Verdict) -> Vec<(&'static str, String)> {
        let admits = self.role() == Role::Admit;
        if !admits && (!verdict.is_news() || self.core().upstream && verdict.is_would_deny()) {
            return Vec::new();
        }
        let list = |values: Vec<Value>| match values.is_empty() {
            true => String::new(),
            false => Value::from(values).to_string(),
        };
        let principals = match verdict.principals.is_empty() {
            true => String::new(),
            false => json!(verdict.principals).to_string(),
        };
        let mut state = vec![
            ("mcp_boundary_verdict", verdict.word().to_owned()),
            ("mcp_boundary_reason", verdict.reason.code().to_owned()),
            ("mcp_boundary_role", self.role().as_str().to_owned()),
            (
                "mcp_boundary_rule",
                verdict.rule.clone().unwrap_or_default(),
            ),
            ("mcp_boundary_revision", verdict.revision_word().to_owned()),
            (
                "mcp_boundary_requested",
                verdict.requested.clone().unwrap_or_default(),
            ),
            (
                "mcp_boundary_methods",
                list(names::methods(&verdict.operations)),
            ),
            (
                "mcp_boundary_names",
                list(names::names(&verdict.operations)),
            ),
            ("mcp_boundary_principals", principals),
            ("mcp_boundary_policy", self.digest().to_owned()),
        ];
        if admits {
            state.retain(|(_, value)| !value.is_empty());
        }
        state
    }
}

/// The id under which the proxy knows the request, and its access log.
fn request_id(head: &Head<'_>) -> Option<String> {
    let id = head.pseudo(b"x-request-id");
    (!id.is_empty()).then(|| shown(id))
}

/// An address without its port, as access logs write it.
fn address(client: &[u8]) -> String {
    let text = String::from_utf8_lossy(client);
    let port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = match text.rsplit_once(':') {
        Some((host, end)) if port(end) => host,
        _ => &text,
    };
    let inner = bare
        .strip_prefix('[')
        .and_then(|bare| bare.strip_suffix(']'));
    escaped(inner.unwrap_or(bare), MAX_HEAD)
}

/// The host as it was judged; [`NONE`] for one with user information.
fn host(authority: &[u8]) -> String {
    match authority.contains(&b'@') {
        true => NONE.to_owned(),
        false => shown(authority),
    }
}

/// The path as it was judged, without query; [`NONE`] for one that readers
/// take for an address, which may have user information, and one with a
/// fragment. The shipped access log has the same rule.
fn path(target: &[u8]) -> String {
    let (path, _) = split_query(target);
    let is_address = path.starts_with(b"//") || path.contains(&b'\\') || !path.starts_with(b"/");
    match is_address || path.contains(&b'#') {
        true => NONE.to_owned(),
        false => shown(path),
    }
}

fn shown(bytes: &[u8]) -> String {
    escaped(&String::from_utf8_lossy(bytes), MAX_HEAD)
}

#[cfg(test)]
mod tests;
