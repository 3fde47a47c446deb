//! A YAML map with known keys.

use std::collections::BTreeMap;

use super::read::{At, wrong_type};
use crate::report::{Finding, Report};
use crate::show::{Shown, keys_here, suggestion};
use crate::source::{Route, Step, Value};

#[derive(Debug)]
pub(crate) struct Table<'v> {
    what: String,
    at: Route,
    entries: Vec<(&'v str, At<'v>)>,
}

impl<'v> Table<'v> {
    /// Reads a map, refusing keys that are repeated or not in `known`. Of
    /// repeated keys the first is kept, to find what else is wrong.
    pub(crate) fn open(
        report: &mut Report<'_>,
        at: &At<'v>,
        what: &str,
        known: &[&str],
    ) -> Option<Self> {
        let Value::Map(entries) = at.value else {
            let help = format!("write keys and values; {}", keys_here(known));
            wrong_type(report, at, &format!("{what} must be a map"), &help);
            return None;
        };
        let mut read: Vec<(&str, At<'v>)> = Vec::new();
        let mut seen: BTreeMap<&str, Route> = BTreeMap::new();
        for (index, (key, value)) in entries.iter().enumerate() {
            let place = at.route.then(Step::Key(index));
            let Value::Text(name) = &key.value else {
                report.push(
                    Finding::error(format!("a key of {what} is {}", key.value.kind()))
                        .at(&place, "not a key of the policy language")
                        .help(keys_here(known)),
                );
                continue;
            };
            if let Some(first) = seen.get(name.as_str()) {
                report.push(
                    Finding::error(format!("key {} is repeated", Shown(name)))
                        .at(&place, "the second")
                        .at(first, "the first")
                        .help("keep one; YAML readers disagree about which one counts"),
                );
                continue;
            }
            if !known.contains(&name.as_str()) {
                report.push(unknown(name, &place, what, known));
            }
            let value = At {
                value: &value.value,
                route: at.route.then(Step::Entry(index)),
            };
            read.push((name, value));
            seen.insert(name, place);
        }
        Some(Self {
            what: what.to_owned(),
            at: at.route.clone(),
            entries: read,
        })
    }

    /// What it is, as errors call it.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn route(&self) -> &Route {
        &self.at
    }

    pub(crate) fn optional(&self, key: &str) -> Option<At<'v>> {
        self.entries
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, at)| at.clone())
    }

    pub(crate) fn required(&self, report: &mut Report<'_>, key: &str) -> Option<At<'v>> {
        let found = self.optional(key);
        if found.is_none() {
            report.push(
                Finding::error(format!("{} needs the key `{key}`", self.what))
                    .at(&self.at, format!("`{key}` is missing"))
                    .help(match key {
                        "mcp_policy" => "write `mcp_policy: 1` at the top".to_owned(),
                        _ => format!("add `{key}`"),
                    }),
            );
        }
        found
    }
}

fn unknown(name: &str, place: &Route, what: &str, known: &[&str]) -> Finding {
    let help = match suggestion(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if name == "<<" => {
            "merge keys are not part of the policy language; write the keys out".to_owned()
        }
        None => keys_here(known),
    };
    Finding::error(format!("{what} has no key {}", Shown(name)))
        .at(place, "unknown key")
        .help(help)
}
