//! Findings as text for people, for one-line tools, and as JSON.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use super::{Diagnostic, Label, Severity};

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// With the lines of the file they are about.
    #[default]
    Human,
    /// One line each: `file:line:column: error: message; help: …`.
    Plain,
    /// One JSON object per line.
    Json,
}

/// Writes findings about `file`, whose contents are `text`; with a final line
/// end unless there are none. `colour` matters to [`Format::Human`] only.
pub fn render(
    diagnostics: &[Diagnostic],
    format: Format,
    file: &str,
    text: &str,
    colour: bool,
) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let one = match format {
            Format::Human => human(diagnostic, file, text, colour),
            Format::Plain => plain(diagnostic, file),
            Format::Json => json(diagnostic, file),
        };
        out.push_str(&one);
        out.push('\n');
    }
    out
}

fn human(diagnostic: &Diagnostic, file: &str, text: &str, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let mut group = if diagnostic.labels.is_empty() {
        Group::with_title(title)
    } else {
        title.element(snippet(&diagnostic.labels, file, text))
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

fn snippet<'a>(
    labels: &'a [Label],
    file: &'a str,
    text: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let lines = lines_of(labels, text);
    let begin = lines.start;
    let annotations = labels.iter().enumerate().map(move |(index, label)| {
        let kind = if index == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let bytes = &label.span.bytes;
        let annotation =
            kind.span(bytes.start.saturating_sub(begin)..bytes.end.saturating_sub(begin));
        if label.text.is_empty() {
            annotation
        } else {
            annotation.label(label.text.as_str())
        }
    });
    let first = labels.iter().map(|label| label.span.line).min();
    Snippet::source(text.get(lines).unwrap_or_default())
        .line_start(first.unwrap_or(1))
        .path(file)
        .annotations(annotations)
}

/// The lines that the labels are about, in bytes: a whole file would be gone
/// through for each finding in it.
fn lines_of(labels: &[Label], text: &str) -> Range<usize> {
    let bytes = || labels.iter().map(|label| &label.span.bytes);
    let start = bytes().map(|bytes| bytes.start).min().unwrap_or(0);
    let end = bytes().map(|bytes| bytes.end).max().unwrap_or(text.len());
    let before = text.get(..start).unwrap_or_default();
    // A byte order mark is no column.
    let mark = text
        .len()
        .saturating_sub(text.trim_start_matches('\u{feff}').len());
    let start = before.rfind('\n').map_or(mark, |at| at.saturating_add(1));
    let after = text.get(end..).unwrap_or_default();
    let rest = after.lines().next().unwrap_or_default();
    start..end.saturating_add(rest.len())
}

fn plain(diagnostic: &Diagnostic, file: &str) -> String {
    let separator = if diagnostic.labels.is_empty() {
        " "
    } else {
        ""
    };
    format!("{file}:{separator}{diagnostic}")
}

fn json(diagnostic: &Diagnostic, file: &str) -> String {
    let object = JsonDiagnostic {
        severity: diagnostic.severity.to_string(),
        file,
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| JsonLabel {
                route: &label.route,
                line: label.span.line,
                column: label.span.column,
                start: label.span.bytes.start,
                end: label.span.bytes.end,
                text: &label.text,
            })
            .collect(),
    };
    // Strings and numbers alone cannot fail.
    serde_json::to_string(&object).unwrap_or_default()
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: String,
    file: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    labels: Vec<JsonLabel<'a>>,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    route: &'a str,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
    text: &'a str,
}
