//! Only a header phase leaves a request whose body is awaited.
use mcp_boundary_engine::Pending;

fn pending(opened: ()) -> Pending {
    Pending(opened)
}

fn main() {}
