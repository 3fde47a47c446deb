use serde_json::json;

use super::{Shown, Went};
use crate::corpus::{Case, Expected, Runner};
use crate::report::{Got, Outcome};

fn case() -> Case {
    serde_json::from_value(json!({
        "id": "a-1", "source": "own: 501", "why": "it matters", "method": "POST", "path": "/mcp",
        "policy": { "versions": ["2025-11-25"], "allow": { "tools": ["no"] } },
        "headers": [["content-type", "application/json"]], "body": "{\"id\":1}",
        "expected": "deny", "expected_reason": "not listed", "expected_code": "tool_not_allowed",
        "expected_status": 200, "expected_id": { "absent": true },
    }))
    .expect("a case")
}

#[test]
fn a_case_shows_its_request_its_policy_and_what_it_expects() {
    let text = Shown(&case()).to_string();
    for part in [
        "a-1\n",
        "  why:    it matters\n",
        "    POST /mcp HTTP/1.1\n",
        "    content-type: application/json\n",
        "    [body of 8 bytes]\n    {\n      \"id\": 1\n    }\n",
        "      - path: /mcp\n",
        "            - \"no\"\n",
        "    deny `tool_not_allowed`: not listed\n",
        "    status: 200\n",
        "    id: \"(none)\"\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn changes_after_admit_are_said_one_by_one() {
    let between = json!({
        "path": "/other", "body": "[1]", "place": "upstream",
        "headers": { "set": [["x-a", "b"]], "remove": ["x-c"] },
    });
    let mut case = case();
    case.between = Some(serde_json::from_value(between).expect("changes"));
    let text = Shown(&case).to_string();
    for part in [
        "    the recheck stands upstream, behind the route\n",
        "    path becomes \"/other\"\n",
        "    header x-a becomes \"b\"\n",
        "    header x-c is removed\n",
        "    the body becomes these 3 bytes\n    [\n      1\n    ]\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn an_outcome_shows_what_came_and_where_it_went_wrong() {
    let got = Got {
        verdict: Expected::Reject,
        code: Some("json_invalid".to_owned()),
        status: Some(400),
        headers: Vec::new(),
        empty: false,
        answer: Some(json!({ "id": 1 })),
        through: "through `admit`: admit alone".to_owned(),
        detail: "no JSON".to_owned(),
    };
    let outcome = Outcome::new(&case(), Runner::Envoy, Ok::<_, String>(got));
    let text = Went(&outcome).to_string();
    for part in [
        "FAIL [envoy]\n",
        "    reject `json_invalid`\n",
        "    where: through `admit`: admit alone\n",
        "    status: 400\n",
        "    message: no JSON\n",
        "    answer: {\"id\":1}\n",
        "wrong\n    expected deny (not listed), got reject",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}
