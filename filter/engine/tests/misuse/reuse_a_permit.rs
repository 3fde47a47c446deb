//! What permits one request permits no other.
use mcp_boundary_engine::{Effect, Outcome};

fn reuse(permitted: Outcome, refused: Outcome) -> Option<Outcome> {
    let Effect::Forward { permit, .. } = permitted.effect else {
        return None;
    };
    let effect = Effect::Forward {
        permit,
        edits: Vec::new(),
        record: None,
    };
    Some(Outcome { effect, ..refused })
}

fn main() {}
