use serde_json::json;

use super::{Got, mismatch};
use crate::corpus::{Case, Expected};

fn case(extra: serde_json::Value) -> Case {
    let mut case = json!({
        "id": "a", "source": "s", "why": "w", "policy": {}, "method": "POST",
        "path": "/mcp", "headers": [], "expected": "deny", "expected_reason": "r",
    });
    let members = case.as_object_mut().expect("an object");
    members.extend(extra.as_object().expect("an object").clone());
    serde_json::from_value(case).expect("a case")
}

fn denied(answer: serde_json::Value) -> Got {
    Got {
        verdict: Expected::Deny,
        code: Some("tool_not_permitted".to_owned()),
        status: Some(403),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        empty: false,
        answer: Some(answer),
        through: String::new(),
        detail: String::new(),
    }
}

#[test]
fn everything_that_is_expected_is_compared() {
    let error = json!({
        "code": -31403, "message": "not this tool", "data": { "reason": "r", "n": 1 },
    });
    let got = denied(json!({ "id": 7, "error": error }));
    for agreeing in [
        json!({}),
        json!({ "expected_code": "tool_not_permitted", "expected_status": 403 }),
        json!({ "expected_error_code": -31403, "expected_id": 7 }),
        json!({ "expected_data": { "n": 1 } }),
        json!({ "expected_message": ["not", "tool"] }),
        json!({ "expected_headers": [["content-type", "application/json"]] }),
    ] {
        assert_eq!(mismatch(&case(agreeing.clone()), &got), None, "{agreeing}");
    }
    for disagreeing in [
        json!({ "expected": "reject" }),
        json!({ "expected_code": "tool_denied" }),
        json!({ "expected_status": 200 }),
        json!({ "expected_error_code": -32600 }),
        json!({ "expected_id": "7" }),
        json!({ "expected_id": null }),
        json!({ "expected_id": { "absent": true } }),
        json!({ "expected_empty": true }),
        json!({ "expected_data": { "n": 2 } }),
        json!({ "expected_message": ["not", "that"] }),
        json!({ "expected_data": { "m": 1 } }),
        json!({ "expected_headers": [["content-type", "text/plain"]] }),
        json!({ "expected_headers": [["allow", "POST"]] }),
    ] {
        assert!(
            mismatch(&case(disagreeing.clone()), &got).is_some(),
            "{disagreeing}"
        );
    }
}

#[test]
fn a_null_id_and_no_id_are_two_things() {
    let null = denied(json!({ "id": null }));
    let none = denied(json!({}));
    let wants_null = case(json!({ "expected_id": null }));
    let wants_none = case(json!({ "expected_id": { "absent": true } }));
    assert_eq!(mismatch(&wants_null, &null), None);
    assert!(mismatch(&wants_null, &none).is_some());
    assert_eq!(mismatch(&wants_none, &none), None);
    assert!(mismatch(&wants_none, &null).is_some());
}
