//! What is known of a request that its verdict, its answer and the logs tell.

use mcp_boundary_format::Revision;
use serde_json::{Map, Value};

use super::edit::HeaderEdit;
use crate::engine::Seat;
use crate::policy::operation::Operation;

/// Grows while a request is looked at; whatever ends the way, what is known by
/// then is told.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The endpoint that decides.
    pub(crate) seat: Option<Seat>,
    /// The revision that governs.
    pub(crate) revision: Option<Revision>,
    /// 2026-07-28 governs, as far as one can tell.
    pub(crate) modern: bool,
    /// The revision that the client offered: what the version header said, or
    /// else an `initialize`.
    pub(crate) requested: Option<String>,
    /// The id of a single request.
    pub(crate) id: Option<Value>,
    /// The body holds only notifications or responses.
    pub(crate) silent: bool,
    /// What the request asks for, in wire order.
    pub(crate) operations: Vec<Operation>,
    /// Header changes that `compat` switches ask for.
    pub(crate) edits: Vec<HeaderEdit>,
    /// Who asked, as far as rules want to know.
    pub(crate) principals: Map<String, Value>,
    /// For a recheck: admit told of the same would-be denial.
    pub(crate) told_by_admit: bool,
}
