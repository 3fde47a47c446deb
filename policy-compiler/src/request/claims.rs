//! Claims of a checked token as Envoy hands them to a filter. The one model of
//! it; `tests/tests/claims.rs` holds it against a real Envoy.
use std::collections::BTreeMap;

use prost::Message;
use serde_json::{Map, Value};

/// `envoy.config.core.v3.Metadata`, without what no filter here writes.
#[derive(Clone, PartialEq, Message)]
pub struct Metadata {
    /// By the name of the filter that wrote it.
    #[prost(btree_map = "string, message", tag = "1")]
    pub filter_metadata: BTreeMap<String, Struct>,
}

/// `google.protobuf.Struct`
#[derive(Clone, PartialEq, Message)]
pub struct Struct {
    /// The members of an object.
    #[prost(btree_map = "string, message", tag = "1")]
    pub fields: BTreeMap<String, Json>,
}

/// `google.protobuf.ListValue`
#[derive(Clone, PartialEq, Message)]
pub struct List {
    /// The items of an array.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<Json>,
}

/// `google.protobuf.Value`
#[derive(Clone, PartialEq, Message)]
pub struct Json {
    /// Always there.
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6")]
    pub kind: Option<Kind>,
}

/// What a JSON value is.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Kind {
    /// `null`
    #[prost(int32, tag = "1")]
    Null(i32),
    /// Every number is a double.
    #[prost(double, tag = "2")]
    Number(f64),
    /// A text.
    #[prost(string, tag = "3")]
    Text(String),
    /// `true` or `false`
    #[prost(bool, tag = "4")]
    Flag(bool),
    /// An object.
    #[prost(message, tag = "5")]
    Object(Struct),
    /// An array.
    #[prost(message, tag = "6")]
    List(List),
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        let kind = match value {
            Value::Null => Kind::Null(0),
            Value::Number(number) => Kind::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Kind::Text(text.clone()),
            Value::Bool(flag) => Kind::Flag(*flag),
            Value::Object(members) => Kind::Object(members.into()),
            Value::Array(items) => Kind::List(List {
                values: items.iter().map(Self::from).collect(),
            }),
        };
        Self { kind: Some(kind) }
    }
}

impl From<&Map<String, Value>> for Struct {
    fn from(members: &Map<String, Value>) -> Self {
        let pair = |(name, value): (&String, &Value)| (name.clone(), value.into());
        Self {
            fields: members.iter().map(pair).collect(),
        }
    }
}

/// What `jwt_authn` leaves of tokens, by the key that each provider writes its
/// claims to.
pub fn metadata<'a>(
    tokens: impl IntoIterator<Item = (&'a str, &'a Map<String, Value>)>,
) -> Metadata {
    let payload = |(payload, claims): (&str, &'a Map<String, Value>)| {
        let kind = Some(Kind::Object(claims.into()));
        (payload.to_owned(), Json { kind })
    };
    let payloads = Struct {
        fields: tokens.into_iter().map(payload).collect(),
    };
    let filter = "envoy.filters.http.jwt_authn".to_owned();
    Metadata {
        filter_metadata: BTreeMap::from([(filter, payloads)]),
    }
}
