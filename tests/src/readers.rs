//! How JSON readers that differ see one body.
//!
//! Servers are written with readers that keep the first of two equal names,
//! or the last, or that take names of another case for the wanted one. What
//! the boundary forwards must look the same to all of them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value with every member in order, repeated names included.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, as serde_json writes it.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Tree>),
    /// An object.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads one value; `None` if the text is not exactly one.
    pub fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// Writes it, repeated names included.
    pub fn write(&self, out: &mut String) {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => out.push_str("null"),
            Self::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(&quoted(name));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Tree, E> {
        Ok(Tree::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Number(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Number(serde_json::Value::from(number).to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = source.next_element()? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = source.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}

/// What a server acts on. Values are JSON text, so that kinds differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// `method`.
    pub method: Option<String>,
    /// `params.name`.
    pub name: Option<String>,
    /// `params.uri`.
    pub uri: Option<String>,
    /// `id`.
    pub id: Option<String>,
}

/// A way to look up a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Keeps the first of equal names.
    FirstWins,
    /// Keeps the last, as most do.
    LastWins,
    /// Takes any name that folds to the wanted one, the last of them, and
    /// merges objects, as Go's `encoding/json` does.
    CaseInsensitive,
}

impl Reader {
    /// Every reader.
    pub const ALL: [Self; 3] = [Self::FirstWins, Self::LastWins, Self::CaseInsensitive];

    /// What this reader sees in each message of a body.
    pub fn see(self, body: &Tree) -> Vec<Seen> {
        match body {
            Tree::Array(messages) => messages
                .iter()
                .map(|message| self.message(message))
                .collect(),
            message => vec![self.message(message)],
        }
    }

    fn message(self, message: &Tree) -> Seen {
        let text = |value: &Tree| {
            let mut out = String::new();
            value.write(&mut out);
            out
        };
        let params = self.member(message, "params");
        let param = |name| params.as_ref().and_then(|params| self.member(params, name));
        Seen {
            method: self.member(message, "method").as_ref().map(text),
            name: param("name").as_ref().map(text),
            uri: param("uri").as_ref().map(text),
            id: self.member(message, "id").as_ref().map(text),
        }
    }

    fn member(self, object: &Tree, wanted: &str) -> Option<Tree> {
        let Tree::Object(members) = object else {
            return None;
        };
        let mut exact = members.iter().filter(|(name, _)| name == wanted);
        match self {
            Self::FirstWins => exact.next().map(|(_, value)| value.clone()),
            Self::LastWins => exact.next_back().map(|(_, value)| value.clone()),
            Self::CaseInsensitive => {
                let folded = members.iter().filter(|(name, _)| folds_to(name, wanted));
                folded.map(|(_, value)| value.clone()).reduce(merge)
            }
        }
    }
}

/// Decoding a second object into a struct adds to what the first one set.
fn merge(first: Tree, second: Tree) -> Tree {
    match (first, second) {
        (Tree::Object(mut members), Tree::Object(more)) => {
            members.extend(more);
            Tree::Object(members)
        }
        (_, second) => second,
    }
}

/// Unicode simple folding, by the whole orbit of each character.
fn folds_to(name: &str, wanted: &str) -> bool {
    let fold = |c: char| match c {
        'ſ' => 's',
        'K' => 'k',
        c => c.to_lowercase().next().unwrap_or(c),
    };
    name.chars().map(fold).eq(wanted.chars().map(fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_differ_where_they_should() {
        let body = br#"{"method":"a","Method":"b","method":"c","params":{"name":"x"},"PARAMS":{"uri":"u"}}"#;
        let tree = Tree::read(body).unwrap();
        let seen = |reader: Reader| reader.see(&tree).remove(0);
        assert_eq!(seen(Reader::FirstWins).method.unwrap(), "\"a\"");
        assert_eq!(seen(Reader::LastWins).method.unwrap(), "\"c\"");
        let folded = seen(Reader::CaseInsensitive);
        assert_eq!(folded.method.unwrap(), "\"c\"");
        assert_eq!(folded.name.unwrap(), "\"x\"");
        assert_eq!(folded.uri.unwrap(), "\"u\"");
        let kelvin = Tree::read("{\"\u{212a}ey\":1,\"key\":2}".as_bytes()).unwrap();
        assert_eq!(
            Reader::CaseInsensitive.member(&kelvin, "key"),
            Some(Tree::Number("2".into()))
        );
    }
}
