//! What the table is made of: the part of JSON Schema that MCP uses.

use serde_json::Value;

/// `params` of a call, in each revision in date order; none if the revision
/// does not describe it.
pub(in crate::body::profile) type Params = [Option<&'static Node>; 4];

/// What a value may be.
#[derive(Debug)]
pub(in crate::body::profile) enum Node {
    /// One of these kinds: [`TEXT`] and so on, together.
    Kinds(u8),
    /// One of these strings.
    Words(&'static [&'static str]),
    /// A number from the first to the second.
    Between(i32, i32),
    /// An array of such values.
    Array(&'static Node),
    /// An object of such values, under any names.
    Map(&'static Node),
    /// An object with these members, and any others.
    Object(&'static [Member]),
    /// One of these.
    Union(&'static [&'static Node]),
}

/// A member of an object.
#[derive(Debug)]
pub(in crate::body::profile) struct Member {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) node: &'static Node,
}

pub(super) const fn required(name: &'static str, node: &'static Node) -> Member {
    Member {
        name,
        required: true,
        node,
    }
}

pub(super) const fn optional(name: &'static str, node: &'static Node) -> Member {
    Member {
        name,
        required: false,
        node,
    }
}

pub(super) const TEXT: u8 = 1;
pub(super) const FLAG: u8 = 2;
pub(super) const NUMBER: u8 = 4;
/// A number without a fraction, however it is written.
pub(super) const INTEGER: u8 = 8;
pub(super) const NULL: u8 = 16;
pub(super) const OBJECT: u8 = 32;
pub(super) const ARRAY: u8 = 64;
/// An integer as ids are written: readers disagree on whether `1.0` is 1.
pub(super) const TOKEN: u8 = 128;

/// Every kind, in the words of an error.
const KINDS: [(u8, &str); 8] = [
    (TEXT, "a string"),
    (TOKEN, "an integer"),
    (INTEGER, "an integer"),
    (NUMBER, "a number"),
    (FLAG, "true or false"),
    (OBJECT, "an object"),
    (ARRAY, "an array"),
    (NULL, "null"),
];

/// The kinds that a value is of.
pub(super) fn kinds(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => FLAG,
        Value::String(_) => TEXT,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
        Value::Number(number) if number.is_i64() || number.is_u64() => NUMBER | INTEGER | TOKEN,
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() != 0.0 => NUMBER,
            _ => NUMBER | INTEGER,
        },
    }
}

impl Node {
    /// What such a value must be, for an error.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Kinds(held) => {
                let held = KINDS.iter().filter(|(kind, _)| held & kind != 0);
                listed(held.map(|(_, word)| (*word).to_owned()), "or")
            }
            Self::Words(words) => listed(words.iter().map(quoted), "or"),
            Self::Between(from, to) => format!("a number from {from} to {to}"),
            Self::Array(_) => "an array".to_owned(),
            Self::Map(_) => "an object".to_owned(),
            Self::Object(members) => {
                let required = members.iter().filter(|member| member.required);
                match listed(required.map(|member| quoted(&member.name)), "and").as_str() {
                    "" => "an object".to_owned(),
                    members => format!("an object with {members}"),
                }
            }
            Self::Union(nodes) => one_of(nodes),
        }
    }

    /// What more to say of a value that is not as [`expected`](Self::expected).
    pub(super) fn remark(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Kinds(held), Value::Number(_)) if held & TOKEN != 0 => {
                " within 64 bits, written without fraction or exponent".to_owned()
            }
            (Self::Words(_), Value::String(_)) | (Self::Between(..), Value::Number(_)) => {
                String::new()
            }
            (Self::Kinds(held), Value::Number(_)) if held & (NUMBER | INTEGER) != 0 => {
                String::new()
            }
            (Self::Union(_), Value::Object(_)) => String::new(),
            _ => format!(", not {}", kind(value)),
        }
    }

    /// The member and the word by which an object says which of a union it is.
    pub(super) fn named_by(&self) -> Option<(&'static str, &'static str)> {
        let Self::Object(members) = self else {
            return None;
        };
        members.iter().find_map(|member| match member.node {
            Self::Words([word]) => Some((member.name, *word)),
            _ => None,
        })
    }
}

/// The kind of a value in an error's words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What a value that is one of `nodes` must be. Objects that are told by a
/// word are one kind with several words.
fn one_of(nodes: &[&Node]) -> String {
    let named: Vec<_> = nodes.iter().filter_map(|node| node.named_by()).collect();
    let mut kinds = Vec::new();
    if let Some((member, _)) = named.first() {
        let words = named.iter().map(|(_, word)| quoted(word));
        kinds.push(format!(
            "an object whose `{member}` is {}",
            listed(words, "or")
        ));
    }
    let others = nodes.iter().filter(|node| node.named_by().is_none());
    kinds.extend(others.map(|node| node.expected()));
    kinds.join(", or ")
}

fn quoted(word: &&str) -> String {
    format!("`{word}`")
}

/// `a, b or c`.
fn listed(words: impl Iterator<Item = String>, last: &str) -> String {
    let mut words: Vec<String> = words.collect();
    match (words.pop(), words.is_empty()) {
        (None, _) => String::new(),
        (Some(word), true) => word,
        (Some(word), false) => format!("{} {last} {word}", words.join(", ")),
    }
}
