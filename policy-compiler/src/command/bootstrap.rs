//! `bootstrap POLICY|BLOB`

use std::path::Path;

use super::console::Console;
use super::{envoy, input, output};
use crate::bootstrap::{Address, Bootstrap};
use crate::cli::Exit;
use crate::envoy::{DEFAULT_MODULE, Place, Release, Role, Stanza};

/// What the command line says.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) policy: &'a Path,
    pub(crate) listen: Address,
    pub(crate) upstream: Address,
    pub(crate) admin: Address,
    pub(crate) module: Option<&'a str>,
    pub(crate) recheck: Place,
    pub(crate) name: &'a str,
    pub(crate) envoy: Release,
    pub(crate) behind_proxy: bool,
    pub(crate) output: Option<&'a Path>,
}

pub(crate) fn run(console: &Console, asked: Asked<'_>) -> Result<(), Exit> {
    if let Some((wrong, help)) = envoy::name_fault(asked.name) {
        return Err(console.fail(Exit::Usage, &input::shown(asked.policy), wrong, help));
    }
    if asked.upstream.port() == 0 {
        return Err(console.fail(
            Exit::Usage,
            &input::shown(asked.policy),
            "`--upstream` has port 0",
            "write the port on which the server listens",
        ));
    }
    let blob = envoy::blob(console, asked.policy, None)?;
    let rendered = Bootstrap {
        admit: Stanza {
            module: asked.module.unwrap_or(DEFAULT_MODULE),
            name: asked.name,
            envoy: asked.envoy,
            ..Stanza::new(&blob, Role::Admit)
        },
        recheck: asked.recheck,
        listen: asked.listen,
        upstream: asked.upstream,
        admin: asked.admin,
        behind_proxy: asked.behind_proxy,
    }
    .render();
    match asked.output {
        Some(path) if !input::is_dash(path) => {
            output::replace(console, path, asked.policy, rendered.as_bytes())
        }
        _ => output::stdout(console, rendered.as_bytes()),
    }
}
