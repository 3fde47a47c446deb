//! What is wrong with a policy, where, and what to do about it.

mod render;

use std::fmt;
use std::ops::Range;

pub use render::{Format, render};

/// Whether a policy with this finding can be compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, but probably does not do what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// A place in the policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The bytes of the text.
    pub bytes: Range<usize>,
}

/// A place and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place as a path of keys, such as `endpoints[0].path`; empty for the
    /// whole document.
    pub route: String,
    /// The same as a place in the text.
    pub span: Span,
    /// A remark; may be empty.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong: lower case, one line, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The places it is about, the main one first.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// A finding without a place.
    pub(crate) fn error(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: Some(help.into()),
            labels: Vec::new(),
        }
    }
}

impl fmt::Display for Diagnostic {
    /// `line:column: error: message; help: …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.labels.first() {
            write!(f, "{}:{}: ", label.span.line, label.span.column)?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; help: {help}")?;
        }
        Ok(())
    }
}
