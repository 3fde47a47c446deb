//! The client of tower-mcp: what is alike in its versions.

pub mod v0_25;
pub mod v0_8;

/// A handler of the server's requests, errors, and a connection; from the names of one version's crate, its `inner` and
/// `sent`, and what else its `Client` has.
macro_rules! sdk {
    ($($more:tt)*) => {
        struct Handler(Events);

        #[async_trait]
        impl ClientHandler for Handler {
            async fn handle_create_message(
                &self,
                _: CreateMessageParams,
            ) -> Result<CreateMessageResult, JsonRpcError> {
                let content = json!({"type": "text", "text": "sampled"});
                let result = json!({"role": "assistant", "model": "none", "content": content});
                serde_json::from_value(result)
                    .map_err(|error| JsonRpcError::invalid_params(error.to_string()))
            }

            async fn handle_elicit(
                &self,
                _: ElicitRequestParams,
            ) -> Result<ElicitResult, JsonRpcError> {
                let name = ElicitFieldValue::String("Ada".to_owned());
                Ok(ElicitResult::accept(HashMap::from([("name".to_owned(), name)])))
            }

            async fn on_notification(&self, notification: ServerNotification) {
                match inner(notification) {
                    ServerNotification::Progress(_) => self.0.count(PROGRESS),
                    ServerNotification::LogMessage(_) => self.0.count("notifications/message"),
                    ServerNotification::ResourceUpdated { .. } => {
                        self.0.count("notifications/resources/updated");
                    }
                    _ => {}
                }
            }
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

        impl Connection {
            /// The client, as long as it is open.
            async fn client(&self) -> Result<RwLockReadGuard<'_, McpClient>, Raised> {
                RwLockReadGuard::try_map(self.client.read().await, Option::as_ref).map_err(|_| {
                    Raised {
                        code: None,
                        text: "closed".to_owned(),
                    }
                })
            }
        }

        #[async_trait]
        impl Client for Connection {
            fn revision(&self) -> String {
                self.revision.clone()
            }

            async fn list(&self) -> Result<Value, Raised> {
                let client = self.client().await?;
                let tools = client.list_all_tools().await.map_err(raised)?.len();
                let prompts = client.list_all_prompts().await.map_err(raised)?.len();
                let resources = client.list_all_resources().await.map_err(raised)?.len();
                Ok(json!({"tools": tools, "prompts": prompts, "resources": resources}))
            }

            async fn call(&self, tool: String, arguments: Value) -> Result<String, Raised> {
                let client = self.client().await?;
                Ok(client.call_tool(&tool, arguments).await.map_err(raised)?.all_text())
            }

            async fn prompt(&self, name: String, arguments: Value) -> Result<usize, Raised> {
                let client = self.client().await?;
                let arguments = serde_json::from_value(arguments)?;
                Ok(client.get_prompt(&name, arguments).await.map_err(raised)?.messages.len())
            }

            async fn read(&self, uri: String) -> Result<usize, Raised> {
                let client = self.client().await?;
                Ok(client.read_resource(&uri).await.map_err(raised)?.contents.len())
            }

            async fn notify(&self) -> Result<(), Raised> {
                let client = self.client().await?;
                let method = "notifications/roots/list_changed";
                client.notify(method, &json!({})).await.map_err(raised)?;
                sent().await;
                Ok(())
            }

            async fn close(&self) -> Result<(), Raised> {
                match self.client.write().await.take() {
                    Some(client) => client.shutdown().await.map_err(raised),
                    None => Ok(()),
                }
            }

            $($more)*
        }
    };
}
use sdk;
