//! A server of all revisions on tower-mcp, with the names of the official
//! everything server. Prints its URL, then serves until it is ended.

use anyhow::{Result, anyhow};
use serde::Deserialize;
use tokio::net::TcpListener;
use tower_mcp::schemars::JsonSchema;
use tower_mcp::{
    CallToolResult, HttpTransport, McpRouter, PromptBuilder, ResourceBuilder, ToolBuilder, schemars,
};

#[derive(Deserialize, JsonSchema)]
struct Said {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[tokio::main]
async fn main() -> Result<()> {
    let router = McpRouter::new()
        .server_info("tower", "0")
        .tool(
            ToolBuilder::new("echo")
                .handler(|said: Said| async move {
                    Ok(CallToolResult::text(format!("Echo: {}", said.message)))
                })
                .build(),
        )
        .tool(
            ToolBuilder::new("get-env")
                .handler(|_: Nothing| async {
                    Ok(CallToolResult::text("everything that nobody should see"))
                })
                .build(),
        )
        .prompt(PromptBuilder::new("simple-prompt").user_message("A prompt."))
        .prompt(PromptBuilder::new("args-prompt").user_message("Not for everybody."))
        .resource(ResourceBuilder::new("demo://resource/dynamic/text/1").text("News."))
        .resource(
            ResourceBuilder::new("demo://resource/dynamic/blob/1").text("Not for everybody."),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let service = HttpTransport::new(router).into_router_at("/mcp");
    axum::serve(listener, service)
        .await
        .map_err(|error| anyhow!(error))
}
