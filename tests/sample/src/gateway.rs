//! Envoy with the filter and the example policy, in front of the sample server.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use mcp_boundary_tests::{
    envoy::{Bootstrap, Listener, Place, filter_module},
    error::{Context, Result},
    policy::{self, Part},
    workspace,
};

/// Where the gateway listens unless told otherwise.
pub const PORT: u16 = 10000;

/// The listener's name.
pub const LISTENER: &str = "mcp";

/// The policy in force.
pub fn policy_path() -> PathBuf {
    workspace().join("envoy/policy.yaml")
}

/// Envoy's configuration: the shipped bootstrap with admit and recheck under the example policy.
///
/// # Errors
/// When the policy cannot be read or compiled, or the filter does not build.
pub fn bootstrap(server: SocketAddr, place: Place) -> Result<Bootstrap> {
    let policy =
        std::fs::read_to_string(policy_path()).context("cannot read `envoy/policy.yaml`")?;
    let module = filter_module()?;
    guarded(server.into(), place, &policy, &module)
}

fn guarded(server: Place, place: Place, policy: &str, module: &Path) -> Result<Bootstrap> {
    let mut listener = Listener::new(LISTENER);
    listener.place = place;
    listener.admit = Some(policy::stanza(policy, Part::Admit, "admit", module)?);
    listener.recheck = Some(policy::stanza(policy, Part::Recheck, "recheck", module)?);
    Ok(Bootstrap::new(server, vec![listener]))
}
