//! What is on the wire beside the request itself.

use serde::Deserialize;

/// How a request is put on the wire.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// `h2`, or HTTP/1.1 if absent.
    pub http: Option<Http>,
    /// Trailers after the body.
    #[serde(default)]
    pub trailers: Vec<(String, String)>,
    /// Sends the body in pieces of these sizes; the last one repeats.
    #[serde(default)]
    pub chunk_sizes: Vec<usize>,
    /// Not a request an HTTP library would send: only Envoy can run it.
    #[serde(default)]
    pub raw: Raw,
    /// Bytes the server may see of a refused request. Nothing but 0 makes
    /// sense, and that is checked for every refused request anyway.
    pub assert_upstream_bytes: Option<u64>,
    /// Checked for every forwarded request anyway.
    #[serde(default)]
    pub assert_upstream_body_identical: bool,
}

/// The version of HTTP a case is sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Http {
    /// HTTP/2 without TLS.
    #[serde(rename = "h2")]
    H2,
    /// HTTP/1.1.
    #[serde(rename = "http/1.1", alias = "h1")]
    Http11,
}

/// Whether the request is malformed below HTTP's semantics.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Raw {
    /// The listed headers say everything about framing.
    Flag(bool),
    /// These latin-1 bytes are the whole request.
    Bytes(String),
}

impl Default for Raw {
    fn default() -> Self {
        Self::Flag(false)
    }
}
