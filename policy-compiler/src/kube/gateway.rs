//! Envoy Gateway: `EnvoyExtensionPolicy`, and what has to stand beside it.

use std::fmt::Write as _;

use super::object::{Objects, members};
use super::parts::{Image, Reference};
use super::{Common, Unfit};
use crate::envoy::{Hold, Holder, Role, Stanza, gate_configuration};
use crate::yaml::quoted;

const VERSION: &str = "gateway.envoyproxy.io/v1alpha1";

/// What `mcp-policy gateway` makes.
#[derive(Debug, Clone)]
pub struct EnvoyGateway<'a> {
    /// What every control plane needs.
    pub common: Common<'a>,
    /// The route or gateway whose requests are judged.
    pub target: Reference,
    /// The gateway that the route is attached to.
    pub gateway: String,
}

impl EnvoyGateway<'_> {
    /// The objects, in the order to apply them.
    ///
    /// # Errors
    /// What Envoy Gateway cannot do.
    pub fn objects(&self) -> Result<Objects, Unfit> {
        self.check()?;
        let mut objects = Objects::default();
        self.bounds(&mut objects);
        if self.common.hold == Hold::Body(Holder::Buffer) {
            self.buffer(&mut objects);
        }
        self.extension(&mut objects)?;
        Ok(objects)
    }

    fn check(&self) -> Result<(), Unfit> {
        if !matches!(self.target.kind, "Gateway" | "HTTPRoute") {
            return Err(Unfit::new(
                format!(
                    "Envoy Gateway attaches no policy to a `{}`",
                    self.target.kind
                ),
                "write `--target-ref HTTPRoute/NAME` or `Gateway/NAME`",
            ));
        }
        match self.common.hold {
            Hold::Gate | Hold::Body(Holder::Buffer) => Ok(()),
            Hold::Headers => Err(Unfit::new(
                "Envoy Gateway cannot set `allow_on_headers_stop_iteration`, and every request with a body would time out",
                "leave `--hold` out for a gate, or write `--hold buffer`",
            )),
            Hold::Body(Holder::Lua) => Err(Unfit::new(
                "Envoy Gateway puts Lua before wasm, where it holds nothing",
                "leave `--hold` out for a gate, or write `--hold buffer`",
            )),
        }
    }

    fn extension(&self, objects: &mut Objects) -> Result<(), Unfit> {
        let mut spec = format!(
            "{}  # In the order of the chain.\n  wasm:\n",
            self.targets()
        );
        for role in Role::ALL {
            let stanza = Stanza {
                hold: self.common.hold,
                ..Stanza::new(self.common.blob, role)
            };
            spec.push_str(&self.plugin(
                role.as_str(),
                self.common.image,
                &stanza.configuration(),
            )?);
        }
        if self.common.hold == Hold::Gate {
            let configuration = gate_configuration(&Role::ALL);
            spec.push_str(&self.plugin("gate", self.common.gate()?, &configuration)?);
        }
        objects.push(
            (VERSION, "EnvoyExtensionPolicy"),
            self.common.name,
            self.common.namespace,
            "Admit, recheck and whoever holds the headers of requests that are not decided.\nAfter a fault a worker answers 503 until it is restarted: Envoy Gateway has no FAIL_RELOAD.",
            &spec,
        );
        Ok(())
    }

    fn plugin(&self, part: &str, image: &Image, configuration: &str) -> Result<String, Unfit> {
        let Image::Oci { name, sha256 } = image else {
            return Err(Unfit::new(
                "Envoy Gateway takes no module from a file",
                "push it as an image and name that: oci://REGISTRY/NAME@sha256:DIGEST",
            ));
        };
        let mut out = format!(
            "    - name: {}\n",
            quoted(&format!("{}-{part}", self.common.name))
        );
        let _ = write!(
            out,
            "      rootID: mcp_boundary\n      # Never true: it would let requests pass unjudged.\n      failOpen: false\n      code:\n        type: Image\n        image:\n          url: {}\n          sha256: {digest}\n      config:\n{}",
            quoted(&format!("{name}@sha256:{sha256}")),
            members(configuration, 8),
            digest = quoted(sha256),
        );
        Ok(out)
    }

    fn bounds(&self, objects: &mut Objects) {
        let mut spec = format!(
            "  targetRefs:\n    - {{ group: gateway.networking.k8s.io, kind: Gateway, name: {} }}\n",
            quoted(&self.gateway)
        );
        let _ = write!(
            spec,
            "  connection:\n    # Above the policy's `limits.body_bytes`; the default is 32 KiB.\n    bufferLimit: {}Ki\n  timeout:\n    http:\n      # A body is held until it is whole.\n      requestReceivedTimeout: 60s\n",
            self.common.buffer_kib()
        );
        objects.push(
            (VERSION, "ClientTrafficPolicy"),
            &format!("{}-bounds", self.common.name),
            self.common.namespace,
            "Bounds for bodies that wait for their decision. A gateway has one such policy: if there\nis one, add these lines to it instead.",
            &spec,
        );
    }

    fn buffer(&self, objects: &mut Objects) {
        let spec = "  # What is referred to by the GatewayClass or the Gateway (`parametersRef`).\n  filterOrder:\n    # By default it stands before wasm, where it holds nothing.\n    - name: envoy.filters.http.buffer\n      after: envoy.filters.http.wasm\n";
        let comment = "The order of filters. If there is an EnvoyProxy already, add these lines to it instead.";
        objects.push(
            (VERSION, "EnvoyProxy"),
            &format!("{}-order", self.common.name),
            self.common.namespace,
            comment,
            spec,
        );
        let spec = format!(
            "{}  # Above the policy's `limits.body_bytes`.\n  requestBuffer: {{ limit: {}Ki }}\n",
            self.targets(),
            self.common.buffer_kib()
        );
        objects.push(
            (VERSION, "BackendTrafficPolicy"),
            &format!("{}-hold", self.common.name),
            self.common.namespace,
            "Holds the headers until the body is there.",
            &spec,
        );
    }

    fn targets(&self) -> String {
        format!(
            "  targetRefs:\n    - {{ group: {}, kind: {}, name: {} }}\n",
            self.target.group,
            self.target.kind,
            quoted(&self.target.name)
        )
    }
}
