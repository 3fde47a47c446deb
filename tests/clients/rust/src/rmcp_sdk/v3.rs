//! rmcp 3, in both of its lifecycles.

#![expect(
    deprecated,
    reason = "shipped clients still sample, list roots and log"
)]

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig as ClientInfo,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, ErrorData,
    Implementation, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProtocolVersion, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext,
    RequestContext, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, RoleClient};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::RwLock;

use crate::{Client, Events, PROGRESS, Raised};

pub struct Connection {
    service: RwLock<RunningService<RoleClient, Handler>>,
    events: Events,
}

pub async fn open(url: &str, mode: &str, events: Events) -> Result<Connection, Raised> {
    let lifecycle = match mode {
        "auto" => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        },
        _ => ClientLifecycleMode::Initialize,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let service = Handler(events.clone())
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .map_err(|error| match error {
            ClientInitializeError::JsonRpcError(data) => told(&data, data.to_string()),
            other => Raised::from(other),
        })?;
    Ok(Connection {
        service: RwLock::new(service),
        events,
    })
}

fn info(capabilities: ClientCapabilities) -> ClientInfo {
    ClientInfo::new(capabilities, Implementation::new("matrix", "1"))
}

super::sdk! {
    async fn call(&self, tool: String, arguments: Value) -> Result<String, Raised> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = arguments.as_object().cloned();
        let service = self.service.read().await;
        Ok(text_of(&service.call_tool(params).await.map_err(raised)?))
    }

    async fn listen(&self, uri: String) -> Result<(), Raised> {
        let filter = SubscriptionFilter::builder()
            .resource_subscriptions([uri])
            .build();
        let service = self.service.read().await;
        let mut subscription = service.peer().listen(filter).await.map_err(raised)?;
        let events = self.events.clone();
        tokio::spawn(async move {
            while let Ok(Some(_)) = subscription.next().await {
                events.count("notifications/resources/updated");
            }
        });
        Ok(())
    }

    async fn close(&self) -> Result<(), Raised> {
        self.service.write().await.close().await?;
        Ok(())
    }
}
