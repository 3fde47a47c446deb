//! What is said of a file that is not one readable YAML document. The words
//! come from what stands at the place where the parser stopped, not from the
//! parser.

use std::ops::Range;

use super::extent;
use super::places::Places;
use super::refused;
use super::tree::MAX_NODES;
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::{MAX_SHOWN, not_shown};
use crate::show::Shown;

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
    let hidden = tags.len().saturating_sub(MAX_SHOWN);
    let shown = shown.map(|range| tag(places, range.clone()));
    shown.chain(not_shown(hidden, Severity::Error)).collect()
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

pub(super) fn stopped(places: &Places<'_>, stop: Stop) -> Diagnostic {
    let (message, help, range, remark) = match stop {
        Stop::Unreadable(at) => return unreadable(places, at),
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
    Diagnostic {
        severity: Severity::Error,
        message,
        help: Some(help.into()),
        labels: vec![places.label(range, remark)],
    }
}

fn unreadable(places: &Places<'_>, at: usize) -> Diagnostic {
    let rest = places.from(at);
    if rest.trim().is_empty() {
        let at = places.text().trim_end().len().max(places.begin());
        let cause = "it ends while a bracket is open or after a key without a `:`";
        return not_yaml(places, cause, at..at);
    }
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
    let character = rest.chars().next().unwrap_or_default();
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
        _ if begins_line(places, at) => one(
            "this line does not fit those above it; look at its indentation, and above for a `:`, a comma or a bracket that is missing",
        ),
        '|' | '>' => one(&format!("behind `{character}` stands only how the text below is indented")),
        ']' | '}' => one("this bracket closes nothing, or another than the one that is open"),
        ',' => one("nothing stands before this `,`, or no bracket is open"),
        '?' => one("a text in brackets cannot begin with `?`"),
        ':' => one("a `:` cannot stand here; look at the indentation, above for a bracket that is not closed, and quote a text that has a `:` before a blank"),
        '\u{feff}' => one("a byte order mark stands at the beginning only"),
        _ => one("this cannot stand here; look before it for a `:`, a comma or a bracket that is missing"),
    }
}

fn begins_line(places: &Places<'_>, at: usize) -> bool {
    let before = places.text().get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches('\u{feff}').trim().is_empty()
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
