//! A compiled policy back in the policy language.
//!
//! Everything is written out, defaults too, so that what the filter does can
//! be read without knowing them. Compiling the output gives the same digest.

use std::fmt::Write as _;

use mcp_boundary_format::{
    Condition, Endpoint, HostPattern, Names, PathPattern, Policy, Rule, Source, Switch, Unmatched,
    Upstream,
};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::schema::LANGUAGE_VERSION;
use crate::yaml::quoted;

/// A small YAML or JSON document whose keys keep their order.
#[derive(Debug)]
pub(crate) enum Tree {
    Word(&'static str),
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<Tree>),
    Map(Vec<(&'static str, Tree)>),
}

/// The policy in the policy language.
pub fn to_yaml(policy: &Policy) -> String {
    let mut out = String::new();
    if let Tree::Map(entries) = to_tree(policy) {
        write_map(&mut out, &entries, 0);
    }
    out
}

pub(crate) fn to_tree(policy: &Policy) -> Tree {
    Tree::Map(vec![
        ("mcp_policy", Tree::Number(LANGUAGE_VERSION)),
        ("unmatched", unmatched(policy.unmatched())),
        (
            "endpoints",
            Tree::List(
                policy
                    .endpoints()
                    .iter()
                    .map(|each| endpoint(each))
                    .collect(),
            ),
        ),
    ])
}

fn unmatched(unmatched: &Unmatched) -> Tree {
    let entries = match unmatched {
        Unmatched::Deny => return Tree::Word("deny"),
        Unmatched::Pass => return Tree::Word("pass"),
        Unmatched::Listed(entries) => entries,
    };
    let entry = |path, hosts: &[HostPattern]| {
        let mut entry = vec![self::path(path)];
        if !hosts.is_empty() {
            entry.push(("hosts", texts(hosts)));
        }
        Tree::Map(entry)
    };
    let entries = entries.iter().map(|one| entry(&one.path, &one.hosts));
    Tree::Map(vec![("pass", Tree::List(entries.collect()))])
}

fn path(path: &PathPattern) -> (&'static str, Tree) {
    match path {
        PathPattern::Exact(path) => ("path", Tree::Text(path.to_string())),
        PathPattern::Prefix(path) => ("path_prefix", Tree::Text(path.to_string())),
    }
}

fn upstream(upstream: &Upstream) -> Option<Tree> {
    let mut entries: Vec<_> = upstream.path.iter().map(path).collect();
    if !upstream.hosts.is_empty() {
        entries.push(("hosts", texts(&upstream.hosts)));
    }
    (!entries.is_empty()).then_some(Tree::Map(entries))
}

fn endpoint(endpoint: &Endpoint) -> Tree {
    let Endpoint {
        name,
        hosts,
        path: at,
        revisions,
        mode,
        denial,
        responses,
        streams,
        sessions,
        upstream: behind,
        tool_names,
        resource_uris,
        compat,
        limits,
        origins,
        forbidden_arguments,
        set_by_filters,
        allow,
        deny,
    } = endpoint;
    let mut entries = vec![("name", Tree::Text(name.to_string()))];
    if !hosts.is_empty() {
        entries.push(("hosts", texts(hosts)));
    }
    entries.push(path(at));
    entries.extend([
        ("versions", texts(revisions.iter())),
        ("mode", Tree::Word(mode.as_str())),
        ("denial", Tree::Word(denial.as_str())),
        ("responses", Tree::Word(responses.as_str())),
        ("streams", Tree::Word(streams.as_str())),
        ("sessions", Tree::Word(sessions.as_str())),
    ]);
    entries.extend(upstream(behind).map(|tree| ("upstream", tree)));
    entries.extend([
        ("tool_names", Tree::Word(tool_names.as_str())),
        ("resource_uris", Tree::Word(resource_uris.as_str())),
    ]);
    if !origins.is_empty() {
        entries.push(("origins", texts(origins)));
    }
    let flag = |switch: Switch| Tree::Flag(switch == Switch::Allow);
    entries.extend([
        (
            "limits",
            Tree::Map(vec![
                ("body_bytes", Tree::Number(limits.body_bytes.into())),
                ("depth", Tree::Number(limits.depth.into())),
                ("batch_members", Tree::Number(limits.batch_members.into())),
            ]),
        ),
        (
            "compat",
            Tree::Map(vec![
                ("equal_version_repeats", flag(compat.equal_version_repeats)),
                ("stale_mirrors", flag(compat.stale_mirrors)),
            ]),
        ),
    ]);
    if !forbidden_arguments.is_empty() {
        let mut arguments = vec![("forbid", texts(forbidden_arguments))];
        if !set_by_filters.is_empty() {
            arguments.push(("set_by_filters", texts(set_by_filters)));
        }
        entries.push(("arguments", Tree::Map(arguments)));
    }
    let rules =
        |rules: &[Rule], deny| Tree::List(rules.iter().map(|one| rule(one, deny)).collect());
    entries.push(("allow", rules(allow, false)));
    entries.push(("deny", rules(deny, true)));
    Tree::Map(entries)
}

fn rule(rule: &Rule, deny: bool) -> Tree {
    let Rule {
        id,
        when,
        methods,
        tools,
        prompts,
        resources,
        extensions,
    } = rule;
    let mut entries = vec![("id", Tree::Text(id.to_string()))];
    if !when.is_empty() {
        entries.push((
            "when",
            Tree::List(when.iter().map(|one| condition(one, deny)).collect()),
        ));
    }
    for (key, names) in [
        ("methods", methods),
        ("tools", tools),
        ("prompts", prompts),
        ("resources", resources),
    ] {
        if !names.is_empty() {
            entries.push((key, texts(names.iter())));
        }
    }
    if !extensions.is_empty() {
        entries.push(("extensions", texts(extensions)));
    }
    Tree::Map(entries)
}

/// A denying `peer` condition was acknowledged, or it would not have compiled.
fn condition(condition: &Condition, deny: bool) -> Tree {
    let values = |names: &Names| ("in", texts(names.iter()));
    let values = values(&condition.values);
    let (key, inner) = match &condition.source {
        Source::JwtClaim { payload, path } => (
            "jwt",
            vec![
                ("payload", Tree::Text(payload.clone())),
                ("claim", texts(path)),
                values,
            ],
        ),
        Source::PeerSan if deny => (
            "peer",
            vec![values, ("first_san", Tree::Word("acknowledged"))],
        ),
        Source::PeerSan => ("peer", vec![values]),
        Source::Header(name) => (
            "header",
            vec![("name", Tree::Text(name.to_string())), values],
        ),
    };
    Tree::Map(vec![(key, Tree::Map(inner))])
}

fn texts(items: impl IntoIterator<Item = impl ToString>) -> Tree {
    Tree::List(
        items
            .into_iter()
            .map(|item| Tree::Text(item.to_string()))
            .collect(),
    )
}

fn write_map(out: &mut String, entries: &[(&'static str, Tree)], indent: usize) {
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 || indent == 0 {
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(key);
        out.push(':');
        write_value(out, value, indent);
    }
}

/// Writes what follows `key:`, with the line end.
fn write_value(out: &mut String, value: &Tree, indent: usize) {
    let deeper = indent.saturating_add(2);
    match value {
        Tree::Map(entries) => {
            out.push('\n');
            out.push_str(&" ".repeat(deeper));
            write_map(out, entries, deeper);
        }
        Tree::List(items) if items.iter().any(|item| matches!(item, Tree::Map(_))) => {
            out.push('\n');
            for item in items {
                out.push_str(&" ".repeat(deeper));
                out.push_str("- ");
                if let Tree::Map(entries) = item {
                    write_map(out, entries, deeper.saturating_add(2));
                }
            }
        }
        Tree::List(items) if items.is_empty() => out.push_str(" []\n"),
        Tree::List(items) => {
            out.push('\n');
            for item in items {
                out.push_str(&" ".repeat(deeper));
                out.push('-');
                write_value(out, item, deeper);
            }
        }
        // Writing to a string cannot fail.
        Tree::Word(word) => drop(writeln!(out, " {word}")),
        Tree::Text(text) => drop(writeln!(out, " {}", quoted(text))),
        Tree::Number(number) => drop(writeln!(out, " {number}")),
        Tree::Flag(flag) => drop(writeln!(out, " {flag}")),
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Word(word) => serializer.serialize_str(word),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
