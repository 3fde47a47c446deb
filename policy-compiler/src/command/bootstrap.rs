//! `bootstrap POLICY|BLOB`

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::compile::encode;
use super::console::Console;
use super::{envoy, input, output};
use crate::bootstrap::{Address, Bootstrap};
use crate::cli::Exit;
use crate::envoy::{DEFAULT_MODULE, DEFAULT_NAME, Place, Release, Role, Stanza};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mcp-policy bootstrap policy.yaml --upstream my-server:8000 --listen 0.0.0.0:8080 \\
      --module mcp_boundary_filter.wasm --output envoy.yaml
  envoy --config-path envoy.yaml")]
pub(crate) struct Args {
    /// A policy or compiled policy, or `-` for standard input; none with `--discover`
    #[arg(required_unless_present = "discover", conflicts_with = "discover")]
    policy: Option<PathBuf>,
    /// Have Envoy read the filters from admit.yaml and recheck.yaml in this
    /// folder, which `mcp-policy envoy --resource` writes
    #[arg(long, value_name = "FOLDER")]
    discover: Option<String>,
    /// The MCP server
    #[arg(long, value_name = "HOST:PORT")]
    upstream: Address,
    /// Where Envoy listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    listen: Address,
    /// Envoy's admin interface; whoever reaches it can shut Envoy down
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9901")]
    admin: Address,
    /// Path of the filter on Envoy's machine [default: /etc/envoy/mcp_boundary.wasm]
    #[arg(long, value_name = "PATH")]
    module: Option<String>,
    /// Where the recheck stands: last before the router, or in the
    /// cluster's chain, where it also sees what routes rewrite
    #[arg(long, value_enum, default_value_t, value_name = "PLACE")]
    recheck: Stands,
    /// Names the filters, their statistics and VMs
    #[arg(long, value_name = "NAME", default_value = DEFAULT_NAME)]
    name: String,
    /// The Envoy that reads it
    #[arg(long, value_enum, default_value_t, value_name = "VERSION")]
    envoy: Release,
    /// Another proxy stands before Envoy, whose word about clients it takes
    #[arg(long)]
    behind_proxy: bool,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// Where the recheck of a whole configuration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Stands {
    /// Last before the router
    #[default]
    Last,
    /// In the cluster's chain
    Upstream,
}

pub(crate) fn run(console: &Console, args: Args) -> Result<(), Exit> {
    let policy = args.policy.as_deref();
    let place = policy.map_or_else(|| "bootstrap".to_owned(), input::shown);
    let fail = |wrong, help| Err(console.fail(Exit::Usage, &place, wrong, help));
    if let Some((wrong, help)) = envoy::name_fault(&args.name) {
        return fail(wrong, help);
    }
    if args.upstream.port() == 0 {
        return fail(
            "`--upstream` has port 0".to_owned(),
            "write the port on which the server listens",
        );
    }
    let blob = match policy {
        Some(path) => encode(console, path, &input::policy(console, path)?)?,
        None => Vec::new(),
    };
    let rendered = Bootstrap {
        admit: Stanza {
            module: args.module.as_deref().unwrap_or(DEFAULT_MODULE),
            name: &args.name,
            envoy: args.envoy,
            ..Stanza::new(&blob, Role::Admit)
        },
        recheck: match args.recheck {
            Stands::Last => Place::Chain,
            Stands::Upstream => Place::Upstream,
        },
        listen: args.listen,
        upstream: args.upstream,
        admin: args.admin,
        behind_proxy: args.behind_proxy,
        discover: args.discover.as_deref(),
    }
    .render();
    let source = policy.unwrap_or(Path::new("-"));
    output::output(console, args.output.as_deref(), source, rendered.as_bytes())
}
