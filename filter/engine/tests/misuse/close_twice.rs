//! A request is decided once.
use mcp_boundary_engine::Pending;

fn twice(pending: Pending) {
    let _first = pending.close(b"{}");
    let _second = pending.close(b"[]");
}

fn main() {}
