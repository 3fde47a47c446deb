//! Values that some reader takes for others.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// Stands for JSON text that a [`Value`] does not keep as written.
const RAW: &str = "raw:";

/// What is put at every place.
pub(crate) static WRONG: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut values: Vec<Value> = [
        "1.0",
        "1e2",
        "-0",
        "-0.0",
        "0.1e1",
        "9007199254740993",
        "9223372036854775808",
        "18446744073709551616",
        "1e300",
    ]
    .iter()
    .map(|text| json!(format!("{RAW}{text}")))
    .collect();
    values.extend([
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(0.5),
        json!(""),
        json!("x"),
        json!("info"),
        json!("accept"),
        json!("null"),
        json!("1"),
        json!([]),
        json!([null]),
        json!(["x"]),
        json!([1]),
        json!([[]]),
        json!([{}]),
        json!(["a", "b"]),
        json!(["a", "1", null, null, null, null]),
        json!(["ref/prompt", "p"]),
        json!(["accept", { "a": "b" }]),
        json!(["text", "x"]),
        json!([["file:///docs"]]),
        json!([{ "uri": "file:///docs" }]),
        json!({}),
        json!({ "": null }),
        json!({ "a": null }),
        json!({ "a": "b" }),
        json!({ "a": 1 }),
        json!({ "a": [] }),
        json!({ "a": {} }),
        json!({ "info": null }),
        json!({ "info": {} }),
        json!({ "accept": null }),
        json!({ "assistant": null }),
        json!({ "working": null }),
        json!({ "dark": null }),
        json!({ "action": "accept", "content": null }),
        json!({ "roots": [["file:///docs"]] }),
        json!({ "type": "text", "text": "x" }),
        json!({ "type": { "text": null }, "text": "x" }),
    ]);
    values
});

/// The text of `message`, with numbers as they are written above.
pub(crate) fn text(message: &Value) -> String {
    let mut text = message.to_string();
    for value in WRONG.iter() {
        if let Some(number) = value.as_str().and_then(|value| value.strip_prefix(RAW)) {
            text = text.replace(&format!("\"{RAW}{number}\""), number);
        }
    }
    text
}

/// The kind of a value, as the list of exceptions names it.
pub(crate) fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "none",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "flag",
        Some(Value::Number(_)) => "number",
        Some(Value::String(text)) if text.starts_with(RAW) => "number",
        Some(Value::String(_)) => "text",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}
