use serde_json::json;

use super::*;

const META: &str = "io.modelcontextprotocol/";

/// What is told of the params of a request.
fn told(method: &str, params: &Value, revision: Revision) -> String {
    let params = params.as_object().unwrap();
    match check(method, Class::Core, true, params, revision) {
        Ok(()) => String::new(),
        Err(wrong) => wrong.to_string(),
    }
}

#[test]
fn the_member_and_what_it_must_be() {
    use Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
    let meta = |name: &str, value: Value| {
        let mut meta = json!({});
        meta[format!("{META}protocolVersion")] = json!("2026-07-28");
        meta[format!("{META}clientCapabilities")] = json!({});
        meta[name] = value;
        json!({"_meta": meta})
    };
    let answered = |answer: Value| {
        let mut params = meta("x", json!(1));
        params["name"] = json!("t");
        params["inputResponses"] = json!({"secret": answer});
        params
    };
    for (method, params, revision, expected) in [
        (
            "tools/list",
            json!({"_meta": {"progressToken": true}}),
            V2025_11_25,
            "`params._meta.progressToken` must be a string or an integer, not true or false",
        ),
        (
            "tools/list",
            json!({"_meta": {"progressToken": 1.0}}),
            V2025_11_25,
            "`params._meta.progressToken` must be a string or an integer within 64 bits, written without fraction or exponent",
        ),
        (
            "tools/call",
            json!({"arguments": {}}),
            V2025_11_25,
            "`params.name` is missing; it must be a string",
        ),
        (
            "tools/call",
            json!({"name": "t", "arguments": null}),
            V2025_11_25,
            "`params.arguments` must be an object or be left out, not null",
        ),
        (
            "tools/list",
            json!({}),
            V2026_07_28,
            "`params._meta` is missing; it must be an object with `io.modelcontextprotocol/clientCapabilities` and `io.modelcontextprotocol/protocolVersion`",
        ),
        (
            "tools/list",
            meta(&format!("{META}clientCapabilities"), json!([])),
            V2026_07_28,
            "`params._meta[\"io.modelcontextprotocol/clientCapabilities\"]` must be an object, not an array",
        ),
        (
            "tools/list",
            meta(&format!("{META}clientInfo"), json!({"name": "c"})),
            V2026_07_28,
            "`params._meta[\"io.modelcontextprotocol/clientInfo\"].version` is missing; it must be a string",
        ),
        (
            "tools/list",
            meta(&format!("{META}logLevel"), json!("loud")),
            V2026_07_28,
            "`params._meta[\"io.modelcontextprotocol/logLevel\"]` must be `alert`, `critical`, `debug`, `emergency`, `error`, `info`, `notice` or `warning`",
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/tool"}, "argument": {"name": "a", "value": "b"}}),
            V2025_06_18,
            "`params.ref` must be an object whose `type` is `ref/prompt` or `ref/resource`",
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": "b"}}),
            V2025_06_18,
            "`params.ref.name` is missing; it must be a string",
        ),
        (
            "tools/call",
            answered(json!({"action": "maybe"})),
            V2026_07_28,
            "`params.inputResponses.*.action` must be `accept`, `cancel` or `decline`",
        ),
        (
            "tools/call",
            answered(json!({"roots": [{"uri": "file:///a"}, {"uri": 5}]})),
            V2026_07_28,
            "`params.inputResponses.*.roots[1].uri` must be a string, not a number",
        ),
        (
            "tools/call",
            answered(json!([])),
            V2026_07_28,
            "`params.inputResponses.*` must be an object with `content`, `model` and `role`, or an object with `roots`, or an object with `action`, not an array",
        ),
    ] {
        assert_eq!(told(method, &params, revision), expected);
    }
}

#[test]
fn what_is_in_meta() {
    let wrong = |path: &str| {
        let names = path.split('/').rev();
        names.fold(Wrong::new("is wrong"), |wrong, name| wrong.under(name))
    };
    for (path, is) in [
        ("_meta", true),
        ("_meta/progressToken", true),
        ("_meta/a.b", true),
        ("_metadata", false),
        ("task/_meta", false),
        ("name", false),
    ] {
        assert_eq!(wrong(path).is_in_meta(), is, "{path}");
    }
    assert!(!Wrong::new("are wrong").is_in_meta());
}
