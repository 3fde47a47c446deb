//! Kinds of members that Tower's typed decode lets slip.
//!
//! serde-derived structs also read arrays, unit enums also read
//! `{"variant": null}`, and `Option` reads null as absent. Where the official
//! schema of a revision types a member, that kind is required here. This is a
//! list of kinds at paths, not a schema: what is required and what values mean
//! stays with Tower.

mod table;

use mcp_boundary_format::Revision;
use serde_json::{Map, Value};

use super::Class;
use table::{COMMON, Kind, MODERN_META, Member, typed};

/// A member of the wrong kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) member: &'static str,
    pub(super) expected: &'static str,
}

/// Checks the kinds in `params` of one call.
pub(super) fn check(
    method: &str,
    class: Class,
    params: &Map<String, Value>,
    revision: Revision,
) -> Result<(), Wrong> {
    let of_method = match class {
        Class::Core => typed(method),
        Class::Extension | Class::Response => typed(""),
    };
    let tables = [COMMON, MODERN_META].into_iter().chain(of_method);
    let applies = |member: &&Member| (member.span.0..=member.span.1).contains(&revision);
    for member in tables.flatten().filter(applies) {
        if let Some((first, rest)) = member.path.split_first()
            && params
                .get(*first)
                .is_some_and(|value| !fits(value, rest, member.kind))
        {
            return Err(Wrong {
                member: member
                    .path
                    .iter()
                    .rfind(|part| **part != "*")
                    .unwrap_or(first),
                expected: member.kind.as_str(),
            });
        }
    }
    Ok(())
}

/// Whether everything at `path` below `value` is of `kind`; what is not there
/// fits.
fn fits(value: &Value, path: &[&str], kind: Kind) -> bool {
    let Some((part, rest)) = path.split_first() else {
        return kind.holds(value);
    };
    match (value, *part) {
        (Value::Object(object), "*") => object.values().all(|value| fits(value, rest, kind)),
        (Value::Array(items), "*") => items.iter().all(|value| fits(value, rest, kind)),
        (Value::Object(object), name) => {
            object.get(name).is_none_or(|value| fits(value, rest, kind))
        }
        _ => true,
    }
}
