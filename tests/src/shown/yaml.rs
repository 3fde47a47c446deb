//! A policy as YAML that `mcp-policy` takes: what other readers of YAML take for
//! something else than a text is quoted.

use serde_json::{Map, Value};

/// Words that some reader of YAML takes for a truth value or for nothing.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// The document, one member a line.
pub(super) fn written(document: &Value) -> String {
    let mut text = String::new();
    put(document, 0, &mut text);
    text
}

/// Puts a value that begins on a line of its own.
fn put(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => put_members(members, indent, text),
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                margin(indent, text);
                text.push_str("- ");
                match item {
                    // The first member follows the dash.
                    Value::Object(members) if !members.is_empty() => {
                        let mut inner = String::new();
                        put_members(members, indent + 2, &mut inner);
                        text.push_str(inner.trim_start());
                    }
                    Value::Array(items) if !items.is_empty() => {
                        text.push_str(&item.to_string());
                        text.push('\n');
                    }
                    _ => put(item, 0, text),
                }
            }
        }
        Value::String(string) => {
            text.push_str(&scalar(string));
            text.push('\n');
        }
        other => {
            text.push_str(&other.to_string());
            text.push('\n');
        }
    }
}

fn put_members(members: &Map<String, Value>, indent: usize, text: &mut String) {
    for (name, value) in members {
        margin(indent, text);
        text.push_str(&scalar(name));
        text.push(':');
        let nested = match value {
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        if nested {
            text.push('\n');
            put(value, indent + 2, text);
        } else {
            text.push(' ');
            put(value, 0, text);
        }
    }
}

fn margin(indent: usize, text: &mut String) {
    text.push_str(&" ".repeat(indent));
}

/// A text without quotes where every reader takes it for one.
fn scalar(text: &str) -> String {
    let first = text.chars().next();
    let begins = first.is_some_and(|c| c.is_ascii_alphabetic() || c == '/');
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.');
    let is_word = WORDS.contains(&text.to_ascii_lowercase().as_str());
    if begins && text.chars().all(fits) && !is_word {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::written;
    use crate::corpus::Corpus;
    use crate::policy::compile;

    #[test]
    fn members_and_items_are_lines() {
        let document = json!({
            "a": { "b": [], "c": ["no", "x-*", 1], "d": [{ "e": true, "f": [[1]] }] },
        });
        let lines = "a:\n  b: []\n  c:\n    - \"no\"\n    - \"x-*\"\n    - 1\n  d:\n    - e: true\n      f:\n        - [1]\n";
        assert_eq!(written(&document), lines);
    }

    /// What is shown means the same as what ran.
    #[test]
    fn every_policy_of_the_corpus_stays_what_it_is() {
        let cases = Corpus::load_own().expect("the corpus").cases;
        let documents = cases
            .iter()
            .map(|case| case.policy.document().expect("a policy"));
        let documents: BTreeSet<String> = documents.collect();
        assert!(documents.len() > 100, "{}", documents.len());
        for text in documents {
            let document = serde_json::from_str(&text).expect("JSON");
            let shown = written(&document);
            let meant = compile(&text).map(|policy| policy.encode().expect("a blob"));
            let said = compile(&shown).map(|policy| policy.encode().expect("a blob"));
            match (meant, said) {
                (Ok(meant), Ok(said)) => assert!(meant == said, "{shown}"),
                (Err(_), Err(_)) => {}
                (meant, said) => panic!("{:?} became {:?}:\n{shown}", meant.err(), said.err()),
            }
        }
    }
}
