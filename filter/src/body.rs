//! Where the body of a request is whose headers were left to a gate.
//!
//! The host has one buffer of body for all filters of a chain. A filter behind
//! this one that still holds the headers, waiting for a service say, is handed
//! what is in that buffer when it goes on: also what is not decided here. It
//! may keep it, and give it back to those behind, so that the decision would be
//! on what is left. So as long as the headers have not reached the gate, what
//! comes of the body is taken out of the buffer, and put back with the decision.

use proxy_wasm::hostcalls;
use proxy_wasm::types::{BufferType, Status};

use crate::hold;
use crate::root::Boundary;

/// Bytes that an instance may have taken on a worker. The host's own bounds of
/// memory do not count them.
const MAX_TAKEN: usize = 64 << 20;

/// The body so far.
#[derive(Debug)]
pub(crate) enum Body {
    /// Nothing has come yet.
    Unseen,
    /// In the host's buffer: all behind wait for the gate.
    Shared,
    /// Taken out of it.
    Taken(Vec<u8>),
}

/// Why a part of a body cannot be kept.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Too much is kept already.
    Full,
    /// The host refused to hand it over.
    Host,
}

impl From<Status> for Fault {
    fn from(_: Status) -> Self {
        Self::Host
    }
}

impl Body {
    /// Bytes that the host does not hold.
    pub(crate) fn taken(&self) -> usize {
        match self {
            Self::Unseen | Self::Shared => 0,
            Self::Taken(bytes) => bytes.len(),
        }
    }

    /// More has come, and there is more to come: of what the host holds `held`
    /// bytes. Gives back how many it holds then.
    pub(crate) fn keep(&mut self, boundary: &Boundary, held: usize) -> Result<usize, Fault> {
        if let Self::Unseen = self {
            *self = match hold::is_at_gate() {
                true => Self::Shared,
                false => Self::Taken(Vec::new()),
            };
        }
        let Self::Taken(bytes) = self else {
            return Ok(held);
        };
        if held == 0 {
            return Ok(0);
        }
        let total = boundary.taken.get().saturating_add(held);
        if total > MAX_TAKEN {
            return Err(Fault::Full);
        }
        let part = hostcalls::get_buffer(BufferType::HttpRequestBody, 0, held)?;
        let part = part.filter(|part| part.len() == held).ok_or(Fault::Host)?;
        hostcalls::set_buffer(BufferType::HttpRequestBody, 0, held, b"")?;
        boundary.taken.set(total);
        bytes.extend(part);
        Ok(0)
    }

    /// The whole body, of which `last` is what the host still holds.
    pub(crate) fn whole(&mut self, boundary: &Boundary, last: Vec<u8>) -> Vec<u8> {
        let taken = self.taken();
        boundary
            .taken
            .set(boundary.taken.get().saturating_sub(taken));
        match self {
            Self::Unseen | Self::Shared => last,
            Self::Taken(bytes) => {
                let mut whole = std::mem::take(bytes);
                whole.extend(last);
                whole
            }
        }
    }

    /// Puts the whole body where the host holds `held` bytes of it.
    pub(crate) fn put_back(&self, held: usize, whole: &[u8]) -> Result<(), Status> {
        match self {
            Self::Unseen | Self::Shared => Ok(()),
            Self::Taken(_) => hostcalls::set_buffer(BufferType::HttpRequestBody, 0, held, whole),
        }
    }
}
