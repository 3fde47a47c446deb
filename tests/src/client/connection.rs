//! One HTTP/1.1 connection for several requests.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::{PATIENCE, Request, Response, h1};
use crate::error::{Context, Error, Result};

/// A connection that stays open, for keep-alive, pipelining and streams.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// Received, and not yet handed out.
    held: Vec<u8>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// If nobody listens.
    pub fn open(to: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&to, PATIENCE)
            .context(format!("cannot connect to `{to}`"))?;
        stream.set_nodelay(true).context("cannot unset Nagle")?;
        let held = Vec::new();
        Ok(Self { stream, held })
    }

    /// Writes `bytes` as they are.
    ///
    /// # Errors
    /// If the connection is closed.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).context("cannot write")
    }

    /// Writes the request in one piece and reads its answer.
    ///
    /// # Errors
    /// If the connection is closed or no answer comes within ten seconds.
    pub fn ask(&mut self, request: &Request) -> Result<Response> {
        self.write(&request.to_bytes())?;
        self.answer(request.method == "HEAD")
    }

    /// Reads the next answer; `to_head` if it is to a HEAD.
    ///
    /// # Errors
    /// If none comes within ten seconds.
    pub fn answer(&mut self, to_head: bool) -> Result<Response> {
        h1::read(&self.stream, &mut self.held, PATIENCE, to_head)
    }

    /// Reads until `marker` has arrived; hands out everything up to its end.
    ///
    /// # Errors
    /// If it does not within `patience`, or the connection is closed before.
    pub fn until(&mut self, marker: &[u8], patience: Duration) -> Result<Vec<u8>> {
        let deadline = Instant::now() + patience;
        let shown = String::from_utf8_lossy(marker);
        loop {
            let found = self.held.windows(marker.len()).position(|w| w == marker);
            if let Some(at) = found {
                return Ok(self.held.drain(..at + marker.len()).collect());
            }
            if !self.more(deadline)? {
                return Err(Error::new(format!(
                    "closed before `{shown}`, after `{}`",
                    String::from_utf8_lossy(&self.held)
                )));
            }
        }
    }

    /// Writes the request and says when which piece of what follows the answer's
    /// head came, up to the last chunk.
    ///
    /// # Errors
    /// If the answer is not over within `patience`.
    pub fn watch(
        &mut self,
        request: &Request,
        patience: Duration,
    ) -> Result<Vec<(Duration, Vec<u8>)>> {
        let start = Instant::now();
        self.write(&request.to_bytes())?;
        self.until(b"\r\n\r\n", patience)?;
        let mut pieces: Vec<(Duration, Vec<u8>)> = Vec::new();
        while !pieces
            .iter()
            .any(|(_, piece)| piece.ends_with(b"0\r\n\r\n"))
        {
            if self.held.is_empty() && !self.more(start + patience)? {
                return Err(Error::new("closed before the last chunk"));
            }
            pieces.push((start.elapsed(), std::mem::take(&mut self.held)));
        }
        Ok(pieces)
    }

    /// Reads once; false if the connection is closed.
    fn more(&mut self, deadline: Instant) -> Result<bool> {
        let left = deadline.saturating_duration_since(Instant::now());
        // Zero would mean "for ever".
        let left = left.max(Duration::from_millis(1));
        self.stream
            .set_read_timeout(Some(left))
            .context("cannot set a time-out")?;
        let mut piece = [0; 16 * 1024];
        let count = self.stream.read(&mut piece).context("nothing comes")?;
        self.held.extend_from_slice(&piece[..count]);
        Ok(count > 0)
    }
}
