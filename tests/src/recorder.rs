//! An HTTP/1.1 server that remembers every byte it was sent.
//!
//! It stands where the MCP server would. A test asks two things of it: that a
//! refused request left no byte here, and that a forwarded one arrived as it
//! was sent. It answers every complete request and keeps connections open, as
//! the proxy's pool expects.

mod message;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::{Context, Result};

pub use message::Exchange;
use message::Progress;

/// What the server answers. Tests tell a forwarded request by it.
pub const ANSWER: &str = r#"{"jsonrpc":"2.0","id":"recorder","result":{}}"#;

/// One thing that the server does to answer a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Writes bytes.
    Write(Vec<u8>),
    /// Writes nothing for a while.
    Wait(Duration),
}

/// What the server does with each request.
type Script = dyn Fn(&Exchange) -> Vec<Step> + Send + Sync;

/// A recording server; it runs until the process ends.
#[derive(Debug, Clone)]
pub struct Recorder {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

/// What arrived since the last [`Recorder::take`].
#[derive(Debug, Default)]
pub struct Recording {
    /// Complete requests, in the order they were completed.
    pub exchanges: Vec<Exchange>,
    /// Bytes received in all, whether or not they make up a request.
    pub bytes: u64,
}

impl Recording {
    /// Bytes that belong to no complete request.
    pub fn unattributed(&self) -> u64 {
        let attributed: usize = self.exchanges.iter().map(|e| e.raw.len()).sum();
        self.bytes.saturating_sub(attributed as u64)
    }

    /// The one request, of which nothing is left over.
    ///
    /// # Panics
    /// If there are none or several, or half a one.
    pub fn only(mut self) -> Exchange {
        assert_eq!(self.unattributed(), 0, "{self:?}");
        assert_eq!(self.exchanges.len(), 1, "{self:?}");
        self.exchanges.remove(0)
    }
}

#[derive(Debug, Default)]
struct State {
    pending: Recording,
    connections: usize,
}

impl Recorder {
    /// Listens on a free loopback port.
    ///
    /// # Errors
    /// If no port can be bound.
    pub fn start() -> Result<Self> {
        Self::scripted(|_| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
            let answer = format!("{head}content-length: {}\r\n\r\n{ANSWER}", ANSWER.len());
            vec![Step::Write(answer.into_bytes())]
        })
    }

    /// As [`Recorder::start`], with answers of the test's own.
    ///
    /// # Errors
    /// As [`Recorder::start`].
    pub fn scripted(
        script: impl Fn(&Exchange) -> Vec<Step> + Send + Sync + 'static,
    ) -> Result<Self> {
        let script: Arc<Script> = Arc::new(script);
        let listener =
            TcpListener::bind("127.0.0.1:0").context("the recording server cannot listen")?;
        let address = listener.local_addr().context("no local address")?;
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                let connection = {
                    let mut state = lock(&state);
                    state.connections += 1;
                    state.connections
                };
                let script = Arc::clone(&script);
                thread::spawn(move || serve(stream, connection, &state, &*script));
            }
        });
        Ok(Self { address, state })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Bytes received since the last [`Recorder::take`].
    pub fn bytes(&self) -> u64 {
        lock(&self.state).pending.bytes
    }

    /// Connections accepted since the start.
    pub fn connections(&self) -> usize {
        lock(&self.state).connections
    }

    /// Hands over what was recorded and starts anew.
    pub fn take(&self) -> Recording {
        std::mem::take(&mut lock(&self.state).pending)
    }
}

/// A panicked reader thread must not hide what it recorded.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, connection: usize, state: &Mutex<State>, script: &Script) {
    let mut held = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    // A peer that goes away ends the connection; what it sent is recorded.
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        held.extend_from_slice(&piece[..count]);
        let mut steps = Vec::new();
        {
            let mut state = lock(state);
            state.pending.bytes += count as u64;
            loop {
                match message::parse(&held, connection) {
                    Progress::Complete(exchange) => {
                        held.drain(..exchange.raw.len());
                        steps.extend(script(&exchange));
                        state.pending.exchanges.push(exchange);
                    }
                    Progress::Partial => break,
                    // Its bytes stay counted and unattributed: the run fails.
                    Progress::Malformed => return,
                }
            }
        }
        for step in steps {
            match step {
                Step::Wait(time) => thread::sleep(time),
                Step::Write(bytes) if stream.write_all(&bytes).is_err() => return,
                Step::Write(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
