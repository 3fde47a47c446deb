//! `when: jwt` against an independent reading of the claims: whatever the
//! token holds, a deny is applied if the claim might hold a listed value, and
//! an allow only if it does.

use mcp_boundary_engine::{Effect, Engine, Head, Role};
use mcp_boundary_tests::claims::metadata;
use mcp_boundary_tests::policy;
use prost::Message;
use serde_json::{Map, Value, json};

const CASES: usize = 50_000;

const TEXTS: [&str; 22] = [
    "guest",
    "Guest",
    "admin",
    "operator",
    "8",
    "8.0",
    "-3",
    "true",
    "TRUE",
    "false",
    "1.5",
    "",
    " ",
    "guest admin",
    "admin  guest ",
    "a\0",
    "guest\0",
    "\u{1}",
    "\u{1}\0\0\0\u{5}\0\0\0\0\0\0\0guest\0\0",
    "9007199254740993",
    "é",
    "guest\u{85}",
];

const NUMBERS: [&str; 12] = [
    "8",
    "8.0",
    "80e-1",
    "-3",
    "1.5",
    "0",
    "-0.0",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "1e300",
    "2261634.5098039214",
];

const LISTED: [&str; 14] = [
    "guest", "ADMIN", "admin", "operator", "8", "-3", "true", "false", "1.5", "0", "gu*", "*",
    "8*", "AAAAAAAA",
];

fn pick<'a>(random: &mut fastrand::Rng, list: &[&'a str]) -> &'a str {
    random.choice(list).copied().unwrap_or_default()
}

fn value(random: &mut fastrand::Rng, depth: u32) -> Value {
    let kinds = if depth == 0 { 5 } else { 8 };
    match random.u32(0..kinds) {
        0 => Value::Null,
        1 => json!(random.bool()),
        2 => serde_json::from_str(pick(random, &NUMBERS)).expect("a number"),
        3 | 4 => json!(pick(random, &TEXTS)),
        5 | 6 => (0..random.usize(0..4))
            .map(|_| value(random, depth - 1))
            .collect(),
        _ => {
            let mut members = Map::new();
            for _ in 0..random.usize(0..3) {
                let name = pick(random, &TEXTS).to_owned();
                members.insert(name, value(random, depth - 1));
            }
            Value::Object(members)
        }
    }
}

/// Every text that somebody may read in it, at any depth, names included.
fn readings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => found.push(flag.to_string()),
        Value::Number(number) => found.push(shown(number)),
        Value::String(text) => {
            found.push(text.clone());
            found.extend(text.split([' ', '\0']).map(str::to_owned));
        }
        Value::Array(items) => items.iter().for_each(|item| readings(item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                found.push(name.clone());
                readings(member, found);
            }
        }
    }
}

/// A number as JavaScript shows it.
fn shown(number: &serde_json::Number) -> String {
    let float = number.as_f64().unwrap_or(f64::NAN);
    // `-0.0` is shown as `0`.
    (float + 0.0).to_string()
}

/// What the claim certainly is: none if it is of no kind that policies name.
fn certain(value: &Value, words: bool) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::Bool(flag) => Some(vec![flag.to_string()]),
        Value::Number(number) => {
            let exact = number.as_f64().is_some_and(|n| n.abs() < 2f64.powi(53));
            exact.then(|| vec![shown(number)])
        }
        Value::String(text) if text.is_empty() || text.chars().any(char::is_control) => None,
        Value::String(text) if words => {
            let words: Vec<String> = text.split_terminator(' ').map(str::to_owned).collect();
            let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
            (!words.is_empty()).then_some(words)
        }
        Value::String(text) => Some(vec![text.clone()]),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match value {
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => items
            .iter()
            .map(one)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat()),
        other => one(other),
    }
}

/// Whether a listed value or pattern, which has one `*` at its end at most,
/// is `text`.
fn is_listed(listed: &[&str], text: &str) -> bool {
    listed.iter().any(|entry| match entry.strip_suffix('*') {
        Some(prefix) => text.starts_with(prefix),
        None => *entry == text,
    })
}

fn lower(listed: &[&str]) -> Vec<String> {
    listed.iter().map(|entry| entry.to_lowercase()).collect()
}

fn permits(engine: &Engine, metadata: &[u8]) -> bool {
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    let attributes = [Some(metadata.to_vec())];
    let head = Head {
        headers: &[
            (b":method", b"POST"),
            (b":path", b"/mcp"),
            (b":authority", b"a.test"),
            (b"content-type", b"application/json"),
            (b"mcp-protocol-version", b"2025-11-25"),
        ],
        attributes: &attributes,
        ..Head::default()
    };
    matches!(engine.decide(head, body).effect, Effect::Forward { .. })
}

#[test]
fn denies_are_applied_and_allows_are_held() {
    let mut random = fastrand::Rng::with_seed(20_261_201);
    let mut engines = Vec::new();
    for round in 0..400 {
        let claim = ["role", "scope", "realm.role", "realm.scp"][round % 4];
        let mut listed: Vec<&str> = (0..random.usize(1..4))
            .map(|_| pick(&mut random, &LISTED))
            .collect();
        listed.sort_unstable();
        listed.dedup();
        let when = json!({ "jwt": { "payload": "p", "claim": claim, "in": listed } });
        let engine = |rules: Value| {
            let mut endpoint = json!({ "path": "/mcp" });
            endpoint
                .as_object_mut()
                .expect("a map")
                .extend(rules.as_object().cloned().expect("a map"));
            let text = json!({ "mcp_policy": 1, "endpoints": [endpoint] }).to_string();
            Engine::new(policy::compile(&text).expect("a policy"), Role::Admit)
        };
        let allow = engine(json!({ "allow": [{ "id": "a", "tools": ["t"], "when": when }] }));
        let deny = engine(json!({
            "allow": { "tools": ["t"] },
            "deny": [{ "id": "d", "tools": ["t"], "when": when }],
        }));
        engines.push((claim, listed, allow, deny));
    }
    let (mut allowed, mut denied, mut passed) = (0, 0, 0);
    for _ in 0..CASES {
        let (claim, listed, allow, deny) = &engines[random.usize(0..engines.len())];
        let value = value(&mut random, 3);
        let (deep, last) = match claim.split_once('.') {
            Some((_, last)) => (true, last),
            None => (false, *claim),
        };
        let mut claims = json!({ "sub": "x" });
        // Now and then it is not there.
        if random.u32(0..10) > 0 {
            match deep {
                true => claims["realm"] = json!({ last: value }),
                false => claims[last] = value,
            }
        }
        let found = if deep {
            &claims["realm"][last]
        } else {
            &claims[last]
        };
        let bytes = metadata("p", claims.as_object().expect("an object")).encode_to_vec();
        let words = last == "scope" || last == "scp";
        let told = || format!("{claims} against {listed:?}");

        let known = certain(found, words);
        let holds = known
            .as_ref()
            .is_some_and(|known| known.iter().any(|text| is_listed(listed, text)));
        let permitted = permits(allow, &bytes);
        assert_eq!(permitted, holds, "allow: {}", told());
        allowed += usize::from(permitted);

        let folded = lower(listed);
        let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
        let passes = permits(deny, &bytes);
        if passes {
            assert!(known.is_some(), "unreadable: {}", told());
            let mut readings_found = Vec::new();
            readings(found, &mut readings_found);
            // Only in `scope` and `scp` is a word a value.
            readings_found
                .retain(|text| words || known.as_ref().is_some_and(|known| known.contains(text)));
            let might = readings_found.iter().any(|text| {
                let whole = words && text.contains(' ');
                !text.is_empty() && !whole && is_listed(&folded, &text.to_lowercase())
            });
            assert!(!might, "deny: {}", told());
            passed += 1;
        } else {
            // Nor is it applied to those who are known to be others.
            let matches = |text: &String| is_listed(&folded, &text.to_lowercase());
            let may = known.as_ref().is_none_or(|known| known.iter().any(matches));
            assert!(may, "deny without need: {}", told());
            denied += 1;
        }
    }
    println!("{CASES} claims: {allowed} allowed, {denied} denied, {passed} passed a deny");
    assert!(allowed > CASES / 20 && denied > CASES / 4 && passed > CASES / 20);
}
