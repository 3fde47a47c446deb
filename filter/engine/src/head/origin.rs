//! Which pages may send requests here. Contract section 4.

use mcp_boundary_format::Endpoint;

use super::fields::Fields;
use crate::answer::reason::{Reason, Refusal};

/// The origin is one that the endpoint takes, or there is none.
#[derive(Debug)]
pub(crate) struct Origin(());

impl Origin {
    pub(crate) fn listed(fields: &Fields, endpoint: &Endpoint) -> Result<Self, Refusal> {
        origin(fields, endpoint).map(Self)
    }
}

fn origin(fields: &Fields, endpoint: &Endpoint) -> Result<(), Refusal> {
    if endpoint.origins.is_empty() {
        return Ok(());
    }
    let listed = |origin: &str| endpoint.origins.iter().any(|listed| listed == origin);
    match fields.get("origin").one() {
        Ok(None) => Ok(()),
        Ok(Some(origin)) if listed(origin) => Ok(()),
        Ok(Some(_)) => Err(Refusal::new(
            Reason::OriginNotAllowed,
            "the `Origin` is not one that this endpoint lists; the operator can add it to `origins`",
        )),
        Err(fault) => Err(Refusal::new(Reason::OriginNotAllowed, fault.told("origin"))),
    }
}
