//! Only the stages permit.
use mcp_boundary_engine::{Effect, Outcome};

fn forward(refused: Outcome) -> Outcome {
    let effect = Effect::Forward {
        edits: Vec::new(),
        record: None,
    };
    Outcome { effect, ..refused }
}

fn main() {}
