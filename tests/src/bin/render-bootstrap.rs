//! Writes an Envoy bootstrap with a policy in it, from `envoy/bootstrap.yaml`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use mcp_boundary_tests::envoy::{Bootstrap, Listener, Place};
use mcp_boundary_tests::error::{Context, Result};
use mcp_boundary_tests::policy::{self, Part};

/// Renders the shipped bootstrap for one policy: admit and recheck in front of
/// one MCP server.
#[derive(Debug, Parser)]
struct Arguments {
    /// The policy, as YAML.
    #[arg(long)]
    policy: PathBuf,
    /// Where Envoy will find the filter's wasm module; not read here.
    #[arg(long)]
    module: PathBuf,
    /// Where Envoy listens.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: Place,
    /// The MCP server.
    #[arg(long)]
    upstream: Place,
    /// Envoy's admin interface.
    #[arg(long, default_value = "127.0.0.1:9901")]
    admin: Place,
    /// Where the recheck stands.
    #[arg(long, value_enum, default_value_t = Recheck::Last)]
    recheck: Recheck,
    /// The file to write; standard output if absent.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Recheck {
    /// Last before the router.
    Last,
    /// In the cluster's chain, where it also sees what routes rewrite.
    Upstream,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let shown = arguments.policy.display();
    let text = fs::read_to_string(&arguments.policy).context(format!("cannot read `{shown}`"))?;
    let stanza = |part, name| policy::stanza(&text, part, name, &arguments.module);

    let mut listener = Listener::new("mcp");
    listener.place = arguments.listen.clone();
    listener.admit = Some(stanza(Part::Admit, "admit")?);
    let mut bootstrap = Bootstrap::new(arguments.upstream.clone(), Vec::new());
    bootstrap.admin = arguments.admin.clone();
    match arguments.recheck {
        Recheck::Last => listener.recheck = Some(stanza(Part::Recheck, "recheck")?),
        Recheck::Upstream => {
            bootstrap.upstream_filters = vec![stanza(Part::Upstream, "recheck")?];
        }
    }
    bootstrap.listeners.push(listener);

    let rendered = bootstrap.render()?;
    match &arguments.output {
        Some(path) => {
            let shown = path.display();
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).context(format!("cannot make a place for `{shown}`"))?;
            }
            fs::write(path, rendered).context(format!("cannot write `{shown}`"))
        }
        None => {
            print!("{rendered}");
            Ok(())
        }
    }
}
