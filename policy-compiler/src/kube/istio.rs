//! Istio: `WasmPlugin`, `TrafficExtension`, `EnvoyFilter`.

use std::fmt::Write as _;

use super::object::{Objects, members};
use super::parts::{At, Image, Minor, Target};
use super::{Common, Unfit};
use crate::envoy::{Hold, Holder, Role, Stanza, gate_configuration};
use crate::yaml::quoted;

const PLUGIN: (&str, &str) = ("extensions.istio.io/v1alpha1", "WasmPlugin");
const EXTENSION: (&str, &str) = ("extensions.istio.io/v1alpha1", "TrafficExtension");
const PATCH: (&str, &str) = ("networking.istio.io/v1alpha3", "EnvoyFilter");

/// The last places of a chain. Plugins without a phase stand behind those of
/// all phases, the lowest priority last.
const RECHECK_PRIORITY: i32 = -2_147_483_640;
const HOLDER_PRIORITY: i32 = -2_147_483_647;

/// What `mcp-policy istio` makes.
#[derive(Debug, Clone)]
pub struct Istio<'a> {
    /// What every control plane needs.
    pub common: Common<'a>,
    /// Whose proxy.
    pub target: Target,
    /// What kind of proxy that is.
    pub at: At,
    /// The port of the server's pods, for a sidecar; that of the listener
    /// elsewhere, all if absent.
    pub port: Option<u16>,
    /// The release.
    pub version: Minor,
}

impl Istio<'_> {
    /// The objects, in the order to apply them: whoever holds headers first.
    ///
    /// # Errors
    /// What this Istio cannot do.
    pub fn objects(&self) -> Result<Objects, Unfit> {
        self.check()?;
        let mut objects = Objects::default();
        match self.common.hold {
            Hold::Headers => self.patch_in(&mut objects),
            Hold::Gate => {
                let image = self.common.gate()?;
                let configuration = gate_configuration(&Role::ALL);
                self.plugin(&mut objects, "gate", image, &configuration);
                self.instances(&mut objects);
            }
            Hold::Body(Holder::Lua) => {
                self.script(&mut objects);
                self.instances(&mut objects);
            }
            Hold::Body(Holder::Buffer) => {
                self.buffer(&mut objects);
                self.instances(&mut objects);
            }
        }
        self.bounds(&mut objects);
        Ok(objects)
    }

    fn check(&self) -> Result<(), Unfit> {
        let version = self.version;
        let newer = |minor: u32, what: &str, help: &str| match version < Minor(minor) {
            true => Err(Unfit::new(
                format!("Istio {version} {what}"),
                format!("it takes Istio 1.{minor} or later{help}"),
            )),
            false => Ok(()),
        };
        newer(
            27,
            "has no `failStrategy: FAIL_RELOAD`, so that after one fault nothing would be served",
            "",
        )?;
        let otherwise = ", or `--hold gate`";
        match self.common.hold {
            Hold::Headers => newer(
                28,
                "drops `allow_on_headers_stop_iteration` without a word, and every request with a body would time out",
                otherwise,
            )?,
            Hold::Body(Holder::Lua) => newer(30, "has no `TrafficExtension`", otherwise)?,
            Hold::Gate | Hold::Body(Holder::Buffer) => {}
        }
        let by_patch = matches!(self.common.hold, Hold::Headers | Hold::Body(Holder::Buffer));
        match (&self.target, self.at) {
            (Target::Selector(_), At::Waypoint) => Err(Unfit::new(
                "a waypoint has no labels to select",
                "write `--target-ref Gateway/NAME` with the waypoint's name, or `Service/NAME` with that of a service behind it",
            )),
            (Target::Reference(_), At::Sidecar) => Err(Unfit::new(
                "a sidecar is chosen by labels",
                "write `--selector KEY=VALUE`; `--at gateway` and `--at waypoint` take `--target-ref`",
            )),
            (Target::Reference(reference), _) if reference.kind == "HTTPRoute" => Err(Unfit::new(
                "Istio attaches no plugin to an `HTTPRoute`",
                "write `--target-ref Gateway/NAME`, or `Service/NAME` at a waypoint",
            )),
            (Target::Reference(_), _) if by_patch => Err(Unfit::new(
                "that way of holding headers needs an `EnvoyFilter`, which is written here for what labels select",
                "write `--hold gate`, or at a gateway `--selector KEY=VALUE`",
            )),
            (Target::Selector(_), At::Sidecar) if self.port.is_none() => Err(Unfit::new(
                "no port is named, and a policy would judge whatever else the pods serve",
                "write `--port` with the port on which the MCP server's container listens",
            )),
            (Target::Reference(reference), _)
                if reference.kind == "ServiceEntry" && self.at == At::Gateway =>
            {
                Err(Unfit::new(
                    "a gateway is not attached to by a `ServiceEntry`",
                    "write `--target-ref Gateway/NAME`",
                ))
            }
            _ => Ok(()),
        }
    }

    fn instances(&self, objects: &mut Objects) {
        for role in [Role::Recheck, Role::Admit] {
            let stanza = Stanza {
                hold: self.common.hold,
                ..Stanza::new(self.common.blob, role)
            };
            self.plugin(
                objects,
                role.as_str(),
                self.common.image,
                &stanza.configuration(),
            );
        }
    }

    fn plugin(&self, objects: &mut Objects, part: &str, image: &Image, configuration: &str) {
        let (comment, place) = match part {
            "admit" => (
                "Decides on what clients send.",
                "  # Behind authentication, whose claims rules may ask for, and before all that rewrites.\n  phase: AUTHZ\n  priority: 100\n".to_owned(),
            ),
            "recheck" => (
                "Decides again on what will be sent.",
                format!("  # Without a phase behind all that have one; of those without, right before the gate or whoever holds headers.\n  priority: {RECHECK_PRIORITY}\n"),
            ),
            _ => (
                "Holds the headers of requests that are not decided. It must stand before the others run.",
                format!("  # Last of all: nothing stands between it and the router.\n  priority: {HOLDER_PRIORITY}\n"),
            ),
        };
        let mut spec = self.scope();
        let _ = write!(
            spec,
            "  url: {}\n{place}  pluginName: mcp_boundary\n  # A fault refuses the request and starts a new VM; never FAIL_OPEN.\n  failStrategy: FAIL_RELOAD\n  pluginConfig:\n{}",
            quoted(&image.to_string()),
            members(configuration, 4),
        );
        objects.push(
            PLUGIN,
            &self.name(part),
            self.common.namespace,
            comment,
            &spec,
        );
    }

    fn script(&self, objects: &mut Objects) {
        let mut spec = self.scope();
        let _ = write!(
            spec,
            "  # Last of all: nothing stands between it and the router.\n  priority: {HOLDER_PRIORITY}\n  lua:\n    inlineCode: |\n      function envoy_on_request(handle)\n        -- Headers wait until the whole body is there.\n        handle:body()\n      end\n"
        );
        let comment =
            "Holds the headers until the body is there. It must stand before the others run.";
        objects.push(
            EXTENSION,
            &self.name("hold"),
            self.common.namespace,
            comment,
            &spec,
        );
    }

    fn buffer(&self, objects: &mut Objects) {
        let bytes = self.common.buffer_kib().saturating_mul(1024);
        let value = format!(
            "          name: envoy.filters.http.buffer\n          typed_config:\n            \"@type\": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer\n            # Above what the policy takes, so that it is the boundary that answers.\n            max_request_bytes: {bytes}\n"
        );
        let mut spec = self.workload();
        let _ = write!(spec, "  configPatches:\n{}", self.before_router(&value));
        let comment =
            "Holds the headers until the body is there. It must stand before the others run.";
        objects.push(
            PATCH,
            &self.name("hold"),
            self.common.namespace,
            comment,
            &spec,
        );
    }

    /// `hold: headers`: the flag can be said in an extension's configuration.
    fn patch_in(&self, objects: &mut Objects) {
        let mut patches = String::new();
        let mut inserts = String::new();
        for role in Role::ALL {
            let stanza = Stanza::new(self.common.blob, role);
            let name = format!(
                "{}.{}",
                self.common.namespace.unwrap_or("mcp"),
                self.name(role.as_str())
            );
            let code = match self.common.image {
                Image::Oci { .. } => format!(
                    "                code:\n                  remote:\n                    # The agent fetches it.\n                    http_uri: {{ uri: {}, cluster: _, timeout: 30s }}\n                    sha256: nil\n",
                    quoted(&self.common.image.to_string())
                ),
                Image::File(path) => format!(
                    "                code: {{ local: {{ filename: {} }} }}\n",
                    quoted(path)
                ),
            };
            let configuration = stanza.configuration().replace('\'', "''");
            let _ = write!(
                patches,
                "    - applyTo: EXTENSION_CONFIG\n      match: {{ context: {context} }}\n      patch:\n        operation: ADD\n        value:\n          name: {quoted_name}\n          typed_config:\n            \"@type\": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm\n            config:\n              name: mcp_boundary\n              root_id: mcp_boundary\n              failure_policy: FAIL_RELOAD\n              # Nothing is sent upstream before the decision.\n              allow_on_headers_stop_iteration: true\n              vm_config:\n                vm_id: {quoted_name}\n                runtime: envoy.wasm.runtime.v8\n{code}              configuration:\n                \"@type\": type.googleapis.com/google.protobuf.StringValue\n                value: '{configuration}'\n",
                context = self.context(),
                quoted_name = quoted(&name),
            );
            let value = format!(
                "          name: {}\n          config_discovery:\n            config_source: {{ ads: {{}}, initial_fetch_timeout: 0s, resource_api_version: V3 }}\n            type_urls:\n              - type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm\n              # What the agent answers where it cannot fetch: it denies all.\n              - type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC\n",
                quoted(&name)
            );
            inserts.push_str(&self.before_router(&value));
        }
        let mut spec = self.workload();
        let _ = write!(spec, "  configPatches:\n{patches}{inserts}");
        let comment = "Admit and recheck, right before the router. A filter that rewrites requests belongs between the two: insert it there.";
        objects.push(
            PATCH,
            self.common.name,
            self.common.namespace,
            comment,
            &spec,
        );
    }

    /// What Istio leaves open: how large a buffered body may be, and how long
    /// it may take.
    fn bounds(&self, objects: &mut Objects) {
        let Target::Selector(_) = self.target else {
            return;
        };
        let bytes = self.common.buffer_kib().saturating_mul(1024);
        let (context, listener) = match self.at {
            At::Sidecar => (
                "SIDECAR_INBOUND",
                "      match:\n        context: SIDECAR_INBOUND\n        listener: { name: virtualInbound }\n",
            ),
            At::Gateway | At::Waypoint => ("GATEWAY", "      match: { context: GATEWAY }\n"),
        };
        let mut spec = self.workload();
        let _ = write!(
            spec,
            "  configPatches:\n    # Above the policy's `limits.body_bytes`; Istio's edge profile has 32 KiB.\n    - applyTo: LISTENER\n{listener}      patch:\n        operation: MERGE\n        value: {{ per_connection_buffer_limit_bytes: {bytes} }}\n    # Istio lets a body take for ever; here it is held meanwhile.\n    - applyTo: NETWORK_FILTER\n      match:\n        context: {context}\n        listener:\n          filterChain: {{ filter: {{ name: envoy.filters.network.http_connection_manager }} }}\n      patch:\n        operation: MERGE\n        value:\n          typed_config:\n            \"@type\": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager\n            request_timeout: 60s\n"
        );
        let comment = "Bounds for bodies that wait for their decision.";
        objects.push(
            PATCH,
            &self.name("bounds"),
            self.common.namespace,
            comment,
            &spec,
        );
    }

    fn name(&self, part: &str) -> String {
        format!("{}-{part}", self.common.name)
    }

    /// Whose traffic, as plugins say it.
    fn scope(&self) -> String {
        let mut out = match &self.target {
            Target::Selector(labels) => {
                let mut out = "  selector:\n    matchLabels:\n".to_owned();
                for (key, value) in labels.iter() {
                    let _ = writeln!(out, "      {}: {}", quoted(key), quoted(value));
                }
                out
            }
            Target::Reference(reference) => format!(
                "  targetRefs:\n    - {{ group: {}, kind: {}, name: {} }}\n",
                quoted(reference.group),
                reference.kind,
                quoted(&reference.name)
            ),
        };
        match (self.at, self.port) {
            (At::Sidecar, Some(port)) => {
                let _ = write!(
                    out,
                    "  match:\n    # What comes in; without the mode the pods' own calls would be judged, too.\n    - mode: SERVER\n      ports: [{{ number: {port} }}]\n"
                );
            }
            (_, Some(port)) => {
                let _ = writeln!(out, "  match: [{{ ports: [{{ number: {port} }}] }}]");
            }
            (_, None) => {}
        }
        out
    }

    /// Whose proxies, as patches say it.
    fn workload(&self) -> String {
        let mut out = "  workloadSelector:\n    labels:\n".to_owned();
        if let Target::Selector(labels) = &self.target {
            for (key, value) in labels.iter() {
                let _ = writeln!(out, "      {}: {}", quoted(key), quoted(value));
            }
        }
        out
    }

    const fn context(&self) -> &'static str {
        match self.at {
            At::Sidecar => "SIDECAR_INBOUND",
            At::Gateway => "GATEWAY",
            At::Waypoint => "WAYPOINT",
        }
    }

    /// A patch that puts a filter right before the router.
    fn before_router(&self, value: &str) -> String {
        let port = self
            .port
            .map(|port| format!("          portNumber: {port}\n"))
            .unwrap_or_default();
        format!(
            "    - applyTo: HTTP_FILTER\n      match:\n        context: {}\n        listener:\n{port}          filterChain:\n            filter:\n              name: envoy.filters.network.http_connection_manager\n              subFilter: {{ name: envoy.filters.http.router }}\n      patch:\n        operation: INSERT_BEFORE\n        value:\n{value}",
            self.context()
        )
    }
}
