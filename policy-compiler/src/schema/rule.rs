//! `allow`, `deny` and `when`.

use mcp_boundary_format::Switch;

use super::read::{At, choice, list, switch_flag, text, texts};
use super::table::Table;
use super::{Located, Text};
use crate::report::{Finding, Report};
use crate::source::{Route, Value};

/// All rules of one kind.
pub(crate) type Rules = Vec<Rule>;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) at: Route,
    /// For the map form, the place of the map.
    pub(crate) id: Text,
    pub(crate) when: Vec<Condition>,
    pub(crate) selectors: Selectors,
}

#[derive(Debug, Default)]
pub(crate) struct Selectors {
    /// Of an allow: where it permits what every client sends to connect.
    pub(crate) lifecycle: Option<Route>,
    pub(crate) methods: Vec<Text>,
    pub(crate) tools: Vec<Text>,
    pub(crate) prompts: Vec<Text>,
    pub(crate) resources: Vec<Text>,
    pub(crate) extensions: Vec<Text>,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) at: Route,
    pub(crate) principal: Principal,
    pub(crate) values: Located<Vec<Text>>,
}

#[derive(Debug)]
pub(crate) enum Principal {
    Jwt {
        payload: Text,
        claim: Claim,
    },
    Peer {
        /// Whether the author knows that only the first name of each kind is seen.
        acknowledged: bool,
    },
    Header(Text),
}

/// How a claim was written.
#[derive(Debug)]
pub(crate) enum Claim {
    Dotted(Text),
    Members(Located<Vec<Text>>),
}

/// A map is one rule whose id is `kind`; a list holds rules with ids.
pub(crate) fn rules(report: &mut Report<'_>, table: &Table<'_>, kind: &str) -> Rules {
    let Some(at) = table.optional(kind) else {
        return Rules::new();
    };
    match at.value {
        Value::Map(_) => {
            let id = at.located(kind.to_owned());
            rule(report, &at, kind, Some(id)).into_iter().collect()
        }
        _ => list(report, &at, "a map, or a list of rules")
            .map(|rules| rules.value)
            .unwrap_or_default()
            .iter()
            .filter_map(|at| rule(report, at, kind, None))
            .collect(),
    }
}

const SELECTORS: [&str; 6] = [
    "when",
    "methods",
    "tools",
    "prompts",
    "resources",
    "extensions",
];

fn rule(report: &mut Report<'_>, at: &At<'_>, kind: &str, id: Option<Text>) -> Option<Rule> {
    let listed = id.is_none();
    let what = if listed {
        format!("a rule of `{kind}`")
    } else {
        format!("`{kind}` as a map")
    };
    let mut keys = Vec::from(SELECTORS);
    if listed {
        keys.insert(0, "id");
    }
    // What every client sends is not a thing to deny.
    if kind == "allow" {
        keys.push("lifecycle");
    }
    let table = Table::open(report, at, &what, &keys)?;
    let id = match id {
        Some(id) => Some(id),
        None => table
            .required(report, "id")
            .and_then(|at| text(report, &at, "a rule id")),
    };
    let when = conditions(report, &table);
    let lifecycle = table.optional("lifecycle").and_then(|at| {
        let on = switch_flag(report, &at) == Switch::Allow;
        on.then(|| at.route.clone())
    });
    let mut names = |key: &str, what: &str| {
        table
            .optional(key)
            .and_then(|at| texts(report, &at, what))
            .map(|names| names.value)
            .unwrap_or_default()
    };
    let selectors = Selectors {
        lifecycle,
        methods: names("methods", "a method"),
        tools: names("tools", "a tool name"),
        prompts: names("prompts", "a prompt name"),
        resources: names("resources", "a resource URI"),
        extensions: names("extensions", "an extension method"),
    };
    Some(Rule {
        at: at.route.clone(),
        // A rule without an id was reported; its contents are still checked.
        id: id.unwrap_or_else(|| at.located(String::new())),
        when,
        selectors,
    })
}

fn conditions(report: &mut Report<'_>, table: &Table<'_>) -> Vec<Condition> {
    let Some(at) = table.optional("when") else {
        return Vec::new();
    };
    if matches!(at.value, Value::Map(_)) {
        return condition(report, &at).into_iter().collect();
    }
    let Some(items) = list(report, &at, "a condition, or a list of conditions") else {
        return Vec::new();
    };
    if items.value.is_empty() {
        report.push(
            Finding::error("`when` is empty")
                .at(&items.at, "no condition here")
                .help("add a condition, or leave `when` out"),
        );
    }
    items
        .value
        .iter()
        .filter_map(|at| condition(report, at))
        .collect()
}

fn condition(report: &mut Report<'_>, at: &At<'_>) -> Option<Condition> {
    let table = Table::open(report, at, "a condition", &["jwt", "peer", "header"])?;
    let mut found = ["jwt", "peer", "header"]
        .into_iter()
        .filter_map(|key| table.optional(key).map(|at| (key, at)));
    let Some((key, principal)) = found.next() else {
        report.push(
            Finding::error("a condition needs one of `jwt`, `peer` and `header`")
                .at(&at.route, "none of them here")
                .help("name where the principal comes from"),
        );
        return None;
    };
    if let Some((other, second)) = found.next() {
        report.push(
            Finding::error(format!("a condition has `{key}` or `{other}`, not both"))
                .at(&second.route, "the second")
                .at(&principal.route, "the first")
                .help("make `when` a list with one condition each; all of them must hold"),
        );
        return None;
    }
    let (what, own): (_, &[&str]) = match key {
        "jwt" => ("`jwt`", &["payload", "claim", "in", "is"]),
        "peer" => ("`peer`", &["in", "is", "first_san"]),
        _ => ("`header`", &["name", "in", "is"]),
    };
    let inner = Table::open(report, &principal, what, own)?;
    let values = values(report, &inner, what);
    let principal = match key {
        "jwt" => {
            let payload = inner
                .required(report, "payload")
                .and_then(|at| text(report, &at, "the key of a JWT payload"));
            let claim = inner
                .required(report, "claim")
                .and_then(|at| claim(report, &at));
            Principal::Jwt {
                payload: payload?,
                claim: claim?,
            }
        }
        "peer" => Principal::Peer {
            acknowledged: inner
                .optional("first_san")
                .is_some_and(|at| choice(report, &at, &[true], |_| "acknowledged")),
        },
        _ => Principal::Header(
            inner
                .required(report, "name")
                .and_then(|at| text(report, &at, "a header name"))?,
        ),
    };
    Some(Condition {
        at: at.route.clone(),
        principal,
        values: values?,
    })
}

fn claim(report: &mut Report<'_>, at: &At<'_>) -> Option<Claim> {
    if !matches!(at.value, Value::List(_)) {
        return text(
            report,
            at,
            "a claim such as `realm.roles`, or a list of names",
        )
        .map(Claim::Dotted);
    }
    // Not `texts`: the same name may well occur twice on the way to a claim.
    let items = list(report, at, "a list")?;
    let members: Option<Vec<_>> = items
        .value
        .iter()
        .map(|item| text(report, item, "a member name"))
        .collect();
    Some(Claim::Members(at.located(members?)))
}

fn values(report: &mut Report<'_>, table: &Table<'_>, what: &str) -> Option<Located<Vec<Text>>> {
    match (table.optional("in"), table.optional("is")) {
        (Some(at), None) => {
            let values = texts(report, &at, "a value")?;
            if values.value.is_empty() {
                report.push(
                    Finding::error("`in` is empty")
                        .at(&at.route, "no value would ever match")
                        .help("list the values that match; `\"*\"` matches any"),
                );
                return None;
            }
            Some(values)
        }
        (None, Some(at)) => {
            let value = text(report, &at, "a value")?;
            Some(at.located(vec![value]))
        }
        (Some(one), Some(other)) => {
            report.push(
                Finding::error(format!("{what} has `in` or `is`, not both"))
                    .at(&other.route, "")
                    .at(&one.route, "")
                    .help("`is: x` is short for `in: [x]`; keep one"),
            );
            None
        }
        (None, None) => {
            report.push(
                Finding::error(format!("{what} needs the key `in` or `is`"))
                    .at(table.route(), "no values to compare with")
                    .help("list the values that match: `in: [guest]`"),
            );
            None
        }
    }
}
