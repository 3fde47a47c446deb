//! An external processor for Envoy's ext_proc filter: it rewrites requests as
//! their own headers tell it to.
//!
//! gRPC is HTTP/2 with length-prefixed messages and a status in the trailers,
//! and of the protocol's messages a rewriter needs few fields; both are written
//! out here instead of building all of Envoy's definitions.

mod messages;

use std::net::{SocketAddr, TcpListener};
use std::thread;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use h2::RecvStream;
use h2::server::SendResponse;
use http::HeaderMap;
use prost::Message as _;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::error::{Context, Result};
use crate::rewriter::Edits;
use messages::{Answered, Asked, Common, ProcessingRequest, ProcessingResponse, Wrapped};

/// Length of what precedes each message of a gRPC stream: a flag and a length.
const PREFIX: usize = 5;

/// The header that says that bodies are sent in full duplex.
pub const DUPLEX: &str = "x-duplex";

/// Its value if each piece of a body is to come back at once, as it is.
pub const ECHO: &str = "echo";

/// The filter in full duplex: `FULL_DUPLEX_STREAMED`. Every request must have
/// the header [`DUPLEX`] then, and a body.
pub fn full_duplex() -> Value {
    json!({
        "name": "envoy.filters.http.ext_proc",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
            "grpc_service": { "envoy_grpc": { "cluster_name": CLUSTER } },
            "failure_mode_allow": false,
            "message_timeout": "5s",
            "processing_mode": {
                "request_header_mode": "SEND",
                "request_body_mode": "FULL_DUPLEX_STREAMED",
                "request_trailer_mode": "SEND",
                "response_header_mode": "SKIP",
            },
        },
    })
}

/// The name of its cluster.
pub const CLUSTER: &str = "ext_proc";

/// Starts the processor on a free loopback port; it runs until the process
/// ends.
///
/// # Errors
/// If no port can be bound.
pub fn start() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("the processor cannot listen")?;
    let address = listener.local_addr().context("no local address")?;
    listener
        .set_nonblocking(true)
        .context("the processor's socket cannot be shared")?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the processor")?;
    thread::spawn(move || runtime.block_on(accept(listener)));
    Ok(address)
}

/// The cluster of a processor at `address`.
pub fn cluster(address: SocketAddr) -> Value {
    let socket = json!({ "address": address.ip().to_string(), "port_value": address.port() });
    let endpoint = json!({ "endpoint": { "address": { "socket_address": socket } } });
    json!({
        "name": CLUSTER,
        "type": "STATIC",
        "connect_timeout": "5s",
        "load_assignment": {
            "cluster_name": CLUSTER,
            "endpoints": [{ "lb_endpoints": [endpoint] }],
        },
        "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": { "http2_protocol_options": {} },
            },
        },
    })
}

async fn accept(listener: TcpListener) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => panic!("the processor cannot listen: {error}"),
    };
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let Ok(mut connection) = h2::server::handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, respond))) = connection.accept().await {
                tokio::spawn(async move {
                    // A broken stream is Envoy's to notice: it fails the request.
                    let _ = process(request.into_body(), respond).await;
                });
            }
        });
    }
}

/// One request of a client: its headers, then its body.
async fn process(mut asked: RecvStream, mut respond: SendResponse<Bytes>) -> Result<()> {
    let head = http::Response::builder()
        .header("content-type", "application/grpc")
        .body(())
        .context("no head")?;
    let mut answers = respond.send_response(head, false).context("no answer")?;
    let mut held = BytesMut::new();
    let mut known = Known::default();
    while let Some(piece) = asked.data().await {
        let piece = piece.context("the stream broke off")?;
        let _ = asked.flow_control().release_capacity(piece.len());
        held.extend_from_slice(&piece);
        while let Some(message) = next(&mut held) {
            let request = ProcessingRequest::decode(message).context("not a request")?;
            for answer in answer(request.asked, &mut known) {
                answers
                    .send_data(framed(&answer.encode_to_vec()), false)
                    .context("cannot answer")?;
            }
        }
    }
    let mut status = HeaderMap::new();
    status.insert("grpc-status", http::HeaderValue::from_static("0"));
    answers.send_trailers(status).context("cannot end")
}

/// What is known of a request from what Envoy said before.
#[derive(Debug, Default)]
struct Known {
    edits: Edits,
    /// A length was stated.
    stated: bool,
    /// In full duplex: each piece is given back at once, as it is.
    echo: bool,
    /// In full duplex: the body so far.
    streamed: Option<Vec<u8>>,
}

/// Pieces in which a body is given back in full duplex.
const PIECE: usize = 30_000;

/// Answers one message; in full duplex a body only when it is whole, and then in
/// pieces.
fn answer(asked: Option<Asked>, known: &mut Known) -> Vec<ProcessingResponse> {
    let wrap = |common| Wrapped {
        response: Some(common),
    };
    let answered = match asked {
        Some(Asked::RequestHeaders(headers)) => {
            known.edits = Edits::read(|name| headers.value(name));
            known.stated = headers.value("content-length").is_some();
            known.streamed = headers.value(DUPLEX).map(|_| Vec::new());
            known.echo = headers.value(DUPLEX).as_deref() == Some(ECHO);
            // With a body to come everything is rewritten at once, behind it.
            let common = match headers.end_of_stream {
                true => Common::of(known.edits.set.as_slice(), None),
                false => Common::default(),
            };
            vec![Answered::RequestHeaders(wrap(common))]
        }
        Some(Asked::RequestBody(body)) => match &mut known.streamed {
            Some(_) if known.echo => {
                let piece = Common::streamed(body.body, body.end_of_stream);
                vec![Answered::RequestBody(wrap(piece))]
            }
            Some(held) => {
                held.extend_from_slice(&body.body);
                if !body.end_of_stream {
                    return Vec::new();
                }
                let new = known.edits.body(held).unwrap_or_else(|| held.clone());
                let count = new.len().div_ceil(PIECE).max(1);
                let pieces = (1..=count).zip(new.chunks(PIECE));
                let piece =
                    |(at, piece): (usize, &[u8])| Common::streamed(piece.to_vec(), at == count);
                pieces
                    .map(|piece_at| Answered::RequestBody(wrap(piece(piece_at))))
                    .collect()
            }
            None => {
                let new = known.edits.body(&body.body);
                // Envoy fails a request whose stated length it would have to drop.
                let length = new.as_ref().filter(|_| known.stated);
                let length = length.map(|new| ("content-length".to_owned(), new.len().to_string()));
                let set: Vec<_> = known.edits.set.iter().cloned().chain(length).collect();
                vec![Answered::RequestBody(wrap(Common::of(&set, new)))]
            }
        },
        None => vec![Answered::RequestHeaders(wrap(Common::default()))],
    };
    let response = |answered| ProcessingResponse {
        answered: Some(answered),
    };
    answered.into_iter().map(response).collect()
}

/// The next whole message of a gRPC stream.
fn next(held: &mut BytesMut) -> Option<BytesMut> {
    let mut prefix = held.get(..PREFIX)?;
    prefix.advance(1);
    let length = usize::try_from(prefix.get_u32()).ok()?;
    if held.len() < PREFIX + length {
        return None;
    }
    held.advance(PREFIX);
    Some(held.split_to(length))
}

fn framed(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(PREFIX + message.len());
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    bytes.put_slice(message);
    bytes.freeze()
}
