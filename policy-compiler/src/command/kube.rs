//! `istio POLICY|BLOB` and `gateway POLICY|BLOB`

use std::path::PathBuf;

use mcp_boundary_format::Policy;

use super::compile::encode;
use super::console::Console;
use super::envoy::accepted;
use super::words::Holds;
use super::{input, output};
use crate::cli::Exit;
use crate::envoy::{Role, Stanza};
use crate::kube::{
    At, Common, EnvoyGateway, Image, Istio, Labels, Minor, Objects, Reference, Target, Unfit,
};
use crate::show::Shown;

/// What both verbs take.
#[derive(Debug, clap::Args)]
struct Shared {
    /// A policy or compiled policy, or `-` for standard input
    policy: PathBuf,
    /// The filter's image, by its digest; for Istio also a file:/// on the proxy's machine
    #[arg(long, value_name = "oci://REGISTRY/NAME@sha256:DIGEST")]
    image: Image,
    /// The gate's image, likewise
    #[arg(long, value_name = "oci://REGISTRY/NAME@sha256:DIGEST")]
    gate_image: Option<Image>,
    /// Begins the names of all objects
    #[arg(long, value_name = "NAME", default_value = "mcp-boundary")]
    name: String,
    /// Where the objects live [default: where kubectl puts them]
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Who holds the headers until the decision
    #[arg(long, value_enum, value_name = "WHO", default_value = "gate")]
    hold: Holds,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mcp-policy istio policy.yaml --selector app=mcp-server --port 8000 --namespace mcp \\
      --image oci://registry.example/mcp-boundary@sha256:… \\
      --gate-image oci://registry.example/mcp-boundary-gate@sha256:… | kubectl apply --server-side -f -")]
pub(crate) struct IstioArgs {
    #[command(flatten)]
    shared: Shared,
    /// The pods whose proxies judge, by their labels
    #[arg(
        long,
        value_name = "KEY=VALUE,...",
        required_unless_present = "target_ref"
    )]
    selector: Option<Labels>,
    /// What a gateway's or waypoint's plugin is attached to
    #[arg(long, value_name = "KIND/NAME", conflicts_with = "selector")]
    target_ref: Option<Reference>,
    /// What kind of proxy judges
    #[arg(long, value_enum, default_value_t, value_name = "PROXY")]
    at: At,
    /// The port on which the MCP server's container listens; at a gateway, its own
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// The Istio that reads it
    #[arg(long, value_name = "VERSION", default_value = "1.30")]
    istio: Minor,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mcp-policy gateway policy.yaml --target-ref HTTPRoute/mcp --gateway eg --namespace mcp \\
      --image oci://registry.example/mcp-boundary@sha256:… \\
      --gate-image oci://registry.example/mcp-boundary-gate@sha256:… | kubectl apply --server-side -f -")]
pub(crate) struct GatewayArgs {
    #[command(flatten)]
    shared: Shared,
    /// The HTTPRoute or Gateway whose requests are judged
    #[arg(long, value_name = "KIND/NAME")]
    target_ref: Reference,
    /// The Gateway that the route is attached to
    #[arg(long, value_name = "NAME")]
    gateway: Option<String>,
}

pub(crate) fn istio(console: &Console, args: IstioArgs) -> Result<(), Exit> {
    let made = args.shared.made(console)?;
    let target = match (args.selector, args.target_ref) {
        (Some(labels), _) => Target::Selector(labels),
        (None, Some(reference)) => Target::Reference(reference),
        // The command line's own rule.
        (None, None) => return Err(Exit::Usage),
    };
    let istio = Istio {
        common: made.common(&args.shared),
        target,
        at: args.at,
        port: args.port,
        version: args.istio,
    };
    let head = format!(
        "Written by `mcp-policy istio`, for Istio {}. A new policy goes in by writing it anew.\nIt has the digest {}.",
        args.istio, made.digest
    );
    args.shared.write(console, &made, istio.objects(), &head)
}

pub(crate) fn gateway(console: &Console, args: GatewayArgs) -> Result<(), Exit> {
    let made = args.shared.made(console)?;
    let of_gateway = args.target_ref.kind == "Gateway";
    let own = of_gateway.then(|| args.target_ref.name.clone());
    let Some(gateway) = args.gateway.or(own) else {
        let unfit = Unfit::new(
            "no gateway is named, whose buffers must hold a body",
            "write `--gateway` with the name of the Gateway that the route is attached to",
        );
        return Err(args.shared.fail(console, unfit));
    };
    let gateway = EnvoyGateway {
        common: made.common(&args.shared),
        target: args.target_ref,
        gateway,
    };
    let head = format!(
        "Written by `mcp-policy gateway`. A new policy goes in by writing it anew.\nIt has the digest {}.",
        made.digest
    );
    args.shared.write(console, &made, gateway.objects(), &head)
}

/// What was made of a policy.
struct Made {
    blob: Vec<u8>,
    digest: String,
    body_bytes: u32,
    names: usize,
}

impl Made {
    fn common<'a>(&'a self, shared: &'a Shared) -> Common<'a> {
        Common {
            blob: &self.blob,
            name: &shared.name,
            namespace: shared.namespace.as_deref(),
            image: &shared.image,
            gate: shared.gate_image.as_ref(),
            hold: shared.hold.into(),
            body_bytes: self.body_bytes,
        }
    }
}

impl Shared {
    fn made(&self, console: &Console) -> Result<Made, Exit> {
        for (option, name) in [
            ("--name", Some(&self.name)),
            ("--namespace", self.namespace.as_ref()),
        ] {
            if let Some(name) = name.filter(|name| !crate::kube::is_name(name)) {
                let unfit = Unfit::new(
                    format!("{} cannot name an object (`{option}`)", Shown(name)),
                    "use 1 to 50 of `a-z 0-9 -`, none of them `-` at either end",
                );
                return Err(self.fail(console, unfit));
            }
        }
        let policy = input::policy(console, &self.policy)?;
        let blob = encode(console, &self.policy, &policy)?;
        let stanza = Stanza {
            hold: self.hold.into(),
            ..Stanza::new(&blob, Role::Admit)
        };
        accepted(console, &self.policy, &stanza)?;
        let limits = policy.endpoints().iter().map(|endpoint| endpoint.limits);
        Ok(Made {
            digest: policy.digest().to_string(),
            body_bytes: limits
                .map(|limits| limits.body_bytes)
                .max()
                .unwrap_or_default(),
            names: names(&policy),
            blob,
        })
    }

    fn write(
        &self,
        console: &Console,
        made: &Made,
        objects: Result<Objects, Unfit>,
        head: &str,
    ) -> Result<(), Exit> {
        let text = objects
            .and_then(|objects| objects.render(head, made.names))
            .map_err(|unfit| self.fail(console, unfit))?;
        let out = self.output.as_deref();
        output::output(console, out, &self.policy, text.as_bytes())
    }

    fn fail(&self, console: &Console, unfit: Unfit) -> Exit {
        let place = input::shown(&self.policy);
        console.fail(Exit::Usage, &place, unfit.wrong, unfit.help)
    }
}

/// How many names a policy lists.
fn names(policy: &Policy) -> usize {
    let endpoints = policy.endpoints().iter();
    let rules = endpoints.flat_map(|endpoint| endpoint.rules());
    let lists = rules.flat_map(|rule| rule.lists());
    lists.map(|names| names.iter().count()).sum()
}
