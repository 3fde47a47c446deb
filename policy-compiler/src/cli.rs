//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::command;
use crate::command::console::Console;
use crate::diagnostic::Format;

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
    /// Show what a policy says, defaults written out
    Inspect {
        /// The compiled policy, or a policy, or `-` for standard input
        blob: PathBuf,
        /// How to write it
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        format: Print,
    },
    /// Write the Envoy configuration that loads a policy
    Envoy(command::envoy::Args),
    /// Write a whole Envoy configuration in front of one MCP server
    Bootstrap(command::bootstrap::Args),
    /// Write Istio's objects that load a policy: three plugins and their bounds
    Istio(command::kube::IstioArgs),
    /// Write Envoy Gateway's objects that load a policy
    Gateway(command::kube::GatewayArgs),
    /// Tell what a request would get, and why
    Explain(command::explain::Args),
    /// Run tests of a policy
    Test(command::test::Args),
    /// Decide logged requests anew, with another policy
    Replay(command::replay::Args),
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
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

/// The format that a command line asks for that could not be read.
fn format_of(arguments: &[String]) -> Format {
    const OPTION: &str = "--error-format";
    let mut found = arguments.iter().enumerate().filter_map(|(at, argument)| {
        let rest = argument.strip_prefix(OPTION)?;
        match rest.strip_prefix('=') {
            Some(word) => Some(word),
            None if rest.is_empty() => arguments.get(at.saturating_add(1)).map(String::as_str),
            None => None,
        }
    });
    let word = found.next().unwrap_or_default();
    Format::from_str(word, false).unwrap_or_default()
}

/// Tells what is wrong with a command line, or what it asks to be told.
fn told(error: &clap::Error) -> Exit {
    let format = format_of(&std::env::args().collect::<Vec<_>>());
    if !error.use_stderr() || format == Format::Human {
        // If nobody can be told, the exit code still says it.
        let _ = error.print();
        return match error.use_stderr() {
            true => Exit::Usage,
            false => Exit::Ok,
        };
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
    let lines: Vec<_> = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let message = lines.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let message = message
        .strip_suffix(" For more information, try '--help'.")
        .unwrap_or(message);
    Console::new(format).fail(
        Exit::Usage,
        "mcp-policy",
        message,
        "`--help` behind the verb tells what it takes",
    )
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// The exit code, once it was told what is wrong; or that help was given.
    pub fn read() -> Result<Self, Exit> {
        Self::try_parse().map_err(|error| told(&error))
    }

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
            Verb::Envoy(args) => command::envoy::run(&console, &args),
            Verb::Bootstrap(args) => command::bootstrap::run(&console, args),
            Verb::Istio(args) => command::kube::istio(&console, args),
            Verb::Gateway(args) => command::kube::gateway(&console, args),
            Verb::Explain(args) => command::explain::run(&console, &args),
            Verb::Test(args) => command::test::run(&console, &args),
            Verb::Replay(args) => command::replay::run(&console, &args),
            Verb::Completions { shell } => command::completions::run(&console, shell),
        };
        match done {
            Ok(()) => Exit::Ok,
            Err(exit) => exit,
        }
    }
}
