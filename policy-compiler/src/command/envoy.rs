//! `envoy POLICY|BLOB`, and `envoy --role gate`

use std::path::Path;

use super::compile::encode;
use super::console::Console;
use super::{input, output};
use crate::cli::Exit;
use crate::envoy::{
    DEFAULT_GATE, DEFAULT_MODULE, Gate, Hold, Place, Release, Role, Stanza, gate_filter,
    http_filter,
};
use crate::show::{Shown, one_of};

/// What the command line says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) policy: Option<&'a Path>,
    /// None for a gate.
    pub(crate) role: Option<Role>,
    pub(crate) module: Option<&'a str>,
    pub(crate) place: Option<Place>,
    pub(crate) endpoint: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) envoy: Release,
    pub(crate) hold: Option<Hold>,
    pub(crate) awaits: &'a [Role],
}

pub(crate) fn run(console: &Console, asked: &Asked<'_>) -> Result<(), Exit> {
    if let Some((wrong, help)) = fault(asked) {
        let place = asked
            .policy
            .map_or_else(|| "envoy".to_owned(), input::shown);
        return Err(console.fail(Exit::Usage, &place, wrong, help));
    }
    match (asked.role, asked.policy) {
        (Some(role), Some(path)) => filter(console, asked, role, path),
        _ => {
            let awaits = match asked.awaits {
                [] => &[Role::Admit, Role::Recheck],
                awaits => awaits,
            };
            let gate = Gate {
                awaits,
                module: asked.module.unwrap_or(DEFAULT_GATE),
                name: asked.name,
            };
            output::stdout(console, gate_filter(&gate).as_bytes())
        }
    }
}

/// What makes no sense together, and what to do.
fn fault(asked: &Asked<'_>) -> Option<(String, &'static str)> {
    let of_gate = asked.role.is_none();
    let of_admit = asked.role == Some(Role::Admit);
    let twice = |roles: &[Role]| matches!(roles, [one, rest @ ..] if rest.contains(one));
    if let Some(fault) = name_fault(asked.name) {
        return Some(fault);
    }
    let (wrong, help) = if asked.policy.is_none() && !of_gate {
        (
            "no policy is named",
            "write the policy's file behind `envoy`",
        )
    } else if asked.policy.is_some() && of_gate {
        (
            "a gate has no policy",
            "leave the file out: a gate waits for those that have one",
        )
    } else if !asked.awaits.is_empty() && !of_gate {
        ("`--awaits` is only for `--role gate`", "leave it out")
    } else if twice(asked.awaits) || asked.awaits.len() > 2 {
        ("`--awaits` names a role twice", "write each role once")
    } else if asked.hold.is_some() && of_gate {
        (
            "`--hold` is for `--role admit` and `--role recheck`",
            "leave it out: a gate holds headers, that is all it does",
        )
    } else if asked.hold == Some(Hold::Gate) && asked.place == Some(Place::Upstream) {
        (
            "behind the route there is no gate",
            "leave `--hold` out: where a cluster's chain can be set, `allow_on_headers_stop_iteration` can be too",
        )
    } else if asked.endpoint.is_some() && of_gate {
        (
            "`--endpoint` is only for `--role recheck`",
            "leave it out: a gate knows no endpoints",
        )
    } else if asked.endpoint.is_some() && of_admit {
        (
            "`--endpoint` is only for `--role recheck`",
            "leave it out: at admit, host and path choose the endpoint",
        )
    } else if asked.place.is_some() && of_gate {
        (
            "`--place` is only for `--role recheck`",
            "leave it out: a gate stands last in the listener's chain, before the router",
        )
    } else if asked.place.is_some() && of_admit {
        (
            "`--place` is only for `--role recheck`",
            "leave it out: admit always stands in the listener's chain",
        )
    } else {
        return None;
    };
    Some((wrong.to_owned(), help))
}

/// The compiled policy of a file, which must have this endpoint.
pub(super) fn blob(
    console: &Console,
    path: &Path,
    endpoint: Option<&str>,
) -> Result<Vec<u8>, Exit> {
    let bytes = input::bytes(console, path)?;
    let policy = if input::looks_like_a_blob(&bytes) {
        input::decode(console, path, &bytes)?
    } else {
        input::compile(console, path, bytes, false)?
    };
    if let Some(name) = endpoint {
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
    encode(console, path, &policy)
}

fn filter(console: &Console, asked: &Asked<'_>, role: Role, path: &Path) -> Result<(), Exit> {
    let blob = blob(console, path, asked.endpoint)?;
    let stanza = Stanza {
        module: asked.module.unwrap_or(DEFAULT_MODULE),
        place: asked.place.unwrap_or_default(),
        endpoint: asked.endpoint,
        name: asked.name,
        envoy: asked.envoy,
        hold: asked.hold.unwrap_or_default(),
        ..Stanza::new(&blob, role)
    };
    output::stdout(console, http_filter(&stanza).as_bytes())
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
