//! Entries of `resources`: what never matches, or less than it seems to.

use super::foreign::{self, is_drive};
use super::known::is_known;
use super::uris;
use crate::report::{Finding, Report};
use crate::schema::Text;
use crate::show::Shown;

/// Whose entry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `completes`: the endpoint lists `completion/complete`, which names
    /// templates as they are.
    Allow {
        completes: bool,
    },
    Deny,
}

/// Reports what is wrong with `pattern`. Under `canonical`, only canonical
/// URIs reach the rules: one that none of them matches is an error.
pub(super) fn check(pattern: &Text, side: Side, canonical: bool, report: &mut Report<'_>) {
    let text = pattern.value.as_str();
    let fault = canonical.then(|| uris::fault(text)).flatten();
    let completed = side == Side::Allow { completes: true } && fault.is_none();
    if let Some(foreign) = foreign::uri(text).filter(|_| !(completed && text.contains('{'))) {
        let finding = match fault {
            Some(_) => Finding::error(format!(
                "resource URI {} {} and never matches",
                Shown(text),
                foreign.looks
            )),
            None => Finding::warning(format!("resource URI {} {}", Shown(text), foreign.looks)),
        };
        report.push(finding.at(&pattern.at, foreign.remark).help(foreign.help));
    } else if let Some(fault) = fault {
        report.push(
            Finding::error(format!("resource URI {} never matches", Shown(text)))
                .at(&pattern.at, fault)
                .help(help(text)),
        );
    } else if canonical && is_drive(text) {
        report.push(
            Finding::warning(format!("resource URI {} looks like a path", Shown(text)))
                .at(&pattern.at, "one letter before the `:` is a scheme here")
                .help(help(text)),
        );
    } else if text.starts_with('*') && !text.starts_with("**") && !text.contains(['/', ':']) {
        report.push(
            Finding::warning(format!(
                "resource URI {} matches none with a `/`",
                Shown(text)
            ))
            .at(&pattern.at, "`*` stops at `/`")
            .help(format!("write {}", Shown(&text.replace('*', "**")))),
        );
    }
}

/// How to write a pattern that no canonical URI matches.
fn help(text: &str) -> String {
    let write = |form: String| {
        let fine = uris::fault(&form).is_none();
        fine.then(|| format!("write {}", Shown(&form)))
    };
    let path = || text.replace('\\', "/");
    if is_known(text) {
        return "this is a method: list it under `methods`".into();
    }
    let found = if is_drive(text) {
        write(format!("file:///{}", path()))
    } else if text.starts_with('/') && !text.starts_with("//") {
        write(format!("file://{text}"))
    } else if let Some(below) = text.strip_prefix("~/") {
        write(format!("**/{below}"))
    } else if !text.contains(':') {
        let below = text.trim_start_matches("./");
        write(format!("file:///{below}")).map(|help| {
            format!("begin it with a scheme: {help}, or `**/{below}` for any scheme and place")
        })
    } else if let Some(rest) = text
        .strip_prefix("file://")
        .filter(|it| !it.starts_with('/'))
    {
        uris::form(text)
            .and_then(write)
            .or_else(|| write(format!("file:///{rest}")))
    } else {
        uris::form(text).and_then(write)
    };
    found.unwrap_or_else(|| {
        "write the URI as clients send it; \
         `resource_uris: any` takes all, but then nothing can be denied"
            .into()
    })
}
