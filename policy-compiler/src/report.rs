//! Collects findings, so that one run tells all of them.

use crate::diagnostic::{Diagnostic, Severity};
use crate::schema::ENDPOINT_KEYS;
use crate::source::{Route, Source};

/// More than this many errors (or warnings) are counted, not shown.
pub(crate) const MAX_SHOWN: usize = 100;

/// A finding about nodes of the policy, before its places are known.
#[derive(Debug)]
pub(crate) struct Finding {
    severity: Severity,
    message: String,
    help: Option<String>,
    places: Vec<(Route, String)>,
    /// Keys of its endpoint that it takes to be understood.
    presumes: &'static [&'static str],
}

impl Finding {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: None,
            places: Vec::new(),
            presumes: &[],
        }
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message)
        }
    }

    /// The first place is the main one.
    pub(crate) fn at(mut self, route: &Route, remark: impl Into<String>) -> Self {
        self.places.push((route.clone(), remark.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Follows from what these keys of its endpoint say, or do not say: with
    /// an error in one of them it may be untrue, and is not told.
    pub(crate) fn presumes(mut self, keys: &'static [&'static str]) -> Self {
        self.presumes = keys;
        self
    }
}

#[derive(Debug)]
pub(crate) struct Report<'s> {
    source: &'s Source<'s>,
    errors: Vec<Diagnostic>,
    /// Each with what it presumes.
    warnings: Vec<(Diagnostic, &'static [&'static str])>,
    /// Errors and warnings beyond the limit.
    hidden: (usize, usize),
    /// Where each rule is.
    rules: Vec<RulePlace>,
}

/// Where a rule is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlace {
    /// Its endpoint's name.
    pub endpoint: String,
    /// Its id.
    pub rule: String,
    /// The line, from 1.
    pub line: usize,
}

impl RulePlace {
    /// The line of a rule, if it is among these.
    pub(crate) fn line(places: &[Self], endpoint: &str, rule: &str) -> Option<usize> {
        let mut places = places.iter();
        let place = places.find(|place| place.endpoint == endpoint && place.rule == rule);
        place.map(|place| place.line)
    }
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            errors: Vec::new(),
            warnings: Vec::new(),
            hidden: (0, 0),
            rules: Vec::new(),
        }
    }

    /// Remembers where a rule is written.
    pub(crate) fn place(&mut self, endpoint: &str, rule: &str, at: &Route) {
        self.rules.push(RulePlace {
            endpoint: endpoint.to_owned(),
            rule: rule.to_owned(),
            line: self.source.label(at, "").span.line,
        });
    }

    /// Where each rule is written.
    pub(crate) fn places(&mut self) -> Vec<RulePlace> {
        std::mem::take(&mut self.rules)
    }

    pub(crate) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether another warning would be shown, and its help is worth finding.
    pub(crate) fn shows_warnings(&self) -> bool {
        self.warnings.len() < MAX_SHOWN
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        let (shown, hidden) = match finding.severity {
            Severity::Error => (self.errors.len(), &mut self.hidden.0),
            Severity::Warning => (self.warnings.len(), &mut self.hidden.1),
        };
        if shown >= MAX_SHOWN {
            *hidden = hidden.saturating_add(1);
            return;
        }
        let diagnostic = Diagnostic {
            severity: finding.severity,
            message: finding.message,
            help: finding.help,
            labels: finding
                .places
                .iter()
                .map(|(route, remark)| self.source.label(route, remark))
                .collect(),
        };
        match finding.severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::Warning => self.warnings.push((diagnostic, finding.presumes)),
        }
    }

    /// The errors, if there are any, and behind them the warnings that hold
    /// all the same; both in the order of the file.
    pub(crate) fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let Self {
            errors, warnings, ..
        } = self;
        let warnings = warnings
            .into_iter()
            .filter(|(warning, presumes)| !errors.iter().any(|it| undoes(it, warning, presumes)))
            .map(|(warning, _)| warning)
            .collect();
        let warnings = in_order(warnings, self.hidden.1, Severity::Warning);
        if errors.is_empty() {
            return Ok(warnings);
        }
        let mut all = in_order(errors, self.hidden.0, Severity::Error);
        all.extend(warnings);
        Err(all)
    }
}

/// Whether `warning` may be untrue because of `error`: it is about the same
/// entry, or presumes what the error is about.
fn undoes(error: &Diagnostic, warning: &Diagnostic, presumes: &[&str]) -> bool {
    let (Some(error), Some(warning)) = (error.labels.first(), warning.labels.first()) else {
        return true;
    };
    if error.span == warning.span {
        return true;
    }
    let (endpoint, _) = warning
        .route
        .split_once('.')
        .unwrap_or((&warning.route, ""));
    let rest = error.route.strip_prefix(endpoint);
    let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('.')) else {
        // About more than one endpoint, or another part of the policy.
        return !presumes.is_empty() && endpoint.starts_with(error.route.as_str());
    };
    let key = rest.trim_start_matches('.').split(['.', '[']).next();
    let key = key.unwrap_or_default();
    // A misspelt key may be any.
    let known = ENDPOINT_KEYS.contains(&key);
    !presumes.is_empty() && (!known || presumes.contains(&key))
}

fn in_order(mut shown: Vec<Diagnostic>, hidden: usize, severity: Severity) -> Vec<Diagnostic> {
    shown.sort_by_key(|diagnostic| diagnostic.labels.first().map(|l| l.span.bytes.start));
    shown.extend(not_shown(hidden, severity));
    shown
}

/// What stands for the findings beyond the limit, if there are any.
pub(crate) fn not_shown(hidden: usize, severity: Severity) -> Option<Diagnostic> {
    let (plural, are) = match hidden {
        0 => return None,
        1 => ("", "is"),
        _ => ("s", "are"),
    };
    Some(Diagnostic {
        severity,
        message: format!("{hidden} more {severity}{plural} {are} not shown"),
        help: Some("correct the ones above and run again".into()),
        labels: Vec::new(),
    })
}
