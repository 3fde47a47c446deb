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
    let mut known = (Edits::default(), false);
    while let Some(piece) = asked.data().await {
        let piece = piece.context("the stream broke off")?;
        let _ = asked.flow_control().release_capacity(piece.len());
        held.extend_from_slice(&piece);
        while let Some(message) = next(&mut held) {
            let request = ProcessingRequest::decode(message).context("not a request")?;
            let answer = answer(request.asked, &mut known).encode_to_vec();
            answers
                .send_data(framed(&answer), false)
                .context("cannot answer")?;
        }
    }
    let mut status = HeaderMap::new();
    status.insert("grpc-status", http::HeaderValue::from_static("0"));
    answers.send_trailers(status).context("cannot end")
}

/// Answers one message; `edits` and whether a length was `stated` are known from
/// the headers.
fn answer(asked: Option<Asked>, (edits, stated): &mut (Edits, bool)) -> ProcessingResponse {
    let wrap = |common| Wrapped {
        response: Some(common),
    };
    let answered = match asked {
        Some(Asked::RequestHeaders(headers)) => {
            *edits = Edits::read(|name| headers.value(name));
            *stated = headers.value("content-length").is_some();
            // With a body to come everything is rewritten at once, behind it.
            let common = match headers.end_of_stream {
                true => Common::of(edits.set.as_slice(), None),
                false => Common::default(),
            };
            Answered::RequestHeaders(wrap(common))
        }
        Some(Asked::RequestBody(body)) => {
            let new = edits.body(&body.body);
            // Envoy fails a request whose stated length it would have to drop.
            let length = new.as_ref().filter(|_| *stated);
            let length = length.map(|new| ("content-length".to_owned(), new.len().to_string()));
            let set: Vec<_> = edits.set.iter().cloned().chain(length).collect();
            Answered::RequestBody(wrap(Common::of(&set, new)))
        }
        None => Answered::RequestHeaders(wrap(Common::default())),
    };
    ProcessingResponse {
        answered: Some(answered),
    }
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
