//! One call, described in words: what a client of a revision would send.

use mcp_boundary_format::{Endpoint, HostPattern, Policy, Revision};
use serde_json::{Map, Value, json};

use super::{Caller, Request};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// `tools/call`
    Tool(String),
    /// `prompts/get`
    Prompt(String),
    /// `resources/read`
    Resource(String),
    /// Any method, with these `params`.
    Method(String, Option<Value>),
}

/// A call, and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The endpoint whose host and path are taken where none are given.
    pub endpoint: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The path, with query if there is one.
    pub path: Option<String>,
    /// The client's revision; the newest that the endpoint permits if absent.
    pub revision: Option<Revision>,
    /// What is asked for.
    pub call: Call,
    /// `arguments` of a tool or prompt.
    pub arguments: Map<String, Value>,
    /// More headers, which go behind the client's own.
    pub headers: Vec<(String, String)>,
    /// Who asks.
    pub caller: Caller,
}

/// Why it is not clear what is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// There are several, and none is named.
    #[error("the policy has several endpoints")]
    Endpoint,
    /// No endpoint has that name.
    #[error("the policy has no endpoint `{0}`")]
    Unknown(String),
}

impl Asked {
    /// One for this call, all else left open.
    pub fn new(call: Call) -> Self {
        Self {
            endpoint: None,
            host: None,
            path: None,
            revision: None,
            call,
            arguments: Map::new(),
            headers: Vec::new(),
            caller: Caller::default(),
        }
    }

    /// What a client would send under this policy.
    ///
    /// # Errors
    /// If the policy leaves open what the description does.
    pub fn request(&self, policy: &Policy) -> Result<Request, Unclear> {
        let endpoint = self.seat(policy)?;
        let host = self.host.clone().or_else(|| host_of(endpoint?));
        let path = self.path.clone().or_else(|| Some(path_of(endpoint?)));
        let newest = endpoint.and_then(|endpoint| endpoint.revisions.iter().last());
        let revision = self.revision.or(newest).unwrap_or(Revision::V2025_11_25);
        let (method, mut params) = self.message();
        let is_initialize = method == "initialize";
        if is_initialize && params.is_none() {
            params = Some(json!({
                "protocolVersion": revision.as_str(),
                "capabilities": {},
                "clientInfo": { "name": "mcp-policy", "version": "1" },
            }));
        }
        let mut headers = vec![
            (":method".to_owned(), "POST".to_owned()),
            (
                ":authority".to_owned(),
                host.unwrap_or_else(|| "mcp.example".to_owned()),
            ),
            (
                ":path".to_owned(),
                path.unwrap_or_else(|| "/mcp".to_owned()),
            ),
            (":scheme".to_owned(), "http".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
            (
                "accept".to_owned(),
                "application/json, text/event-stream".to_owned(),
            ),
        ];
        if !is_initialize {
            headers.push((
                "mcp-protocol-version".to_owned(),
                revision.as_str().to_owned(),
            ));
        }
        if !revision.is_legacy() {
            mark(&mut params, revision);
            headers.push(("mcp-method".to_owned(), method.clone()));
            headers.extend(self.mirrored().map(|name| ("mcp-name".to_owned(), name)));
        }
        headers.extend(self.headers.iter().cloned());
        let id = (!method.starts_with("notifications/")).then(|| ("id", json!(1)));
        let members = [("jsonrpc", json!("2.0")), ("method", json!(method))];
        let message = members
            .into_iter()
            .chain(id)
            .chain(params.map(|params| ("params", params)));
        let message: Map<String, Value> = message
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let message = Value::Object(message);
        let bytes =
            |(name, value): (String, String)| (name.to_ascii_lowercase(), value.into_bytes());
        Ok(Request {
            headers: headers.into_iter().map(bytes).collect(),
            body: Some(message.to_string().into_bytes()),
            caller: self.caller.clone(),
        })
    }

    /// The endpoint that is meant, where one has to be.
    fn seat<'a>(&self, policy: &'a Policy) -> Result<Option<&'a Endpoint>, Unclear> {
        let mut endpoints = policy.endpoints().iter().map(|endpoint| &**endpoint);
        if let Some(name) = &self.endpoint {
            let found = endpoints.find(|endpoint| endpoint.name == *name);
            return found
                .map(Some)
                .ok_or_else(|| Unclear::Unknown(name.clone()));
        }
        if let Some(path) = &self.path {
            let path = path.split('?').next().unwrap_or_default();
            return Ok(endpoints.find(|endpoint| path_of(endpoint) == path));
        }
        match (endpoints.next(), endpoints.next()) {
            (Some(only), None) => Ok(Some(only)),
            _ => Err(Unclear::Endpoint),
        }
    }

    /// Method and `params`.
    fn message(&self) -> (String, Option<Value>) {
        let arguments = || Value::Object(self.arguments.clone());
        let named = |method: &str, params| (method.to_owned(), Some(params));
        match &self.call {
            Call::Tool(name) => named(
                "tools/call",
                json!({ "name": name, "arguments": arguments() }),
            ),
            Call::Prompt(name) => named(
                "prompts/get",
                json!({ "name": name, "arguments": arguments() }),
            ),
            Call::Resource(uri) => named("resources/read", json!({ "uri": uri })),
            Call::Method(method, params) => (method.clone(), params.clone()),
        }
    }

    /// What `Mcp-Name` says of it.
    fn mirrored(&self) -> Option<String> {
        match &self.call {
            Call::Tool(name) | Call::Prompt(name) | Call::Resource(name) => Some(name.clone()),
            Call::Method(_, params) => {
                let member = |name: &str| params.as_ref()?.get(name)?.as_str().map(str::to_owned);
                member("taskId")
                    .or_else(|| member("name"))
                    .or_else(|| member("uri"))
            }
        }
    }
}

/// What every request of 2026-07-28 says of its client.
fn mark(params: &mut Option<Value>, revision: Revision) {
    let params = params.get_or_insert_with(|| json!({}));
    if let Some(members) = params.as_object_mut() {
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            let name = |name: &str| format!("io.modelcontextprotocol/{name}");
            meta.entry(name("protocolVersion"))
                .or_insert_with(|| json!(revision.as_str()));
            meta.entry(name("clientCapabilities"))
                .or_insert_with(|| json!({}));
        }
    }
}

/// A host that the endpoint answers to.
fn host_of(endpoint: &Endpoint) -> Option<String> {
    Some(match endpoint.hosts.first()? {
        HostPattern::Exact(host) => host.to_string(),
        HostPattern::Suffix(suffix) => format!("mcp.{suffix}"),
    })
}

/// A path that it answers on.
fn path_of(endpoint: &Endpoint) -> String {
    endpoint.path.as_str().to_owned()
}
