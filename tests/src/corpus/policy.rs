//! The shorthand in which a case states its policy, and the policy it means.

use serde::de;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::error::{self, Context};

/// One endpoint's policy as case files write it. What is left out is left out
/// of the policy as well, so the product's own defaults apply.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shorthand {
    versions: Option<Vec<String>>,
    mode: Option<String>,
    allow: Rules,
    deny: Rules,
    strict_tool_names: Option<bool>,
    max_body_bytes: Option<u64>,
    max_batch_members: Option<u64>,
    max_depth: Option<u64>,
    origins: Option<Vec<String>>,
    denial: Option<String>,
    responses: Option<String>,
    streams: Option<String>,
    sessions: Option<String>,
    upstream: Option<Map<String, Value>>,
    resource_uris: Option<String>,
    compat: Option<Map<String, Value>>,
    arguments_forbid: Option<Vec<String>>,
    arguments_set_by_filters: Option<Vec<String>>,
    unmatched: Option<Value>,
    hosts: Option<Vec<String>>,
    path: Option<String>,
    path_prefix: Option<String>,
    /// Further endpoints, in the policy language.
    more_endpoints: Vec<Map<String, Value>>,
}

/// One rule in shorthand, or a list of rules in the policy language.
#[derive(Debug, Clone, PartialEq)]
enum Rules {
    One(Selectors),
    List(Vec<Value>),
}

impl Default for Rules {
    fn default() -> Self {
        Self::One(Selectors::default())
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        // Not `untagged`, which forgets which key was wrong.
        match Value::deserialize(source)? {
            Value::Array(rules) => Ok(Self::List(rules)),
            other => Selectors::deserialize(other)
                .map(Self::One)
                .map_err(de::Error::custom),
        }
    }
}

impl Rules {
    fn written(&self) -> Option<Value> {
        match self {
            Self::One(selectors) => selectors.rule(),
            Self::List(rules) => Some(json!(rules)),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Selectors {
    methods: Vec<String>,
    tools: Vec<String>,
    prompts: Vec<String>,
    resources: Vec<String>,
    extensions: Vec<String>,
}

impl Selectors {
    /// The rule with what it names; `None` if it names nothing.
    fn rule(&self) -> Option<Value> {
        let mut rule = Map::new();
        for (key, names) in [
            ("methods", &self.methods),
            ("tools", &self.tools),
            ("prompts", &self.prompts),
            ("resources", &self.resources),
            ("extensions", &self.extensions),
        ] {
            if !names.is_empty() {
                rule.insert(key.to_owned(), json!(names));
            }
        }
        (!rule.is_empty()).then_some(Value::Object(rule))
    }
}

impl Shorthand {
    /// Whether the policy says which hosts or paths it is for, or what becomes
    /// of others, so that it cannot share a listener with other policies.
    pub fn stands_alone(&self) -> bool {
        self.hosts.is_some()
            || self.path.is_some()
            || self.path_prefix.is_some()
            || self.unmatched.is_some()
            || !self.more_endpoints.is_empty()
    }

    /// Whether the policy lets the filter change headers of what it forwards.
    pub const fn edits_headers(&self) -> bool {
        self.compat.is_some()
    }

    /// The policy of this case alone, as YAML text.
    ///
    /// # Errors
    /// If it cannot be written as YAML.
    pub fn document(&self) -> error::Result<String> {
        let more = self.more_endpoints.iter().cloned();
        let endpoints = [self.endpoint()].into_iter().chain(more);
        document(self.unmatched.as_ref(), endpoints.collect())
    }

    /// The first endpoint in the policy language, without its name and, unless the
    /// case gives them, without hosts.
    pub fn endpoint(&self) -> Map<String, Value> {
        let mut endpoint = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                endpoint.insert(key.to_owned(), value);
            }
        };
        put("hosts", self.hosts.as_ref().map(|hosts| json!(hosts)));
        put(
            "path_prefix",
            self.path_prefix.as_ref().map(|path| json!(path)),
        );
        // Every case is about this path unless its policy names another.
        let path = self.path.as_deref().unwrap_or("/mcp");
        put("path", self.path_prefix.is_none().then(|| json!(path)));
        put("versions", self.versions.as_ref().map(|list| json!(list)));
        put("mode", self.mode.as_ref().map(|word| json!(word)));
        put("denial", self.denial.as_ref().map(|word| json!(word)));
        put("responses", self.responses.as_ref().map(|word| json!(word)));
        put("streams", self.streams.as_ref().map(|word| json!(word)));
        put("sessions", self.sessions.as_ref().map(|word| json!(word)));
        put("upstream", self.upstream.clone().map(Value::Object));
        put(
            "resource_uris",
            self.resource_uris.as_ref().map(|word| json!(word)),
        );
        let names = |strict| json!(if strict { "strict" } else { "any" });
        put("tool_names", self.strict_tool_names.map(names));
        put("origins", self.origins.as_ref().map(|list| json!(list)));
        put("limits", self.limits());
        put("compat", self.compat.clone().map(Value::Object));
        put("arguments", self.arguments());
        put("allow", self.allow.written());
        put("deny", self.deny.written());
        endpoint
    }

    fn arguments(&self) -> Option<Value> {
        let mut arguments = Map::new();
        arguments.insert("forbid".into(), json!(self.arguments_forbid.as_ref()?));
        if let Some(names) = &self.arguments_set_by_filters {
            arguments.insert("set_by_filters".into(), json!(names));
        }
        Some(Value::Object(arguments))
    }

    fn limits(&self) -> Option<Value> {
        let limits: Map<String, Value> = [
            ("body_bytes", self.max_body_bytes),
            ("depth", self.max_depth),
            ("batch_members", self.max_batch_members),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), json!(value?))))
        .collect();
        (!limits.is_empty()).then_some(Value::Object(limits))
    }
}

/// A policy file with these endpoints, as JSON text, which is YAML too: every
/// text is quoted, so that names such as `no`, `null` and `1.0` stay names.
///
/// # Errors
/// If an endpoint cannot be written.
pub fn document(
    unmatched: Option<&Value>,
    endpoints: Vec<Map<String, Value>>,
) -> error::Result<String> {
    let mut document = Map::new();
    document.insert("mcp_policy".to_owned(), json!(1));
    if let Some(unmatched) = unmatched {
        document.insert("unmatched".to_owned(), unmatched.clone());
    }
    document.insert("endpoints".to_owned(), json!(endpoints));
    serde_json::to_string_pretty(&document).context("cannot write the policy as JSON")
}
