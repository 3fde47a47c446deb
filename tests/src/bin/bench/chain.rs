//! The chains of filters that are compared.

use mcp_boundary_tests::envoy::Listener;
use mcp_boundary_tests::error::Result;
use mcp_boundary_tests::policy::{self, Part};
use serde_json::{Value, json};

/// What both filters permit, as this project writes it.
const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /mcp
    versions: ["2025-11-25", "2026-07-28"]
    limits: { body_bytes: 2MiB }
    allow:
      methods: [initialize, ping, tools/list, notifications/initialized]
      tools: [get_weather, search_docs, read_log]
"#;
const METHODS: [&str; 4] = [
    "initialize",
    "ping",
    "tools/list",
    "notifications/initialized",
];
const TOOLS: [&str; 3] = ["get_weather", "search_docs", "read_log"];

/// A chain of filters between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chain {
    /// No filter: what Envoy itself costs.
    Plain,
    /// Envoy's own filter for MCP with RBAC behind it, as strict as they go.
    Native,
    /// The filter once.
    Admit,
    /// The filter twice, as it ships.
    Both,
}

impl Chain {
    /// Every chain; the first is what the others are held against.
    pub(crate) const ALL: [Self; 4] = [Self::Plain, Self::Native, Self::Admit, Self::Both];

    /// Its name in the table.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Plain => "no filter",
            Self::Native => "`envoy.filters.http.mcp` and RBAC",
            Self::Admit => "admit",
            Self::Both => "admit and recheck",
        }
    }

    /// A listener with the chain.
    pub(crate) fn listener(self) -> Result<Listener> {
        let mut listener = Listener::new("guarded");
        let module = mcp_boundary_tests::envoy::filter_module()?;
        match self {
            Self::Plain => {}
            Self::Native => listener.before = vec![native(), rbac()],
            Self::Admit | Self::Both => {
                listener.admit = Some(policy::stanza(POLICY, Part::Admit, "admit", &module)?);
                if self == Self::Both {
                    listener.recheck =
                        Some(policy::stanza(POLICY, Part::Recheck, "recheck", &module)?);
                }
            }
        }
        Ok(listener)
    }
}

fn native() -> Value {
    json!({
        "name": "envoy.filters.http.mcp",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.mcp.v3.Mcp",
            "traffic_mode": "REJECT_NO_MCP",
            "reject_duplicate_keys": true,
            "max_request_body_size": 2 << 20,
        },
    })
}

/// Permits what [`POLICY`] permits, by the metadata of the filter before.
fn rbac() -> Value {
    let metadata = |path: &[&str], value: &str| {
        let path: Vec<Value> = path.iter().map(|key| json!({ "key": key })).collect();
        json!({ "metadata": {
            "filter": "envoy.filters.http.mcp",
            "path": path,
            "value": { "string_match": { "exact": value } },
        } })
    };
    let methods = METHODS.map(|method| metadata(&["method"], method));
    let tools = TOOLS.map(|tool| metadata(&["params", "name"], tool));
    json!({
        "name": "envoy.filters.http.rbac",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
            "rules": {
                "action": "ALLOW",
                "policies": { "permitted": {
                    "principals": [{ "any": true }],
                    "permissions": [{ "or_rules": { "rules": [
                        { "or_rules": { "rules": methods } },
                        { "and_rules": { "rules": [
                            metadata(&["method"], "tools/call"),
                            { "or_rules": { "rules": tools } },
                        ] } },
                    ] } }],
                } },
            },
        },
    })
}
