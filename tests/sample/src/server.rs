//! The MCP server behind the filter: three tools, a prompt and a resource, on the official Rust SDK.

use std::net::SocketAddr;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{
        Implementation, ListResourcesResult, PaginatedRequestParams, PromptMessage,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
        ResourceContents, Role, ServerCapabilities, ServerConfig,
    },
    prompt, prompt_handler, prompt_router,
    service::RequestContext,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where the server answers.
pub const PATH: &str = "/mcp";

/// URI of the one resource.
pub const README_URI: &str = "file:///docs/readme.md";

#[derive(Debug, Deserialize, JsonSchema)]
struct City {
    /// A city's name.
    city: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    /// Words to look for.
    query: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Repository {
    /// Name of the repository.
    repo: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Subject {
    /// What to review.
    subject: String,
}

/// The tools, the prompt and the resource. Its answers are fixed texts: it exists to be called or not to be called.
#[derive(Debug, Clone, Default)]
pub struct SampleServer;

#[tool_router]
impl SampleServer {
    #[tool(description = "Tell the weather in a city")]
    fn get_weather(&self, Parameters(City { city }): Parameters<City>) -> String {
        format!("It is sunny in {city}.")
    }

    #[tool(description = "Search the documentation")]
    fn search_docs(&self, Parameters(Query { query }): Parameters<Query>) -> String {
        format!("1 page mentions `{query}`: {README_URI}")
    }

    #[tool(description = "Delete a repository (only says so)")]
    fn delete_repo(&self, Parameters(Repository { repo }): Parameters<Repository>) -> String {
        format!("deleted {repo}")
    }
}

#[prompt_router]
impl SampleServer {
    #[prompt(description = "Ask for a review")]
    async fn review(
        &self,
        Parameters(Subject { subject }): Parameters<Subject>,
    ) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(
            Role::User,
            format!("Please review {subject}."),
        )]
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for SampleServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(
            "mcp-boundary-sample",
            env!("CARGO_PKG_VERSION"),
        ))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            README_URI, "readme",
        )]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != README_URI {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        let text = ResourceContents::text("Everything worth knowing.", README_URI);
        Ok(ReadResourceResult::new(vec![text]).into())
    }
}

/// How a sample server behaves beside its tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Hand out sessions in the legacy revisions. Without them a single `curl` is a complete call.
    pub sessions: bool,
    /// Answer any `Host`, not only loopback ones: for a container reached under the name of its service.
    pub any_host: bool,
}

/// A listener for the sample server and the address it got.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn bind(address: &str) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves MCP on `listener` until `stop` is cancelled.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    options: Options,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(options.sessions)
        .with_json_response(!options.sessions)
        .with_cancellation_token(stop.child_token());
    if options.any_host {
        config = config.disable_allowed_hosts();
    }
    let service: StreamableHttpService<SampleServer, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(SampleServer), Default::default(), config);
    let router = axum::Router::new().nest_service(PATH, service);
    axum::serve(listener, router)
        .with_graceful_shutdown(async move { stop.cancelled_owned().await })
        .await
}
