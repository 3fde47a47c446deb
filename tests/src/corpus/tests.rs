use std::fs;

use super::*;

const CASE: &str = r#"{
    "id": "a-1", "source": "s", "why": "w",
    "policy": { "versions": ["2025-11-25"], "allow": { "tools": ["t"] } },
    "method": "POST", "path": "/mcp", "headers": [["user-agent", "é"]],
    "body": "{}", "expected": "forward", "expected_reason": "ok"
}"#;

fn load_text(text: &str) -> Result<Case> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a-1.json"), text).expect("written");
    let mut corpus = Corpus::load(folder.path())?;
    match corpus.broken.pop() {
        Some((_, error)) => Err(error),
        None => Ok(corpus.cases.remove(0)),
    }
}

#[test]
fn header_values_are_latin_1() {
    let case = load_text(CASE).expect("a case");
    assert_eq!(case.header("user-agent"), Some(vec![0xe9]));
}

#[test]
fn what_is_no_case_is_refused_with_a_reason() {
    for (from, to, said) in [
        ("\"a-1\"", "\"a-2\"", "make them the same"),
        ("\"why\"", "\"wy\"", "unknown field `wy`"),
        ("\"tools\"", "\"tool\"", "unknown field `tool`"),
        ("\"forward\"", "\"pass\"", "unknown variant `pass`"),
        ("\"body\"", "\"body_base64\"", "not padded base64"),
        ("é", "天", "no latin-1 character"),
        ("\"w\"", "\" \"", "`why` is empty"),
    ] {
        let error = load_text(&CASE.replace(from, to))
            .expect_err(to)
            .to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn an_empty_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = Corpus::load(folder.path()).expect_err("no cases");
    assert!(error.to_string().starts_with("no cases"), "{error}");
}

#[test]
fn folders_may_be_nested_and_ids_are_unique() {
    let folder = tempfile::tempdir().expect("a folder");
    for inner in ["written/paths", "written/hosts"] {
        let inner = folder.path().join(inner);
        fs::create_dir_all(&inner).expect("made");
        fs::write(inner.join("a-1.json"), CASE).expect("written");
    }
    let corpus = Corpus::load(folder.path()).expect("a corpus");
    let names: Vec<String> = corpus.cases.iter().map(Case::name).collect();
    assert_eq!(names, ["written/hosts/a-1"]);
    let (name, error) = &corpus.broken[0];
    assert_eq!(name, "written/paths/a-1");
    assert!(error.to_string().contains("rename one"), "{error}");
}

#[test]
fn a_case_is_found_by_id_by_name_and_by_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a-1.json");
    fs::write(&file, CASE).expect("written");
    let file = find(file.to_str().expect("UTF-8")).expect("a case");
    assert_eq!(file.name(), "a-1");
    for what in ["rck-host", "written/recheck/rck-host"] {
        assert_eq!(find(what).expect(what).name(), "written/recheck/rck-host");
    }
    let error = find("written/paths/rck-host-p").expect_err("none");
    assert!(
        error
            .to_string()
            .contains("near it: written/recheck/rck-host-port"),
        "{error}"
    );
}

#[test]
fn every_case_of_the_product_loads() {
    let corpus = Corpus::load_own().expect("the corpus");
    assert!(corpus.broken.is_empty(), "{:?}", corpus.broken);
    assert!(corpus.cases.len() > 200, "{}", corpus.cases.len());
}

#[test]
fn shorthand_becomes_the_policy_language() {
    let shorthand: Shorthand = serde_json::from_str(
        r#"{
            "versions": ["2025-11-25"], "mode": "audit", "strict_tool_names": false,
            "max_body_bytes": 1024, "max_depth": 8, "arguments_forbid": ["owner"],
            "allow": { "tools": ["no"], "methods": [] }, "deny": { "extensions": ["x/y"] }
        }"#,
    )
    .expect("a policy");
    let text = document(None, vec![shorthand.endpoint()]).expect("YAML");
    let parsed: serde_json::Value = serde_yaml::from_str(&text).expect("YAML");
    assert_eq!(
        parsed,
        serde_json::json!({
            "mcp_policy": 1,
            "endpoints": [{
                "path": "/mcp", "versions": ["2025-11-25"], "mode": "audit",
                "tool_names": "any", "limits": { "body_bytes": 1024, "depth": 8 },
                "arguments": { "forbid": ["owner"] },
                "allow": { "tools": ["no"] }, "deny": { "extensions": ["x/y"] },
            }],
        })
    );
}

#[test]
fn rules_and_further_endpoints_are_taken_as_they_are() {
    let shorthand: Shorthand = serde_json::from_str(
        r#"{
            "allow": [{ "id": "a", "tools": ["t"], "when": { "header": { "name": "x", "in": ["y"] } } }],
            "more_endpoints": [{ "path": "/other" }]
        }"#,
    )
    .expect("a policy");
    let text = shorthand.document().expect("YAML");
    let parsed: serde_json::Value = serde_yaml::from_str(&text).expect("YAML");
    let when = &parsed["endpoints"][0]["allow"][0]["when"];
    assert_eq!(when["header"]["in"][0], "y");
    assert_eq!(parsed["endpoints"][1]["path"], "/other");
    assert!(shorthand.stands_alone());
}

#[test]
fn envoys_own_refusals_are_raw_and_rejected() {
    let refused = CASE.replace("\"forward\"", "\"reject\"");
    assert!(load_text(&refused).expect("a case").lacks_code());
    let coded = refused.replace("\"ok\"", "\"ok\", \"expected_code\": \"envoy\"");
    let error = load_text(&coded).expect_err("not raw").to_string();
    assert!(error.contains("name the filter's reason code"), "{error}");
    let raw = coded.replace("\"body\"", "\"transport\": { \"raw\": true }, \"body\"");
    assert!(!load_text(&raw).expect("a case").lacks_code());
}

#[test]
fn words_that_yaml_reads_as_something_else_stay_names() {
    let names = [
        "no",
        "on",
        "yes",
        "off",
        "y",
        "n",
        "null",
        "~",
        "true",
        "1.0",
        "1e3",
        "0x1f",
        "0o7",
        "12",
        "1_000",
        "1:30",
        ".inf",
        ".nan",
        "-",
        "=",
        "<<",
        "2001-01-01",
        "no\u{85}x",
    ];
    let shorthand: Shorthand = serde_json::from_value(serde_json::json!({
        "strict_tool_names": false, "allow": { "prompts": names }
    }))
    .expect("a policy");
    let text = shorthand.document().expect("text");
    for name in names.iter().filter(|name| name.is_ascii()) {
        assert!(
            text.contains(&format!("\"{name}\"")),
            "{name} is bare in {text}"
        );
    }
    let tools = serde_json::json!({ "allow": { "tools": ["no", "on", "yes", "null", "1.0"] } });
    let shorthand: Shorthand = serde_json::from_value(tools).expect("a policy");
    crate::policy::compile(&shorthand.document().expect("text")).expect("it compiles");
}
