//! Requests that nobody sent, for the engine to decide: described in words, or
//! written out as HTTP.

mod claims;
mod http;
mod log;
mod mcp;

use std::collections::BTreeMap;

use mcp_boundary_engine::{Attribute, Engine, Head, Outcome};
use prost::Message as _;
use serde_json::{Map, Value};

pub use claims::{Metadata, metadata};
pub use http::HttpError;
pub use log::{Logged, Untold};
pub use mcp::{Asked, Call, Unclear};

/// Who sends a request, as the proxy knows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Caller {
    /// Claims of checked tokens, by the key that a provider writes them to.
    pub tokens: BTreeMap<String, Map<String, Value>>,
    /// The first URI name in the client's certificate.
    pub peer_uri: Option<String>,
    /// The first DNS name in it.
    pub peer_dns: Option<String>,
}

/// A request as a filter sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Header lines, pseudo-headers first, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body; `None` for a request without one.
    pub body: Option<Vec<u8>>,
    /// Who sends it.
    pub caller: Caller,
}

impl Request {
    /// What the engine makes of it.
    pub fn decide(&self, engine: &Engine) -> Outcome {
        let body = self.body.as_deref().unwrap_or_default();
        self.with_head(engine, |head| engine.decide(*head, body))
    }

    /// Adds header lines, and says who sends it.
    pub fn send(&mut self, headers: &[(String, String)], caller: Caller) {
        let lines = headers.iter();
        let lines = lines.map(|(name, value)| (name.clone(), value.clone().into_bytes()));
        self.headers.extend(lines);
        self.caller = caller;
    }

    /// Something about its head.
    pub fn with_head<T>(&self, engine: &Engine, ask: impl FnOnce(&Head<'_>) -> T) -> T {
        let lines: Vec<(&[u8], &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_slice()))
            .collect();
        let attributes: Vec<_> = engine
            .attributes()
            .iter()
            .map(|attribute| self.caller.attribute(*attribute))
            .collect();
        ask(&Head {
            headers: &lines,
            end_of_stream: self.body.as_ref().is_none_or(Vec::is_empty),
            attributes: &attributes,
            record: None,
        })
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let mut lines = self.headers.iter();
        lines
            .find(|(line, _)| line == name)
            .map(|(_, value)| value.as_slice())
    }
}

impl Caller {
    fn attribute(&self, attribute: Attribute) -> Option<Vec<u8>> {
        let text = |text: &Option<String>| text.clone().map(String::into_bytes);
        match attribute {
            Attribute::Metadata => {
                let tokens = self.tokens.iter();
                let tokens = tokens.map(|(payload, claims)| (payload.as_str(), claims));
                Some(metadata(tokens).encode_to_vec())
            }
            Attribute::PeerUri => text(&self.peer_uri),
            Attribute::PeerDns => text(&self.peer_dns),
        }
    }

    /// A name of a certificate, as `spiffe://…` or `agent.example`.
    pub fn peer(&mut self, name: &str) {
        let place = match name.contains("://") {
            true => &mut self.peer_uri,
            false => &mut self.peer_dns,
        };
        place.get_or_insert_with(|| name.to_owned());
    }
}
