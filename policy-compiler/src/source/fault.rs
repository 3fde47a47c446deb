//! What is said of a file that is not one readable YAML document. The words
//! come from what stands at the place where the parser stopped, not from the
//! parser.

use std::ops::Range;

use super::extent;
use super::places::Places;
use super::refused;
use super::tree::MAX_NODES;
use crate::diagnostic::{Diagnostic, Severity};
use crate::show::Shown;

/// More places than this are not worth a message each.
pub(super) const MAX_SHOWN: usize = 100;

const STOPPED: &str = "the reader stopped here";

/// Why reading ended before the file did.
#[derive(Debug)]
pub(super) enum Stop {
    /// No YAML at this offset.
    Unreadable(usize),
    /// Too many levels of lists and maps.
    Deep(Range<usize>),
    /// Too many values.
    Large(Range<usize>),
    /// A second document.
    Second(Range<usize>),
}

/// One message for each tag.
pub(super) fn tags(places: &Places<'_>, tags: &[Range<usize>]) -> Vec<Diagnostic> {
    let shown = tags.iter().take(MAX_SHOWN);
    shown.map(|range| tag(places, range.clone())).collect()
}

fn tag(places: &Places<'_>, range: Range<usize>) -> Diagnostic {
    let name = places.text().get(range.clone()).unwrap_or_default();
    Diagnostic {
        severity: Severity::Error,
        message: format!("a policy has no tags, found {}", Shown(name)),
        help: Some("leave it out; a text that begins with `!` needs quotes".into()),
        labels: vec![places.label(range, "a tag here")],
    }
}

/// `None` if the reason was a tag that is told of already.
pub(super) fn stopped(places: &Places<'_>, stop: Stop) -> Option<Diagnostic> {
    let (message, help, range, remark) = match stop {
        Stop::Unreadable(at) => return Some(unreadable(places, at)),
        Stop::Deep(range) => (
            "the YAML is nested too deeply".to_owned(),
            "no part of a policy is nested deeper than ten levels",
            range,
            STOPPED,
        ),
        Stop::Large(range) => (
            format!("the YAML unfolds to more than {MAX_NODES} values"),
            "write the lists out instead of repeating aliases of aliases",
            range,
            STOPPED,
        ),
        Stop::Second(range) => (
            "the file holds more than one YAML document".to_owned(),
            "put each policy in a file of its own, without a `---` between",
            range,
            "the second document begins here",
        ),
    };
    Some(Diagnostic {
        severity: Severity::Error,
        message,
        help: Some(help.into()),
        labels: vec![places.label(range, remark)],
    })
}

fn unreadable(places: &Places<'_>, at: usize) -> Diagnostic {
    let rest = places.from(at);
    if rest.starts_with('!') {
        return tag(places, at..at.saturating_add(extent::property(rest)));
    }
    if rest.starts_with('%') && places.line_and_column(at).1 == 1 {
        return refused::directive_at(places, at);
    }
    if let Some(tab) = indenting_tab(places, at) {
        return not_yaml(
            places,
            "a tab is used as indentation",
            tab..tab.saturating_add(1),
        );
    }
    let (cause, length) = cause(places, at);
    not_yaml(places, &cause, at..at.saturating_add(length))
}

pub(super) fn not_yaml(places: &Places<'_>, cause: &str, range: Range<usize>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        message: format!("the file is not valid YAML: {cause}"),
        help: Some("correct the YAML here; indentation is made of spaces, and a text that begins with one of `*&!%@` or a backtick needs quotes".into()),
        labels: vec![places.label(range, STOPPED)],
    }
}

/// The cause in words, and how much of the text it is about.
fn cause(places: &Places<'_>, at: usize) -> (String, usize) {
    let rest = places.from(at);
    let Some(character) = rest.chars().next() else {
        let cause = "it ends while a bracket is open or after a key without a `:`";
        return (cause.into(), 0);
    };
    let one = |cause: &str| (cause.to_owned(), character.len_utf8());
    let name = rest.get(..extent::property(rest)).unwrap_or_default();
    match character {
        '"' | '\'' => match extent::quoted(rest) {
            None => one("the quote that is opened here is never closed"),
            Some(length) => (
                "this text in quotes cannot be read: it has an escape that YAML does not have, is not indented, or has no `,` before it".into(),
                rest.get(..length).and_then(|text| text.lines().next()).map_or(length, str::len),
            ),
        },
        '*' if name.len() > 1 => (
            format!("nothing above is named {}", Shown(&name.replacen('*', "&", 1))),
            name.len(),
        ),
        '*' | '&' | '@' | '`' | '%' => {
            one(&format!("a text without quotes cannot begin with `{character}`").replace("```", "a backtick"))
        }
        '|' | '>' => one(&format!("behind `{character}` stands only how the text below is indented")),
        ']' | '}' => one("this bracket closes nothing, or another than the one that is open"),
        ',' => one("nothing stands before this `,`, or no bracket is open"),
        ':' => one("a `:` cannot stand here; a text that has one before a blank needs quotes"),
        '\u{feff}' => one("a byte order mark stands at the beginning only"),
        _ => one("this cannot stand here; look at the indentation, and above for a `:`, a comma or a bracket that is missing"),
    }
}

/// The first tab of the indentation before `at`.
fn indenting_tab(places: &Places<'_>, at: usize) -> Option<usize> {
    let before = places.text().get(..at)?;
    let line = before.rsplit('\n').next()?;
    let start = at.checked_sub(line.len())?;
    let line = places.from(start);
    let indentation = line.split(|c| !matches!(c, ' ' | '\t')).next()?;
    let tab = start.checked_add(indentation.find('\t')?)?;
    (at <= start.checked_add(indentation.len())?).then_some(tab)
}
