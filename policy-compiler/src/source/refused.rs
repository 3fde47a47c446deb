//! What makes one file read differently by different people and programs:
//! line breaks that only some readers see, characters that change the order in
//! which text is shown, and directives. (Tags are found by the parser.)

use super::fault::not_yaml;
use super::places::Places;
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::{MAX_SHOWN, not_shown};
use crate::show::Shown;

/// Refuses characters that stand anywhere in the file, comments and quoted
/// texts included: `# a comment` and a line separator end the comment for a
/// YAML 1.1 reader alone, and what follows is policy.
pub(super) fn characters(places: &Places<'_>) -> Vec<Diagnostic> {
    let begin = places.begin();
    let mut found = Vec::new();
    let mut hidden = 0_usize;
    let mut characters = places.from(begin).char_indices().peekable();
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
        if found.len() >= MAX_SHOWN {
            hidden = hidden.saturating_add(1);
            continue;
        }
        found.push(Diagnostic {
            severity: Severity::Error,
            message: format!("the file holds {shown}"),
            help: Some(help),
            labels: vec![places.label(range, "here")],
        });
    }
    found.extend(not_shown(hidden, Severity::Error));
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

/// Refuses lines such as `%YAML 1.1` before the document, which readers obey
/// differently or not at all.
pub(super) fn directive(places: &Places<'_>) -> Option<Diagnostic> {
    let mut at = places.begin();
    loop {
        let line = places.from(at).split_inclusive('\n').next()?;
        if line.starts_with('%') {
            return Some(directive_at(places, at));
        }
        let content = line.strip_prefix("...").unwrap_or(line).trim();
        if !content.is_empty() && !content.starts_with('#') {
            return None;
        }
        at = at.saturating_add(line.len());
    }
}

/// What to say of the directive at this offset.
pub(super) fn directive_at(places: &Places<'_>, at: usize) -> Diagnostic {
    let line = places.from(at).lines().next().unwrap_or_default();
    let text = line.split(" #").next().unwrap_or_default().trim_end();
    Diagnostic {
        severity: Severity::Error,
        message: format!("a policy has no directives, found {}", Shown(text)),
        help: Some("leave the line out; every policy is read as YAML 1.2".into()),
        labels: vec![places.label(at..at.saturating_add(text.len()), "a directive here")],
    }
}

/// The first character that YAML has nowhere, not even in quotes (section 5.1
/// of the specification).
pub(super) fn control(places: &Places<'_>) -> Option<Diagnostic> {
    let forbidden = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}'))
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    let begin = places.begin();
    let bare = places.from(begin);
    let (at, character) = bare.char_indices().find(|(_, c)| forbidden(*c))?;
    let at = begin.saturating_add(at);
    let range = at..at.saturating_add(character.len_utf8());
    Some(not_yaml(
        places,
        "control characters are not allowed",
        range,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let found = characters(&Places::new(&text));
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
            assert!(characters(&Places::new(text)).is_empty(), "{text:?}");
        }
    }
}
