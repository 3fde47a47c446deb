//! The part of `envoy.service.ext_proc.v3` that a rewriter of requests needs;
//! field numbers are those of its `.proto` files.

use prost::{Message, Oneof};

/// What Envoy says.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingRequest {
    #[prost(oneof = "Asked", tags = "2, 4")]
    pub(super) asked: Option<Asked>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Asked {
    #[prost(message, tag = "2")]
    RequestHeaders(HttpHeaders),
    #[prost(message, tag = "4")]
    RequestBody(HttpBody),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpHeaders {
    #[prost(message, optional, tag = "1")]
    headers: Option<HeaderMap>,
    #[prost(bool, tag = "3")]
    pub(super) end_of_stream: bool,
}

impl HttpHeaders {
    /// The first value of the header `name` (lower case).
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let lines = &self.headers.as_ref()?.headers;
        let line = lines.iter().find(|line| line.key == name)?;
        Some(match line.raw_value.as_slice() {
            [] => line.value.clone(),
            raw => String::from_utf8_lossy(raw).into_owned(),
        })
    }
}

#[derive(Clone, PartialEq, Message)]
struct HeaderMap {
    #[prost(message, repeated, tag = "1")]
    headers: Vec<HeaderValue>,
}

#[derive(Clone, PartialEq, Message)]
struct HeaderValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
    #[prost(bytes = "vec", tag = "3")]
    raw_value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpBody {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) body: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub(super) end_of_stream: bool,
}

/// What the processor answers.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingResponse {
    #[prost(oneof = "Answered", tags = "1, 3")]
    pub(super) answered: Option<Answered>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Answered {
    #[prost(message, tag = "1")]
    RequestHeaders(Wrapped),
    #[prost(message, tag = "3")]
    RequestBody(Wrapped),
}

/// `HeadersResponse` and `BodyResponse`, which have the same fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Wrapped {
    #[prost(message, optional, tag = "1")]
    pub(super) response: Option<Common>,
}

/// `CommonResponse`; its default leaves everything as it is.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Common {
    #[prost(message, optional, tag = "2")]
    header_mutation: Option<HeaderMutation>,
    #[prost(message, optional, tag = "3")]
    body_mutation: Option<BodyMutation>,
}

impl Common {
    /// Sets headers to values, and replaces the body.
    pub(super) fn of(set: &[(String, String)], body: Option<Vec<u8>>) -> Self {
        let option = |(name, value): &(String, String)| HeaderValueOption {
            header: Some(HeaderValue {
                key: name.clone(),
                value: String::new(),
                raw_value: value.clone().into_bytes(),
            }),
            append_action: OVERWRITE_IF_EXISTS_OR_ADD,
        };
        let header_mutation = (!set.is_empty()).then(|| HeaderMutation {
            set_headers: set.iter().map(option).collect(),
        });
        Self {
            header_mutation,
            body_mutation: body.map(|body| BodyMutation {
                body,
                streamed: None,
            }),
        }
    }

    /// A piece of the new body, in full duplex.
    pub(super) fn streamed(body: Vec<u8>, end_of_stream: bool) -> Self {
        let streamed = StreamedBody {
            body,
            end_of_stream,
        };
        Self {
            header_mutation: None,
            body_mutation: Some(BodyMutation {
                body: Vec::new(),
                streamed: Some(streamed),
            }),
        }
    }
}

const OVERWRITE_IF_EXISTS_OR_ADD: i32 = 2;

#[derive(Clone, PartialEq, Message)]
struct HeaderMutation {
    #[prost(message, repeated, tag = "1")]
    set_headers: Vec<HeaderValueOption>,
}

#[derive(Clone, PartialEq, Message)]
struct HeaderValueOption {
    #[prost(message, optional, tag = "1")]
    header: Option<HeaderValue>,
    #[prost(int32, tag = "3")]
    append_action: i32,
}

#[derive(Clone, PartialEq, Message)]
struct BodyMutation {
    #[prost(bytes = "vec", tag = "1")]
    body: Vec<u8>,
    /// One of the two.
    #[prost(message, optional, tag = "3")]
    streamed: Option<StreamedBody>,
}

#[derive(Clone, PartialEq, Message)]
struct StreamedBody {
    #[prost(bytes = "vec", tag = "1")]
    body: Vec<u8>,
    #[prost(bool, tag = "2")]
    end_of_stream: bool,
}
