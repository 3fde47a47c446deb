//! Many requests, and a server behind that does not keep them all.

mod kept;
mod swap;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::client::{Connection, Request};
use crate::error::{Context, Error, Result};
use crate::recorder::{ANSWER, Exchange, Recorder, Recording};

pub use kept::Kept;
pub use swap::{By, Swapped, Way, swap};

/// A `tools/call` of `tool` as JSON text of exactly `size` bytes, or as short
/// as it can be.
pub fn call_text(tool: &str, size: usize) -> String {
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":"{tool}","method":"tools/call","params":{{"name":"{tool}","arguments":{{"x":""#
    );
    let tail = r#""}}}"#;
    let padding = size.saturating_sub(head.len() + tail.len());
    [&head, "y".repeat(padding).as_str(), tail].concat()
}

/// A request with [`call_text`] to `/mcp` at `server.test`.
pub fn call(tool: &str, size: usize) -> Request {
    let text = call_text(tool, size);
    Request::mcp("server.test", "/mcp", Some("2025-11-25"), &text)
}

/// Sends `count` requests of `size` bytes over four kept connections, a
/// permitted one and a denied one in turn.
///
/// # Errors
/// The first answer that is not what it should be.
pub fn large_calls(to: SocketAddr, count: usize, size: usize) -> Result<()> {
    const CONNECTIONS: usize = 4;
    let [permitted, denied] = ["get_weather", "delete_repo"].map(|tool| call(tool, size));
    let send = &|mine: usize| -> Result<()> {
        let mut connection = Connection::open(to)?;
        for round in 0..mine {
            let (request, wanted) = match round % 2 {
                0 => (&permitted, 200),
                _ => (&denied, 403),
            };
            let answer = connection
                .ask(request)
                .context(format!("request {round}"))?;
            let forwarded = answer.body == ANSWER.as_bytes();
            if answer.status != wanted || forwarded != (wanted == 200) {
                let shown = String::from_utf8_lossy(&answer.body);
                return Err(Error::new(format!(
                    "request {round}: {} `{shown}` instead of {wanted}",
                    answer.status
                )));
            }
        }
        Ok(())
    };
    let share = |index| count / CONNECTIONS + usize::from(index < count % CONNECTIONS);
    at_once((0..CONNECTIONS).map(share).map(|mine| move || send(mine)))
}

/// Has every client do its work in a thread of its own.
///
/// # Errors
/// The first error, by the clients' order; or one panicked.
pub fn at_once<Work>(clients: impl IntoIterator<Item = Work>) -> Result<()>
where
    Work: FnOnce() -> Result<()> + Send,
{
    thread::scope(|scope| {
        let threads: Vec<_> = clients.into_iter().map(|work| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(Error::new("a client panicked")))
        })
    })
}

/// Looks at what arrives at a recorder and throws it away, so that long runs
/// need no memory for it.
#[derive(Debug)]
pub struct Drain {
    recorder: Recorder,
    done: Arc<AtomicBool>,
    thread: JoinHandle<Drained>,
}

/// What passed a [`Drain`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Complete requests.
    pub requests: u64,
    /// Those that should not have been there.
    pub wrong: u64,
    /// Bytes that belong to no complete request.
    pub stray: u64,
}

impl Drain {
    /// Starts to look; `expected` says whether a request may be there.
    pub fn start(
        recorder: &Recorder,
        expected: impl Fn(&Exchange) -> bool + Send + 'static,
    ) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&done);
        let source = recorder.clone();
        let thread = thread::spawn(move || {
            let mut sums = Drained::default();
            let (mut received, mut attributed) = (0, 0);
            loop {
                let last = stop.load(Ordering::Acquire);
                let Recording { exchanges, bytes } = source.take();
                received += bytes;
                for exchange in exchanges {
                    // A request may be counted with an earlier round's bytes.
                    attributed += exchange.raw.len() as u64;
                    sums.requests += 1;
                    sums.wrong += u64::from(!expected(&exchange));
                }
                if last {
                    sums.stray = received - attributed;
                    return sums;
                }
                thread::sleep(Duration::from_millis(10));
            }
        });
        Self {
            recorder: recorder.clone(),
            done,
            thread,
        }
    }

    /// Waits for what is under way, then sums up.
    ///
    /// # Panics
    /// If `expected` did.
    pub fn finish(self) -> Drained {
        let mut quiet = self.recorder.bytes() == 0;
        while !quiet {
            thread::sleep(Duration::from_millis(50));
            quiet = self.recorder.bytes() == 0;
        }
        thread::sleep(Duration::from_millis(100));
        self.done.store(true, Ordering::Release);
        match self.thread.join() {
            Ok(drained) => drained,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
