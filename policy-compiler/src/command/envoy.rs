//! `envoy POLICY|BLOB`

use std::path::Path;

use super::compile::encode;
use super::console::Console;
use super::{input, output};
use crate::cli::Exit;
use crate::envoy::{Place, Role, Stanza, http_filter};
use crate::show::one_of;

pub(crate) fn run(
    console: &Console,
    path: &Path,
    role: Role,
    module: &str,
    place: Option<Place>,
    endpoint: Option<&str>,
) -> Result<(), Exit> {
    if endpoint.is_some() && role == Role::Admit {
        return Err(console.fail(
            Exit::Usage,
            &input::shown(path),
            "`--endpoint` is only for `--role recheck`",
            "leave it out: at admit, host and path choose the endpoint",
        ));
    }
    if place.is_some() && role == Role::Admit {
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
    let blob = encode(console, path, &policy)?;
    let stanza = Stanza {
        blob: &blob,
        role,
        module,
        place: place.unwrap_or_default(),
        endpoint,
    };
    output::stdout(console, http_filter(&stanza).as_bytes())
}
