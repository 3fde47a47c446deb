//! Objects for control planes: what their Kubernetes resources need to carry a
//! policy, a module and a gate. Texts with comments, so that a line can be
//! understood where it stands.
//!
//! What the control planes make of them is read from their sources; the objects
//! are held against their CRDs, and Envoy runs with what they become
//! (`docs/deploy`).

mod gateway;
mod istio;
mod object;
mod parts;

pub use gateway::EnvoyGateway;
pub use istio::Istio;
pub use object::{MAX_OBJECT_BYTES, Objects};
pub(crate) use parts::is_name;
pub use parts::{At, Image, ImageError, Labels, LabelsError, Minor, MinorError, Reference, Target};

/// What cannot be had together, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{wrong}; {help}")]
pub struct Unfit {
    /// What is wrong.
    pub wrong: String,
    /// What to do.
    pub help: String,
}

impl Unfit {
    pub(crate) fn new(wrong: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            wrong: wrong.into(),
            help: help.into(),
        }
    }
}

/// What both control planes need.
#[derive(Debug, Clone)]
pub struct Common<'a> {
    /// The compiled policy.
    pub blob: &'a [u8],
    /// Begins the names of all objects.
    pub name: &'a str,
    /// Where the objects live; the current one if absent.
    pub namespace: Option<&'a str>,
    /// The filter's module.
    pub image: &'a Image,
    /// The gate's, for `hold: gate`.
    pub gate: Option<&'a Image>,
    /// Who holds the headers.
    pub hold: crate::envoy::Hold,
    /// The largest body that the policy lets pass, in bytes.
    pub body_bytes: u32,
}

impl Common<'_> {
    fn gate(&self) -> Result<&Image, Unfit> {
        self.gate.ok_or_else(|| {
            Unfit::new(
                "no image of the gate is named",
                "write it as `--gate-image oci://REGISTRY/NAME@sha256:DIGEST`; `--hold` has other ways",
            )
        })
    }

    /// Room for a body that the boundary is to judge, and for what it answers
    /// about a larger one; in KiB.
    fn buffer_kib(&self) -> u32 {
        let body = self.body_bytes.div_ceil(1024);
        body.saturating_add(1024).max(4096)
    }
}
