//! The client of tower-mcp: `initialize`, or `discover` when pinned.

use std::collections::HashMap;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::sync::RwLock;
use tower_mcp::client::{
    ClientHandler, HttpClientTransport, McpClient, ServerNotification, SubscriptionHandle,
};
use tower_mcp::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitFieldValue, ElicitRequestParams, ElicitResult,
    Root, SubscriptionFilter,
};
use tower_mcp::{Error, JsonRpcError};

use crate::{Client, Events, PROGRESS, Raised};

struct Handler(Events);

#[async_trait]
impl ClientHandler for Handler {
    async fn handle_create_message(
        &self,
        _: CreateMessageParams,
    ) -> Result<CreateMessageResult, JsonRpcError> {
        let result = json!({"role": "assistant", "model": "none", "content": {"type": "text", "text": "sampled"}});
        serde_json::from_value(result)
            .map_err(|error| JsonRpcError::invalid_params(error.to_string()))
    }

    async fn handle_elicit(&self, _: ElicitRequestParams) -> Result<ElicitResult, JsonRpcError> {
        let name = ElicitFieldValue::String("Ada".to_owned());
        Ok(ElicitResult::accept(HashMap::from([(
            "name".to_owned(),
            name,
        )])))
    }

    async fn on_notification(&self, notification: ServerNotification) {
        let kind = match notification {
            ServerNotification::Subscription { notification, .. } => *notification,
            other => other,
        };
        match kind {
            ServerNotification::Progress(_) => self.0.count(PROGRESS),
            ServerNotification::LogMessage(_) => self.0.count("notifications/message"),
            ServerNotification::ResourceUpdated { .. } => {
                self.0.count("notifications/resources/updated");
            }
            _ => {}
        }
    }
}

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

fn raised(error: Error) -> Raised {
    let code = match &error {
        Error::JsonRpc(inner) => Some(i64::from(inner.code)),
        _ => None,
    };
    Raised {
        code,
        text: error.to_string(),
    }
}

/// The client of a connection that is open.
macro_rules! client {
    ($connection:expr, $guard:ident) => {{
        $guard = $connection.client.read().await;
        $guard.as_ref().ok_or_else(|| Raised {
            code: None,
            text: "closed".to_owned(),
        })?
    }};
}

#[async_trait]
impl Client for Connection {
    fn revision(&self) -> String {
        self.revision.clone()
    }

    async fn list(&self) -> Result<Value, Raised> {
        let guard;
        let client = client!(self, guard);
        let tools = client.list_all_tools().await.map_err(raised)?.len();
        let prompts = client.list_all_prompts().await.map_err(raised)?.len();
        let resources = client.list_all_resources().await.map_err(raised)?.len();
        Ok(json!({"tools": tools, "prompts": prompts, "resources": resources}))
    }

    async fn call(&self, tool: String, arguments: Value) -> Result<String, Raised> {
        let guard;
        let client = client!(self, guard);
        Ok(client
            .call_tool(&tool, arguments)
            .await
            .map_err(raised)?
            .all_text())
    }

    async fn prompt(&self, name: String, arguments: Value) -> Result<usize, Raised> {
        let guard;
        let client = client!(self, guard);
        let arguments = serde_json::from_value(arguments)?;
        Ok(client
            .get_prompt(&name, arguments)
            .await
            .map_err(raised)?
            .messages
            .len())
    }

    async fn read(&self, uri: String) -> Result<usize, Raised> {
        let guard;
        let client = client!(self, guard);
        Ok(client
            .read_resource(&uri)
            .await
            .map_err(raised)?
            .contents
            .len())
    }

    async fn notify(&self) -> Result<(), Raised> {
        let guard;
        let client = client!(self, guard);
        client
            .notify("notifications/roots/list_changed", &json!({}))
            .await
            .map_err(raised)
    }

    async fn listen(&self, uri: String) -> Result<(), Raised> {
        let guard;
        let client = client!(self, guard);
        let filter = SubscriptionFilter {
            resource_subscriptions: Some(vec![uri]),
            ..SubscriptionFilter::default()
        };
        let mut handle = client.listen_subscriptions(filter).await.map_err(raised)?;
        handle.acknowledged().await.map_err(raised)?;
        self.subscriptions.lock().await.push(handle);
        Ok(())
    }

    async fn close(&self) -> Result<(), Raised> {
        match self.client.write().await.take() {
            Some(client) => client.shutdown().await.map_err(raised),
            None => Ok(()),
        }
    }
}
