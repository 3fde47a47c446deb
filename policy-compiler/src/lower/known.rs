//! The methods of all revisions, so that a pattern can be held against them
//! and a misspelt one be guessed. Only warnings depend on this: what a request
//! may do is decided by what Tower knows.

use mcp_boundary_engine::methods::{MethodClass, classify};
use mcp_boundary_format::Revision;

/// Those of the official schemas, and of the tasks extension of 2026-07-28.
/// A test holds them against both.
const METHODS: [&str; 35] = [
    "completion/complete",
    "elicitation/create",
    "initialize",
    "logging/setLevel",
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/initialized",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/roots/list_changed",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks/status",
    "notifications/tools/list_changed",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "roots/list",
    "sampling/createMessage",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// Whether any revision has the method; asking one tells about all.
pub(super) fn is_known(method: &str) -> bool {
    classify(method, Revision::V2025_11_25) != MethodClass::Extension
}

pub(super) fn all() -> impl Iterator<Item = &'static str> {
    METHODS.into_iter()
}

/// The method, or the pattern of a whole namespace, that `name` was probably
/// meant to be.
pub(super) fn near(name: &str) -> Option<String> {
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let notification = format!("notifications/{name}");
    if is_known(&notification) {
        return Some(notification);
    }
    let namespaces = METHODS
        .iter()
        .filter_map(|method| Some(method.split_once('/')?.0));
    let whole: Vec<_> = namespaces
        .map(|namespace| format!("{namespace}/*"))
        .collect();
    if let Some(whole) = whole
        .iter()
        .find(|whole| whole.trim_end_matches("/*") == lower.trim_matches('/'))
    {
        return Some(whole.clone());
    }
    let methods = METHODS.into_iter().map(str::to_owned);
    let patterns = whole.into_iter().chain(["*/list".to_owned()]);
    let candidates: Vec<_> = match name.contains('*') {
        true => patterns.collect(),
        false => methods.collect(),
    };
    // Short names are alike by chance.
    let most = match name.len() {
        0..=5 => 1,
        6..=10 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|other| {
            let distance = strsim::damerau_levenshtein(&lower, &other.to_ascii_lowercase());
            (distance, other)
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mcp_boundary_engine::methods::TASKS_EXTENSION;

    use super::*;

    /// The values of `"method": { "const": … }` in a schema.
    fn methods_of(schema: &serde_json::Value, found: &mut BTreeSet<String>) {
        if let Some(method) = schema.pointer("/method/const").and_then(|it| it.as_str()) {
            found.insert(method.to_owned());
        }
        match schema {
            serde_json::Value::Object(members) => {
                members.values().for_each(|it| methods_of(it, found));
            }
            serde_json::Value::Array(items) => items.iter().for_each(|it| methods_of(it, found)),
            _ => {}
        }
    }

    #[test]
    fn the_methods_are_those_of_the_schemas_and_of_tower() {
        let mut found: BTreeSet<_> = TASKS_EXTENSION.map(str::to_owned).into();
        for revision in Revision::ALL {
            let path = format!(
                "{}/../tests/data/schema/{revision}.json",
                env!("CARGO_MANIFEST_DIR")
            );
            let text = std::fs::read_to_string(path).unwrap();
            methods_of(&serde_json::from_str(&text).unwrap(), &mut found);
        }
        assert_eq!(found, METHODS.map(str::to_owned).into());
        for method in METHODS {
            assert!(is_known(method), "{method}");
        }
    }

    #[test]
    fn guesses() {
        for (name, guess) in [
            ("tools/lst", Some("tools/list")),
            ("Tools/List", Some("tools/list")),
            ("initialized", Some("notifications/initialized")),
            ("tool/*", Some("tools/*")),
            ("notification/*", Some("notifications/*")),
            ("tools/.*", Some("tools/*")),
            ("*/lists", Some("*/list")),
            ("tools", Some("tools/*")),
            ("tools/", Some("tools/*")),
            ("/tools/list", Some("tools/list")),
            ("tools.call", Some("tools/call")),
            ("list", None),
            ("vendor.example/rotate", None),
            ("vendor.example/*", None),
        ] {
            assert_eq!(near(name).as_deref(), guess, "{name}");
        }
    }
}
