//! Stage: [`Enveloped`] to [`Measured`]: after a rewrite, `Content-Length` must
//! still be the body's. Contract section 12.

use super::envelope::{Enveloped, Payload};
use crate::answer::reason::{Reason, Refusal};
use crate::engine::Role;
use crate::head::length::Declared;
use crate::request::{Request, Stage};

/// A request whose body has the length that is declared.
#[derive(Debug)]
pub(crate) struct Measured {
    request: Box<Request>,
    payload: Payload,
}

impl Measured {
    pub(crate) fn compare(enveloped: Enveloped) -> Stage<Self> {
        let (request, payload, declared, length) = enveloped.into_parts();
        let made = compare(request.role(), declared, length);
        let (request, ()) = request.then(made)?;
        Ok(Self { request, payload })
    }

    pub(crate) fn into_parts(self) -> (Box<Request>, Payload) {
        (self.request, self.payload)
    }
}

fn compare(role: Role, declared: Declared, length: usize) -> Result<(), Refusal> {
    let actual = u64::try_from(length).unwrap_or(u64::MAX);
    match (role, declared.bytes()) {
        (Role::Recheck, Some(declared)) if declared != actual => Err(Refusal::new(
            Reason::LengthMismatch,
            format!(
                "`Content-Length` must be {actual}, the length of the rewritten body, not {declared}"
            ),
        )),
        _ => Ok(()),
    }
}
