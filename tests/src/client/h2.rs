//! HTTP/2 without TLS.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::{Fields, PATIENCE, Request, Response};
use crate::error::{Context, Result};

pub(super) fn exchange(to: SocketAddr, request: &Request) -> Result<Response> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the HTTP/2 client")?;
    runtime
        .block_on(async { timeout(PATIENCE, send(to, request)).await })
        .context("no complete answer within ten seconds")?
}

async fn send(to: SocketAddr, request: &Request) -> Result<Response> {
    let stream = TcpStream::connect(to)
        .await
        .context(format!("cannot connect to `{to}`"))?;
    let (mut client, connection) = h2::client::handshake(stream)
        .await
        .context("no HTTP/2 connection")?;
    tokio::spawn(connection);

    let authority = request.authority.as_deref().unwrap_or_default();
    let mut head = http::Request::builder()
        .method(request.method.as_str())
        .uri(format!("http://{authority}{}", request.path))
        .body(())
        .context("HTTP/2 cannot express this request")?;
    *head.headers_mut() = fields(&request.headers)?;
    if let Some(body) = &request.body
        && !request.lists("content-length")
    {
        head.headers_mut()
            .insert("content-length", body.len().into());
    }
    let last_is_head = request.body.is_none() && request.trailers.is_empty();
    let (answer, mut sending) = client
        .send_request(head, last_is_head)
        .context("cannot send the request's head")?;
    // A proxy that refuses at the headers resets the stream while the body is
    // being sent; the answer says why, so a failed send is no failure here.
    if !last_is_head {
        let _ = send_body(&mut sending, request);
    }

    let answer = answer.await.context("no answer")?;
    let status = answer.status().as_u16();
    let headers = answer
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    let mut receiving = answer.into_body();
    let mut body = Vec::new();
    while let Some(piece) = receiving.data().await {
        let piece = piece.context("the answer's body breaks off")?;
        let _ = receiving.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
    }
    Ok(Response {
        status,
        headers,
        body,
    })
}

fn send_body(sending: &mut h2::SendStream<Bytes>, request: &Request) -> Result<()> {
    let pieces = request.body_pieces();
    let trailers = fields(&request.trailers)?;
    let last = pieces.len().checked_sub(1);
    for (index, piece) in pieces.iter().enumerate() {
        let end = Some(index) == last && trailers.is_empty();
        sending
            .send_data(Bytes::copy_from_slice(piece), end)
            .context("cannot send the body")?;
    }
    if !trailers.is_empty() {
        sending
            .send_trailers(trailers)
            .context("cannot send the trailers")?;
    } else if last.is_none() {
        sending
            .send_data(Bytes::new(), true)
            .context("cannot end the request")?;
    }
    Ok(())
}

fn fields(fields: &Fields) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        let shown = String::from_utf8_lossy(name);
        let name = HeaderName::from_bytes(name)
            .context(format!("HTTP/2 cannot express the header name `{shown}`"))?;
        let value = HeaderValue::from_bytes(value)
            .context(format!("HTTP/2 cannot express the value of `{shown}`"))?;
        map.append(name, value);
    }
    Ok(map)
}
