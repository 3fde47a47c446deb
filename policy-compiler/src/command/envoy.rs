//! `envoy POLICY|BLOB`, and `envoy --role gate`

use std::path::{Path, PathBuf};

use mcp_boundary_engine::Settings;

use super::compile::encode;
use super::console::Console;
use super::words::{Holds, Part, place, role};
use super::{input, output};
use crate::cli::Exit;
use crate::envoy::{
    DEFAULT_GATE, DEFAULT_MODULE, DEFAULT_NAME, Gate, Place, Release, Role, Stanza, discovered,
    gate_filter, http_filter, resource,
};
use crate::show::{Shown, one_of};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mcp-policy envoy policy.yaml --role admit --module /etc/envoy/mcp_boundary.wasm
  mcp-policy envoy --role admit --discover /etc/envoy/mcp/admit.yaml
  mcp-policy envoy policy.yaml --role admit --resource > /etc/envoy/mcp/next &&
      mv /etc/envoy/mcp/next /etc/envoy/mcp/admit.yaml")]
pub(crate) struct Args {
    /// A policy or compiled policy, or `-` for standard input; a gate has none
    policy: Option<PathBuf>,
    /// The instance's place in the filter chain
    #[arg(long, value_enum, default_value_t, value_name = "ROLE")]
    role: Part,
    /// Path of the filter or the gate on Envoy's machine [default:
    /// /etc/envoy/mcp_boundary.wasm, /etc/envoy/mcp_boundary_gate.wasm]
    #[arg(long, value_name = "PATH")]
    module: Option<String>,
    /// Where a recheck stands: in the listener's chain, or in the cluster's
    #[arg(long, value_parser = place(), value_name = "PLACE")]
    place: Option<Place>,
    /// The only endpoint whose requests a recheck takes
    #[arg(long, value_name = "NAME")]
    endpoint: Option<String>,
    /// Names filter, statistics and VM; a recheck appends `_recheck`, a gate
    /// `_gate`. Two listeners need two names, or a fault in one stops the other
    #[arg(long, value_name = "NAME", default_value = DEFAULT_NAME)]
    name: String,
    /// The Envoy that reads it
    #[arg(long, value_enum, default_value_t, value_name = "VERSION")]
    envoy: Release,
    /// Who holds the headers until the decision
    #[arg(long, value_enum, value_name = "WHO")]
    hold: Option<Holds>,
    /// Print the entry as a file that Envoy discovers (ECDS), so that a policy
    /// can be changed without a new listener
    #[arg(long, conflicts_with = "discover")]
    resource: bool,
    /// Print the entry that reads such a file; no policy is needed for it
    #[arg(long, value_name = "PATH")]
    discover: Option<String>,
    /// The roles that stand before a gate [default: admit,recheck]
    #[arg(long, value_parser = role(), value_name = "ROLES", value_delimiter = ',')]
    awaits: Vec<Role>,
}

pub(crate) fn run(console: &Console, args: &Args) -> Result<(), Exit> {
    let role = match args.role {
        Part::Admit => Some(Role::Admit),
        Part::Recheck => Some(Role::Recheck),
        Part::Gate => None,
    };
    if let Some((wrong, help)) = name_fault(&args.name).or_else(|| fault(args)) {
        let policy = args.policy.as_deref();
        let place = policy.map_or_else(|| "envoy".to_owned(), input::shown);
        return Err(console.fail(Exit::Usage, &place, wrong, help));
    }
    let entry = match (role, &args.policy) {
        (Some(role), Some(path)) => filter(console, args, role, path)?,
        (Some(role), None) => args.stanza(&[], role).entry_name(),
        (None, _) => {
            let awaits = match args.awaits.as_slice() {
                [] => &[Role::Admit, Role::Recheck],
                awaits => awaits,
            };
            let gate = Gate {
                awaits,
                module: args.module.as_deref().unwrap_or(DEFAULT_GATE),
                name: &args.name,
            };
            match args.discover {
                Some(_) => gate.entry_name(),
                None => gate_filter(&gate),
            }
        }
    };
    let text = match &args.discover {
        Some(path) => discovered(&entry, path),
        None if args.resource => resource(&entry),
        None => entry,
    };
    output::stdout(console, text.as_bytes())
}

impl Args {
    fn stanza<'a>(&'a self, blob: &'a [u8], role: Role) -> Stanza<'a> {
        Stanza {
            module: self.module.as_deref().unwrap_or(DEFAULT_MODULE),
            place: self.place.unwrap_or_default(),
            endpoint: self.endpoint.as_deref(),
            name: &self.name,
            envoy: self.envoy,
            hold: self.hold.unwrap_or_default().into(),
            ..Stanza::new(blob, role)
        }
    }
}

/// What makes no sense together, and what to do.
fn fault(args: &Args) -> Option<(String, &'static str)> {
    let of_gate = args.role == Part::Gate;
    let of_admit = args.role == Part::Admit;
    let held_elsewhere = args.hold.is_some_and(|hold| hold != Holds::Headers);
    let behind = args.place == Some(Place::Upstream);
    let twice = |roles: &[Role]| matches!(roles, [one, rest @ ..] if rest.contains(one));
    let faults = [
        (
            args.policy.is_none() && !of_gate && args.discover.is_none(),
            "no policy is named",
            "write the policy's file behind `envoy`",
        ),
        (
            args.policy.is_some() && args.discover.is_some(),
            "`--discover` needs no policy",
            "leave the file out: the entry reads it from what `--resource` prints",
        ),
        (
            args.policy.is_some() && of_gate,
            "a gate has no policy",
            "leave the file out: a gate waits for those that have one",
        ),
        (
            !args.awaits.is_empty() && !of_gate,
            "`--awaits` is only for `--role gate`",
            "leave it out",
        ),
        (
            twice(&args.awaits) || args.awaits.len() > 2,
            "`--awaits` names a role twice",
            "write each role once",
        ),
        (
            args.hold.is_some() && of_gate,
            "`--hold` is for `--role admit` and `--role recheck`",
            "leave it out: a gate holds headers, that is all it does",
        ),
        (
            args.endpoint.is_some() && of_gate,
            "`--endpoint` is only for `--role recheck`",
            "leave it out: a gate knows no endpoints",
        ),
        (
            args.endpoint.is_some() && of_admit,
            "`--endpoint` is only for `--role recheck`",
            "leave it out: at admit, host and path choose the endpoint",
        ),
        (
            args.place.is_some() && of_gate,
            "`--place` is only for `--role recheck`",
            "leave it out: a gate stands last in the listener's chain, before the router",
        ),
        (
            args.place.is_some() && of_admit,
            "`--place` is only for `--role recheck`",
            "leave it out: admit always stands in the listener's chain",
        ),
        (
            held_elsewhere && behind,
            "behind the route nobody else holds headers",
            "leave `--hold` out: where a cluster's chain can be set, `allow_on_headers_stop_iteration` can be too",
        ),
    ];
    let found = faults.into_iter().find(|(wrong, ..)| *wrong);
    found.map(|(_, wrong, help)| (wrong.to_owned(), help))
}

/// The entry of an instance with a policy, which must have the endpoint that is
/// named.
fn filter(console: &Console, args: &Args, role: Role, path: &Path) -> Result<String, Exit> {
    let policy = input::policy(console, path)?;
    if let Some(name) = args.endpoint.as_deref() {
        let names: Vec<_> = policy
            .endpoints()
            .iter()
            .map(|endpoint| endpoint.name.as_str())
            .collect();
        if !names.contains(&name) {
            return Err(console.fail(
                Exit::Usage,
                &input::shown(path),
                format!("the policy has no endpoint `{name}`"),
                format!("its endpoints are {}", one_of(&names, "and")),
            ));
        }
    }
    let blob = encode(console, path, &policy)?;
    let stanza = args.stanza(&blob, role);
    accepted(console, path, &stanza)?;
    Ok(http_filter(&stanza))
}

/// Whether the filter will take what is written for it.
pub(super) fn accepted(console: &Console, path: &Path, stanza: &Stanza<'_>) -> Result<(), Exit> {
    match Settings::read(stanza.configuration().as_bytes()) {
        Ok(_) => Ok(()),
        Err(fault) => {
            let (wrong, help) = fault.split_once("; ").unwrap_or((&fault, ""));
            Err(console.fail(Exit::Usage, &input::shown(path), wrong, help))
        }
    }
}

/// Why this cannot name a filter, a statistic and a VM.
pub(super) fn name_fault(name: &str) -> Option<(String, &'static str)> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let is_label = (1..=64).contains(&name.len()) && name.bytes().all(plain);
    (!is_label).then(|| {
        (
            format!("{} cannot name an instance", Shown(name)),
            "use 1 to 64 of `A-Z a-z 0-9 _ . -`; statistics are named by it",
        )
    })
}
