//! HTTP/1.1, written by hand so that every byte is the caller's.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::{Request, Response};
use crate::error::{Context, Error, Result};

/// Between two pieces of a body, so that the proxy sees them one by one. Not
/// waited for when there are many: then only some of them meet in one read.
const GAP: Duration = Duration::from_millis(15);
const GAPS: usize = 16;

/// What is written, one write a piece.
pub(super) fn pieces(request: &Request) -> Vec<Vec<u8>> {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.path).into_bytes();
    let mut line = |name: &[u8], value: &[u8]| {
        head.extend_from_slice(name);
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    };
    if let Some(authority) = &request.authority
        && !request.lists("host")
    {
        line(b"host", authority.as_bytes());
    }
    for (name, value) in &request.headers {
        line(name, value);
    }
    let framed = request.lists("content-length") || request.lists("transfer-encoding");
    let chunked = !request.chunk_sizes.is_empty() || !request.trailers.is_empty();
    match &request.body {
        Some(_) if framed => {}
        Some(_) if chunked => line(b"transfer-encoding", b"chunked"),
        Some(body) => line(b"content-length", body.len().to_string().as_bytes()),
        None => {}
    }
    head.extend_from_slice(b"\r\n");

    let mut pieces = vec![head];
    if framed || !chunked {
        pieces.extend(request.body.clone());
        return pieces;
    }
    for piece in request.body_pieces() {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        pieces.push(chunk);
    }
    let mut last = b"0\r\n".to_vec();
    for (name, value) in &request.trailers {
        last.extend([name, &b": "[..], value, b"\r\n"].concat());
    }
    last.extend_from_slice(b"\r\n");
    pieces.push(last);
    pieces
}

/// Writes the pieces and reads one answer, interim ones skipped.
pub(super) fn exchange(
    to: SocketAddr,
    pieces: &[Vec<u8>],
    patience: Duration,
    to_head: bool,
) -> Result<Response> {
    let stream =
        TcpStream::connect_timeout(&to, patience).context(format!("cannot connect to `{to}`"))?;
    stream.set_nodelay(true).context("cannot unset Nagle")?;
    let mut writing = stream.try_clone().context("cannot share the connection")?;
    let pieces = pieces.to_vec();
    // A proxy that refuses at the headers answers while the body is still
    // being written, and then stops reading: neither end may wait for the other.
    let writer = thread::spawn(move || {
        let pause = pieces.len() <= GAPS;
        for (index, piece) in pieces.iter().enumerate() {
            if pause && index > 1 {
                thread::sleep(GAP);
            }
            if writing.write_all(piece).is_err() {
                return;
            }
        }
    });
    let answer = read(&stream, &mut Vec::new(), patience, to_head);
    // The reader is done, so whatever the writer still waits for is moot.
    let _ = stream.shutdown(Shutdown::Both);
    let _ = writer.join();
    answer
}

/// Reads from `stream` until `held` starts with a whole answer and takes it out.
/// The answer to a HEAD has a length, but no body.
pub(super) fn read(
    mut stream: &TcpStream,
    held: &mut Vec<u8>,
    patience: Duration,
    to_head: bool,
) -> Result<Response> {
    let deadline = Instant::now() + patience;
    let mut piece = [0; 16 * 1024];
    loop {
        if let Some(response) = parse(held, false, to_head)? {
            return Ok(response);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::new(format!(
                "no complete answer within {} seconds",
                patience.as_secs()
            )));
        }
        stream
            .set_read_timeout(Some(left))
            .context("cannot set a time-out")?;
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => held.extend_from_slice(&piece[..count]),
            Err(_) if !held.is_empty() => break,
            Err(error) => return Err(error).context("no answer"),
        }
    }
    parse(held, true, to_head)?
        .ok_or_else(|| Error::new("the connection was closed without an answer"))
}

/// Takes one answer from the front of `bytes`, interim ones before it as well;
/// `None` if it is not complete yet.
fn parse(bytes: &mut Vec<u8>, closed: bool, to_head: bool) -> Result<Option<Response>> {
    loop {
        let Some(end) = find(bytes, b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status: u16 = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.get(..3))
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| Error::new(format!("no status line: `{head}`")))?;
        if status < 200 {
            bytes.drain(..end + 4);
            continue;
        }
        let headers = fields(bytes[..end].split(|b| *b == b'\n').skip(1));
        let text = |name: &str| {
            let (_, value) = headers.iter().find(|(listed, _)| listed == name)?;
            str::from_utf8(value).ok()
        };
        let rest = &bytes[end + 4..];
        let plain = |body: &[u8]| Some((body.to_vec(), Vec::new(), body.len()));
        let whole = if to_head || matches!(status, 204 | 304) {
            plain(&[])
        } else if text("transfer-encoding").is_some() {
            unchunk(rest)
        } else if let Some(length) = text("content-length").and_then(|n| n.parse().ok()) {
            rest.get(..length).and_then(plain)
        } else if closed {
            plain(rest)
        } else {
            None
        };
        let Some((body, trailers, length)) = whole else {
            return Ok(None);
        };
        bytes.drain(..end + 4 + length);
        return Ok(Some(Response {
            status,
            headers,
            body,
            trailers,
        }));
    }
}

/// Header or trailer lines, names in lower case.
type Lines = Vec<(String, Vec<u8>)>;

fn fields<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Lines {
    lines
        .filter_map(|line| {
            let colon = line.iter().position(|b| *b == b':')?;
            let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
            Some((name, line[colon + 1..].trim_ascii().to_vec()))
        })
        .collect()
}

/// Body, trailers and the bytes they took; `None` if they are not complete.
fn unchunk(bytes: &[u8]) -> Option<(Vec<u8>, Lines, usize)> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let end = at + find(&bytes[at..], b"\r\n")?;
        let size = usize::from_str_radix(str::from_utf8(&bytes[at..end]).ok()?, 16).ok()?;
        at = end + 2;
        if size == 0 {
            break;
        }
        body.extend_from_slice(bytes.get(at..at + size)?);
        at += size + 2;
    }
    // The line end of the last chunk's size begins the empty line.
    let end = find(&bytes[at - 2..], b"\r\n\r\n")? + at - 2;
    let trailers = fields(bytes[at..end.max(at)].split(|b| *b == b'\n'));
    Some((body, trailers, end + 4))
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}
