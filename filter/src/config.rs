//! The plugin configuration.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::{Engine, Role};
use mcp_boundary_format::{MAGIC, Policy};
use serde::Deserialize;

/// Where to get a valid configuration from.
const PRINTED: &str = "`mcp-policy envoy` prints a valid one";

/// What Envoy's `configuration` or Istio's `pluginConfig` holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The compiled policy in base64.
    policy: String,
    /// No default: an instance that takes the wrong part checks nothing that
    /// the other one should.
    role: Option<String>,
    /// Recheck only: before the route (the default) or behind it.
    place: Option<Place>,
    /// Recheck only: refuse what was admitted for another endpoint.
    endpoint: Option<String>,
    /// The policy's digest, to be sure that this one is meant.
    digest: Option<String>,
    /// Who holds the headers until the decision: `headers` (the default) for
    /// the instance itself, or `gate`.
    hold: Option<String>,
}

/// Who holds the headers until the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The instance itself, which takes `allow_on_headers_stop_iteration`.
    Headers,
    /// A gate behind it; the instance holds the body.
    Gate,
}

impl Hold {
    fn read(word: Option<&str>) -> Result<Self, String> {
        match word {
            None | Some("headers") => Ok(Self::Headers),
            Some("gate") => Ok(Self::Gate),
            Some(_) => Err(
                "`hold` is neither `headers` nor `gate`; write `gate` where a gate stands behind this instance, else leave it out".into(),
            ),
        }
    }
}

/// Where a recheck stands. Contract section 12.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    /// In the listener's chain: nothing may have changed.
    Chain,
    /// In the cluster's chain: what endpoints name in `upstream` may have.
    Upstream,
}

/// The engine that a configuration asks for, and who holds the headers.
pub(crate) fn read(configuration: &[u8]) -> Result<(Engine, Hold), String> {
    if configuration.starts_with(&MAGIC) {
        return Err(format!(
            "the plugin configuration is a compiled policy alone; write `{{\"policy\": \"<base64 of it>\", \"role\": \"admit\"}}`; {PRINTED}"
        ));
    }
    let settings: Settings = serde_json::from_slice(configuration).map_err(|error| {
        format!(
            "the plugin configuration is not `{{\"policy\": \"<base64>\", \"role\": \"admit\"}}`: {error}; {PRINTED}"
        )
    })?;
    let blob = STANDARD.decode(&settings.policy).map_err(|error| {
        format!(
            "`policy` is not base64: {error}; encode the whole file that `mcp-policy compile` wrote"
        )
    })?;
    let policy = load(&blob)?;
    if let Some(digest) = &settings.digest {
        let actual = policy.digest().to_string();
        if *digest != actual {
            return Err(format!(
                "`policy` has the digest {actual}, but `digest` asks for another one"
            ));
        }
    }
    let Some(role) = &settings.role else {
        return Err(format!(
            "the plugin configuration says no `role`; write `\"role\": \"admit\"` in the instance that sees what clients send, `\"role\": \"recheck\"` in the one behind the filters that rewrite requests; {PRINTED}"
        ));
    };
    let role = role.parse::<Role>().map_err(|error| {
        format!("the plugin configuration's `role` is wrong: {error}; {PRINTED}")
    })?;
    let engine = Engine::new(policy, role);
    let hold = Hold::read(settings.hold.as_deref())?;
    if let (Some(Place::Upstream), Hold::Gate) = (settings.place, hold) {
        return Err(
            "`hold` is `gate`, but behind the route there is none; leave `hold` out in a cluster's chain, where `allow_on_headers_stop_iteration` can be set"
                .into(),
        );
    }
    let engine = match (settings.place, role) {
        (None, _) | (Some(Place::Chain), Role::Recheck) => engine,
        (Some(Place::Upstream), Role::Recheck) => engine.upstream(),
        (Some(_), Role::Admit) => {
            return Err(
                "`place` is only for role `recheck`; admit always stands in the listener's chain"
                    .into(),
            );
        }
    };
    let engine = match (&settings.endpoint, role) {
        (None, _) => engine,
        (Some(_), Role::Admit) => {
            return Err(
                "`endpoint` is only for role `recheck`; at admit, host and path decide".into(),
            );
        }
        (Some(name), Role::Recheck) => engine.for_endpoint(name).ok_or(
            "`endpoint` is not an endpoint of this policy; `mcp-policy inspect` lists them",
        )?,
    };
    Ok((engine, hold))
}

fn load(blob: &[u8]) -> Result<Policy, String> {
    Policy::decode(blob).map_err(|error| error.to_string())
}
