//! Envoy's bootstrap, rendered from the one that ships: `envoy/bootstrap.yaml`.
//!
//! Suites and `make run` add listeners, filters and TLS to what `mcp-policy
//! bootstrap` writes. Everything else, the buffer limit and the trailers above
//! all, is read from the shipped file, so that it is what gets tested.

use std::path::Path;

use mcp_policy::bootstrap::{BEHIND_PROXY, EDGE};
use serde_json::{Value, json};

use super::Flags;
use crate::error::{Context, Error, Result};
use crate::policy::holder;

const ADMIT: &str = "mcp-boundary-admit";
const RECHECK: &str = "mcp-boundary-recheck";
const OPTIONS: &str = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/// A bootstrap in the making. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    /// The admin interface.
    pub admin: Place,
    /// At least one.
    pub listeners: Vec<Listener>,
    /// The MCP server.
    pub upstream: Place,
    /// HTTP filters of the cluster, before the codec; usually none or the
    /// recheck's stanza.
    pub upstream_filters: Vec<Value>,
    /// TLS to the server; plain if absent.
    pub upstream_transport_socket: Option<Value>,
    /// Whether trailers pass to the server and back, which Envoy drops between
    /// HTTP/1.1 and whatever else unless it is told.
    pub upstream_trailers: bool,
    /// Whether another proxy stands before Envoy: rendered from the other file.
    pub behind_proxy: bool,
    /// Clusters beside the server's, for filters that ask another service.
    pub clusters: Vec<Value>,
    /// What stands otherwise than in the shipped file: text of the rendered
    /// one, and what takes its place wherever it stands.
    pub replaced: Vec<(&'static str, String)>,
    /// How Envoy is started with it.
    pub flags: Flags,
}

/// One listener with its own chain of filters.
#[derive(Debug, Clone)]
pub struct Listener {
    /// Its name, unique in the bootstrap.
    pub name: String,
    /// Where it listens.
    pub place: Place,
    /// HTTP filters above admit: what authenticates or strips headers.
    pub before: Vec<Value>,
    /// The stanza that decides on what the client sent.
    pub admit: Option<Value>,
    /// HTTP filters between admit and recheck: what rewrites requests.
    pub between: Vec<Value>,
    /// The stanza that decides on what will be sent.
    pub recheck: Option<Value>,
    /// Whether whoever holds headers is left out where one belongs.
    pub gateless: bool,
    /// TLS from clients; plain if absent.
    pub transport_socket: Option<Value>,
    /// Routes ahead of the one that takes everything.
    pub routes: Vec<Value>,
}

impl Listener {
    /// A listener of this name on a free loopback port, without filters yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            place: Place::free_port(),
            before: Vec::new(),
            admit: None,
            between: Vec::new(),
            recheck: None,
            gateless: false,
            transport_socket: None,
            routes: Vec::new(),
        }
    }
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// An address or a name.
    pub host: String,
    /// The TCP port; 0 for any free one.
    pub port: u16,
}

impl Place {
    /// Any free port on loopback.
    pub fn free_port() -> Self {
        Self::new("127.0.0.1", 0)
    }

    /// This host and port.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
        }
    }

    fn socket(&self) -> Value {
        json!({ "socket_address": { "address": self.host, "port_value": self.port } })
    }
}

impl From<std::net::SocketAddr> for Place {
    fn from(address: std::net::SocketAddr) -> Self {
        Self::new(address.ip().to_string(), address.port())
    }
}

impl Bootstrap {
    /// A bootstrap with these listeners in front of `upstream`, everything on
    /// free loopback ports.
    pub fn new(upstream: impl Into<Place>, listeners: Vec<Listener>) -> Self {
        Self {
            admin: Place::free_port(),
            listeners,
            upstream: upstream.into(),
            upstream_filters: Vec::new(),
            upstream_transport_socket: None,
            upstream_trailers: false,
            behind_proxy: false,
            clusters: Vec::new(),
            replaced: Vec::new(),
            flags: Flags::default(),
        }
    }

    /// Has Envoy give up soon on a request that nobody decides.
    pub fn give_up_after(&mut self, seconds: f32) {
        let timeout = format!("timeout: {seconds}s");
        self.replaced.push(("timeout: 0s", timeout));
    }

    /// The bootstrap as YAML.
    ///
    /// # Errors
    /// If the shipped file is not what this module expects; the error says
    /// which part is missing.
    pub fn render(&self) -> Result<String> {
        let mut text = self.render_from(match self.behind_proxy {
            false => EDGE,
            true => BEHIND_PROXY,
        })?;
        for (shipped, other) in &self.replaced {
            if !text.contains(shipped) {
                return Err(Error::new(format!("there is no `{shipped}` to replace")));
            }
            text = text.replace(shipped, other);
        }
        Ok(text)
    }

    /// The bootstrap without its listeners, which Envoy is to read from `file`
    /// and to read again whenever another file is moved there; and what the
    /// file holds.
    ///
    /// # Errors
    /// As [`Bootstrap::render`].
    pub fn render_split(&self, file: &Path) -> Result<(String, String)> {
        let mut root: Value =
            serde_yaml::from_str(&self.render()?).context("the bootstrap is not YAML")?;
        let listeners = part(&mut root, "/static_resources/listeners")?.take();
        let mut resources = listeners.as_array().cloned().unwrap_or_default();
        for resource in &mut resources {
            resource["@type"] = json!("type.googleapis.com/envoy.config.listener.v3.Listener");
        }
        *part(&mut root, "/static_resources/listeners")? = json!([]);
        root["node"] = json!({ "id": "gateway", "cluster": "gateway" });
        root["dynamic_resources"] =
            json!({ "lds_config": { "path_config_source": { "path": file } } });
        let yaml = |value: &Value| serde_yaml::to_string(value).context("cannot write YAML");
        Ok((yaml(&root)?, yaml(&json!({ "resources": resources }))?))
    }

    fn render_from(&self, template: &str) -> Result<String> {
        let mut root: Value =
            serde_yaml::from_str(template).context("`envoy/bootstrap.yaml` is not YAML")?;
        *part(&mut root, "/admin/address")? = self.admin.socket();

        let shape = part(&mut root, "/static_resources/listeners/0")?.clone();
        let listeners: Result<Vec<_>> = self
            .listeners
            .iter()
            .map(|listener| fill_listener(shape.clone(), listener))
            .collect();
        *part(&mut root, "/static_resources/listeners")? = Value::Array(listeners?);

        // What ships is for one listener, and each has VMs of its own.
        let heap = part(
            &mut root,
            "/overload_manager/resource_monitors/0/typed_config/max_heap_size_bytes",
        )?;
        let listeners = u64::try_from(self.listeners.len()).unwrap_or(u64::MAX);
        *heap = json!(
            heap.as_u64()
                .unwrap_or_default()
                .saturating_mul(listeners.max(1))
        );

        let cluster = part(&mut root, "/static_resources/clusters/0")?;
        *part(
            cluster,
            "/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address",
        )? = self.upstream.socket();
        if !self.upstream_filters.is_empty() {
            let options = part(
                cluster,
                &format!("/typed_extension_protocol_options/{OPTIONS}"),
            )?;
            options["http_filters"] = upstream_chain(&self.upstream_filters);
        }
        if self.upstream_trailers {
            let options = part(
                cluster,
                &format!(
                    "/typed_extension_protocol_options/{OPTIONS}/explicit_http_config/http_protocol_options"
                ),
            )?;
            options["enable_trailers"] = json!(true);
        }
        if let Some(socket) = &self.upstream_transport_socket {
            cluster["transport_socket"] = socket.clone();
        }
        let clusters = part(&mut root, "/static_resources/clusters")?;
        if let Some(clusters) = clusters.as_array_mut() {
            clusters.extend(self.clusters.iter().cloned());
        }
        serde_yaml::to_string(&root).context("cannot write the bootstrap as YAML")
    }
}

fn fill_listener(mut shape: Value, listener: &Listener) -> Result<Value> {
    shape["name"] = json!(listener.name);
    *part(&mut shape, "/address")? = listener.place.socket();
    let chain = part(
        &mut shape,
        "/filter_chains/0/filters/0/typed_config/http_filters",
    )?;
    let Some(template) = chain.as_array() else {
        return Err(Error::new(
            "`http_filters` of `envoy/bootstrap.yaml` is no list",
        ));
    };
    let mut filters = Vec::new();
    let mut places = 0;
    for filter in template {
        match filter["name"].as_str() {
            Some(ADMIT) => {
                filters.extend(listener.before.iter().chain(&listener.admit).cloned());
                places += 1;
            }
            Some(RECHECK) => {
                filters.extend(listener.between.iter().chain(&listener.recheck).cloned());
                if !listener.gateless {
                    filters.extend(holder(listener.admit.as_ref(), listener.recheck.as_ref())?);
                }
                places += 1;
            }
            _ => filters.push(filter.clone()),
        }
    }
    if places != 2 {
        return Err(Error::new(format!(
            "`envoy/bootstrap.yaml` has no place for the filter; keep the entries `{ADMIT}` and `{RECHECK}`"
        )));
    }
    *chain = Value::Array(filters);
    let routes = part(
        &mut shape,
        "/filter_chains/0/filters/0/typed_config/route_config/virtual_hosts/0/routes",
    )?;
    if let Some(routes) = routes.as_array_mut() {
        routes.splice(..0, listener.routes.iter().cloned());
    }
    if let Some(socket) = &listener.transport_socket {
        part(&mut shape, "/filter_chains/0")?["transport_socket"] = socket.clone();
    }
    Ok(shape)
}

/// An upstream chain ends with the codec, which Envoy adds by itself only to
/// an empty one.
fn upstream_chain(filters: &[Value]) -> Value {
    let codec = json!({
        "name": "envoy.filters.http.upstream_codec",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec",
        },
    });
    filters.iter().cloned().chain([codec]).collect()
}

fn part<'a>(value: &'a mut Value, pointer: &str) -> Result<&'a mut Value> {
    value
        .pointer_mut(pointer)
        .ok_or_else(|| Error::new(format!("`envoy/bootstrap.yaml` has no `{pointer}`")))
}

#[cfg(test)]
mod tests;
