//! Denies of one level, where an allow goes deeper. `*` stops at `/`, so
//! `deny: file:///private/*` leaves `file:///private/a/b` to `allow: file:///**`.

use super::globs::{Stars, comparable, covers, meet};
use super::methods::operations_of;
use crate::report::{Finding, Report};
use crate::schema::{Endpoint, Rule, Text};
use crate::show::Shown;

pub(super) fn check(endpoint: &Endpoint, report: &mut Report<'_>) {
    let denied: Vec<_> = endpoint
        .deny
        .iter()
        .flat_map(|rule| {
            rule.selectors
                .resources
                .iter()
                .map(move |text| (rule, text))
        })
        .collect();
    let allowed = endpoint.allow.iter();
    let allowed: usize = allowed.map(|rule| rule.selectors.resources.len()).sum();
    if !comparable(denied.len(), denied.len().saturating_add(allowed)) {
        return;
    }
    for (rule, deny) in &denied {
        let Some(deeper) = deeper(&deny.value) else {
            continue;
        };
        // Another entry may deny what is below, whoever asks or who this one
        // is about.
        let rest = denied.iter().any(|(other, text)| {
            let holds = other.when.is_empty() || std::ptr::eq(*other, *rule);
            holds && covers(&text.value, &deeper.below, Stars::Segments)
        });
        if rest {
            continue;
        }
        let mut allowed = endpoint
            .allow
            .iter()
            .filter_map(|rule| permits(rule, &deeper));
        if let Some(allow) = allowed.next() {
            report.push(
                Finding::warning(format!(
                    "denying resource {} leaves what is deeper",
                    Shown(&deny.value)
                ))
                .at(&deny.at, deeper.remark)
                .at(&allow.at, "permits what is deeper")
                .help(format!("write {}", Shown(&deeper.all))),
            );
        }
    }
}

/// What a deny stops short of.
struct Deeper {
    /// As a pattern.
    below: String,
    /// What an allow begins with that goes on where the deny stops.
    start: Option<String>,
    /// The deny that covers it too.
    all: String,
    remark: &'static str,
}

fn deeper(deny: &str) -> Option<Deeper> {
    let (base, below, remark) = if let Some(base) = deny.strip_suffix("/*") {
        (base, format!("{deny}/**"), "`*` stops at `/`")
    } else {
        let base = deny.strip_suffix('/').filter(|base| !base.ends_with('/'))?;
        (
            base,
            format!("{deny}**"),
            "covers this one, nothing below it",
        )
    };
    Some(Deeper {
        below,
        start: deny.ends_with('*').then(|| format!("{deny}/")),
        all: format!("{base}/**"),
        remark,
    })
}

/// The entry of `rule` that permits something of what is deeper. Who writes
/// one that goes on where the deny stops has seen that it stops.
fn permits<'r>(rule: &'r Rule, deeper: &Deeper) -> Option<&'r Text> {
    let mut resources = rule.selectors.resources.iter();
    let mut methods = rule.selectors.methods.iter();
    let seen = |allow: &str| {
        let start = deeper.start.as_deref();
        start.is_some_and(|start| allow.starts_with(start))
    };
    let named = |allow: &&Text| {
        let allow = allow.value.trim_end_matches('/');
        !seen(allow) && meet(allow, &deeper.below, Stars::Segments)
    };
    let every = |method: &&Text| operations_of("resources").any(|it| it == method.value);
    resources.find(named).or_else(|| methods.find(every))
}
