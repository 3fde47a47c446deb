//! The policy language's shape: which keys there are and what type each has.
//!
//! Reads the YAML tree into plain structures whose parts remember their place.
//! What the values mean together is for [`lower`](crate::lower).

mod read;
mod rule;
mod table;

use mcp_boundary_format::{Compat, Denial, Mode, ResourceUris, Switch, ToolNames};

use crate::report::{Finding, Report};
use crate::source::{Number, Route, Value};
use read::{At, choice, list, switch_flag, text, texts, whole};
pub(crate) use rule::{Claim, Condition, Principal, Rule, Rules, Selectors};
use table::Table;

/// The language version this build compiles.
pub(crate) const LANGUAGE_VERSION: u64 = 1;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: Route,
}

pub(crate) type Text = Located<String>;

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) unmatched: Unmatched,
    pub(crate) endpoints: Vec<Endpoint>,
}

/// What becomes of requests that no endpoint matches.
#[derive(Debug, Default)]
pub(crate) enum Unmatched {
    #[default]
    Deny,
    /// All may pass; the place of the word.
    Pass(Route),
    /// Those of a list may pass.
    Listed(Located<Vec<PassEntry>>),
}

#[derive(Debug)]
pub(crate) struct PassEntry {
    pub(crate) at: Route,
    pub(crate) hosts: Option<Located<Vec<Text>>>,
    pub(crate) path: Option<Path>,
}

/// What a route may make of the head.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) at: Route,
    pub(crate) path: Option<Path>,
    pub(crate) hosts: Option<Located<Vec<Text>>>,
}

#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) at: Route,
    pub(crate) name: Option<Text>,
    pub(crate) hosts: Option<Located<Vec<Text>>>,
    pub(crate) path: Option<Path>,
    pub(crate) versions: Option<Located<Vec<Text>>>,
    pub(crate) mode: Mode,
    pub(crate) denial: Denial,
    pub(crate) responses: Switch,
    pub(crate) streams: Switch,
    pub(crate) sessions: Switch,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) tool_names: ToolNames,
    pub(crate) resource_uris: ResourceUris,
    pub(crate) origins: Option<Located<Vec<Text>>>,
    pub(crate) limits: Limits,
    pub(crate) compat: Compat,
    pub(crate) arguments: Arguments,
    pub(crate) allow: Rules,
    pub(crate) deny: Rules,
}

#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) forbid: Vec<Text>,
    pub(crate) set_by_filters: Vec<Text>,
}

#[derive(Debug)]
pub(crate) enum Path {
    Exact(Text),
    Prefix(Text),
}

#[derive(Debug, Default)]
pub(crate) struct Limits {
    pub(crate) body_bytes: Option<Located<Size>>,
    pub(crate) depth: Option<Located<u64>>,
    pub(crate) batch_members: Option<Located<u64>>,
}

/// A number of bytes, or a text such as `64KiB`.
#[derive(Debug)]
pub(crate) enum Size {
    Bytes(u64),
    Text(String),
}

/// Reads the whole document; `None` when it is not even a policy.
pub(crate) fn document(report: &mut Report<'_>) -> Option<Document> {
    let root = At::root(report.source().root());
    if matches!(root.value, Value::Null) {
        report.push(
            Finding::error("the policy is empty")
                .help("begin with `mcp_policy: 1` and a list of `endpoints`"),
        );
        return None;
    }
    let keys = ["mcp_policy", "unmatched", "endpoints"];
    let table = Table::open(report, &root, "the policy", &keys)?;
    language_version(report, &table);
    let unmatched = unmatched(report, &table);
    let endpoints = match table.required(report, "endpoints") {
        Some(at) => list(report, &at, "a list of endpoints"),
        None => return None,
    }?;
    if endpoints.value.is_empty() {
        report.push(
            Finding::error("`endpoints` is empty")
                .at(&endpoints.at, "nothing would ever be forwarded")
                .help("describe at least one endpoint, with its `path` and what it may `allow`"),
        );
    }
    let endpoints = endpoints
        .value
        .iter()
        .filter_map(|at| endpoint(report, at))
        .collect();
    Some(Document {
        unmatched,
        endpoints,
    })
}

fn language_version(report: &mut Report<'_>, table: &Table<'_>) {
    let Some(at) = table.required(report, "mcp_policy") else {
        return;
    };
    match at.value {
        Value::Number(Number::Whole(LANGUAGE_VERSION)) => {}
        Value::Number(_) => report.push(
            Finding::error(format!(
                "language version `{}` is not known",
                report.source().raw(&at.route)
            ))
            .at(&at.route, "")
            .help("this `mcp-policy` compiles `mcp_policy: 1`"),
        ),
        other => report.push(
            Finding::error(format!(
                "`mcp_policy` must be a number, found {}",
                other.kind()
            ))
            .at(&at.route, "")
            .help("write `mcp_policy: 1`"),
        ),
    }
}

/// The keys of an endpoint.
pub(crate) const ENDPOINT_KEYS: [&str; 19] = [
    "name",
    "hosts",
    "path",
    "path_prefix",
    "versions",
    "mode",
    "denial",
    "responses",
    "streams",
    "sessions",
    "upstream",
    "tool_names",
    "resource_uris",
    "origins",
    "limits",
    "compat",
    "arguments",
    "allow",
    "deny",
];

fn endpoint(report: &mut Report<'_>, at: &At<'_>) -> Option<Endpoint> {
    let table = Table::open(report, at, "an endpoint", &ENDPOINT_KEYS)?;
    let strings = |report: &mut Report<'_>, key: &str, what: &'static str| {
        table.optional(key).and_then(|at| texts(report, &at, what))
    };
    let switch = |report: &mut Report<'_>, key: &str, default: Switch| {
        table.optional(key).map_or(default, |at| {
            choice(report, &at, Switch::ALL, Switch::as_str)
        })
    };
    let default = mcp_boundary_format::Endpoint::default();
    Some(Endpoint {
        at: at.route.clone(),
        name: table
            .optional("name")
            .and_then(|at| text(report, &at, "an endpoint name")),
        hosts: strings(report, "hosts", "a host"),
        path: required_path(report, &table),
        versions: strings(report, "versions", "a revision"),
        mode: table.optional("mode").map_or(default.mode, |at| {
            choice(report, &at, Mode::ALL, Mode::as_str)
        }),
        denial: table.optional("denial").map_or(default.denial, |at| {
            choice(report, &at, Denial::ALL, Denial::as_str)
        }),
        responses: switch(report, "responses", default.responses),
        streams: switch(report, "streams", default.streams),
        sessions: switch(report, "sessions", default.sessions),
        upstream: upstream(report, &table),
        tool_names: table
            .optional("tool_names")
            .map_or(default.tool_names, |at| {
                choice(report, &at, ToolNames::ALL, ToolNames::as_str)
            }),
        resource_uris: table
            .optional("resource_uris")
            .map_or(default.resource_uris, |at| {
                choice(report, &at, ResourceUris::ALL, ResourceUris::as_str)
            }),
        origins: strings(report, "origins", "an origin"),
        limits: limits(report, &table),
        compat: compat(report, &table),
        arguments: arguments(report, &table),
        allow: rule::rules(report, &table, "allow"),
        deny: rule::rules(report, &table, "deny"),
    })
}

/// `deny`, `pass`, or a map with what may pass.
fn unmatched(report: &mut Report<'_>, table: &Table<'_>) -> Unmatched {
    let Some(at) = table.optional("unmatched") else {
        return Unmatched::Deny;
    };
    if !matches!(at.value, Value::Map(_)) {
        return match choice(report, &at, &[false, true], |pass| {
            if pass { "pass" } else { "deny" }
        }) {
            true => Unmatched::Pass(at.route),
            false => Unmatched::Deny,
        };
    }
    let entries = Table::open(report, &at, "`unmatched`", &["pass"])
        .and_then(|table| table.required(report, "pass"))
        .and_then(|at| list(report, &at, "a list of what may pass"));
    let Some(entries) = entries else {
        return Unmatched::Deny;
    };
    if entries.value.is_empty() {
        report.push(
            Finding::error("`pass` is empty")
                .at(&entries.at, "nothing would pass")
                .help("list what may pass, such as `{path: /healthz}`, or write `unmatched: deny`"),
        );
    }
    let read = entries.value.iter().filter_map(|at| {
        let keys = ["path", "path_prefix", "hosts"];
        let table = Table::open(report, at, "an entry of `pass`", &keys)?;
        Some(PassEntry {
            at: at.route.clone(),
            path: required_path(report, &table),
            hosts: table
                .optional("hosts")
                .and_then(|at| texts(report, &at, "a host")),
        })
    });
    Unmatched::Listed(Located {
        value: read.collect(),
        at: entries.at,
    })
}

fn upstream(report: &mut Report<'_>, table: &Table<'_>) -> Option<Upstream> {
    let at = table.optional("upstream")?;
    let keys = ["path", "path_prefix", "hosts"];
    let table = Table::open(report, &at, "`upstream`", &keys)?;
    let upstream = Upstream {
        at: at.route,
        path: path(report, &table),
        hosts: table
            .optional("hosts")
            .and_then(|at| texts(report, &at, "a host")),
    };
    let keys = ["path", "path_prefix", "hosts"];
    if keys.iter().all(|key| table.optional(key).is_none()) {
        report.push(
            Finding::error("`upstream` names nothing")
                .at(&upstream.at, "neither a path nor hosts")
                .help("name the `path` or `path_prefix` and the `hosts` that the route writes, or leave `upstream` out"),
        );
    }
    Some(upstream)
}

fn required_path(report: &mut Report<'_>, table: &Table<'_>) -> Option<Path> {
    if table.optional("path").is_none() && table.optional("path_prefix").is_none() {
        report.push(
            Finding::error(format!("{} needs `path` or `path_prefix`", table.what()))
                .at(table.route(), "this one has neither")
                .help("add `path: /mcp`, or `path_prefix: /servers` for everything below"),
        );
    }
    path(report, table)
}

fn path(report: &mut Report<'_>, table: &Table<'_>) -> Option<Path> {
    match (table.optional("path"), table.optional("path_prefix")) {
        (Some(at), None) => text(report, &at, "a path").map(Path::Exact),
        (None, Some(at)) => text(report, &at, "a path").map(Path::Prefix),
        (Some(exact), Some(prefix)) => {
            report.push(
                Finding::error(format!(
                    "{} has `path` or `path_prefix`, not both",
                    table.what()
                ))
                .at(&prefix.route, "the second")
                .at(&exact.route, "the first")
                .help("keep one, or write two"),
            );
            None
        }
        (None, None) => None,
    }
}

fn limits(report: &mut Report<'_>, table: &Table<'_>) -> Limits {
    let keys = ["body_bytes", "depth", "batch_members"];
    let Some(table) = table
        .optional("limits")
        .and_then(|at| Table::open(report, &at, "`limits`", &keys))
    else {
        return Limits::default();
    };
    Limits {
        body_bytes: table.optional("body_bytes").and_then(|at| match at.value {
            Value::Text(size) => Some(at.located(Size::Text(size.clone()))),
            _ => whole(report, &at, "a number of bytes, or a text such as `64KiB`")
                .map(|number| at.located(Size::Bytes(number.value))),
        }),
        depth: table
            .optional("depth")
            .and_then(|at| whole(report, &at, "a whole number")),
        batch_members: table
            .optional("batch_members")
            .and_then(|at| whole(report, &at, "a whole number")),
    }
}

fn compat(report: &mut Report<'_>, table: &Table<'_>) -> Compat {
    let keys = ["equal_version_repeats", "stale_mirrors"];
    let Some(table) = table
        .optional("compat")
        .and_then(|at| Table::open(report, &at, "`compat`", &keys))
    else {
        return Compat::default();
    };
    let mut flag = |key, default| {
        table
            .optional(key)
            .map_or(default, |at| switch_flag(report, &at))
    };
    let default = Compat::default();
    Compat {
        equal_version_repeats: flag("equal_version_repeats", default.equal_version_repeats),
        stale_mirrors: flag("stale_mirrors", default.stale_mirrors),
    }
}

fn arguments(report: &mut Report<'_>, table: &Table<'_>) -> Arguments {
    let keys = ["forbid", "set_by_filters"];
    let Some(table) = table
        .optional("arguments")
        .and_then(|at| Table::open(report, &at, "`arguments`", &keys))
    else {
        return Arguments::default();
    };
    let names = |report: &mut Report<'_>, at: &At<'_>| {
        texts(report, at, "an argument name")
            .map(|names| names.value)
            .unwrap_or_default()
    };
    Arguments {
        forbid: table
            .required(report, "forbid")
            .map(|at| names(report, &at))
            .unwrap_or_default(),
        set_by_filters: table
            .optional("set_by_filters")
            .map(|at| names(report, &at))
            .unwrap_or_default(),
    }
}
