//! Claims of a checked token as Envoy hands them to a filter.

use mcp_boundary_engine::{Attribute, Engine};
pub use mcp_policy::request::Metadata;
use prost::Message as _;
use serde_json::{Map, Value};

use crate::corpus::Case;

/// What `jwt_authn` leaves of a token with these claims.
pub fn metadata(payload: &str, claims: &Map<String, Value>) -> Metadata {
    mcp_policy::request::metadata([(payload, claims)])
}

/// The bytes of each attribute that `engine` asks for, in a request of `case`.
/// No case has a client certificate.
pub fn attributes(engine: &Engine, case: &Case) -> Vec<Option<Vec<u8>>> {
    let found = |attribute: &Attribute| match attribute {
        Attribute::Metadata => {
            let (payload, claims) = case.token()?;
            Some(metadata(payload, claims?).encode_to_vec())
        }
        Attribute::PeerUri | Attribute::PeerDns => None,
    };
    engine.attributes().iter().map(found).collect()
}
