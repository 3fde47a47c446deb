//! `envoy POLICY|BLOB`

use std::path::Path;

use super::compile::encode;
use super::console::Console;
use super::{input, output};
use crate::cli::Exit;
use crate::envoy::{Role, Stanza, http_filter};
use crate::show::{Shown, one_of};

/// `placed`: whether the place was given.
pub(crate) fn run(
    console: &Console,
    path: &Path,
    stanza: Stanza<'_>,
    placed: bool,
) -> Result<(), Exit> {
    if !is_label(stanza.name) {
        return Err(console.fail(
            Exit::Usage,
            &input::shown(path),
            format!("{} cannot name an instance", Shown(stanza.name)),
            "use 1 to 64 of `A-Z a-z 0-9 _ . -`; statistics are named by it",
        ));
    }
    if stanza.endpoint.is_some() && stanza.role == Role::Admit {
        return Err(console.fail(
            Exit::Usage,
            &input::shown(path),
            "`--endpoint` is only for `--role recheck`",
            "leave it out: at admit, host and path choose the endpoint",
        ));
    }
    if placed && stanza.role == Role::Admit {
        return Err(console.fail(
            Exit::Usage,
            &input::shown(path),
            "`--place` is only for `--role recheck`",
            "leave it out: admit always stands in the listener's chain",
        ));
    }
    let bytes = input::bytes(console, path)?;
    let policy = if input::looks_like_a_blob(&bytes) {
        input::decode(console, path, &bytes)?
    } else {
        input::compile(console, path, bytes, false)?
    };
    if let Some(name) = stanza.endpoint {
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
    let stanza = Stanza {
        blob: &blob,
        ..stanza
    };
    output::stdout(console, http_filter(&stanza).as_bytes())
}

/// What a filter, a statistic and a VM may be called.
fn is_label(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}
