//! What Tower's typed decode of params lets slip. Contract section 8.
//!
//! serde-derived structs also read arrays, unit enums also read
//! `{"variant": null}`, `Option` reads null as absent, and an untagged union is
//! whatever one of its laxer readings takes. So params are also held against
//! the official schema of the revision: a table made from it, and this small
//! reader of the table. What the table does not say, Tower judges.

mod node;
// Written by tests/schema-tools/generate.py.
#[rustfmt::skip]
mod table;

use mcp_boundary_format::Revision;
use serde_json::{Map, Value};

use super::class::Class;
use node::{Member, Node, kinds};
use table::{ANY_NOTIFICATION, ANY_REQUEST, METHODS};

/// A member that is not as the schema has it. Only names of the schema are in
/// it: `*` stands for one that the client chose.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Where it is below `params`, each step with what joins it to the last.
    path: String,
    /// What is wrong with it and what it must be.
    what: String,
}

impl Wrong {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            what: what.into(),
        }
    }

    /// The same, of a member of this name in what was looked at so far.
    pub(super) fn under(self, name: &str) -> Self {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_*".contains(c);
        match name.chars().all(plain) {
            true => self.step(&format!(".{name}")),
            false => self.step(&format!("[\"{name}\"]")),
        }
    }

    fn step(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// Whether it is `_meta` or in it.
    pub(super) fn is_in_meta(&self) -> bool {
        self.path
            .strip_prefix("._meta")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`params{}` {}", self.path, self.what)
    }
}

/// Checks `params` of one call.
pub(super) fn check(
    method: &str,
    class: Class,
    is_request: bool,
    params: &Map<String, Value>,
    revision: Revision,
) -> Result<(), Wrong> {
    let at = match revision {
        Revision::V2025_03_26 => 0,
        Revision::V2025_06_18 => 1,
        Revision::V2025_11_25 => 2,
        Revision::V2026_07_28 => 3,
    };
    let any = if is_request {
        &ANY_REQUEST
    } else {
        &ANY_NOTIFICATION
    };
    let described = METHODS
        .iter()
        .find(|(name, _)| *name == method)
        .and_then(|(_, nodes)| nodes.get(at).copied().flatten());
    match (described, any.get(at).copied().flatten(), class) {
        (_, _, Class::Response) => Ok(()),
        (Some(Node::Object(members)), _, _) | (None, Some(Node::Object(members)), _) => {
            object(params, members)
        }
        // The table has an object for `params` everywhere; a method that it
        // lacked would be one that nothing is known about.
        _ => Err(Wrong::new("are not known here")),
    }
}

fn object(value: &Map<String, Value>, members: &'static [Member]) -> Result<(), Wrong> {
    for member in members {
        let found = match value.get(member.name) {
            Some(Value::Null) if !member.required => match holds(&Value::Null, member.node) {
                Err(wrong) if wrong.path.is_empty() => Err(Wrong::new(format!(
                    "must be {} or be left out, not null",
                    member.node.expected()
                ))),
                found => found,
            },
            Some(value) => holds(value, member.node),
            None if member.required => Err(Wrong::new(format!(
                "is missing; it must be {}",
                member.node.expected()
            ))),
            None => Ok(()),
        };
        found.map_err(|wrong| wrong.under(member.name))?;
    }
    Ok(())
}

/// Whether `value` is what `node` says.
fn holds(value: &Value, node: &'static Node) -> Result<(), Wrong> {
    let wrong = || {
        Err(Wrong::new(format!(
            "must be {}{}",
            node.expected(),
            node.remark(value)
        )))
    };
    match (node, value) {
        (Node::Kinds(held), value) if held & kinds(value) != 0 => Ok(()),
        (Node::Words(words), Value::String(text)) if words.contains(&text.as_str()) => Ok(()),
        (Node::Between(from, to), Value::Number(number))
            if number
                .as_f64()
                .is_some_and(|n| f64::from(*from) <= n && n <= f64::from(*to)) =>
        {
            Ok(())
        }
        (Node::Array(item), Value::Array(items)) => {
            items.iter().enumerate().try_for_each(|(at, value)| {
                holds(value, item).map_err(|wrong| wrong.step(&format!("[{at}]")))
            })
        }
        (Node::Map(item), Value::Object(object)) => object
            .values()
            .try_for_each(|value| holds(value, item).map_err(|wrong| wrong.under("*"))),
        (Node::Object(members), Value::Object(value)) => object(value, members),
        (Node::Union(nodes), value) => union(value, nodes).unwrap_or_else(wrong),
        _ => wrong(),
    }
}

/// Whether `value` is strictly one of `nodes`. If it is none of them, the error
/// is about the one that it names by its words, or has all members of; there
/// is none otherwise.
fn union(value: &Value, nodes: &'static [&'static Node]) -> Option<Result<(), Wrong>> {
    let mut meant = None;
    for node in nodes {
        match holds(value, node) {
            Ok(()) => return Some(Ok(())),
            Err(wrong) if is_meant(value, node) => meant = meant.or(Some(Err(wrong))),
            Err(_) => {}
        }
    }
    meant
}

fn is_meant(value: &Value, node: &Node) -> bool {
    match (node, value) {
        (Node::Object(members), Value::Object(value)) => match node.named_by() {
            Some((name, word)) => value.get(name).and_then(Value::as_str) == Some(word),
            None => {
                let mut required = members.iter().filter(|member| member.required);
                required.all(|member| value.contains_key(member.name))
            }
        },
        (Node::Array(_), Value::Array(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
