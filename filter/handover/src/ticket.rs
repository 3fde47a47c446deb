//! Which held request is meant.

/// Filter state key of what the gate leaves: a [`Ticket`] while it holds the
/// request, [`SEEN`] once it does not, or if it never had to.
pub const TICKET: &str = "mcp_boundary_gate";

/// The gate has nothing against the request any more: all have decided.
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
    /// How long the gate holds it at most. Who released it can tell by that
    /// when the gate has failed.
    pub wait_seconds: u32,
}

/// Bytes of a ticket.
const SIZE: usize = 20;

impl Ticket {
    /// As filter state and in the queue.
    pub fn encode(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        let numbers = [self.queue, self.vm, self.wait_seconds];
        let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
        for (byte, value) in bytes
            .iter_mut()
            .zip(numbers.chain(self.request.to_le_bytes()))
        {
            *byte = value;
        }
        bytes
    }

    /// The ticket, if these bytes are one.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (queue, rest) = bytes.split_first_chunk()?;
        let (vm, rest) = rest.split_first_chunk()?;
        let (wait_seconds, request) = rest.split_first_chunk()?;
        Some(Self {
            queue: u32::from_le_bytes(*queue),
            vm: u32::from_le_bytes(*vm),
            wait_seconds: u32::from_le_bytes(*wait_seconds),
            request: u64::from_le_bytes(request.try_into().ok()?),
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
                wait_seconds: 4,
            },
            Ticket {
                queue: u32::MAX,
                vm: 0,
                request: u64::MAX - 1,
                wait_seconds: u32::MAX - 2,
            },
        ] {
            assert_eq!(Ticket::decode(&ticket.encode()), Some(ticket));
        }
    }

    #[test]
    fn anything_else_is_no_ticket() {
        for wrong in [SEEN, b"", &[0; SIZE - 1], &[0; SIZE + 1]] {
            assert_eq!(Ticket::decode(wrong), None, "{wrong:?}");
        }
    }
}
