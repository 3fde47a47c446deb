//! A sample MCP server and what `make run` and `make demo` share: the filter in front of that server.

pub mod gateway;
pub mod module;
pub mod outcome;
pub mod server;
pub mod steps;
pub mod tap;

/// Waits for Ctrl-C, TERM or HUP (a closed terminal).
pub async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        // Without handlers these signals end the process at once, which is what they are for.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}
