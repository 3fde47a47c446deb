//! Each label of a finding is the text that the finding speaks of, in whatever
//! way the policy is written: in blocks or brackets, with comments behind tabs,
//! anchors, nothing where something is expected, every kind of quotes, texts of
//! several lines, both kinds of line ends, a byte order mark.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "places/piece.rs"]
mod piece;
#[path = "places/writer.rs"]
mod writer;

use mcp_policy::{Diagnostic, Severity, compile};
use piece::{Choices, policy};
use proptest::prelude::*;
use writer::Writer;

fn found(text: &str) -> Vec<Diagnostic> {
    match compile(text) {
        Ok(compiled) => compiled.warnings,
        Err(found) => found,
    }
}

/// Messages of errors with their main places, in a fixed order.
fn errors(found: &[Diagnostic]) -> Vec<(String, std::ops::Range<usize>)> {
    let errors = found.iter().filter(|it| it.severity == Severity::Error);
    let mut errors: Vec<_> = errors
        .map(|it| (it.message.clone(), it.labels[0].span.bytes.clone()))
        .collect();
    errors.sort_by_key(|(message, bytes)| (bytes.start, bytes.end, message.clone()));
    errors
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text[..at].trim_start_matches('\u{feff}');
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

fn check(bytes: Vec<u8>) {
    let mut choices = Choices::new(bytes);
    let policy = policy(&mut choices);
    let written = Writer::write(&policy, choices);
    let text = &written.text;
    let found = found(text);
    let mut expected = written.expected;
    expected.sort_by_key(|(message, bytes)| (bytes.start, bytes.end, message.clone()));
    assert_eq!(errors(&found), expected, "\n{text}\n{text:?}");
    for label in found.iter().flat_map(|it| &it.labels) {
        let span = &label.span;
        assert!(
            written.places.contains(&span.bytes),
            "{label:?}\n{text}\n{text:?}"
        );
        let place = line_and_column(text, span.bytes.start);
        assert_eq!((span.line, span.column), place, "{label:?}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, ..ProptestConfig::default() })]

    #[test]
    fn labels_are_what_they_speak_of(bytes in prop::collection::vec(any::<u8>(), 20..1500)) {
        check(bytes);
    }
}

/// What the generator does not write: the text between `«` and `»` is the place.
#[test]
fn odd_places() {
    let head = "mcp_policy: 1\nendpoints:\n  - path: /mcp\n";
    for rest in [
        "    mode: &a«» # c\n",
        "    mode: &a «loud» # c\n    denial: &b # c\n      «'shy'»\n",
        "    mode: >\n\n      «loud\n      and clear»\n\n    streams: deny\n",
        "    mode: &a |1\n      «loud»\n",
        "    mode: «|»\n    streams: deny\n",
        "    mode: # | >\n      «>» # c\n    streams: deny\n",
        "    ? mode # c\n    :«» # c\n",
        "    ? mode«» # a key and nothing else\n",
        "    allow: {tools: [«{»a: b}, «a»: b, «[»a]]}\n",
        "    allow: {tools: [«\"a\"» : b, «'a'»: b]}\n",
        "    allow:\n      tools:\n      - &a «no»\n      -«»\t# - c\n      - *a\n",
        "    allow:\n      tools:\n        - «- a»\n        - ? «b»\n        - «-» # c\n            c\n",
        "    name: &a\n    «- a»\n    streams: deny\n",
        "    name: &a # - c\n      «-»\n",
        "    allow: {«é»: 1, «\"é\\\"\"»: 1, «'it''s'» : 1}\n",
    ] {
        let marked = format!("{head}{rest}");
        let mut text = String::new();
        let mut places = Vec::new();
        for (index, part) in marked.split('«').enumerate() {
            let (place, after) = part.split_once('»').unwrap_or(("", part));
            if index > 0 {
                places.push(text.len()..text.len() + place.len());
            }
            text.push_str(place);
            text.push_str(after);
        }
        let mut labels: Vec<_> = errors(&found(&text)).into_iter().map(|it| it.1).collect();
        labels.dedup();
        assert_eq!(labels, places, "{marked}{:#?}", found(&text));
    }
}
