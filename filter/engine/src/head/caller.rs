//! Headers that say who is asking must say one thing. Contract section 10.

use mcp_boundary_format::{Endpoint, Source};

use super::fields::Fields;
use crate::answer::reason::Refusal;

/// No header by which a rule of the endpoint knows the caller is ambiguous.
#[derive(Debug)]
pub(crate) struct Caller(());

impl Caller {
    pub(crate) fn unambiguous(fields: &Fields, endpoint: &Endpoint) -> Result<Self, Refusal> {
        let rules = endpoint.rules();
        for condition in rules.flat_map(|rule| &rule.when) {
            if let Source::Header(name) = &condition.source
                && let Err(fault) = fields.get(name).one()
            {
                return Err(fault.ambiguous(name));
            }
        }
        Ok(Self(()))
    }
}
