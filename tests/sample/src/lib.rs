//! A sample MCP server and what `make run` and `make demo` share: the filter in front of that server.

pub mod gateway;
pub mod module;
pub mod outcome;
pub mod server;
pub mod steps;
pub mod tap;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, TERM and HUP (a closed terminal), which end a program in its own time from here on.
#[derive(Debug)]
pub struct Interrupt([Signal; 3]);

impl Interrupt {
    /// Takes the signals over. To be called before anything is started that has to be ended.
    ///
    /// # Errors
    /// When the system does not let go of them.
    pub fn install() -> std::io::Result<Self> {
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    /// Waits for one of them.
    pub async fn received(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
