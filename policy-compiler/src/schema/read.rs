//! Scalars and lists with their places.

use std::collections::BTreeMap;

use mcp_boundary_format::Switch;

use super::{Located, Text};
use crate::report::{Finding, Report};
use crate::show::{Shown, one_of, suggestion};
use crate::source::{Number, Route, Step, Value};

/// A node and the way to it.
#[derive(Debug, Clone)]
pub(crate) struct At<'v> {
    pub(crate) value: &'v Value,
    pub(crate) route: Route,
}

impl<'v> At<'v> {
    pub(crate) fn root(value: &'v Value) -> Self {
        Self {
            value,
            route: Route::default(),
        }
    }

    pub(crate) fn located<T>(&self, value: T) -> Located<T> {
        Located {
            value,
            at: self.route.clone(),
        }
    }
}

/// Reports a node of another type than `must` says; `help` is for authors who
/// meant to write something.
pub(crate) fn wrong_type(report: &mut Report<'_>, at: &At<'_>, must: &str, help: &str) {
    let help = match at.value {
        Value::Null => "give it a value, or leave the key out".to_owned(),
        _ => help.to_owned(),
    };
    report.push(
        Finding::error(format!("{must}, found {}", at.value.kind()))
            .at(&at.route, format!("{} here", at.value.kind()))
            .help(help),
    );
}

pub(crate) fn list<'v>(
    report: &mut Report<'_>,
    at: &At<'v>,
    what: &str,
) -> Option<Located<Vec<At<'v>>>> {
    let Value::List(items) = at.value else {
        wrong_type(
            report,
            at,
            &format!("expected {what}"),
            "write a list: `[first, second]`, or one item a line after `- `",
        );
        return None;
    };
    let items = items.iter().enumerate().map(|(index, item)| At {
        value: &item.value,
        route: at.route.then(Step::Item(index)),
    });
    Some(at.located(items.collect()))
}

/// A list of strings without repeats.
pub(crate) fn texts(
    report: &mut Report<'_>,
    at: &At<'_>,
    what: &str,
) -> Option<Located<Vec<Text>>> {
    if let Value::Text(single) = at.value {
        report.push(
            Finding::error(format!("expected a list, each item {what}; found a string"))
                .at(&at.route, "")
                .help(format!("write it as a list: `[{single:?}]`")),
        );
        return None;
    }
    let items = list(report, at, &format!("a list, each item {what}"))?;
    let mut texts: Vec<Text> = Vec::new();
    for item in &items.value {
        texts.extend(text(report, item, what));
    }
    refuse_repeats(report, &texts);
    // A list of nothing but mistakes must not be taken for an empty one.
    (items.value.is_empty() || !texts.is_empty()).then(|| at.located(texts))
}

/// An entry that is there twice is a mistake, often of something else.
fn refuse_repeats(report: &mut Report<'_>, texts: &[Text]) {
    let mut seen: BTreeMap<&str, &Route> = BTreeMap::new();
    for text in texts {
        if let Some(first) = seen.get(text.value.as_str()) {
            report.push(
                Finding::error(format!("{} is listed twice", Shown(&text.value)))
                    .at(&text.at, "the second")
                    .at(first, "the first")
                    .help("remove one"),
            );
        } else {
            seen.insert(&text.value, &text.at);
        }
    }
}

/// A string. Refuses what some YAML readers would not read as one.
pub(crate) fn text(report: &mut Report<'_>, at: &At<'_>, what: &str) -> Option<Text> {
    match at.value {
        Value::Text(text) => {
            if looks_like_another_type(text) && report.source().is_plain(&at.route) {
                report.push(
                    Finding::error(format!("expected {what}, found `{text}` without quotes"))
                        .at(&at.route, "other YAML readers do not read this as a string")
                        .help(format!("write `\"{text}\"`")),
                );
                return None;
            }
            Some(at.located(text.clone()))
        }
        Value::Bool(_) | Value::Number(_) => {
            let raw = report.source().raw(&at.route);
            report.push(
                Finding::error(format!(
                    "expected {what}, found {} `{raw}`",
                    at.value.kind().replacen("a ", "the ", 1)
                ))
                .at(&at.route, "YAML does not read this as a string")
                .help(format!("if it is meant as a string, write `\"{raw}\"`")),
            );
            None
        }
        _ => {
            wrong_type(
                report,
                at,
                &format!("expected {what}"),
                "write a single string",
            );
            None
        }
    }
}

/// Plain scalars that YAML 1.1 reads as a boolean or a number. A policy that
/// went through such a reader would hold other names than the author wrote.
fn looks_like_another_type(text: &str) -> bool {
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "yes" | "n" | "no" | "on" | "off"
    );
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || c == '_')
    };
    // Underscores, leading zeros, and base 60 as in `12:30`.
    word || (!unsigned.is_empty() && unsigned.split(':').all(digits))
}

pub(crate) fn whole(report: &mut Report<'_>, at: &At<'_>, what: &str) -> Option<Located<u64>> {
    match at.value {
        Value::Number(Number::Whole(number)) => Some(at.located(*number)),
        Value::Number(Number::Other) => {
            let raw = report.source().raw(&at.route);
            report.push(
                Finding::error(format!("expected {what}, found `{raw}`"))
                    .at(&at.route, "")
                    .help("write a whole number from 1 up"),
            );
            None
        }
        _ => {
            wrong_type(
                report,
                at,
                &format!("expected {what}"),
                "write a whole number from 1 up, without quotes",
            );
            None
        }
    }
}

/// One of an enum's words; after an error the strictest, which is never used.
pub(crate) fn choice<T: Copy + Default>(
    report: &mut Report<'_>,
    at: &At<'_>,
    all: &[T],
    word: fn(T) -> &'static str,
) -> T {
    let words: Vec<_> = all.iter().map(|value| word(*value)).collect();
    let expected = one_of(&words, "or");
    let Value::Text(text) = at.value else {
        wrong_type(
            report,
            at,
            &format!("expected {expected}"),
            &format!("write {expected}"),
        );
        return T::default();
    };
    if let Some(value) = all.iter().find(|value| word(**value) == text) {
        return *value;
    }
    let help = match suggestion(text, &words) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write {expected}"),
    };
    report.push(
        Finding::error(format!("expected {expected}, found {}", Shown(text)))
            .at(&at.route, "unknown word")
            .help(help),
    );
    T::default()
}

/// `true` or `false`.
pub(crate) fn switch_flag(report: &mut Report<'_>, at: &At<'_>) -> Switch {
    match at.value {
        Value::Bool(true) => Switch::Allow,
        Value::Bool(false) => Switch::Deny,
        Value::Text(text) => {
            report.push(
                Finding::error(format!(
                    "expected `true` or `false`, found the string {}",
                    Shown(text)
                ))
                .at(&at.route, "")
                .help("write `true` or `false`, without quotes"),
            );
            Switch::Deny
        }
        _ => {
            wrong_type(
                report,
                at,
                "expected `true` or `false`",
                "write `true` or `false`",
            );
            Switch::Deny
        }
    }
}
