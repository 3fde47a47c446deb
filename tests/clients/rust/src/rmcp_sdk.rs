//! rmcp: what is alike in its versions.

pub mod v0_6;
pub mod v3;

/// A handler of the server's requests, errors, and a connection; from the names of one version's crate, its `info`, and
/// what else its `Client` has.
macro_rules! sdk {
    ($($more:tt)*) => {
        #[derive(Clone)]
        struct Handler(Events);

        impl ClientHandler for Handler {
            fn get_info(&self) -> ClientInfo {
                let capabilities =
                    json!({"elicitation": {}, "sampling": {}, "roots": {"listChanged": true}});
                info(serde_json::from_value(capabilities).unwrap_or_default())
            }

            async fn create_message(
                &self,
                _: CreateMessageRequestParams,
                _: RequestContext<RoleClient>,
            ) -> Result<CreateMessageResult, ErrorData> {
                let content = json!({"type": "text", "text": "sampled"});
                answer(json!({"role": "assistant", "model": "none", "content": content}))
            }

            async fn create_elicitation(
                &self,
                _: ElicitRequestParams,
                _: RequestContext<RoleClient>,
            ) -> Result<ElicitResult, ErrorData> {
                answer(json!({"action": "accept", "content": {"name": "Ada"}}))
            }

            async fn list_roots(
                &self,
                _: RequestContext<RoleClient>,
            ) -> Result<ListRootsResult, ErrorData> {
                answer(json!({"roots": [{"uri": "file:///docs"}]}))
            }

            async fn on_progress(
                &self,
                _: ProgressNotificationParam,
                _: NotificationContext<RoleClient>,
            ) {
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

        fn answer<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
            serde_json::from_value(value)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))
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

        fn text_of(result: &CallToolResult) -> String {
            let texts = result.content.iter().filter_map(|part| part.as_text());
            texts.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
        }

        #[async_trait]
        impl Client for Connection {
            fn revision(&self) -> String {
                let service = self.service.try_read().ok();
                let info = service.as_ref().and_then(|service| service.peer().peer_info());
                info.map_or_else(String::new, |info| info.protocol_version.to_string())
            }

            async fn list(&self) -> Result<Value, Raised> {
                let service = self.service.read().await;
                let tools = service.list_all_tools().await.map_err(raised)?.len();
                let prompts = service.list_all_prompts().await.map_err(raised)?.len();
                let resources = service.list_all_resources().await.map_err(raised)?.len();
                Ok(json!({"tools": tools, "prompts": prompts, "resources": resources}))
            }

            async fn prompt(&self, name: String, arguments: Value) -> Result<usize, Raised> {
                let params = serde_json::from_value(json!({"name": name, "arguments": arguments}))?;
                let service = self.service.read().await;
                Ok(service.get_prompt(params).await.map_err(raised)?.messages.len())
            }

            async fn read(&self, uri: String) -> Result<usize, Raised> {
                let params = serde_json::from_value(json!({"uri": uri}))?;
                let service = self.service.read().await;
                Ok(service.read_resource(params).await.map_err(raised)?.contents.len())
            }

            async fn notify(&self) -> Result<(), Raised> {
                let service = self.service.read().await;
                service.notify_roots_list_changed().await.map_err(raised)
            }

            $($more)*
        }
    };
}
use sdk;
