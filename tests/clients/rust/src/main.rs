//! The Rust SDKs behind the line protocol of `../../README.md`.
//!
//!     client-driver rmcp-0.6|rmcp-3|tower-0.8|tower-0.25

mod rmcp_sdk;
mod tower_sdk;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::AbortHandle;

/// How often the server has sent which notification.
#[derive(Debug, Clone, Default)]
pub struct Events(Arc<Mutex<BTreeMap<String, u64>>>);

impl Events {
    pub fn count(&self, method: &str) {
        *self.0.lock().unwrap().entry(method.to_owned()).or_default() += 1;
    }

    pub fn of(&self, method: &str) -> u64 {
        self.0.lock().unwrap().get(method).copied().unwrap_or(0)
    }
}

/// What an SDK raised.
#[derive(Debug)]
pub struct Raised {
    pub code: Option<i64>,
    pub text: String,
}

impl<E: std::error::Error> From<E> for Raised {
    fn from(error: E) -> Self {
        Self {
            code: None,
            text: error.to_string(),
        }
    }
}

/// One connection of an SDK. Giving up a call drops its future.
#[async_trait]
pub trait Client: Send + Sync {
    fn revision(&self) -> String;
    async fn list(&self) -> Result<Value, Raised>;
    async fn call(&self, tool: String, arguments: Value) -> Result<String, Raised>;
    async fn prompt(&self, name: String, arguments: Value) -> Result<usize, Raised>;
    async fn read(&self, uri: String) -> Result<usize, Raised>;
    async fn notify(&self) -> Result<(), Raised>;
    async fn close(&self) -> Result<(), Raised>;

    async fn listen(&self, _uri: String) -> Result<(), Raised> {
        Err(Raised {
            code: None,
            text: "this SDK has no subscriptions".to_owned(),
        })
    }

    fn asks_for_progress(&self) -> bool {
        true
    }
}

type Connections = HashMap<String, (Arc<dyn Client>, Events)>;

#[derive(Clone, Default)]
struct Driver {
    connections: Arc<Mutex<Connections>>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let sdk = std::env::args().nth(1).context("say which SDK")?;
    let driver = Driver::default();
    let mut calls: HashMap<u64, AbortHandle> = HashMap::new();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let request: Value = serde_json::from_str(&line)?;
        let id = request["id"].as_u64().context("an operation without id")?;
        if request["op"] == "cancel" {
            let target = request["target"].as_u64().context("no target")?;
            if let Some(call) = calls.get(&target) {
                call.abort();
            }
            println!("{}", json!({"id": id, "result": {}}));
            continue;
        }
        let (driver, sdk) = (driver.clone(), sdk.clone());
        let task = tokio::spawn(async move { driver.perform(&sdk, &request).await });
        calls.insert(id, task.abort_handle());
        tokio::spawn(async move {
            let reply = match task.await {
                Ok(Ok(result)) => json!({"id": id, "result": result}),
                Ok(Err(raised)) => {
                    json!({"id": id, "error": {"type": "error", "code": raised.code, "text": raised.text}})
                }
                Err(ended) => {
                    json!({"id": id, "error": {"type": "ended", "code": null, "text": ended.to_string()}})
                }
            };
            println!("{reply}");
        });
    }
    Ok(())
}

impl Driver {
    async fn perform(&self, sdk: &str, request: &Value) -> Result<Value, Raised> {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        let name = text("connection");
        if request["op"] == "ready" {
            return Ok(json!({}));
        }
        if request["op"] == "connect" {
            let events = Events::default();
            let client = open(sdk, &text("url"), &text("mode"), events.clone()).await?;
            let revision = client.revision();
            let mut connections = self.connections.lock().unwrap();
            connections.insert(name, (client, events));
            return Ok(json!({ "revision": revision }));
        }
        let found = self.connections.lock().unwrap().get(&name).cloned();
        let Some((client, events)) = found else {
            return Err(Raised {
                code: None,
                text: "not connected".to_owned(),
            });
        };
        let arguments = request["arguments"].clone();
        match text("op").as_str() {
            "list" => client.list().await,
            "call" => {
                let before = events.of(PROGRESS);
                let text = client.call(text("tool"), arguments).await?;
                let progress = events.of(PROGRESS) - before;
                Ok(match client.asks_for_progress() {
                    true => json!({"text": text, "progress": progress}),
                    false => json!({"text": text}),
                })
            }
            "prompt" => Ok(json!({"messages": client.prompt(text("name"), arguments).await?})),
            "read" => Ok(json!({"contents": client.read(text("uri")).await?})),
            "notify" => client.notify().await.map(|()| json!({})),
            "listen" => client.listen(text("uri")).await.map(|()| json!({})),
            "events" => Ok(json!(*events.0.lock().unwrap())),
            "close" => client.close().await.map(|()| json!({})),
            other => Err(Raised {
                code: None,
                text: format!("no operation `{other}`"),
            }),
        }
    }
}

/// The notification that counts a call's progress.
pub const PROGRESS: &str = "notifications/progress";

async fn open(sdk: &str, url: &str, mode: &str, events: Events) -> Result<Arc<dyn Client>, Raised> {
    Ok(match sdk {
        "rmcp-0.6" => Arc::new(rmcp_sdk::v0_6::open(url, events).await?),
        "rmcp-3" => Arc::new(rmcp_sdk::v3::open(url, mode, events).await?),
        "tower-0.8" => Arc::new(tower_sdk::v0_8::open(url, events).await?),
        "tower-0.25" => Arc::new(tower_sdk::v0_25::open(url, mode, events).await?),
        other => {
            return Err(Raised {
                code: None,
                text: format!("no SDK `{other}`"),
            });
        }
    })
}
