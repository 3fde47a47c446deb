//! `explain POLICY|BLOB`

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mcp_boundary_engine::{Engine, Role};
use mcp_boundary_format::{Policy, Revision, Source};
use serde_json::{Map, Value};

use super::console::Console;
use super::{input, output};
use crate::cli::Exit;
use crate::explain::Explained;
use crate::request::{Asked, Call, Caller, Logged, Request, Untold};
use crate::show::one_of;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mcp-policy explain policy.yaml --tool delete_ticket --jwt '{\"role\": \"viewer\"}'
  mcp-policy explain policy.yaml --path /crm/mcp --resource file:///docs/a --revision 2025-11-25
  mcp-policy explain policy.yaml --request captured.http
  grep tool_denied envoy.log | mcp-policy explain policy.yaml --log -")]
pub(crate) struct Args {
    /// A policy or compiled policy, or `-` for standard input
    policy: PathBuf,
    #[command(flatten)]
    call: CallArgs,
    /// The whole request, as HTTP/1.1 has it: request line, headers, an empty line, body
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "prompt", "resource", "method"])]
    request: Option<PathBuf>,
    /// A line of the access log or of the filter's own, in a file or `-`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "prompt", "resource", "method", "request"])]
    log: Option<PathBuf>,
    /// The endpoint that is asked, for its host and path [default: the only one]
    #[arg(long, value_name = "NAME")]
    endpoint: Option<String>,
    /// The host
    #[arg(long)]
    host: Option<String>,
    /// The path, with query if there is one
    #[arg(long)]
    path: Option<String>,
    /// The client's revision [default: the newest that the endpoint permits]
    #[arg(long, value_parser = revision)]
    revision: Option<Revision>,
    /// `arguments` of a tool or prompt, as JSON
    #[arg(long, value_name = "JSON", value_parser = object)]
    arguments: Option<Map<String, Value>>,
    /// Claims of a checked token, as JSON; `KEY=JSON` where rules read several
    #[arg(long, value_name = "[KEY=]JSON", value_parser = token)]
    jwt: Vec<Token>,
    /// A name in the client's certificate, such as spiffe://…
    #[arg(long, value_name = "NAME")]
    peer: Vec<String>,
    /// A header more
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,
    /// How to write it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct CallArgs {
    /// Call this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Get this prompt
    #[arg(long, value_name = "NAME")]
    prompt: Option<String>,
    /// Read this resource
    #[arg(long, value_name = "URI")]
    resource: Option<String>,
    /// Send this method, such as tools/list
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
}

/// How an explanation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// Claims, and the key that a provider writes them to, if it is given.
type Token = (Option<String>, Map<String, Value>);

fn revision(text: &str) -> Result<Revision, String> {
    Revision::from_bytes(text.as_bytes()).ok_or_else(|| {
        let known: Vec<_> = Revision::ALL.iter().map(|one| one.as_str()).collect();
        format!("it is none; there are {}", one_of(&known, "and"))
    })
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))
}

fn token(text: &str) -> Result<Token, String> {
    match text.split_once('=') {
        Some((key, json)) if !text.starts_with('{') => Ok((Some(key.to_owned()), object(json)?)),
        _ => Ok((None, object(text)?)),
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write it as `name: value`")?;
    Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

/// Who sends it: claims without a key are those of each provider that rules
/// read.
pub(super) fn caller(policy: &Policy, tokens: &[Token], peers: &[String]) -> Caller {
    let mut caller = Caller::default();
    for (key, claims) in tokens {
        let keys = match key {
            Some(key) => vec![key.clone()],
            None => payloads(policy),
        };
        for key in keys {
            caller.tokens.insert(key, claims.clone());
        }
    }
    for peer in peers {
        caller.peer(peer);
    }
    caller
}

/// The keys of claims that rules read.
fn payloads(policy: &Policy) -> Vec<String> {
    let mut keys: Vec<String> = policy
        .sources()
        .filter_map(|source| match source {
            Source::JwtClaim { payload, .. } => Some(payload.clone()),
            Source::PeerSan | Source::Header(_) => None,
        })
        .collect();
    keys.sort();
    keys.dedup();
    keys
}

pub(crate) fn run(console: &Console, args: &Args) -> Result<(), Exit> {
    let (policy, places) = input::either(console, &args.policy)?;
    let request = described(console, args, &policy)?;
    let engine = Engine::new(policy, Role::Admit);
    let explained = Explained::new(&engine, &request, &places);
    let file = input::shown(&args.policy);
    let text = match args.format {
        Format::Human => explained.human(&file),
        Format::Json => format!("{}\n", explained.json(&file)),
    };
    output::stdout(console, text.as_bytes())
}

/// The request of a log's first line that tells of one.
fn logged(console: &Console, file: &Path, policy: &Policy) -> Result<Request, Exit> {
    let text = input::bytes(console, file)?;
    let mut why = Untold::Foreign;
    for line in text.split(|byte| *byte == b'\n') {
        match Logged::read(line, policy) {
            Ok(logged) => return Ok(logged.request),
            Err(Untold::Foreign) => {}
            Err(untold) => why = untold,
        }
    }
    Err(console.fail(
        Exit::Input,
        &input::shown(file),
        format!("no line can be asked again: {why}"),
        "give a line of the access log, or one of the filter's own, as docs/operations.md has them",
    ))
}

fn described(console: &Console, args: &Args, policy: &Policy) -> Result<Request, Exit> {
    let caller = caller(policy, &args.jwt, &args.peer);
    let place = input::shown(&args.policy);
    if let Some(file) = &args.request {
        let bytes = input::bytes(console, file)?;
        let mut request = Request::from_http(&bytes).map_err(|error| {
            let message = format!(
                "`{}` is no request in HTTP/1.1: {error}",
                input::shown(file)
            );
            console.fail(
                Exit::Input,
                &input::shown(file),
                message,
                "correct that line",
            )
        })?;
        request.send(&args.header, caller);
        return Ok(request);
    }
    if let Some(file) = &args.log {
        return logged(console, file, policy);
    }
    let CallArgs {
        tool,
        prompt,
        resource,
        method,
    } = &args.call;
    let call = match (tool, prompt, resource, method) {
        (Some(name), ..) => Call::Tool(name.clone()),
        (_, Some(name), ..) => Call::Prompt(name.clone()),
        (_, _, Some(uri), _) => Call::Resource(uri.clone()),
        (.., Some(method)) => Call::Method(method.clone(), None),
        (None, None, None, None) => {
            return Err(console.fail(
                Exit::Usage,
                &place,
                "nothing is asked for",
                "write `--tool`, `--prompt`, `--resource` or `--method`, or a whole request with `--request`",
            ));
        }
    };
    let asked = Asked {
        endpoint: args.endpoint.clone(),
        host: args.host.clone(),
        path: args.path.clone(),
        revision: args.revision,
        arguments: args.arguments.clone().unwrap_or_default(),
        headers: args.header.clone(),
        caller,
        ..Asked::new(call)
    };
    asked.request(policy).map_err(|unclear| {
        let names = policy
            .endpoints()
            .iter()
            .map(|endpoint| endpoint.name.as_str());
        let names = one_of(&names.collect::<Vec<_>>(), "or");
        console.fail(
            Exit::Usage,
            &place,
            unclear.to_string(),
            format!("write `--endpoint` with {names}, or `--path` and `--host`"),
        )
    })
}
