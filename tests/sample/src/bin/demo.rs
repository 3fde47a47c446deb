//! Seven calls through Envoy and the filter, and what became of each.

use std::{error::Error, net::SocketAddr, process::ExitCode, time::Duration};

use mcp_boundary_sample::{
    Interrupt, gateway,
    server::{self, Options},
    steps::Demonstration,
    tap::Tap,
};
use mcp_boundary_tests::envoy::{self, Envoy, Place};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
usage: demo [--gateway ADDRESS:PORT]

  --gateway  make the calls to a gateway that runs already, with the example policy in front of the
             sample server; what the server receives is not counted then
";

/// All calls together take about a second.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gateway = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--gateway", address] => match address.parse() {
            Ok(address) => Some(address),
            Err(_) => return usage(&format!("`{address}` is no address with a port")),
        },
        _ => return usage("these arguments make no sense here"),
    };
    let result = match Interrupt::install() {
        Ok(interrupt) => until(interrupt, gateway).await,
        Err(problem) => Err(problem.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("demo: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// The demonstration, unless it is interrupted.
async fn until(mut interrupt: Interrupt, gateway: Option<SocketAddr>) -> Result<()> {
    let demonstration = async {
        match gateway {
            Some(gateway) => drive(gateway, None).await,
            None => started().await,
        }
    };
    // Whichever ends first drops the other: nothing that was started stays.
    tokio::select! {
        result = demonstration => result,
        () = interrupt.received() => Err("interrupted".into()),
    }
}

fn usage(problem: &str) -> ExitCode {
    eprintln!("demo: {problem}\n\n{USAGE}");
    ExitCode::from(2)
}

/// Starts everything on free ports and makes the calls.
async fn started() -> Result<()> {
    let (listener, address) = server::bind("127.0.0.1:0").await?;
    let stop = CancellationToken::new();
    let _stop_at_the_end = stop.clone().drop_guard();
    tokio::spawn(server::serve(listener, Options::default(), stop));
    let tap = Tap::start(address).await?;

    let upstream = tap.address();
    let envoy = tokio::task::spawn_blocking(move || start(upstream)).await??;
    let result = drive(envoy.listener(gateway::LISTENER), Some(tap)).await;
    if result.is_err() {
        let log = envoy.log();
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines[lines.len().saturating_sub(30)..].join("\n");
        eprintln!("the end of envoy's log:\n{tail}");
    }
    result
}

fn start(upstream: SocketAddr) -> std::result::Result<Envoy, String> {
    let binary = envoy::find().map_err(|error| error.to_string())?;
    let bootstrap =
        gateway::bootstrap(upstream, Place::free_port()).map_err(|error| error.to_string())?;
    Envoy::start(&binary, &bootstrap).map_err(|error| error.to_string())
}

async fn drive(gateway: SocketAddr, tap: Option<Tap>) -> Result<()> {
    let failed = timeout(PATIENCE, Demonstration::new(gateway, tap).run())
        .await
        .map_err(|_| format!("the calls take longer than {} seconds", PATIENCE.as_secs()))?;
    match failed {
        0 => {
            println!("every call went as the policy says");
            Ok(())
        }
        1 => Err("one call did not go as the policy says".into()),
        some => Err(format!("{some} calls did not go as the policy says").into()),
    }
}
