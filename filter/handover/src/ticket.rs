//! Which held request is meant.

/// Filter state key of what the gate leaves: a [`Ticket`] where it holds the
/// request, [`SEEN`] where it had no reason to.
pub const TICKET: &str = "mcp_boundary_gate";

/// The gate saw the request when all had decided.
pub const SEEN: &[u8] = b"seen";

/// Names one request that a gate holds. It is put into that gate's queue to
/// say that a mark has changed; what may happen the marks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The gate's queue, by the host's number.
    pub queue: u32,
    /// The gate's VM. A VM that takes the place of a failed one has another
    /// number, so that what was meant for that one means nothing to it.
    pub vm: u32,
    /// The request, counted by the VM.
    pub request: u64,
}

impl Ticket {
    /// As filter state and in the queue.
    pub fn encode(&self) -> [u8; 16] {
        let number =
            u128::from(self.queue) | u128::from(self.vm) << 32 | u128::from(self.request) << 64;
        number.to_le_bytes()
    }

    /// The ticket, if these bytes are one.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let number = u128::from_le_bytes(bytes.try_into().ok()?);
        Some(Self {
            queue: u32::try_from(number & u128::from(u32::MAX)).ok()?,
            vm: u32::try_from(number >> 32 & u128::from(u32::MAX)).ok()?,
            request: u64::try_from(number >> 64).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_is_found() {
        for ticket in [
            Ticket {
                queue: 1,
                vm: 2,
                request: 3,
            },
            Ticket {
                queue: u32::MAX,
                vm: 0,
                request: u64::MAX,
            },
        ] {
            assert_eq!(Ticket::decode(&ticket.encode()), Some(ticket));
        }
    }

    #[test]
    fn anything_else_is_no_ticket() {
        for wrong in [SEEN, b"", &[0; 15], &[0; 17]] {
            assert_eq!(Ticket::decode(wrong), None, "{wrong:?}");
        }
    }
}
