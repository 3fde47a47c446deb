//! Decides about MCP requests. Pure: a plain request in, a plain outcome out;
//! no proxy, no clock, no I/O.
//!
//! A request goes one way, each stage taking only what the previous one made,
//! so that none can be skipped:
//!
//! ```text
//! headers -> http      endpoint, verb, media type, size, origin
//! bytes   -> json      StrictJson   one strict pass, no ambiguity left
//!         -> envelope  Payload      JSON-RPC messages
//!         -> revision  Selected     exactly one revision governs
//!         -> inspect   Profiled     every call fits that revision
//!         -> mirrors   Agreed       headers say what the body says
//!         -> operations Operations  what policy can name
//!         -> authorize Decision     what the rules say
//!         -> verdict, effect        what is logged, what the proxy does
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented
    )
)]

mod audit;
mod authorize;
mod claims;
mod effect;
mod endpoint;
mod engine;
mod envelope;
mod glob;
mod hash;
mod host;
mod http;
mod inspect;
mod json;
pub mod methods;
mod mirrors;
pub mod near;
mod operations;
mod outcome;
mod pending;
mod principals;
mod protobuf;
mod recheck;
mod record;
mod request;
mod revision;
mod show;
mod since;
mod uri;
mod verdict;

use mcp_boundary_format::Endpoint;

pub use audit::{Counted, Seen};
use authorize::Decision;
pub use authorize::{Operation, OperationKind};
pub use claims::is_list_of_words;
pub use effect::{Effect, HeaderEdit};
pub use engine::{Engine, Role, Step};
use envelope::Payload;
use inspect::Profiled;
use json::ReadJson;
use mirrors::Agreed;
use operations::Operations;
pub use operations::is_strict_tool_name;
pub use outcome::Outcome;
use outcome::{Facts, Passed};
pub use pending::Pending;
pub use principals::Attribute;
pub use request::Head;
use revision::{Claim, Selected};
pub use uri::{UriFault, template_fault, uri_fault};
use verdict::Refusal;
pub use verdict::{Kind, Reason, Verdict, code};

/// The body phase of a POST: one stage a line, each on what the previous one
/// made. `facts` keeps what the answer and the log need, also if a stage
/// refuses.
fn decide(
    request: &Pending,
    engine: &Engine,
    endpoint: &Endpoint,
    body: &[u8],
    facts: &mut Facts,
) -> Result<Passed, Refusal> {
    let forbidden = engine.role().forbidden_arguments(endpoint);
    let json = ReadJson::parse(body, endpoint.limits, forbidden)?;
    facts.reply.id = json.reply_id();
    let payload = Payload::check(json.strict()?, endpoint.limits)?;
    facts.reply.silent = payload.expects_no_answer();
    facts.reply.offered(&payload);
    http::check_length(&request.fields, engine.role(), body)?;
    let claim = Claim::read(request.version(), endpoint)?;
    let selected = Selected::choose(&payload, claim, endpoint)?;
    facts.select(selected);
    let profiled = Profiled::inspect(payload, selected)?;
    let agreed = Agreed::compare(profiled, &request.fields, endpoint.compat)?;
    let operations = Operations::of(&agreed, endpoint)?;
    let decision = Decision::make(operations, endpoint, &request.principals(engine));
    facts.edits = effect::edits(claim, decision.operations.drop_mirrors());
    facts.operations = decision.operations.into_list();
    decision
        .outcome
        .map(|rule| Passed::by_rule(rule, &facts.operations))
}
