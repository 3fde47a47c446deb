//! What was decided must be done.
#![deny(unused_must_use)]
use mcp_boundary_engine::{Engine, Head};

fn ignore(engine: &Engine, head: Head<'_>) {
    engine.decide(head, b"{}");
    engine.open(head);
}

fn main() {}
