//! Filters that rewrite requests between admit and recheck, as the requests'
//! own headers tell them to: Lua, an external processor, another wasm module.

use serde_json::{Value, json};

use crate::client::Request;
use crate::envoy::rewriter_module;
use crate::error::Result;
use crate::ext_proc;

/// The entry of `http_filters` that runs this code.
pub fn lua(code: &str) -> Value {
    json!({
        "name": "envoy.filters.http.lua",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
            "default_source_code": { "inline_string": code },
        },
    })
}

/// Who rewrites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewriter {
    /// Envoy's Lua filter.
    Lua,
    /// Envoy's ext_proc filter and a gRPC server.
    ExtProc,
    /// A wasm module.
    Wasm,
}

/// What is to be rewritten. Nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    /// Text of the body, and what replaces it everywhere.
    pub body: Option<(String, String)>,
    /// A header or pseudo-header and its new value.
    pub set: Option<(String, String)>,
    /// Leaves `content-length` at the old body's. Only the wasm module can: Lua
    /// and ext_proc are held to the truth by Envoy.
    pub stale_length: bool,
    /// Overwrites what admit recorded. Only the wasm module does.
    pub record: Option<String>,
}

impl Edits {
    /// Reads the edits that a request asks for in its headers.
    pub fn read(header: impl Fn(&str) -> Option<String>) -> Self {
        let set = header("x-set");
        let set = set.as_deref().and_then(|edit| edit.split_once('='));
        Self {
            body: header("x-body-from").zip(header("x-body-to")),
            set: set.map(|(name, value)| (name.to_owned(), value.to_owned())),
            stale_length: header("x-length").as_deref() == Some("stale"),
            record: header("x-record"),
        }
    }

    /// The request with headers that ask for these edits.
    #[must_use]
    pub fn ask(&self, mut request: Request) -> Request {
        if let Some((from, to)) = &self.body {
            request = request.header("x-body-from", from).header("x-body-to", to);
        }
        if let Some((name, value)) = &self.set {
            request = request.header("x-set", &format!("{name}={value}"));
        }
        if self.stale_length {
            request = request.header("x-length", "stale");
        }
        if let Some(record) = &self.record {
            request = request.header("x-record", record);
        }
        request
    }

    /// The rewritten body; `None` if it stays as it is.
    pub fn body(&self, body: &[u8]) -> Option<Vec<u8>> {
        let (from, to) = self.body.as_ref()?;
        let body = String::from_utf8_lossy(body);
        Some(body.replace(from, to).into_bytes())
    }
}

const LUA: &str = r#"
local function replaced(text, from, to)
  local parts, at = {}, 1
  while true do
    local first, last = string.find(text, from, at, true)
    if not first then break end
    parts[#parts + 1] = string.sub(text, at, first - 1)
    at = last + 1
  end
  parts[#parts + 1] = string.sub(text, at)
  return table.concat(parts, to)
end

function envoy_on_request(handle)
  local headers = handle:headers()
  local from, to = headers:get("x-body-from"), headers:get("x-body-to")
  if from and to then
    local body = handle:body()
    body:setBytes(replaced(body:getBytes(0, body:length()), from, to))
  end
  -- What was got before the body does not outlive the wait for it.
  headers = handle:headers()
  local edit = headers:get("x-set")
  if edit then
    local name, value = string.match(edit, "^([^=]*)=(.*)$")
    headers:replace(name, value)
  end
end
"#;

impl Rewriter {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Lua, Self::ExtProc, Self::Wasm];

    /// A short name, for listeners.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lua => "lua",
            Self::ExtProc => "ext_proc",
            Self::Wasm => "wasm",
        }
    }

    /// The filter. The external processor's asks the cluster
    /// [`ext_proc::CLUSTER`].
    ///
    /// # Errors
    /// If the wasm module cannot be built.
    pub fn filter(self) -> Result<Value> {
        let (kind, mut config) = match self {
            Self::Lua => return Ok(lua(LUA)),
            Self::ExtProc => ("ext_proc.v3.ExternalProcessor", processor()),
            Self::Wasm => ("wasm.v3.Wasm", wasm()?),
        };
        config["@type"] = json!(format!(
            "type.googleapis.com/envoy.extensions.filters.http.{kind}"
        ));
        let name = format!("envoy.filters.http.{}", self.name());
        Ok(json!({ "name": name, "typed_config": config }))
    }
}

fn processor() -> Value {
    json!({
        "grpc_service": { "envoy_grpc": { "cluster_name": ext_proc::CLUSTER } },
        "failure_mode_allow": false,
        "message_timeout": "5s",
        "processing_mode": {
            "request_header_mode": "SEND",
            "request_body_mode": "BUFFERED",
            "response_header_mode": "SKIP",
        },
        "mutation_rules": { "allow_all_routing": { "value": true } },
    })
}

fn wasm() -> Result<Value> {
    let module = rewriter_module()?;
    Ok(json!({ "config": {
        "name": "rewriter",
        "failure_policy": "FAIL_CLOSED",
        "allow_on_headers_stop_iteration": true,
        "vm_config": {
            "vm_id": "rewriter",
            "runtime": "envoy.wasm.runtime.v8",
            "code": { "local": { "filename": module } },
        },
    } }))
}
