//! The plugin configuration of an instance: what Envoy's `configuration` or
//! Istio's `pluginConfig` holds. Contract section 12.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_format::{Hold, MAGIC, Place, Policy, Role};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// A configuration as it is written, in one JSON object.
///
/// ```
/// use mcp_boundary_engine::Settings;
///
/// let error = Settings::read(br#"{"policy": "", "role": "admit"}"#).unwrap_err();
/// assert!(error.contains("compiled policy"), "{error}");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The compiled policy in base64.
    pub policy: Option<String>,
    /// No default: an instance that takes the wrong part checks nothing that
    /// the other one should.
    pub role: Option<String>,
    /// Recheck only: before the route (`chain`, the default) or behind it
    /// (`upstream`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Recheck only: refuse what was admitted for another endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The policy's digest, to be sure that this one is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Who holds the headers until the decision: see [`Hold`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// Which filter of the host does, for `hold: body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
}

/// Where to get a valid configuration from.
const PRINTED: &str = "`mcp-policy envoy` prints a valid one";

impl Settings {
    /// The engine that a configuration asks for, and who holds the headers.
    ///
    /// # Errors
    /// What is wrong with it and what to do, in words for the proxy's log.
    pub fn read(configuration: &[u8]) -> Result<(Engine, Hold), String> {
        let settings = Self::parse(configuration)?;
        let policy = settings.policy()?;
        let role = settings.role()?;
        let hold = settings.hold(&policy)?;
        let place = settings.place(role, hold)?;
        let engine = Engine::new(policy, role);
        let engine = match place {
            Place::Chain => engine,
            Place::Upstream => engine.upstream(),
        };
        Ok((settings.narrowed(engine)?, hold))
    }

    /// As it is written, whatever it says.
    ///
    /// # Errors
    /// If it is no JSON object of such members.
    pub fn parse(configuration: &[u8]) -> Result<Self, String> {
        if configuration.starts_with(&MAGIC) {
            return Err(format!(
                "the plugin configuration is a compiled policy alone; write `{{\"policy\": \"<base64 of it>\", \"role\": \"admit\"}}`; {PRINTED}"
            ));
        }
        serde_json::from_slice(configuration).map_err(|error| {
            format!(
                "the plugin configuration is not `{{\"policy\": \"<base64>\", \"role\": \"admit\"}}`: {error}; {PRINTED}"
            )
        })
    }

    /// The policy, which is the one that `digest` means.
    ///
    /// # Errors
    /// If there is none, or another.
    pub fn policy(&self) -> Result<Policy, String> {
        let Some(policy) = &self.policy else {
            return Err(format!(
                "the plugin configuration has no `policy`; write `\"policy\": \"<base64>\"`, of the whole file that `mcp-policy compile` wrote; {PRINTED}"
            ));
        };
        let blob = STANDARD.decode(policy).map_err(|error| {
            format!(
                "`policy` is not base64: {error}; encode the whole file that `mcp-policy compile` wrote"
            )
        })?;
        let policy = Policy::decode(&blob).map_err(|error| error.to_string())?;
        let actual = policy.digest().to_string();
        match &self.digest {
            Some(digest) if *digest != actual => Err(format!(
                "`policy` has the digest {actual}, but `digest` asks for another one; write this digest, or the policy that is meant"
            )),
            _ => Ok(policy),
        }
    }

    fn role(&self) -> Result<Role, String> {
        let Some(role) = &self.role else {
            return Err(format!(
                "the plugin configuration says no `role`; write `\"role\": \"admit\"` in the instance that sees what clients send, `\"role\": \"recheck\"` in the one behind the filters that rewrite requests; {PRINTED}"
            ));
        };
        role.parse().map_err(|error| {
            format!("the plugin configuration's `role` is wrong: {error}; {PRINTED}")
        })
    }

    /// Who holds the headers: one that can do what the policy wants.
    fn hold(&self, policy: &Policy) -> Result<Hold, String> {
        let hold = Hold::of(self.hold.as_deref(), self.held_by.as_deref())?;
        if let Hold::Body(_) = hold
            && let Some(switched) = edited(policy)
        {
            return Err(format!(
                "`hold` is `body`, and {switched} changes headers, which have gone on by then; use a gate (`hold: gate`), or take the switch out of the policy"
            ));
        }
        Ok(hold)
    }

    fn place(&self, role: Role, hold: Hold) -> Result<Place, String> {
        let Some(word) = &self.place else {
            return Ok(Place::Chain);
        };
        let place = Place::of(word).ok_or(
            "`place` is neither `chain` nor `upstream`; write `upstream` for a recheck in a cluster's chain, else leave it out",
        )?;
        match (place, role, hold) {
            (_, Role::Admit, _) => Err(
                "`place` is only for role `recheck`; admit always stands in the listener's chain"
                    .into(),
            ),
            (Place::Upstream, Role::Recheck, Hold::Gate | Hold::Body(_)) => Err(format!(
                "`hold` is `{}`, but behind the route nobody else holds headers; leave `hold` out in a cluster's chain, where `allow_on_headers_stop_iteration` can be set",
                hold.as_str()
            )),
            (place, Role::Recheck, _) => Ok(place),
        }
    }

    /// The engine for the endpoint that is meant, if one is.
    fn narrowed(&self, engine: Engine) -> Result<Engine, String> {
        match (&self.endpoint, engine.role()) {
            (None, _) => Ok(engine),
            (Some(_), Role::Admit) => {
                Err("`endpoint` is only for role `recheck`; at admit, host and path decide".into())
            }
            (Some(name), Role::Recheck) => engine.for_endpoint(name).ok_or_else(|| {
                "`endpoint` is not an endpoint of this policy; `mcp-policy inspect` lists them"
                    .into()
            }),
        }
    }
}

/// The first `compat` switch that has headers changed, in words.
fn edited(policy: &Policy) -> Option<String> {
    policy.endpoints().iter().find_map(|endpoint| {
        let name = endpoint.compat.first_on()?;
        Some(format!(
            "`compat: {{ {name}: true }}` of endpoint `{}`",
            endpoint.name
        ))
    })
}

#[cfg(test)]
mod tests;
