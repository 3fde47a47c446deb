//! Collects findings, so that one run tells all of them.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Route, Source};

/// More than this many errors (or warnings) are counted, not shown.
const MAX_SHOWN: usize = 100;

/// A finding about nodes of the policy, before its places are known.
#[derive(Debug)]
pub(crate) struct Finding {
    severity: Severity,
    message: String,
    help: Option<String>,
    places: Vec<(Route, String)>,
}

impl Finding {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: None,
            places: Vec::new(),
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
}

#[derive(Debug)]
pub(crate) struct Report<'s> {
    source: &'s Source<'s>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Errors and warnings beyond the limit.
    hidden: (usize, usize),
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            errors: Vec::new(),
            warnings: Vec::new(),
            hidden: (0, 0),
        }
    }

    pub(crate) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        let (shown, hidden) = match finding.severity {
            Severity::Error => (&mut self.errors, &mut self.hidden.0),
            Severity::Warning => (&mut self.warnings, &mut self.hidden.1),
        };
        if shown.len() >= MAX_SHOWN {
            *hidden = hidden.saturating_add(1);
            return;
        }
        shown.push(Diagnostic {
            severity: finding.severity,
            message: finding.message,
            help: finding.help,
            labels: finding
                .places
                .iter()
                .map(|(route, remark)| self.source.label(route, remark))
                .collect(),
        });
    }

    /// The errors, or else the warnings, in the order of the file. Warnings
    /// beside errors would be about a policy that was only half understood.
    pub(crate) fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        if self.has_errors() {
            Err(in_order(self.errors, self.hidden.0, Severity::Error))
        } else {
            Ok(in_order(self.warnings, self.hidden.1, Severity::Warning))
        }
    }
}

fn in_order(mut shown: Vec<Diagnostic>, hidden: usize, severity: Severity) -> Vec<Diagnostic> {
    shown.sort_by_key(|diagnostic| diagnostic.labels.first().map(|l| l.span.bytes.start));
    if hidden > 0 {
        shown.push(Diagnostic {
            severity,
            message: format!("{hidden} more {severity}s are not shown"),
            help: Some("correct the ones above and run again".into()),
            labels: Vec::new(),
        });
    }
    shown
}
