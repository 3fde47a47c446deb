//! What makes one file read differently by different people and programs:
//! line breaks that only some readers see, characters that change the order in
//! which text is shown, and tags.

use super::token;
use super::value::{self, Value};
use super::{Diagnostic, Severity, label};

/// More places than this are not worth a message each.
const MAX_SHOWN: usize = 100;

/// More `!` than this are not tried one by one.
const MAX_TRIED: usize = 300;

/// Refuses characters that stand anywhere in the file, comments and quoted
/// texts included: `# a comment` and a line separator end the comment for a
/// YAML 1.1 reader alone, and what follows is policy.
pub(super) fn characters(text: &str) -> Vec<Diagnostic> {
    let bare = token::without_mark(text);
    let begin = text.len().saturating_sub(bare.len());
    let mut found = Vec::new();
    let mut characters = bare.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let Some((what, help)) = fault(character, next) else {
            continue;
        };
        let at = begin.saturating_add(at);
        let range = at..at.saturating_add(character.len_utf8());
        let shown = match character {
            '\r' => "a carriage return without a line feed".to_owned(),
            _ => format!("the character U+{:04X} ({what})", u32::from(character)),
        };
        found.push(Diagnostic {
            severity: Severity::Error,
            message: format!("the file holds {shown}"),
            help: Some(help),
            labels: vec![label(text, String::new(), range, "here".into())],
        });
        if found.len() >= MAX_SHOWN {
            break;
        }
    }
    found
}

fn fault(character: char, next: Option<char>) -> Option<(&'static str, String)> {
    let escape = |code: &str| {
        format!(
            "remove it, also from comments; a name that has it is written in double quotes as `{code}`"
        )
    };
    let code = || format!("\\u{:04x}", u32::from(character));
    match character {
        '\r' if next != Some('\n') => Some((
            "carriage return",
            "end lines with a line feed, with or without a carriage return before it".into(),
        )),
        '\u{85}' => Some((
            "next line, a line break for some YAML readers only",
            "remove it, also from comments; no name in a policy has control characters".into(),
        )),
        '\u{2028}' => Some((
            "line separator, a line break for some YAML readers only",
            escape(&code()),
        )),
        '\u{2029}' => Some((
            "paragraph separator, a line break for some YAML readers only",
            escape(&code()),
        )),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some((
                "bidirectional control, text is shown in another order than it is read",
                escape(&code()),
            ))
        }
        _ => None,
    }
}

/// Refuses tags, of which the YAML reader obeys some, drops others, and tells
/// neither. `root` is what it read of `text`.
///
/// Where a `!` is a tag and where it is part of a text or a comment is the
/// reader's own judgement: with the `!` replaced by a letter, a text changes in
/// that character alone and a comment in nothing, while a tag becomes text
/// that was not there before.
pub(super) fn tags(text: &str, root: &Value) -> Vec<Diagnostic> {
    let harmless = |changed: &str| {
        value::read(token::without_mark(changed)).is_ok_and(|other| is_spelled(root, &other))
    };
    if !text.contains('!') || harmless(&text.replace('!', LETTER)) {
        return Vec::new();
    }
    let mut places: Vec<usize> = Vec::new();
    let mut end = 0;
    for (at, _) in text.match_indices('!').take(MAX_TRIED) {
        if at < end || places.len() >= MAX_SHOWN {
            continue;
        }
        let (before, rest) = text.split_at(at);
        let rest = rest.strip_prefix('!').unwrap_or(rest);
        if !harmless(&format!("{before}{LETTER}{rest}")) {
            places.push(at);
            end = at.saturating_add(length(text, at));
        }
    }
    if places.is_empty() {
        places.extend(text.find('!'));
    }
    let finding = |at: usize| {
        let range = at..at.saturating_add(length(text, at));
        let tag = text.get(range.clone()).unwrap_or_default();
        Diagnostic {
            severity: Severity::Error,
            message: format!("a policy has no tags, found {}", crate::show::Shown(tag)),
            help: Some("leave it out; a text that begins with `!` needs quotes".into()),
            labels: vec![label(text, String::new(), range, "a tag here".into())],
        }
    };
    places.into_iter().map(finding).collect()
}

const LETTER: &str = "x";

/// The tag's length in bytes.
fn length(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}');
    rest.find(ends).unwrap_or(rest.len())
}

/// Whether both are the same but for letters in the place of `!`.
fn is_spelled(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Number(one), Value::Number(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => {
            one == other || one.replace('!', LETTER) == other.replace('!', LETTER)
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_spelled(a, b))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|((k, v), (l, w))| is_spelled(k, l) && is_spelled(v, w))
        }
        // Another tag than the one that is tried.
        (Value::Tagged(one), Value::Tagged(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(text: &str) -> Vec<String> {
        let root = value::read(text).expect("YAML");
        let found = tags(text, &root);
        let place = |found: &Diagnostic| text[found.labels[0].span.bytes.clone()].to_owned();
        found.iter().map(place).collect()
    }

    #[test]
    fn tags_are_found_wherever_they_stand() {
        for (text, wanted) in [
            ("a: !!str b", &["!!str"][..]),
            ("a: ! b", &["!"]),
            ("a: !", &["!"]),
            ("a: !!str", &["!!str"]),
            ("!!map {a: b}", &["!!map"]),
            ("[!a b, !b c, !!binary aGk=]", &["!a", "!b", "!!binary"]),
            // What is inside is not looked at before the outer one is gone.
            ("!a [!b c]", &["!a"]),
            ("!!str a: b", &["!!str"]),
            ("a: &x !!int 3\nb: *x", &["!!int"]),
            ("a: !!str &x 3", &["!!str"]),
            ("a: !<tag:yaml.org,2002:str> 3", &["!<tag:yaml.org"]),
            ("{\"a\":!!str b}", &["!!str"]),
            ("{x: \"a #\", y: !!str b}", &["!!str"]),
            ("{x: \"a\n # b\", y: !!str b}", &["!!str"]),
            ("a: it's\nb: !!str 'c'", &["!!str"]),
            ("a: b 'c\nd: !!str 'e'", &["!!str"]),
            ("a: !!str |\n  b", &["!!str"]),
            ("a: '!'\nb: !c d # !e", &["!c"]),
            ("a: !!null ~", &["!!null"]),
            ("a: !!float 3", &["!!float"]),
        ] {
            assert_eq!(tagged(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_mark_in_a_text_or_comment_is_none() {
        for text in [
            "a: b # do !not",
            "# !!str\na: b",
            "a: b! !c",
            "a: \"!b\"",
            "a: '!!str b'",
            "\"!a\": [\"!\", 'b !c']",
            "a: |\n  !b\n  # !c",
            "a: &x \"!b\"\nc: *x",
            "a: b!c\naxb: axb",
        ] {
            assert_eq!(tagged(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn characters_are_found_wherever_they_stand() {
        for character in [
            '\u{85}', '\u{2028}', '\u{2029}', '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}',
            '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
            '\u{2069}', '\r',
        ] {
            for (before, after) in [
                ("a: b # ", "c"),
                ("a: \"b", "\""),
                ("", "a: b"),
                ("\u{feff}", "a"),
                ("a: b", ""),
            ] {
                let text = format!("{before}{character}{after}");
                let found = characters(&text);
                assert_eq!(found.len(), 1, "{text:?}");
                assert_eq!(
                    found[0].labels[0].span.bytes.start,
                    before.len(),
                    "{text:?}"
                );
            }
        }
        for text in [
            "a: b\r\nc: d\r\n",
            "a: \"\\u2028\\u202e\\N\"",
            "a: \u{200d}\u{a0}\u{3000}é",
        ] {
            assert!(characters(text).is_empty(), "{text:?}");
        }
    }
}
