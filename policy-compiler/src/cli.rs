//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::bootstrap::Address;
use crate::command;
use crate::command::console::Console;
use crate::diagnostic::Format;
use crate::envoy::{DEFAULT_NAME, Hold, Place, Release, Role};

/// How a run ended. Documented in `docs/cli.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// The policy has errors, or warnings under `--deny-warnings`.
    Policy = 1,
    /// The command line asks for something that makes no sense.
    Usage = 2,
    /// A file cannot be read or written, or is not what it should be.
    Input = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Compiles MCP boundary policies.
#[derive(Debug, Parser)]
#[command(name = "mcp-policy", version, about, arg_required_else_help = true)]
pub struct Cli {
    /// How errors and warnings are written
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    error_format: Format,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Compile a policy into what the filter loads
    Compile {
        /// The policy, or `-` for standard input
        policy: PathBuf,
        /// Where to write the compiled policy, or `-` for standard output
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
        /// Treat warnings as errors
        #[arg(long)]
        deny_warnings: bool,
    },
    /// Tell what is wrong with a policy
    Check {
        /// The policy, or `-` for standard input
        policy: PathBuf,
        /// Treat warnings as errors
        #[arg(long)]
        deny_warnings: bool,
    },
    /// Show what a compiled policy says
    Inspect {
        /// The compiled policy, or `-` for standard input
        blob: PathBuf,
        /// How to write it
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        format: Print,
    },
    /// Write the Envoy configuration that loads a policy
    Envoy {
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
        #[arg(long, value_enum, value_name = "PLACE")]
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
        hold: Option<Hold>,
        /// The roles that stand before a gate [default: admit,recheck]
        #[arg(long, value_parser = role(), value_name = "ROLES", value_delimiter = ',')]
        awaits: Vec<Role>,
    },
    /// Write a whole Envoy configuration in front of one MCP server
    #[command(after_help = "\
Example:
  mcp-policy bootstrap policy.yaml --upstream my-server:8000 --listen 0.0.0.0:8080 \\
      --module mcp_boundary_filter.wasm --output envoy.yaml
  envoy --config-path envoy.yaml")]
    Bootstrap {
        /// A policy or compiled policy, or `-` for standard input
        policy: PathBuf,
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
    },
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

fn role() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.map(Role::as_str)).try_map(|word| word.parse())
}

/// What stands in the filter chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Part {
    /// Decides on what the client sent
    #[default]
    Admit,
    /// Decides again on what will be sent
    Recheck,
    /// Holds the headers for the two, last before the router
    Gate,
}

/// Where the recheck of a whole configuration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Stands {
    /// Last before the router
    #[default]
    Last,
    /// In the cluster's chain
    Upstream,
}

/// How `inspect` writes a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Print {
    /// In the policy language; compiles to the same policy.
    #[default]
    Yaml,
    /// As one JSON object.
    Json,
}

impl Cli {
    /// Does what was asked.
    pub fn run(self) -> Exit {
        let console = Console::new(self.error_format);
        let done = match self.verb {
            Verb::Compile {
                policy,
                output,
                deny_warnings,
            } => command::compile::run(&console, &policy, &output, deny_warnings),
            Verb::Check {
                policy,
                deny_warnings,
            } => command::check::run(&console, &policy, deny_warnings),
            Verb::Inspect { blob, format } => command::inspect::run(&console, &blob, format),
            Verb::Envoy {
                policy,
                role,
                module,
                place,
                endpoint,
                name,
                envoy,
                hold,
                awaits,
            } => {
                let role = match role {
                    Part::Admit => Some(Role::Admit),
                    Part::Recheck => Some(Role::Recheck),
                    Part::Gate => None,
                };
                let asked = command::envoy::Asked {
                    policy: policy.as_deref(),
                    role,
                    module: module.as_deref(),
                    place,
                    endpoint: endpoint.as_deref(),
                    name: &name,
                    envoy,
                    hold,
                    awaits: &awaits,
                };
                command::envoy::run(&console, &asked)
            }
            Verb::Bootstrap {
                policy,
                upstream,
                listen,
                admin,
                module,
                recheck,
                name,
                envoy,
                behind_proxy,
                output,
            } => {
                let asked = command::bootstrap::Asked {
                    policy: &policy,
                    listen,
                    upstream,
                    admin,
                    module: module.as_deref(),
                    recheck: match recheck {
                        Stands::Last => Place::Chain,
                        Stands::Upstream => Place::Upstream,
                    },
                    name: &name,
                    envoy,
                    behind_proxy,
                    output: output.as_deref(),
                };
                command::bootstrap::run(&console, asked)
            }
            Verb::Completions { shell } => command::completions::run(&console, shell),
        };
        match done {
            Ok(()) => Exit::Ok,
            Err(exit) => exit,
        }
    }
}
