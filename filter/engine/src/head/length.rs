//! How long the body is said to be. Contract section 4.

use mcp_boundary_format::Endpoint;

use super::fields::Fields;
use crate::answer::reason::{Reason, Refusal};

/// What `Content-Length` declares: none, or what the endpoint takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared(Option<u64>);

impl Declared {
    /// Of a POST.
    pub(crate) fn within(fields: &Fields, endpoint: &Endpoint) -> Result<Self, Refusal> {
        match length(fields)? {
            Some(length) if length > u64::from(endpoint.limits.body_bytes) => {
                Err(too_large(endpoint))
            }
            length => Ok(Self(length)),
        }
    }

    /// Of a GET or DELETE.
    pub(crate) fn nothing(fields: &Fields) -> Result<Self, Refusal> {
        match length(fields)? {
            length @ (None | Some(0)) => Ok(Self(length)),
            Some(_) => Err(verb_body()),
        }
    }

    pub(crate) fn bytes(self) -> Option<u64> {
        self.0
    }
}

/// The declared length, if there is one, or why there is no telling.
fn length(fields: &Fields) -> Result<Option<u64>, Refusal> {
    const NAME: &str = "content-length";
    let value = fields.get(NAME).one();
    let Some(value) = value.map_err(|fault| fault.ambiguous(NAME))? else {
        return Ok(None);
    };
    match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(Some(value.parse().unwrap_or(u64::MAX))),
        false => Err(Refusal::new(
            Reason::HeaderAmbiguous,
            "the header `content-length` is not a number; send the body's length in decimal digits",
        )),
    }
}

pub(crate) fn too_large(endpoint: &Endpoint) -> Refusal {
    Refusal::new(
        Reason::BodyTooLarge,
        format!(
            "the body is larger than this endpoint's limit of {} bytes; send less",
            endpoint.limits.body_bytes
        ),
    )
}

pub(crate) fn verb_body() -> Refusal {
    Refusal::new(
        Reason::VerbBody,
        "GET and DELETE carry no body; send messages by POST",
    )
}
