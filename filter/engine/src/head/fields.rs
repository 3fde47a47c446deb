//! The request as the host hands it over, and the headers the boundary reads.
//! Contract section 4, last rows.
//!
//! # Trust boundary
//!
//! A [`Field`] tells a value only if there was exactly one line of visible
//! ASCII with no twin that another server would read instead. Everything
//! about other headers is ignored, and their bytes are never decoded.

use std::borrow::Cow;

use crate::answer::reason::{Reason, Refusal};

/// The header that names the revision.
pub(crate) const VERSION_HEADER: &str = "mcp-protocol-version";
/// Mirrors `method`.
pub(crate) const METHOD_HEADER: &str = "mcp-method";
/// Mirrors a name, URI or task id.
pub(crate) const NAME_HEADER: &str = "mcp-name";

/// A request's headers, and what the host knows beside them.
///
/// ```
/// use mcp_boundary_engine::Head;
///
/// let headers: Vec<(&[u8], &[u8])> = vec![
///     (b":method", b"POST"),
///     (b":authority", b"mcp.example.com"),
///     (b":path", b"/mcp"),
///     (b"content-type", b"application/json"),
///     (b"mcp-protocol-version", b"2025-11-25"),
/// ];
/// let head = Head {
///     headers: &headers,
///     ..Head::default()
/// };
/// assert!(!head.end_of_stream, "a body follows");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// All header lines in order, pseudo-headers included.
    pub headers: &'a [(&'a [u8], &'a [u8])],
    /// Whether the request has neither body nor trailers.
    pub end_of_stream: bool,
    /// The bytes that the host has of each of
    /// [`Engine::attributes`](crate::Engine::attributes), in that order; `None`
    /// or a missing entry is what could not be read.
    pub attributes: &'a [Option<Vec<u8>>],
    /// For a recheck: what admit recorded.
    pub record: Option<&'a [u8]>,
}

impl<'a> Head<'a> {
    /// The first line of a header, for pseudo-headers, which cannot repeat.
    pub(crate) fn pseudo(&self, name: &[u8]) -> &'a [u8] {
        let mut lines = self.headers.iter();
        lines
            .find(|(line, _)| *line == name)
            .map_or(b"", |(_, value)| *value)
    }
}

/// What a browser's preflight has, and nothing else. Fetch, "CORS protocol".
const PREFLIGHT: &[u8] = b"access-control-request-method";

/// Headers that are read on every request.
pub(crate) const READ: [&str; 9] = [
    VERSION_HEADER,
    METHOD_HEADER,
    NAME_HEADER,
    "mcp-session-id",
    "content-type",
    "content-encoding",
    "content-length",
    "origin",
    "accept",
];

/// Why a header has no single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Repeated,
    Empty,
    NotAscii,
    Twin,
    HopByHop,
}

impl Fault {
    /// Ends a sentence that began with the header's name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Repeated => "is sent more than once",
            Self::Empty => "is empty",
            Self::NotAscii => "holds bytes outside visible ASCII",
            Self::Twin => "has a twin spelled with an underscore",
            Self::HopByHop => "is named by `connection`",
        }
    }

    /// A sentence for a person, about the header of this name.
    pub(crate) fn told(self, name: &str) -> String {
        let advice = match self {
            Self::Repeated => "send it once",
            Self::Empty => "give it a value, or leave it out where it is not needed",
            Self::NotAscii if name == NAME_HEADER => {
                "send base64 of the name's UTF-8 between `=?base64?` and `?=`"
            }
            Self::NotAscii => "send only visible ASCII",
            Self::Twin => "send only the one with hyphens",
            Self::HopByHop => "leave its name out of `connection`",
        };
        format!("the header `{name}` {}; {advice}", self.as_str())
    }

    /// The refusal of a request with this header.
    pub(crate) fn ambiguous(self, name: &str) -> Refusal {
        Refusal::new(Reason::HeaderAmbiguous, self.told(name))
    }
}

/// One header that is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    /// Trimmed of spaces and tabs, only of them. RFC 9110 section 5.5.
    pub(crate) lines: Vec<String>,
    fault: Option<Fault>,
}

impl Field {
    fn push(&mut self, value: &[u8]) {
        let value = value.trim_ascii_ows();
        let visible = |byte: &u8| matches!(byte, b' ' | b'\t' | 0x21..=0x7e);
        match std::str::from_utf8(value) {
            Ok(text) if value.iter().all(visible) => {
                if text.is_empty() {
                    self.mark(Fault::Empty);
                } else if !self.lines.is_empty() {
                    self.mark(Fault::Repeated);
                }
                self.lines.push(text.to_owned());
            }
            _ => self.mark(Fault::NotAscii),
        }
    }

    /// The first fault stays, but a repeat never hides another one: it is the
    /// only one that a `compat` switch forgives.
    fn mark(&mut self, fault: Fault) {
        if matches!(self.fault, None | Some(Fault::Repeated)) {
            self.fault = Some(fault);
        }
    }

    /// All that is known of it, for a fingerprint.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let fault = self.fault.map_or("", Fault::as_str);
        [&self.lines.join("\n"), fault].join("\n").into_bytes()
    }

    /// The one value, or none, or why there is no telling.
    pub(crate) fn one(&self) -> Result<Option<&str>, Fault> {
        match self.fault {
            None => Ok(self.lines.first().map(String::as_str)),
            Some(fault) => Err(fault),
        }
    }
}

trait TrimOws {
    fn trim_ascii_ows(&self) -> &Self;
}

impl TrimOws for [u8] {
    fn trim_ascii_ows(&self) -> &[u8] {
        let mut rest = self;
        while let [b' ' | b'\t', tail @ ..] = rest {
            rest = tail;
        }
        while let [head @ .., b' ' | b'\t'] = rest {
            rest = head;
        }
        rest
    }
}

/// The headers that are read, and some facts about the others.
#[derive(Debug)]
pub(crate) struct Fields {
    fields: Vec<(Cow<'static, str>, Field)>,
    /// Values of `mcp-param-*` lines.
    pub(crate) params: Vec<Vec<u8>>,
    /// Whether the client asks for another protocol.
    pub(crate) upgrade: bool,
    /// Whether a browser asks what a page may send.
    pub(crate) preflight: bool,
}

impl Fields {
    /// Collects what is read; `principals` are the headers that rules name.
    pub(crate) fn collect(head: &Head<'_>, principals: &[String]) -> Self {
        let read = READ.into_iter().map(Cow::Borrowed);
        let named = principals.iter().cloned().map(Cow::Owned);
        let mut fields = Self {
            fields: read
                .chain(named)
                .map(|name| (name, Field::default()))
                .collect(),
            params: Vec::new(),
            upgrade: false,
            preflight: false,
        };
        for (name, value) in head.headers {
            fields.line(name, value);
        }
        fields
    }

    fn line(&mut self, name: &[u8], value: &[u8]) {
        if name.eq_ignore_ascii_case(b"connection") {
            for token in value.split(|byte| *byte == b',') {
                if let Some(field) = self.find(token.trim_ascii_ows(), false) {
                    field.mark(Fault::HopByHop);
                }
            }
        } else if name.eq_ignore_ascii_case(b"upgrade") {
            self.upgrade = true;
        } else if name.eq_ignore_ascii_case(PREFLIGHT) {
            self.preflight = true;
        } else if let Some(prefix) = name.get(..10)
            && prefix.eq_ignore_ascii_case(b"mcp-param-")
        {
            self.params.push(value.trim_ascii_ows().to_vec());
        } else if let Some(field) = self.find(name, false) {
            field.push(value);
        } else if name.contains(&b'_')
            && let Some(field) = self.find(name, true)
        {
            field.mark(Fault::Twin);
        }
    }

    /// The field of that name; `twins` also takes underscores for hyphens, as
    /// CGI-like servers do.
    fn find(&mut self, name: &[u8], twins: bool) -> Option<&mut Field> {
        let same = |wanted: &[u8]| {
            wanted.len() == name.len()
                && wanted.iter().zip(name).all(|(wanted, byte)| {
                    wanted.eq_ignore_ascii_case(byte) || (twins && *wanted == b'-' && *byte == b'_')
                })
        };
        let mut fields = self.fields.iter_mut();
        fields
            .find(|(wanted, _)| same(wanted.as_bytes()))
            .map(|(_, field)| field)
    }

    /// A field by the name it was collected under.
    pub(crate) fn get(&self, name: &str) -> &Field {
        const ABSENT: &Field = &Field {
            lines: Vec::new(),
            fault: None,
        };
        let mut fields = self.fields.iter();
        fields
            .find(|(wanted, _)| wanted == name)
            .map_or(ABSENT, |(_, field)| field)
    }
}
