//! The sample server behind Envoy and the filter, in the foreground.

use std::{
    error::Error,
    fs::{self, File},
    io::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus, Stdio},
    time::Duration,
};

use mcp_boundary_sample::{
    Interrupt, gateway,
    server::{self, Options},
};
use mcp_boundary_tests::{
    client::Request,
    envoy::{self, Place},
    workspace,
};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
    runtime::Runtime,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Compiling the module takes a second or two on a slow machine.
const START: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let result = Runtime::new().map_err(Into::into).and_then(|runtime| {
        let result = runtime.block_on(run());
        // A build of the filter that was not waited for may still be going on, and may be left alone.
        runtime.shutdown_background();
        result
    });
    match result {
        Ok(()) => {
            // Whoever read the output may be gone already, which is no failure.
            let _ = writeln!(std::io::stdout(), "stopped");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("run: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let mut interrupt = Interrupt::install()?;
    let port = port().await?;
    let (listener, server) = server::bind("127.0.0.1:0").await?;
    let stop = CancellationToken::new();
    let mut serving = tokio::spawn(server::serve(listener, Options::default(), stop.clone()));

    let files = Files::of(port)?;
    let binary = tokio::select! {
        prepared = prepare(server, port, &files) => prepared?,
        () = interrupt.received() => return Ok(()),
    };
    let mut envoy = start(&binary, &files)?;
    let process = envoy.id().unwrap_or_default();

    let result = tokio::select! {
        () = interrupt.received() => Ok(()),
        ended = &mut serving => Err(format!("the sample server ended: {ended:?}").into()),
        ended = envoy.wait() => Err(files.envoy_ended(ended)),
        never = serve(port, process, &files) => never,
    };
    // Waited for, so that nothing is left when this program is gone.
    let _ = envoy.kill().await;
    stop.cancel();
    result
}

/// Builds what is needed and writes Envoy's configuration; returns where Envoy is.
async fn prepare(server: SocketAddr, port: u16, files: &Files) -> Result<PathBuf> {
    let place = Place::new("127.0.0.1", port);
    let work = move || -> std::result::Result<_, String> {
        let binary = envoy::find().map_err(|error| error.to_string())?;
        let bootstrap = gateway::bootstrap(server, place).and_then(|it| it.render());
        Ok((binary, bootstrap.map_err(|error| error.to_string())?))
    };
    let (binary, bootstrap) = tokio::task::spawn_blocking(work).await??;
    fs::write(&files.config, bootstrap)?;
    Ok(binary)
}

/// The port to listen on, free at the moment.
async fn port() -> Result<u16> {
    let port = match std::env::var("PORT") {
        Ok(text) => text
            .parse()
            .map_err(|_| format!("PORT is `{text}`; give a number from 1 to 65535"))?,
        Err(_) => gateway::PORT,
    };
    if port == 0 {
        return Err("PORT is `0`; give a number from 1 to 65535".into());
    }
    TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| {
            let advice = "choose another one: make run PORT=<number>";
            format!("cannot listen on port {port} ({error}); {advice}")
        })?;
    Ok(port)
}

/// What is written beside the running Envoy, one set per port.
struct Files {
    config: PathBuf,
    log: PathBuf,
}

impl Files {
    fn of(port: u16) -> Result<Self> {
        let folder = workspace().join("build/run");
        fs::create_dir_all(&folder)?;
        Ok(Self {
            config: folder.join(format!("envoy-{port}.yaml")),
            log: folder.join(format!("envoy-{port}.log")),
        })
    }

    fn envoy_ended(&self, ended: std::io::Result<ExitStatus>) -> Box<dyn Error> {
        let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines[lines.len().saturating_sub(20)..].join("\n");
        format!("envoy ended ({ended}); the end of its log:\n{tail}").into()
    }
}

fn start(binary: &Path, files: &Files) -> Result<Child> {
    let log = File::create(&files.log)?;
    let child = Command::new(binary)
        .arg("--config-path")
        .arg(&files.config)
        .args(["--use-dynamic-base-id", "--log-level", "info"])
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        // Ctrl-C is for this program, which then ends Envoy: in the same group, the one that is
        // told first would look like the one that failed.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot run `{}`: {error}", binary.display()))?;
    Ok(child)
}

/// Waits until the gateway answers, says how to use it, and then waits for ever.
async fn serve(port: u16, process: u32, files: &Files) -> Result<()> {
    let deadline = Instant::now() + START;
    while !answers(port).await? {
        if Instant::now() > deadline {
            let log = files.log.display();
            return Err(format!("envoy does not answer on port {port}; see {log}").into());
        }
        sleep(Duration::from_millis(50)).await;
    }
    println!("{}", usage(port, process, &files.log));
    std::future::pending().await
}

/// Whether the gateway answers an MCP request, whatever it says.
async fn answers(port: u16) -> Result<bool> {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let authority = format!("127.0.0.1:{port}");
    let request = Request::mcp(&authority, server::PATH, Some("2025-11-25"), ping);
    let answer = tokio::task::spawn_blocking(move || request.send(([127, 0, 0, 1], port).into()));
    Ok(answer.await?.is_ok())
}

fn usage(port: u16, process: u32, log: &Path) -> String {
    let url = format!("http://127.0.0.1:{port}{}", server::PATH);
    let curl = |tool: &str, arguments: &str| {
        format!(
            r#"    curl -sw '\n' {url} \
      -H 'content-type: application/json' \
      -H 'accept: application/json, text/event-stream' \
      -H 'mcp-protocol-version: 2025-11-25' \
      -d '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}'"#
        )
    };
    format!(
        "MCP server behind the boundary: {url}\n\
         \n\
         allowed by the policy:\n{}\n\
         \n\
         denied by the policy:\n{}\n\
         \n\
         policy: {}\n\
         envoy: process {process}, log {}\n\
         Ctrl-C stops both",
        curl("get_weather", r#"{"city":"Oslo"}"#),
        curl("delete_repo", r#"{"repo":"main"}"#),
        gateway::policy_path().display(),
        log.display(),
    )
}
