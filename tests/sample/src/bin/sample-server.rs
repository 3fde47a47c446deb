//! The sample MCP server on its own.

use std::{error::Error, process::ExitCode};

use mcp_boundary_sample::{
    Interrupt,
    server::{self, Options},
};
use tokio_util::sync::CancellationToken;

const USAGE: &str = "\
usage: sample-server [--listen ADDRESS:PORT] [--sessions] [--any-host]

  --listen    where to listen; 127.0.0.1:0 (a free port) without it
  --sessions  hand out sessions in the legacy revisions
  --any-host  answer any Host header, not only loopback ones

Prints its URL as one line, then serves until it is interrupted.
";

#[tokio::main]
async fn main() -> ExitCode {
    let (listen, options) = match arguments(std::env::args().skip(1)) {
        Ok(parsed) => parsed,
        Err(problem) => {
            eprintln!("sample-server: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&listen, options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("sample-server: cannot serve on `{listen}`: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(listen: &str, options: Options) -> Result<(), Box<dyn Error>> {
    let mut interrupt = Interrupt::install()?;
    let (listener, address) = server::bind(listen).await?;
    println!("http://{address}{}", server::PATH);
    let stop = CancellationToken::new();
    tokio::spawn({
        let stop = stop.clone();
        async move {
            interrupt.received().await;
            stop.cancel();
        }
    });
    server::serve(listener, options, stop).await?;
    Ok(())
}

fn arguments(mut rest: impl Iterator<Item = String>) -> Result<(String, Options), String> {
    let mut listen = "127.0.0.1:0".to_owned();
    let mut options = Options::default();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--listen" => {
                listen = rest
                    .next()
                    .ok_or("`--listen` needs an address and a port")?;
            }
            "--sessions" => options.sessions = true,
            "--any-host" => options.any_host = true,
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    Ok((listen, options))
}
