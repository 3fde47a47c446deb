//! What an instance that decides and the gate behind it leave for each other
//! in Envoy's filter state and in the gate's queue.
//!
//! Where Envoy is not told `allow_on_headers_stop_iteration`, a filter that
//! holds the headers never sees the body. So the one that decides lets the
//! headers go on and holds the body alone, and a gate, last in the chain,
//! holds the headers until it is told.
//!
//! # Trust boundary
//!
//! Clients write none of this. Other plugins could, as they could send
//! requests of their own.

mod answer;
mod mark;
mod ticket;

pub use answer::answer;
pub use mark::{Edit, Mark, key};
pub use mcp_boundary_format::Role;
pub use ticket::{SEEN, TICKET, Ticket};
