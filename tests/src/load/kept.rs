//! A connection that is opened again whenever the proxy closes it.

use std::net::SocketAddr;

use crate::client::{Connection, Request, Response};
use crate::error::Result;

/// One client's connection.
#[derive(Debug)]
pub struct Kept {
    to: SocketAddr,
    connection: Option<Connection>,
}

impl Kept {
    /// A client that has not connected yet.
    pub const fn new(to: SocketAddr) -> Self {
        Self {
            to,
            connection: None,
        }
    }

    /// Closes the connection; the next request opens another.
    pub fn close(&mut self) {
        self.connection = None;
    }

    /// Sends a request and reads its answer.
    ///
    /// A connection that the proxy is about to close may not take another
    /// request; then the request is sent again over a new one. Had the first
    /// been served after all, the server would have one request too many.
    ///
    /// # Errors
    /// If a new connection gives no answer.
    pub fn ask(&mut self, request: &Request) -> Result<Response> {
        if let Some(connection) = self.connection.take()
            && let Ok(answer) = self.exchange(connection, request)
        {
            return Ok(answer);
        }
        let connection = Connection::open(self.to)?;
        self.exchange(connection, request)
    }

    fn exchange(&mut self, mut connection: Connection, request: &Request) -> Result<Response> {
        // Who refuses at the headers answers before the body is written.
        let written = connection.write(&request.to_bytes());
        let answer = connection.answer(request.method == "HEAD");
        let answer = match (written, answer) {
            (_, Ok(answer)) => answer,
            (Err(error), Err(_)) | (Ok(()), Err(error)) => return Err(error),
        };
        let closing = answer.header("connection").is_some_and(|v| v == "close");
        self.connection = (!closing).then_some(connection);
        Ok(answer)
    }
}
