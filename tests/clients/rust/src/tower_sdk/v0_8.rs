//! tower-mcp 0.8: `initialize` only, and calls ask for no progress.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::{RwLock, RwLockReadGuard};
use tower_mcp_0_8::Error;
use tower_mcp_0_8::client::{ClientHandler, HttpClientTransport, McpClient, ServerNotification};
use tower_mcp_0_8::error::JsonRpcError;
use tower_mcp_0_8::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitFieldValue, ElicitRequestParams, ElicitResult,
    Root,
};

use crate::{Client, Events, PROGRESS, Raised};

pub struct Connection {
    client: RwLock<Option<McpClient>>,
    revision: String,
}

pub async fn open(url: &str, events: Events) -> Result<Connection, Raised> {
    let builder = McpClient::builder()
        .with_roots(vec![Root::new("file:///docs")])
        .with_sampling()
        .with_elicitation();
    let transport = HttpClientTransport::new(url);
    let client = builder
        .connect(transport, Handler(events))
        .await
        .map_err(raised)?;
    let server = client.initialize("matrix", "1").await.map_err(raised)?;
    let revision = server.protocol_version.clone();
    sent().await;
    Ok(Connection {
        client: RwLock::new(Some(client)),
        revision,
    })
}

fn inner(notification: ServerNotification) -> ServerNotification {
    notification
}

/// Waits for what the SDK sends in the background; the next request would overtake it, and the server, for one, offers
/// some of its tools only after `notifications/initialized`.
async fn sent() {
    tokio::time::sleep(Duration::from_millis(500)).await;
}

super::sdk! {
    fn asks_for_progress(&self) -> bool {
        false
    }
}
