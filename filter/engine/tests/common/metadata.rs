//! Claims as Envoy hands them over: a serialised `envoy.config.core.v3.Metadata`.

use serde_json::{Map, Value};

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field that holds text or a message.
pub(crate) fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(content.len()), content].concat()
}

/// An entry of a map from text to messages.
pub(crate) fn entry(key: &str, value: &[u8]) -> Vec<u8> {
    bytes(1, &[bytes(1, key.as_bytes()), bytes(2, value)].concat())
}

/// A `google.protobuf.Value`.
pub(crate) fn value(json: &Value) -> Vec<u8> {
    match json {
        Value::Null => vec![0x08, 0],
        Value::Number(number) => {
            let number = number.as_f64().unwrap().to_le_bytes();
            [&[0x11][..], &number].concat()
        }
        Value::String(text) => bytes(3, text.as_bytes()),
        Value::Bool(flag) => vec![0x20, u8::from(*flag)],
        Value::Object(object) => bytes(5, &members(object)),
        Value::Array(items) => {
            let items = items.iter().map(|item| bytes(1, &value(item)));
            bytes(6, &items.collect::<Vec<_>>().concat())
        }
    }
}

fn members(object: &Map<String, Value>) -> Vec<u8> {
    let entries = object.iter().map(|(key, item)| entry(key, &value(item)));
    entries.collect::<Vec<_>>().concat()
}

/// All metadata of a request whose token has these claims.
pub(crate) fn metadata(payload: &str, claims: &Value) -> Vec<u8> {
    entry(
        "envoy.filters.http.jwt_authn",
        &entry(payload, &value(claims)),
    )
}
