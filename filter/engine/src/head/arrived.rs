//! Stage: a [`Head`] to [`Arrived`]: the headers that are read.

use std::sync::Arc;

use mcp_boundary_format::Revision;

use super::fields::{Fields, Head, VERSION_HEADER};
use crate::answer::reason::Refusal;
use crate::engine::Core;
use crate::request::Refused;

/// A request of which no endpoint is known yet.
#[derive(Debug)]
pub(crate) struct Arrived<'a> {
    core: &'a Arc<Core>,
    head: &'a Head<'a>,
    fields: Fields,
}

impl<'a> Arrived<'a> {
    pub(crate) fn read(core: &'a Arc<Core>, head: &'a Head<'a>) -> Self {
        Self {
            core,
            head,
            fields: Fields::collect(head, &core.principals),
        }
    }

    pub(crate) fn core(&self) -> &'a Arc<Core> {
        self.core
    }

    pub(crate) fn head(&self) -> &'a Head<'a> {
        self.head
    }

    pub(crate) fn into_fields(self) -> Fields {
        self.fields
    }

    /// Ends the way.
    pub(crate) fn refused(&self, refusal: Refusal) -> Box<Refused> {
        let claimed = self.fields.get(VERSION_HEADER).one();
        let modern = Revision::V2026_07_28.as_str();
        Refused::outside(claimed.is_ok_and(|value| value == Some(modern)), refusal)
    }
}
