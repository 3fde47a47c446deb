//! One running Envoy.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Bootstrap;
use crate::client::{Request, Response};
use crate::error::{Context, Error, Result};

/// Compiling a module takes a second or two on a slow machine.
const START: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

const LOG: &str = "envoy.log";
const ACCESS: &str = "access.log";

/// A running Envoy. Dropping it ends the process; if the thread is panicking,
/// that is if a test fails, the end of its log is printed first.
#[derive(Debug)]
pub struct Envoy {
    child: Child,
    folder: TempDir,
    admin: SocketAddr,
    listeners: BTreeMap<String, SocketAddr>,
}

/// What Envoy is told on its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    /// Worker threads; each has VMs of its own.
    pub workers: u32,
    /// How long connections to a replaced listener may stay, in seconds.
    pub drain_seconds: u32,
    /// No access log, and of the filter's lines errors only: for runs that
    /// would fill a disk.
    pub quiet: bool,
}

impl Default for Flags {
    /// One worker, and Envoy's own ten minutes.
    fn default() -> Self {
        Self {
            workers: 1,
            drain_seconds: 600,
            quiet: false,
        }
    }
}

/// Envoy did not come up.
#[derive(Debug)]
pub struct Refused {
    /// How the process ended; `None` if it did not and was ended by the test.
    pub status: Option<ExitStatus>,
    /// Everything it logged.
    pub log: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "envoy ended with {status}")?,
            None => f.write_str("envoy did not get ready in time")?,
        }
        write!(f, "; the end of its log:\n{}", tail(&self.log))
    }
}

impl Envoy {
    /// Starts the Envoy binary with `bootstrap` and waits until it serves.
    ///
    /// # Errors
    /// If the configuration cannot be written, or Envoy refuses it.
    pub fn start(binary: &Path, bootstrap: &Bootstrap) -> Result<Self> {
        Self::start_with(binary, &bootstrap.render()?, bootstrap.flags)
    }

    /// As [`Envoy::start`], with a configuration that is already text and other
    /// flags.
    ///
    /// # Errors
    /// As [`Envoy::start`].
    pub fn start_with(binary: &Path, config: &str, flags: Flags) -> Result<Self> {
        Self::launch_with(binary, config, flags)?.map_err(|refused| Error::new(refused.to_string()))
    }

    /// As [`Envoy::start`], for tests that expect Envoy to refuse.
    ///
    /// # Errors
    /// The outer one if Envoy cannot be run at all.
    pub fn launch(binary: &Path, bootstrap: &Bootstrap) -> Result<Result<Self, Refused>> {
        Self::launch_with(binary, &bootstrap.render()?, bootstrap.flags)
    }

    /// As [`Envoy::launch`], with a configuration that is already text.
    ///
    /// # Errors
    /// As [`Envoy::launch`].
    pub fn launch_text(binary: &Path, config: &str) -> Result<Result<Self, Refused>> {
        Self::launch_with(binary, config, Flags::default())
    }

    /// As [`Envoy::launch_text`], with other flags.
    ///
    /// # Errors
    /// As [`Envoy::launch`].
    pub fn launch_with(binary: &Path, config: &str, flags: Flags) -> Result<Result<Self, Refused>> {
        let folder = TempDir::new().context("no temporary folder")?;
        let config_path = folder.path().join("envoy.yaml");
        fs::write(&config_path, config).context("cannot write the bootstrap")?;
        let file = |name| File::create(folder.path().join(name)).context("cannot create a log");
        // Two files: Envoy writes an entry of the access log into the middle
        // of a line about something else.
        let (log, access) = (file(LOG)?, file(ACCESS)?);
        let mut child = Command::new(binary)
            .arg("--config-path")
            .arg(&config_path)
            .arg("--admin-address-path")
            .arg(folder.path().join("admin"))
            // Several at once on one machine, sharing nothing.
            .arg("--use-dynamic-base-id")
            .args(["--concurrency", &flags.workers.to_string()])
            .args(["--drain-time-s", &flags.drain_seconds.to_string()])
            .args(["--file-flush-interval-msec", "50"])
            .args([
                "--log-level",
                "warning",
                "--component-log-level",
                if flags.quiet {
                    "wasm:error"
                } else {
                    "wasm:info"
                },
            ])
            .stdin(Stdio::null())
            .stdout(if flags.quiet {
                Stdio::null()
            } else {
                access.into()
            })
            .stderr(log)
            .spawn()
            .context(format!("cannot run `{}`", binary.display()))?;

        let deadline = Instant::now() + START;
        loop {
            let ended = child.try_wait().context("cannot watch envoy")?;
            if ended.is_some() || Instant::now() > deadline {
                let _ = child.kill();
                let _ = child.wait();
                let log = read_log(&folder);
                return Ok(Err(Refused { status: ended, log }));
            }
            if let Some((admin, listeners)) = ready(&folder) {
                return Ok(Ok(Self {
                    child,
                    folder,
                    admin,
                    listeners,
                }));
            }
            thread::sleep(POLL);
        }
    }

    /// Where the listener `name` of the bootstrap listens.
    ///
    /// # Panics
    /// If there is no such listener.
    pub fn listener(&self, name: &str) -> SocketAddr {
        match self.listeners.get(name) {
            Some(address) => *address,
            None => panic!("no listener `{name}` among {:?}", self.listeners),
        }
    }

    /// All listeners that Envoy accepted at its start, by name.
    pub const fn listeners(&self) -> &BTreeMap<String, SocketAddr> {
        &self.listeners
    }

    /// Everything logged so far, the access log at its end.
    pub fn log(&self) -> String {
        read_log(&self.folder)
    }

    /// The access log so far. Its last line may not be whole yet.
    pub fn access_log(&self) -> String {
        read_file(&self.folder, ACCESS)
    }

    /// The last lines of the log.
    pub fn log_tail(&self) -> String {
        [LOG, ACCESS]
            .map(|name| tail(&read_file(&self.folder, name)))
            .join("\n")
    }

    /// What the admin interface answers to a GET of `path`.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn admin(&self, path: &str) -> Result<String> {
        let answer = get(self.admin, path)?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// What the admin interface answers to a POST to `path`.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn admin_post(&self, path: &str) -> Result<String> {
        let answer = ask(self.admin, "POST", path)?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The value of the counter or gauge `name`; 0 while Envoy has none.
    ///
    /// # Errors
    /// If the admin interface does not answer.
    pub fn stat(&self, name: &str) -> Result<u64> {
        let prefix = format!("{name}: ");
        let all = self.admin("/stats")?;
        let line = all.lines().find_map(|line| line.strip_prefix(&prefix));
        line.map_or(Ok(0), |value| {
            value.parse().context(format!("`{name}` is `{value}`"))
        })
    }

    /// The version that the binary says it is: `1.40.0`.
    ///
    /// # Errors
    /// If the admin interface does not answer, or says no version.
    pub fn version(&self) -> Result<String> {
        let info = self.admin("/server_info")?;
        let info: serde_json::Value = serde_json::from_str(&info).context("no server info")?;
        // `<commit>/<version>/<state>/<build>/<library>`
        let version = info["version"].as_str().and_then(|v| v.split('/').nth(1));
        let version = version.ok_or_else(|| Error::new("envoy says no version"))?;
        Ok(version.to_owned())
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Envoy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("the end of envoy's log:\n{}", self.log_tail());
        }
    }
}

/// The admin address and the listeners' addresses, once Envoy is ready.
fn ready(folder: &TempDir) -> Option<(SocketAddr, BTreeMap<String, SocketAddr>)> {
    let admin = fs::read_to_string(folder.path().join("admin")).ok()?;
    let admin: SocketAddr = admin.trim().parse().ok()?;
    if get(admin, "/ready").ok()?.status != 200 {
        return None;
    }
    let listing = get(admin, "/listeners?format=json").ok()?.json()?;
    let mut listeners = BTreeMap::new();
    for status in listing["listener_statuses"].as_array()? {
        let address = &status["local_address"]["socket_address"];
        let text = format!("{}:{}", address["address"].as_str()?, address["port_value"]);
        listeners.insert(status["name"].as_str()?.to_owned(), text.parse().ok()?);
    }
    Some((admin, listeners))
}

fn get(to: SocketAddr, path: &str) -> Result<Response> {
    ask(to, "GET", path)
}

fn ask(to: SocketAddr, method: &str, path: &str) -> Result<Response> {
    Request {
        method: method.to_owned(),
        path: path.to_owned(),
        authority: Some("admin".to_owned()),
        ..Request::default()
    }
    .send(to)
}

fn read_log(folder: &TempDir) -> String {
    [LOG, ACCESS].map(|name| read_file(folder, name)).concat()
}

fn read_file(folder: &TempDir, name: &str) -> String {
    let bytes = fs::read(folder.path().join(name)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
