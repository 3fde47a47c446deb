//! The `http_filters` entry that loads a policy into Envoy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_engine::Settings;

pub use mcp_boundary_format::{Hold, Holder, Place, Role};

use crate::yaml::quoted;

/// Where Envoy finds the filter unless it is told otherwise.
pub const DEFAULT_MODULE: &str = "/etc/envoy/mcp_boundary.wasm";

/// Where Envoy finds the gate, likewise.
pub const DEFAULT_GATE: &str = "/etc/envoy/mcp_boundary_gate.wasm";

/// What an instance of either role needs of Envoy: the host functions that it
/// calls and the callbacks that it must get. A module imports more than it
/// calls, since the ABI's library names every function; Envoy answers an
/// import that is not listed here with a failure.
const NEEDED: [&str; 17] = [
    "proxy_define_metric",
    "proxy_get_buffer_bytes",
    "proxy_get_header_map_pairs",
    "proxy_get_property",
    "proxy_increment_metric",
    "proxy_log",
    "proxy_on_configure",
    "proxy_on_context_create",
    "proxy_on_delete",
    "proxy_on_request_body",
    "proxy_on_request_headers",
    "proxy_on_request_trailers",
    "proxy_remove_header_map_value",
    "proxy_replace_header_map_value",
    "proxy_send_local_response",
    "proxy_set_property",
    "random_get",
];

/// The capabilities that an instance is granted, in Envoy's words
/// (`capability_restriction_config`), sorted. Either role needs them all: admit
/// leaves its record and its verdict in filter state, the recheck its refusals.
/// It is denied all others: no calls to other services, no data shared between
/// plugins, no clock, no change of a body.
pub fn capabilities() -> &'static [&'static str] {
    &NEEDED
}

/// Which Envoy the entry is for: where it takes the list of capabilities from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Release {
    /// 1.35 to 1.39
    #[value(name = "1.39")]
    V1_39,
    /// 1.40 and later
    #[default]
    #[value(name = "1.40")]
    V1_40,
}

impl Release {
    /// The release whose entry an Envoy of this version takes, such as
    /// `1.36.4`; the newest for a version that is none.
    pub fn of(version: &str) -> Self {
        let mut numbers = version.split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(1)), Some(Ok(minor))) if minor < 40 => Self::V1_39,
            _ => Self::V1_40,
        }
    }
}

/// The name of an instance that is given none.
pub const DEFAULT_NAME: &str = "mcp_boundary";

/// One instance of the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stanza<'a> {
    /// The compiled policy.
    pub blob: &'a [u8],
    /// The instance's role.
    pub role: Role,
    /// Path of the filter on Envoy's machine.
    pub module: &'a str,
    /// Where a recheck stands; without meaning for admit.
    pub place: Place,
    /// For a recheck: the only endpoint whose requests may come here.
    pub endpoint: Option<&'a str>,
    /// Names filter, statistics and VM; a recheck appends `_recheck` or
    /// `_upstream`.
    pub name: &'a str,
    /// The Envoy that reads it.
    pub envoy: Release,
    /// Who holds the headers.
    pub hold: Hold,
}

impl<'a> Stanza<'a> {
    /// A stanza with the default module path.
    pub const fn new(blob: &'a [u8], role: Role) -> Self {
        Self {
            blob,
            role,
            module: DEFAULT_MODULE,
            place: Place::Chain,
            endpoint: None,
            name: DEFAULT_NAME,
            envoy: Release::V1_40,
            hold: Hold::Headers,
        }
    }

    /// The name of its entry.
    pub fn entry_name(&self) -> String {
        let suffix = match (self.role, self.place) {
            (Role::Admit, _) => "",
            (Role::Recheck, Place::Chain) => "_recheck",
            // Both rechecks may stand in one Envoy.
            (Role::Recheck, Place::Upstream) => "_upstream",
        };
        format!("{}{suffix}", self.name)
    }

    /// What the filter itself reads: its plugin configuration.
    pub fn configuration(&self) -> String {
        let place = match (self.role, self.place) {
            (Role::Recheck, Place::Upstream) => Some(self.place),
            (Role::Admit, _) | (Role::Recheck, Place::Chain) => None,
        };
        let hold = (self.hold != Hold::Headers).then_some(self.hold);
        let settings = Settings {
            policy: Some(STANDARD.encode(self.blob)),
            role: Some(self.role.to_string()),
            place: place.map(|place| place.as_str().to_owned()),
            endpoint: self.endpoint.map(str::to_owned),
            digest: None,
            hold: hold.map(|hold| hold.as_str().to_owned()),
            held_by: self.hold.held_by().map(str::to_owned),
        };
        // Strings alone cannot fail.
        serde_json::to_string(&settings).unwrap_or_default()
    }
}

/// A gate: the module that holds headers for instances with [`Hold::Gate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate<'a> {
    /// The roles that stand before it.
    pub awaits: &'a [Role],
    /// Path of the gate's module on Envoy's machine.
    pub module: &'a str,
    /// Names filter, statistics and VM, with `_gate` at its end.
    pub name: &'a str,
}

impl Gate<'_> {
    /// The name of its entry.
    pub fn entry_name(&self) -> String {
        format!("{}_gate", self.name)
    }

    /// What the gate itself reads: its plugin configuration.
    pub fn configuration(&self) -> String {
        gate_configuration(self.awaits)
    }
}

/// The plugin configuration of a gate that awaits these roles.
pub fn gate_configuration(awaits: &[Role]) -> String {
    let awaits = awaits.iter();
    let awaits: Vec<_> = awaits.map(|role| format!("{:?}", role.as_str())).collect();
    format!(r#"{{"role":"gate","awaits":[{}]}}"#, awaits.join(","))
}

/// One entry of `http_filters`, as YAML with a final line end.
///
/// Each instance that is given a name of its own has a VM of its own, so that
/// a fault in one does not stop the others; and a fault refuses the request and
/// reloads the VM, it never lets requests pass. An instance that holds the
/// headers until the decision says so (`allow_on_headers_stop_iteration`, Envoy
/// 1.35 or later) and is granted what its role needs and nothing else. Where
/// others hold the headers neither is said: the entry is what control planes
/// make that can say neither.
pub fn http_filter(stanza: &Stanza<'_>) -> String {
    let name = stanza.entry_name();
    // Envoy 1.40 moved the list to the VM and means to drop the old place.
    let (of_plugin, of_vm) = match (stanza.hold, stanza.envoy) {
        (Hold::Gate | Hold::Body(_), _) => (String::new(), String::new()),
        (Hold::Headers, Release::V1_39) => (format!("{FLAG}{}", granted(6)), String::new()),
        (Hold::Headers, Release::V1_40) => (FLAG.to_owned(), granted(8)),
    };
    entry(
        &name,
        &of_plugin,
        &of_vm,
        stanza.module,
        &stanza.configuration(),
    )
}

/// The gate's entry of `http_filters`, likewise.
pub fn gate_filter(gate: &Gate<'_>) -> String {
    entry(
        &gate.entry_name(),
        "",
        "",
        gate.module,
        &gate.configuration(),
    )
}

/// What an entry of `http_filters` says, as a file that Envoy discovers
/// (ECDS): a new policy goes in by moving a new file into its place, and
/// governs the next request, on open connections too.
pub fn resource(entry: &str) -> String {
    let lines = entry.lines().map(|line| {
        let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("  "));
        format!("    {}\n", rest.unwrap_or(line))
    });
    let lines: String = lines.collect();
    format!(
        "resources:\n  - \"@type\": type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig\n{lines}"
    )
}

/// The entry of `http_filters` that reads such a file. As long as there is
/// none, its listener serves nothing.
pub fn discovered(name: &str, path: &str) -> String {
    let folder = match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    format!(
        r#"- name: {name}
  config_discovery:
    config_source:
      resource_api_version: V3
      path_config_source:
        path: {path}
        # Files are moved into it, one by one or as a Kubernetes volume has it.
        watched_directory: {{ path: {folder} }}
    type_urls:
      - type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
"#,
        name = quoted(name),
        path = quoted(path),
        folder = quoted(folder),
    )
}

const FLAG: &str = "      allow_on_headers_stop_iteration: true\n";

fn entry(name: &str, of_plugin: &str, of_vm: &str, module: &str, configuration: &str) -> String {
    // A name may be a number or a word to YAML.
    let name = quoted(name);
    format!(
        r#"- name: {name}
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
    config:
      name: {name}
      root_id: mcp_boundary
      failure_policy: FAIL_RELOAD
{of_plugin}      vm_config:
        vm_id: {name}
        runtime: envoy.wasm.runtime.v8
{of_vm}        code:
          local:
            filename: {module}
      configuration:
        "@type": type.googleapis.com/google.protobuf.StringValue
        value: {configuration}
"#,
        module = quoted(module),
        configuration = single_quoted(configuration),
    )
}

fn granted(indent: usize) -> String {
    let blank = " ".repeat(indent);
    let line = |name: &str| format!("{blank}    {name}: {{}}\n");
    let names: String = capabilities().iter().map(|name| line(name)).collect();
    format!("{blank}capability_restriction_config:\n{blank}  allowed_capabilities:\n{names}")
}

/// JSON has many double quotes; between single ones it stays readable. The
/// JSON here is ASCII without line ends: base64, and names checked as labels.
fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
