//! `make run`: what it prints works as printed, and nothing stays when it ends.

use std::{
    io::{BufRead, BufReader, Read},
    net::{TcpListener, TcpStream},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use mcp_boundary_tests::envoy;

/// Envoy's start is in it, on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(90);

struct Run {
    child: Child,
    port: u16,
    printed: String,
}

impl Run {
    fn start() -> Self {
        let port = free_port();
        let mut child = command(port)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        while !printed.contains("Ctrl-C") {
            let read = output.read_line(&mut printed).unwrap();
            assert!(read > 0, "it ended: {printed}\n{}", errors(&mut child));
        }
        Self {
            child,
            port,
            printed,
        }
    }

    /// The shell commands among what was printed.
    fn commands(&self) -> Vec<String> {
        let text = self.printed.replace("\\\n", " ");
        let commands = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("curl "));
        commands.map(str::to_owned).collect()
    }

    fn envoy(&self) -> String {
        let (_, after) = self.printed.split_once("envoy: process ").unwrap();
        after.chars().take_while(char::is_ascii_digit).collect()
    }

    fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < PATIENCE, "it still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // TERM lets it end what it started.
            kill("TERM", &self.child.id().to_string());
            let _ = self.child.wait();
        }
    }
}

fn command(port: u16) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_run"));
    command.env("PORT", port.to_string());
    command
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn kill(signal: &str, process: &str) -> bool {
    let command = Command::new("kill")
        .args(["-s", signal, process])
        .stderr(Stdio::null())
        .status();
    command.unwrap().success()
}

fn errors(child: &mut Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn the_printed_commands_work_and_term_ends_everything() {
    if envoy::or_skip("make run").is_none() {
        return;
    }
    let mut run = Run::start();
    let commands = run.commands();
    let answers: Vec<String> = commands
        .iter()
        .map(|command| {
            let output = Command::new("bash").args(["-c", command]).output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
        .collect();
    let [allowed, denied] = answers.as_slice() else {
        panic!("not two commands: {commands:?}");
    };
    assert!(allowed.contains("It is sunny in Oslo."), "{allowed}");
    assert!(denied.contains("tool_denied"), "{denied}");
    assert!(!denied.contains("deleted"), "{denied}");

    let envoy = run.envoy();
    assert!(kill("TERM", &run.child.id().to_string()));
    assert!(run.wait().success());
    assert!(!kill("0", &envoy), "envoy is still there");
    assert!(TcpStream::connect(("127.0.0.1", run.port)).is_err());
}

#[test]
fn an_envoy_that_dies_is_an_error() {
    if envoy::or_skip("make run without its envoy").is_none() {
        return;
    }
    let mut run = Run::start();
    assert!(kill("KILL", &run.envoy()));
    assert_eq!(run.wait().code(), Some(1));
    let errors = errors(&mut run.child);
    assert!(errors.contains("envoy ended"), "{errors}");
}

#[test]
fn a_taken_port_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = command(port).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains(&format!("cannot listen on port {port}")),
        "{text}"
    );
    assert!(text.contains("make run PORT="), "{text}");
}

#[test]
fn a_port_must_be_one() {
    for wrong in ["0", "http", "70000"] {
        let output = Command::new(env!("CARGO_BIN_EXE_run"))
            .env("PORT", wrong)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(&format!("PORT is `{wrong}`")), "{text}");
    }
}
