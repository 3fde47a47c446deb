//! `allow` and `deny` of one endpoint.

use std::collections::BTreeMap;

use mcp_boundary_engine::methods::{MethodClass, classify};
use mcp_boundary_format::{Glob, Name, Names, Revisions, Rule, is_glob, is_label};

use super::names::{bounded, check_prompt, check_tool};
use super::{conditions, forms, levels, methods, parsed, resources};
use crate::report::{Finding, Report};
use crate::schema::{self, Selectors, Text};
use crate::show::Shown;
use crate::source::Route;

/// What of the endpoint its rules are checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) revisions: Revisions,
    /// `tool_names: strict`
    pub(super) strict: bool,
    /// `resource_uris: strict`
    pub(super) canonical_uris: bool,
}

pub(super) fn lower(
    endpoint: &schema::Endpoint,
    context: Context,
    report: &mut Report<'_>,
) -> (Vec<Rule>, Vec<Rule>) {
    check_ids(endpoint, report);
    refuse_meaningless_selectors(&endpoint.allow, report);
    let extensions: Vec<_> = endpoint
        .allow
        .iter()
        .flat_map(|rule| &rule.selectors.extensions)
        .map(|extension| extension.value.as_str())
        .collect();
    let mut allowed = endpoint
        .allow
        .iter()
        .flat_map(|rule| &rule.selectors.methods);
    let completes = allowed.any(|method| method.value == "completion/complete");
    for rule in &endpoint.allow {
        for method in &rule.selectors.methods {
            methods::check_allowed(method, context.revisions, report);
        }
    }
    for rule in &endpoint.deny {
        for method in &rule.selectors.methods {
            methods::check_denied(method, &extensions, report);
        }
        for extension in &rule.selectors.extensions {
            methods::check_denied_extension(extension, &extensions, report);
        }
        forms::check(rule, context.strict, report);
    }
    levels::check(endpoint, report);
    for (rules, side) in [
        (&endpoint.allow, resources::Side::Allow { completes }),
        (&endpoint.deny, resources::Side::Deny),
    ] {
        for resource in rules.iter().flat_map(|rule| &rule.selectors.resources) {
            if bounded(resource, "resource URI", report) {
                resources::check(resource, side, context.canonical_uris, report);
            }
        }
    }
    conditions::refuse_unseen_names(&endpoint.deny, report);
    let mut lower_all = |rules: &[schema::Rule]| -> Vec<Rule> {
        rules
            .iter()
            .filter_map(|rule| lower_one(rule, context, report))
            .collect()
    };
    let allow = lower_all(&endpoint.allow);
    let deny = lower_all(&endpoint.deny);
    if allow.is_empty() {
        report.push(
            Finding::warning("this endpoint allows nothing")
                .at(&endpoint.at, "every message to it is denied")
                .help("add what it may `allow`")
                .presumes(&["allow"]),
        );
    }
    (allow, deny)
}

fn check_ids(endpoint: &schema::Endpoint, report: &mut Report<'_>) {
    let mut seen: BTreeMap<&str, &Text> = BTreeMap::new();
    for rule in endpoint.allow.iter().chain(&endpoint.deny) {
        let id = &rule.id;
        // The place of a map's id is the map: it was not written.
        let written = id.at != rule.at;
        if written && !is_label(&id.value) {
            report.push(
                Finding::error(format!("{} cannot be a rule id", Shown(&id.value)))
                    .at(&id.at, "")
                    .help("use 1 to 64 of `A-Z a-z 0-9 _ . / -`; logs show it"),
            );
        } else if let Some(first) = seen.get(id.value.as_str())
            && !id.value.is_empty()
        {
            report.push(
                Finding::error(format!("rule id {} is used twice", Shown(&id.value)))
                    .at(&id.at, "the second")
                    .at(&first.at, "the first")
                    .help("ids are unique in an endpoint, over `allow` and `deny`"),
            );
        } else {
            seen.insert(&id.value, id);
        }
    }
}

/// Permitting every name of an operation beside a list of its names would
/// make the list meaningless. Contract section 10.
fn refuse_meaningless_selectors(allow: &[schema::Rule], report: &mut Report<'_>) {
    type Pick = fn(&Selectors) -> &Vec<Text>;
    let selectors: [(&str, Pick); 3] = [
        ("tools", |selectors| &selectors.tools),
        ("prompts", |selectors| &selectors.prompts),
        ("resources", |selectors| &selectors.resources),
    ];
    for (selector, pick) in selectors {
        let Some(listed) = allow.iter().find_map(|rule| pick(&rule.selectors).first()) else {
            continue;
        };
        let every = allow.iter().flat_map(|rule| &rule.selectors.methods);
        for method in every.filter(|method| {
            methods::operations_of(selector).any(|operation| operation == method.value)
        }) {
            report.push(
                Finding::error(format!(
                    "method {} permits every name, so the `{selector}` listed have no meaning",
                    Shown(&method.value)
                ))
                .at(&method.at, "permits every name")
                .at(&listed.at, "names are listed here")
                .help(format!(
                    "remove the method to permit the listed `{selector}`, or remove the list"
                )),
            );
        }
    }
}

fn lower_one(rule: &schema::Rule, context: Context, report: &mut Report<'_>) -> Option<Rule> {
    let Selectors {
        lifecycle,
        methods,
        tools,
        prompts,
        resources,
        extensions,
    } = &rule.selectors;
    for (texts, what) in [
        (methods, "method"),
        (tools, "tool name"),
        (prompts, "prompt name"),
        (extensions, "extension"),
    ] {
        for text in texts {
            bounded(text, what, report);
        }
    }
    for tool in tools.iter().filter(|tool| !tool.value.is_empty()) {
        check_tool(tool, context.strict, report);
    }
    for prompt in prompts {
        check_prompt(prompt, report);
    }
    for extension in extensions {
        methods::check_extension(extension, context.revisions, report);
    }
    let when = conditions::lower(&rule.when, report);
    let methods = &with_lifecycle(methods, lifecycle.as_ref(), context.revisions);
    let selected = [methods, tools, prompts, resources, extensions];
    if selected.iter().all(|texts| texts.is_empty()) {
        report.push(
            Finding::warning(format!("rule {} selects nothing", Shown(&rule.id.value)))
                .at(&rule.at, "left out of the compiled policy")
                .help(
                    "list `methods`, `tools`, `prompts`, `resources` or `extensions`, or remove it",
                )
                .presumes(&["allow", "deny"]),
        );
        return None;
    }
    Some(Rule {
        id: parsed(&rule.id, report)?,
        when,
        methods: names(methods, report),
        tools: names(tools, report),
        prompts: names(prompts, report),
        resources: names(resources, report),
        extensions: extensions
            .iter()
            .filter_map(|extension| parsed(extension, report))
            .collect(),
    })
}

/// What clients send to connect and to go on, in some revision.
const LIFECYCLE: [&str; 6] = [
    "initialize",
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "ping",
    "server/discover",
];

/// The methods of a rule, and those of `lifecycle` that a permitted revision
/// has; never a list or a call.
fn with_lifecycle(methods: &[Text], lifecycle: Option<&Route>, revisions: Revisions) -> Vec<Text> {
    let mut all = methods.to_vec();
    let Some(at) = lifecycle else {
        return all;
    };
    for method in LIFECYCLE {
        let has = |revision| classify(method, revision) == MethodClass::Available;
        let listed = methods.iter().any(|other| other.value == method);
        if !listed && revisions.iter().any(has) {
            all.push(Text {
                value: method.to_owned(),
                at: at.clone(),
            });
        }
    }
    all
}

pub(super) fn names(texts: &[Text], report: &mut Report<'_>) -> Names {
    let mut names = Names::default();
    for text in texts {
        match is_glob(&text.value) {
            true => names.globs.extend(parsed::<Glob>(text, report)),
            false => names.exact.extend(parsed::<Name>(text, report)),
        }
    }
    names.globs.sort();
    names.exact.sort();
    names
}
