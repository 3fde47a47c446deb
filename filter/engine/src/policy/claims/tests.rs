use serde_json::{Value, json};

use super::*;

#[path = "../../../tests/common/metadata.rs"]
mod metadata;
use metadata::{bytes, entry, metadata, value};

fn texts(texts: &[&str]) -> Option<Vec<Scalar>> {
    let text = |text: &&str| Scalar::Text((*text).to_owned());
    Some(texts.iter().map(text).collect())
}

fn read_at(claims: &Value, path: &[&str]) -> Option<Vec<Scalar>> {
    let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
    claim(&metadata("p", claims), "p", &path)
}

fn read(value: Value) -> Option<Vec<Scalar>> {
    read_at(&json!({ "c": value }), &["c"])
}

#[test]
fn what_a_policy_can_name_is_known_with_its_kind() {
    assert_eq!(read(json!("guest")), texts(&["guest"]));
    assert_eq!(read(json!("é \u{2028}")), texts(&["é \u{2028}"]));
    assert_eq!(read(json!(["a", "b"])), texts(&["a", "b"]));
    assert_eq!(read(json!("12345678")), texts(&["12345678"]));
    for number in [
        0.0,
        8.0,
        -3.0,
        1.5,
        9_007_199_254_740_991.0,
        -9_007_199_254_740_991.0,
    ] {
        let known = Some(vec![Scalar::Number(number)]);
        assert_eq!(read(json!(number)), known);
        assert_eq!(read(json!([number])), known);
    }
    assert_eq!(read(json!(true)), Some(vec![Scalar::Flag(true)]));
    assert_eq!(
        read(json!([false, "x", 1])),
        Some(vec![
            Scalar::Flag(false),
            Scalar::Text("x".into()),
            Scalar::Number(1.0)
        ])
    );
}

#[test]
fn every_other_kind_is_unknown() {
    let list = "\u{1}\0\0\0\u{5}\0\0\0\0\0\0\0admin\0\0";
    for value in [
        json!(null),
        json!(""),
        json!("\u{1}"),
        json!("a\0"),
        json!("a\u{85}b"),
        json!(list),
        json!([]),
        json!({}),
        json!({"admin": ""}),
        json!({"0": "admin"}),
        json!([["guest"]]),
        json!([[]]),
        json!([{}]),
        json!([{"guest": "guest"}]),
        json!(["a", null]),
        json!(["a", ""]),
        json!(["a", "b\0"]),
        json!(["a", ["b"]]),
        json!(["a", 9_007_199_254_740_993_u64]),
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(-9_007_199_254_740_993_i64),
        json!(u64::MAX),
        json!(1e300),
    ] {
        assert_eq!(read(value.clone()), None, "{value}");
    }
}

#[test]
fn a_scope_is_a_list_of_words() {
    for name in ["scope", "scp"] {
        let read = |value: Value| read_at(&json!({ "x": { name: value } }), &["x", name]);
        assert_eq!(read(json!("a:r b")), texts(&["a:r", "b"]));
        assert_eq!(read(json!("  a   b ")), texts(&["a", "b"]));
        assert_eq!(read(json!(["a b", "c"])), texts(&["a", "b", "c"]));
        assert_eq!(read(json!("a\u{a0}b")), texts(&["a\u{a0}b"]));
        assert_eq!(
            read(json!(["a", 8])),
            Some(vec![Scalar::Text("a".into()), Scalar::Number(8.0)])
        );
        for unknown in [
            json!(" "),
            json!(""),
            json!("a\tb"),
            json!(["a", " "]),
            json!([]),
        ] {
            assert_eq!(read(unknown.clone()), None, "{unknown}");
        }
    }
    assert_eq!(read(json!("a b")), texts(&["a b"]));
    let inside = json!({"scope": {"c": "a b"}});
    assert_eq!(read_at(&inside, &["scope", "c"]), texts(&["a b"]));
}

#[test]
fn the_way_leads_through_objects_only() {
    let claims = json!({"realm": {"roles": ["x"], "": "e"}, "list": [{"a": "b"}], "0": "z"});
    assert_eq!(read_at(&claims, &["realm", "roles"]), texts(&["x"]));
    assert_eq!(read_at(&claims, &["realm", ""]), texts(&["e"]));
    for path in [
        &["realm"][..],
        &["realm", "role"],
        &["realm", "roles", "0"],
        &["list", "0", "a"],
        &["realm.roles"],
        &["Realm", "roles"],
    ] {
        assert_eq!(read_at(&claims, path), None, "{path:?}");
    }
    let bytes = metadata("p", &claims);
    assert_eq!(claim(&bytes, "q", &["0".to_owned()]), None);
}

#[test]
fn other_metadata_is_passed_over() {
    let ours = metadata("p", &json!({"c": "x"}));
    let other = entry("envoy.lb", &entry("p", &value(&json!({"c": "y"}))));
    let typed = bytes(2, b"\x0a\x03any");
    let all = [other, typed, ours.clone()].concat();
    let path = ["c".to_owned()];
    assert_eq!(claim(&all, "p", &path), texts(&["x"]));
    // Twice is once too often, wherever.
    assert_eq!(claim(&[ours.clone(), ours].concat(), "p", &path), None);
    let twice = [
        entry("c", &value(&json!("x"))),
        entry("c", &value(&json!("y"))),
    ]
    .concat();
    let payload = |members: &[u8]| entry(VERIFIED, &entry("p", &bytes(5, members)));
    assert_eq!(claim(&payload(&twice), "p", &path), None);
    let kinds = [value(&json!("x")), value(&json!(true))].concat();
    assert_eq!(claim(&payload(&entry("c", &kinds)), "p", &path), None);
    assert_eq!(claim(&payload(&entry("c", b"")), "p", &path), None);
}

/// Cut anywhere, or with any byte changed: known as it was, or as something
/// that the bytes really say, but never a panic.
#[test]
fn damage_is_survived() {
    let claims = json!({"c": ["admin", 8, true], "realm": {"x": "y"}});
    let whole = metadata("p", &claims);
    let path = ["c".to_owned()];
    for end in 0..whole.len() {
        assert_eq!(claim(&whole[..end], "p", &path), None, "{end}");
    }
    for at in 0..whole.len() {
        for byte in 0..=u8::MAX {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            let _ = claim(&damaged, "p", &path);
        }
    }
}

#[test]
fn a_peer_has_names_of_their_kind() {
    let uri = "spiffe://c/ns/x/sa/agent";
    assert_eq!(peer(Some(uri.as_bytes()), None), texts(&[uri]));
    assert_eq!(peer(None, Some(b"a.example")), texts(&["a.example"]));
    assert_eq!(
        peer(Some(uri.as_bytes()), Some(b"*.example")),
        texts(&[uri, "*.example"])
    );
    assert_eq!(peer(None, None), None);
    for (u, d) in [
        (Some(&b"no-uri"[..]), None),
        (Some(&b"x:\0"[..]), None),
        (Some(&b"x:\xff"[..]), None),
        (None, Some(uri.as_bytes())),
        (Some(uri.as_bytes()), Some(&b"a b"[..])),
        (Some(&b"x:\n"[..]), Some(&b"a.example"[..])),
    ] {
        assert_eq!(peer(u, d), None, "{u:?} {d:?}");
    }
}
