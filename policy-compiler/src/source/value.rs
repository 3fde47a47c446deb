//! YAML text to a tree that forgets nothing: maps keep repeated keys, so that
//! they can be refused instead of silently losing one.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::locate;

/// The most nodes a policy may have, aliases counted each time they are used.
/// Stops a small file that unfolds into a huge one.
const MAX_NODES: usize = 1_000_000;

/// A YAML node, typed by the core schema of YAML 1.2.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Something with a tag of its own, such as `!include`.
    Tagged(String),
}

/// A YAML number; policies only use whole ones from zero up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Whole(u64),
    Other,
}

impl Value {
    /// What to call it in an error.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Tagged(_) => "a tagged value",
        }
    }
}

/// Why the text is not one readable YAML document.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) help: String,
    pub(super) label: String,
    /// In bytes, when the reader said where.
    pub(super) index: Option<usize>,
}

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let budget = Cell::new(MAX_NODES);
    let build = Build { budget: &budget };
    let mut documents = serde_yaml::Deserializer::from_str(text);
    let Some(first) = documents.next() else {
        return Ok(Value::Null);
    };
    let root = build
        .deserialize(first)
        .map_err(|error| unreadable(&error))?;
    let Some(second) = documents.next() else {
        return Ok(root);
    };
    Err(Fault {
        message: "the file holds more than one YAML document".into(),
        help: "put each policy in a file of its own, without a `---` between".into(),
        label: "the second document begins here".into(),
        index: locate::start_of(second),
    })
}

fn unreadable(error: &serde_yaml::Error) -> Fault {
    let text = error.to_string();
    let (message, help) = if text.contains("recursion limit") {
        (
            "the YAML is nested too deeply".into(),
            "no part of a policy is nested deeper than ten levels".into(),
        )
    } else if text.contains("repetition limit") || text.contains(TOO_LARGE) {
        (
            format!("the YAML unfolds to more than {MAX_NODES} values"),
            "write the lists out instead of repeating aliases of aliases".into(),
        )
    } else {
        let cause = text.split(" at line ").next().unwrap_or_default();
        (
            format!("the file is not valid YAML: {cause}"),
            "correct the YAML here; indentation is made of spaces, and a text that begins with one of `*&!%@` or a backtick needs quotes".into(),
        )
    };
    Fault {
        message,
        help,
        label: "the reader stopped here".into(),
        index: error.location().map(|location| location.index()),
    }
}

const TOO_LARGE: &str = "too many values";

#[derive(Clone, Copy)]
struct Build<'a> {
    budget: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Some(left) = self.budget.get().checked_sub(1) else {
            return Err(de::Error::custom(TOO_LARGE));
        };
        self.budget.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(
            u64::try_from(value).map_or(Number::Other, Number::Whole),
        ))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(Number::Whole(value)))
    }

    fn visit_i128<E>(self, _: i128) -> Result<Value, E> {
        Ok(Value::Number(Number::Other))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Value, E> {
        Ok(Value::Number(Number::Other))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Number(Number::Other))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry_seed(self, self)? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (tag, content) = access.variant::<String>()?;
        content.newtype_variant::<IgnoredAny>()?;
        Ok(Value::Tagged(tag))
    }
}
