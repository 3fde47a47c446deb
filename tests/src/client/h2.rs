//! HTTP/2, with TLS and without.

use std::future::Future;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::{Fields, PATIENCE, Request, Response, Trust};
use crate::error::{Context, Result};

pub(super) fn exchange(
    to: SocketAddr,
    trust: Option<&Trust>,
    request: &Request,
) -> Result<Response> {
    run(PATIENCE, async {
        let mut client = dial(to, trust).await?;
        let (answer, mut body) = start(&mut client, request)?;
        while body.send_next() {}
        read(answer).await
    })
}

pub(super) fn multiplex(
    to: SocketAddr,
    trust: Option<&Trust>,
    requests: &[Request],
) -> Result<Vec<Result<Response>>> {
    run(PATIENCE, async {
        let mut client = dial(to, trust).await?;
        let mut answers = Vec::new();
        let mut bodies = Vec::new();
        for request in requests {
            client = client.ready().await.context("no further stream")?;
            let (answer, body) = start(&mut client, request)?;
            answers.push(answer);
            bodies.push(body);
        }
        let mut unsent = true;
        while unsent {
            unsent = false;
            for body in &mut bodies {
                unsent |= body.send_next();
            }
            // What was queued goes out before the next round.
            tokio::task::yield_now().await;
        }
        let mut responses = Vec::new();
        for answer in answers {
            responses.push(read(answer).await);
        }
        Ok(responses)
    })
}

pub(super) fn watch(
    to: SocketAddr,
    trust: Option<&Trust>,
    request: &Request,
    patience: Duration,
) -> Result<Vec<(Duration, Vec<u8>)>> {
    run(patience, async {
        let mut client = dial(to, trust).await?;
        let start_time = Instant::now();
        let (answer, mut body) = start(&mut client, request)?;
        while body.send_next() {}
        let mut receiving = answer.await.context("no answer")?.into_body();
        let mut pieces = Vec::new();
        while let Some(piece) = receiving.data().await {
            let piece = piece.context("the answer's body breaks off")?;
            let _ = receiving.flow_control().release_capacity(piece.len());
            pieces.push((start_time.elapsed(), piece.to_vec()));
        }
        Ok(pieces)
    })
}

/// Opens streams on one connection, `limit` at most, and leaves each with all of
/// its body but the end; then does `meanwhile` before it hangs up. How many
/// streams the server took.
pub(super) fn leave_open(
    to: SocketAddr,
    request: &Request,
    limit: usize,
    meanwhile: impl FnOnce(),
) -> Result<usize> {
    /// How long settings and what is queued may be on their way.
    const WAY: Duration = Duration::from_secs(1);
    run(Duration::from_secs(60), async {
        let mut client = dial(to, None).await?;
        // Until the server's settings are here, nothing bounds the streams.
        tokio::time::sleep(WAY).await;
        let taken = limit.min(client.current_max_send_streams());
        let mut streams = Vec::new();
        for _ in 0..taken {
            client = client.ready().await.context("no further stream")?;
            let (answer, mut stream) = client
                .send_request(head(request)?, false)
                .context("cannot send a request's head")?;
            for piece in request.body_pieces() {
                let sent = stream.send_data(Bytes::copy_from_slice(piece), false);
                sent.context("cannot send a body")?;
            }
            streams.push((answer, stream));
        }
        // What is queued goes out as far as the server takes it.
        tokio::time::sleep(WAY * 2).await;
        meanwhile();
        drop(streams);
        Ok(taken)
    })
}

fn run<T>(patience: Duration, exchange: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the HTTP/2 client")?;
    runtime
        .block_on(async { timeout(patience, exchange).await })
        .context(format!(
            "no complete answer within {} seconds",
            patience.as_secs()
        ))?
}

async fn dial(to: SocketAddr, trust: Option<&Trust>) -> Result<SendRequest<Bytes>> {
    let stream = TcpStream::connect(to)
        .await
        .context(format!("cannot connect to `{to}`"))?;
    stream.set_nodelay(true).context("cannot unset Nagle")?;
    let what = "no HTTP/2 connection";
    if let Some(trust) = trust {
        let stream = trust.handshake(stream).await?;
        let (client, connection) = h2::client::handshake(stream).await.context(what)?;
        tokio::spawn(connection);
        return Ok(client);
    }
    let (client, connection) = h2::client::handshake(stream).await.context(what)?;
    tokio::spawn(connection);
    Ok(client)
}

/// The request's head as HTTP/2 has it.
pub(super) fn head(request: &Request) -> Result<http::Request<()>> {
    let authority = request.authority.as_deref().unwrap_or_default();
    let mut head = http::Request::builder()
        .method(request.method.as_str())
        .uri(format!("http://{authority}{}", request.path))
        .body(())
        .context("HTTP/2 cannot express this request")?;
    *head.headers_mut() = fields(&request.headers)?;
    // As over HTTP/1.1: what comes in pieces states no length in advance.
    if let Some(body) = &request.body
        && !request.lists("content-length")
        && request.chunk_sizes.is_empty()
        && request.trailers.is_empty()
    {
        head.headers_mut()
            .insert("content-length", body.len().into());
    }
    Ok(head)
}

/// Sends the head.
fn start<'a>(
    client: &mut SendRequest<Bytes>,
    request: &'a Request,
) -> Result<(ResponseFuture, Body<'a>)> {
    let last_is_head = request.body.is_none() && request.trailers.is_empty();
    let (answer, stream) = client
        .send_request(head(request)?, last_is_head)
        .context("cannot send the request's head")?;
    let body = Body {
        stream,
        pieces: request.body_pieces().into_iter(),
        trailers: fields(&request.trailers)?,
        ended: last_is_head,
    };
    Ok((answer, body))
}

/// What is still to be sent of a request.
struct Body<'a> {
    stream: h2::SendStream<Bytes>,
    pieces: std::vec::IntoIter<&'a [u8]>,
    trailers: HeaderMap,
    ended: bool,
}

impl Body<'_> {
    /// Sends one piece; false if that was the last.
    fn send_next(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let sent = match self.pieces.next() {
            Some(piece) => {
                self.ended = self.pieces.len() == 0 && self.trailers.is_empty();
                self.stream
                    .send_data(Bytes::copy_from_slice(piece), self.ended)
            }
            None if self.trailers.is_empty() => {
                self.ended = true;
                self.stream.send_data(Bytes::new(), true)
            }
            None => {
                self.ended = true;
                self.stream
                    .send_trailers(std::mem::take(&mut self.trailers))
            }
        };
        // A proxy that refuses at the headers resets the stream while the body
        // is being sent; the answer says why, so a failed send is no failure.
        self.ended |= sent.is_err();
        !self.ended
    }
}

async fn read(answer: ResponseFuture) -> Result<Response> {
    let answer = answer.await.context("no answer")?;
    let status = answer.status().as_u16();
    let headers = pairs(answer.headers());
    let mut receiving = answer.into_body();
    let mut body = Vec::new();
    while let Some(piece) = receiving.data().await {
        let piece = piece.context("the answer's body breaks off")?;
        let _ = receiving.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
    }
    let trailers = receiving
        .trailers()
        .await
        .context("the answer's trailers break off")?;
    Ok(Response {
        status,
        headers,
        body,
        trailers: trailers.as_ref().map(pairs).unwrap_or_default(),
    })
}

fn pairs(map: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    map.iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect()
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
