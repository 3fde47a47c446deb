//! What the table is made of: the part of JSON Schema that MCP uses.

use serde_json::Value;

/// `params` of a call, in each revision in date order; none if the revision
/// does not describe it.
pub(in crate::inspect) type Params = [Option<&'static Node>; 4];

/// What a value may be.
#[derive(Debug)]
pub(in crate::inspect) enum Node {
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
pub(in crate::inspect) struct Member {
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
    (TOKEN, "an integer within 64 bits"),
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
        let or = |words: Vec<String>| words.join(" or ");
        match self {
            Self::Kinds(held) => or(KINDS
                .iter()
                .filter(|(kind, _)| held & kind != 0)
                .map(|(_, word)| (*word).to_owned())
                .collect()),
            Self::Words([word]) => format!("`{word}`"),
            Self::Words(words) => format!("one of `{}`", words.join("`, `")),
            Self::Between(from, to) => format!("a number from {from} to {to}"),
            Self::Array(_) => "an array".to_owned(),
            Self::Map(_) | Self::Object(_) => "an object".to_owned(),
            Self::Union(_) => "one of the shapes that the schema lists".to_owned(),
        }
    }
}
