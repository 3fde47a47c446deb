//! Compiles MCP boundary policies from YAML into what the Envoy filter loads.
//!
//! [`compile`] goes from text to a [`Policy`] and its digest; the stages are
//! `source` (YAML with places), `schema` (keys and types), `lower` (meaning).
//! [`envoy::http_filter`] writes the configuration that loads the result. The
//! policy language is described in `docs/policy-reference.md`.

pub mod bootstrap;
pub mod cli;
mod command;
pub mod diagnostic;
pub mod envoy;
pub mod explain;
pub mod kube;
mod lower;
mod print;
mod report;
pub mod request;
mod schema;
mod show;
mod source;
mod yaml;

use mcp_boundary_format::Policy;

pub use diagnostic::{Diagnostic, Label, Severity, Span};
pub use print::to_yaml;
pub use report::RulePlace;

/// A policy that can be loaded, and what the compiler has to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The policy.
    pub policy: Policy,
    /// Things that are probably not meant, in the order of the file.
    pub warnings: Vec<Diagnostic>,
    /// Where each rule is written.
    pub places: Vec<RulePlace>,
}

/// Compiles the text of a policy file.
///
/// # Errors
///
/// Everything that is wrong with it: the errors, then the warnings, each in the
/// order of the file.
pub fn compile(source: &str) -> Result<Compiled, Vec<Diagnostic>> {
    let source = source::Source::parse(source)?;
    let mut report = report::Report::new(&source);
    let policy =
        schema::document(&mut report).and_then(|document| lower::policy(&document, &mut report));
    let places = report.places();
    let warnings = report.finish()?;
    match policy {
        Some(policy) => Ok(Compiled {
            policy,
            warnings,
            places,
        }),
        // Not reached: what makes no policy has reported why.
        None => Err(warnings),
    }
}
