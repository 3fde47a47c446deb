//! tower-mcp 0.25: `initialize`, or `discover` when pinned.

use std::collections::HashMap;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::{Mutex, RwLock, RwLockReadGuard};
use tower_mcp::client::{
    ClientHandler, HttpClientTransport, McpClient, ServerNotification, SubscriptionHandle,
};
use tower_mcp::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitFieldValue, ElicitRequestParams, ElicitResult,
    Root, SubscriptionFilter,
};
use tower_mcp::{Error, JsonRpcError};

use crate::{Client, Events, PROGRESS, Raised};

pub struct Connection {
    client: RwLock<Option<McpClient>>,
    revision: String,
    // Dropped, they would end.
    subscriptions: Mutex<Vec<SubscriptionHandle>>,
}

pub async fn open(url: &str, mode: &str, events: Events) -> Result<Connection, Raised> {
    let builder = McpClient::builder()
        .with_roots(vec![Root::new("file:///docs")])
        .with_sampling()
        .with_elicitation()
        .request_progress();
    let transport = HttpClientTransport::new(url);
    let client = builder
        .connect(transport, Handler(events))
        .await
        .map_err(raised)?;
    if mode == "pin" {
        client.discover("matrix", "1").await.map_err(raised)?;
    } else {
        client.initialize("matrix", "1").await.map_err(raised)?;
    }
    let revision = client.selected_protocol_version().await.unwrap_or_default();
    Ok(Connection {
        client: RwLock::new(Some(client)),
        revision,
        subscriptions: Mutex::default(),
    })
}

fn inner(notification: ServerNotification) -> ServerNotification {
    match notification {
        ServerNotification::Subscription { notification, .. } => *notification,
        other => other,
    }
}

async fn sent() {}

super::sdk! {
    async fn listen(&self, uri: String) -> Result<(), Raised> {
        let client = self.client().await?;
        let filter = SubscriptionFilter {
            resource_subscriptions: Some(vec![uri]),
            ..SubscriptionFilter::default()
        };
        let mut handle = client.listen_subscriptions(filter).await.map_err(raised)?;
        handle.acknowledged().await.map_err(raised)?;
        self.subscriptions.lock().await.push(handle);
        Ok(())
    }
}
