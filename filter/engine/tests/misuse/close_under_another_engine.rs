//! The engine that looked at the headers decides on the body.
use mcp_boundary_engine::{Engine, Pending};

fn elsewhere(pending: Pending, lax: &Engine) {
    let _outcome = pending.close(lax, b"{}");
}

fn main() {}
