//! rmcp, in both of its lifecycles.

#![expect(
    deprecated,
    reason = "shipped clients still sample, list roots and log"
)]

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData,
    GetPromptRequestParams, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, Role, Root,
    SamplingMessage, SamplingMessageContentBlock, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext,
    RequestContext, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::sync::RwLock;

use crate::{Client, Events, PROGRESS, Raised};

#[derive(Clone)]
struct Handler(Events);

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            json!({"elicitation": {}, "sampling": {}, "roots": {"listChanged": true}});
        let capabilities: ClientCapabilities =
            serde_json::from_value(capabilities).unwrap_or_default();
        ClientConfig::new(capabilities, Implementation::new("matrix", "1"))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let content = SamplingMessageContentBlock::text("sampled");
        let message = SamplingMessage::new(Role::Assistant, content);
        Ok(CreateMessageResult::new(message, "none".to_owned()))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///docs")]))
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.count(PROGRESS);
    }

    async fn on_logging_message(
        &self,
        _: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.count("notifications/message");
    }
}

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

fn told(data: &ErrorData, text: String) -> Raised {
    Raised {
        code: Some(i64::from(data.code.0)),
        text,
    }
}

fn raised(error: ServiceError) -> Raised {
    match &error {
        ServiceError::McpError(data) => told(data, error.to_string()),
        other => Raised {
            code: None,
            text: other.to_string(),
        },
    }
}

#[async_trait]
impl Client for Connection {
    fn revision(&self) -> String {
        let service = self.service.try_read();
        let info = service.ok().and_then(|service| service.peer().peer_info());
        info.map_or_else(String::new, |info| info.protocol_version.to_string())
    }

    async fn list(&self) -> Result<Value, Raised> {
        let service = self.service.read().await;
        let tools = service.list_all_tools().await.map_err(raised)?.len();
        let prompts = service.list_all_prompts().await.map_err(raised)?.len();
        let resources = service.list_all_resources().await.map_err(raised)?.len();
        Ok(json!({"tools": tools, "prompts": prompts, "resources": resources}))
    }

    async fn call(&self, tool: String, arguments: Value) -> Result<String, Raised> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = arguments.as_object().cloned();
        let service = self.service.read().await;
        let result = service.call_tool(params).await.map_err(raised)?;
        let texts: Vec<_> = result
            .content
            .iter()
            .filter_map(|part| part.as_text())
            .collect();
        let texts: Vec<_> = texts.iter().map(|part| part.text.as_str()).collect();
        Ok(texts.join("\n"))
    }

    async fn prompt(&self, name: String, arguments: Value) -> Result<usize, Raised> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = serde_json::from_value(arguments)?;
        let service = self.service.read().await;
        Ok(service
            .get_prompt(params)
            .await
            .map_err(raised)?
            .messages
            .len())
    }

    async fn read(&self, uri: String) -> Result<usize, Raised> {
        let service = self.service.read().await;
        let params = ReadResourceRequestParams::new(uri);
        Ok(service
            .read_resource(params)
            .await
            .map_err(raised)?
            .contents
            .len())
    }

    async fn notify(&self) -> Result<(), Raised> {
        let service = self.service.read().await;
        service.notify_roots_list_changed().await.map_err(raised)
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
