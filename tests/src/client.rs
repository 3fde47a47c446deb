//! HTTP clients that send exactly what they are told.
//!
//! An ordinary client tidies a request up: it merges header lines, fixes
//! lengths, refuses bytes. A boundary is tested with requests that nobody
//! tidied up.

mod connection;
mod h1;
mod h2;
mod tls;

use std::net::SocketAddr;
use std::time::Duration;

use crate::error::Result;

pub use connection::Connection;
pub use tls::Trust;

/// How long one exchange may take. Nothing here takes a second; this is for a
/// proxy that hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same for bytes that may be half a request, which nobody answers.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

/// Field lines: name and value as they are sent.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// A request to be sent as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The verb.
    pub method: String,
    /// The request target.
    pub path: String,
    /// Host or `:authority`; left out when the headers list a host.
    pub authority: Option<String>,
    /// Headers in order. Length and framing are added unless listed here.
    pub headers: Fields,
    /// The body; `None` sends no length either.
    pub body: Option<Vec<u8>>,
    /// Sizes of the pieces the body is sent in, the last one repeating; in one
    /// piece if empty.
    pub chunk_sizes: Vec<usize>,
    /// Trailers after the body.
    pub trailers: Fields,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body without its framing.
    pub body: Vec<u8>,
    /// Trailers after the body, names in lower case.
    pub trailers: Vec<(String, Vec<u8>)>,
}

impl Request {
    /// A POST of `body` to `path` at `authority`, with the headers of an MCP
    /// client of `revision` (none for a client that sends no version).
    pub fn mcp(authority: &str, path: &str, revision: Option<&str>, body: &str) -> Self {
        let mut headers: Fields = vec![
            (b"content-type".to_vec(), b"application/json".to_vec()),
            (
                b"accept".to_vec(),
                b"application/json, text/event-stream".to_vec(),
            ),
        ];
        if let Some(revision) = revision {
            headers.push((b"mcp-protocol-version".to_vec(), revision.into()));
        }
        Self {
            method: "POST".to_owned(),
            path: path.to_owned(),
            authority: Some(authority.to_owned()),
            headers,
            body: Some(body.as_bytes().to_vec()),
            ..Self::default()
        }
    }

    /// The same request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// As HTTP/1.1 writes it, in two: all but the last byte, and that byte.
    pub fn halves(&self) -> (Vec<u8>, Vec<u8>) {
        let mut bytes = self.to_bytes();
        let last = bytes.split_off(bytes.len().saturating_sub(1));
        (bytes, last)
    }

    /// Sends it over a new HTTP/1.1 connection.
    ///
    /// # Errors
    /// If no answer comes within ten seconds or what comes is no answer.
    pub fn send(&self, to: SocketAddr) -> Result<Response> {
        h1::exchange(to, &h1::pieces(self), PATIENCE, self.method == "HEAD")
    }

    /// Sends it over a new HTTP/2 connection without TLS.
    ///
    /// # Errors
    /// As [`Request::send`]; also if HTTP/2 cannot express the request.
    pub fn send_h2(&self, to: SocketAddr) -> Result<Response> {
        h2::exchange(to, None, self)
    }

    /// Sends it over a new connection with TLS, on which the server must agree
    /// to speak HTTP/2.
    ///
    /// # Errors
    /// As [`Request::send_h2`]; also if the server's certificate is not the
    /// trusted one.
    pub fn send_tls(&self, to: SocketAddr, trust: &Trust) -> Result<Response> {
        h2::exchange(to, Some(trust), self)
    }

    /// Whether HTTP/2 can carry the request.
    ///
    /// # Errors
    /// What cannot be expressed.
    pub fn fits_h2(&self) -> Result<()> {
        h2::head(self).map(drop)
    }

    /// The bytes that [`Request::send`] writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        h1::pieces(self).concat()
    }

    fn lists(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(listed, _)| listed.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// The body cut into the pieces it is sent in.
    fn body_pieces(&self) -> Vec<&[u8]> {
        let mut rest = self.body.as_deref().unwrap_or_default();
        let mut sizes = self.chunk_sizes.iter();
        let mut size = rest.len();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            size = *sizes.next().unwrap_or(&size);
            let (piece, after) = rest.split_at(size.clamp(1, rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces
    }
}

impl Response {
    /// The first value of the header `name` (lower case), as text.
    pub fn header(&self, name: &str) -> Option<String> {
        let (_, value) = self.headers.iter().find(|(listed, _)| listed == name)?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    /// The body as JSON, if it is.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Sends `bytes` as they are over a new connection and reads one answer.
///
/// # Errors
/// As [`Request::send`], but after two seconds: they may be half a request.
pub fn send_bytes(to: SocketAddr, bytes: &[u8]) -> Result<Response> {
    h1::exchange(to, &[bytes.to_vec()], SHORT_PATIENCE, false)
}

/// Sends the requests as streams of one HTTP/2 connection, all heads first and
/// then a piece of each body in turn, and reads the answer of each.
///
/// # Errors
/// If there is no connection; the inner ones as [`Request::send_h2`].
pub fn multiplex(
    to: SocketAddr,
    trust: Option<&Trust>,
    requests: &[Request],
) -> Result<Vec<Result<Response>>> {
    h2::multiplex(to, trust, requests)
}

/// Opens up to `limit` streams on one HTTP/2 connection, each with the whole
/// body but not its end, then does `meanwhile` before it hangs up. How many the
/// server took.
///
/// # Errors
/// If there is no connection.
pub fn leave_open(
    to: SocketAddr,
    request: &Request,
    limit: usize,
    meanwhile: impl FnOnce(),
) -> Result<usize> {
    h2::leave_open(to, request, limit, meanwhile)
}

/// Sends the request over HTTP/2 and says when which piece of the answer's body
/// came, counted from when the request was sent.
///
/// # Errors
/// As [`Request::send_h2`], if the answer is not over within `patience`.
pub fn watch(
    to: SocketAddr,
    trust: Option<&Trust>,
    request: &Request,
    patience: Duration,
) -> Result<Vec<(Duration, Vec<u8>)>> {
    h2::watch(to, trust, request, patience)
}

#[cfg(test)]
mod tests;
