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

use super::Class;
use node::{Member, Node, kinds};
use table::{ANY_NOTIFICATION, ANY_REQUEST, METHODS};

/// A member that is not as the schema has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The innermost member that the schema names.
    member: &'static str,
    /// What is wrong with it.
    what: String,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.member, self.what)
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
        _ => Err(Wrong {
            member: "params",
            what: "are not known here".to_owned(),
        }),
    }
}

fn object(value: &Map<String, Value>, members: &'static [Member]) -> Result<(), Wrong> {
    for member in members {
        match value.get(member.name) {
            Some(value) => holds(value, member.node, member.name)?,
            None if member.required => {
                return Err(Wrong {
                    member: member.name,
                    what: format!("is missing; it must be {}", member.node.expected()),
                });
            }
            None => {}
        }
    }
    Ok(())
}

/// Whether `value`, in the member `name`, is what `node` says.
fn holds(value: &Value, node: &'static Node, name: &'static str) -> Result<(), Wrong> {
    let wrong = || {
        Err(Wrong {
            member: name,
            what: format!("must be {}", node.expected()),
        })
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
            items.iter().try_for_each(|value| below(value, item, name))
        }
        (Node::Map(item), Value::Object(object)) => object
            .values()
            .try_for_each(|value| below(value, item, name)),
        (Node::Object(members), Value::Object(value)) => object(value, members),
        (Node::Union(nodes), value) => union(value, nodes, name).unwrap_or_else(wrong),
        _ => wrong(),
    }
}

/// An item of an array or of a map; the error says that it is one.
fn below(value: &Value, node: &'static Node, name: &'static str) -> Result<(), Wrong> {
    holds(value, node, name).map_err(|wrong| Wrong {
        what: match wrong.member == name {
            true => wrong.what.replacen("must be", "must have in it only", 1),
            false => wrong.what,
        },
        member: wrong.member,
    })
}

/// Whether `value` is strictly one of `nodes`. If it is none of them, the error
/// is about the one that it names by its words, or has all members of; there
/// is none otherwise.
fn union(
    value: &Value,
    nodes: &'static [&'static Node],
    name: &'static str,
) -> Option<Result<(), Wrong>> {
    let mut meant = None;
    for node in nodes {
        match holds(value, node, name) {
            Ok(()) => return Some(Ok(())),
            Err(wrong) if is_meant(value, node) => meant = meant.or(Some(Err(wrong))),
            Err(_) => {}
        }
    }
    meant
}

fn is_meant(value: &Value, node: &Node) -> bool {
    match (node, value) {
        (Node::Object(members), Value::Object(value)) => {
            let mut required = members.iter().filter(|member| member.required);
            match members
                .iter()
                .find(|member| matches!(member.node, Node::Words([_])))
            {
                Some(named) => value
                    .get(named.name)
                    .is_some_and(|value| holds(value, named.node, named.name).is_ok()),
                None => required.all(|member| value.contains_key(member.name)),
            }
        }
        (Node::Array(_), Value::Array(_)) => true,
        _ => false,
    }
}
