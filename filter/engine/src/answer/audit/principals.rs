//! Who asked, as far as the endpoint's rules want to know it.

use mcp_boundary_format::{Endpoint, Source};
use serde_json::{Map, Value};

use super::names::{MOST, listed};
use crate::answer::show::{MAX_SHOWN, and_more, escaped};
use crate::policy::claims::Scalar;
use crate::policy::principals::Principals;

/// Headers that hold tokens, whatever a rule makes of them.
const TOKENS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-api-key",
];

/// Each source that a rule of the endpoint names, with the list of its values;
/// null where they are not known.
pub(crate) fn told(endpoint: &Endpoint, who: &Principals<'_>) -> Map<String, Value> {
    let rules = endpoint.rules();
    let mut sources: Vec<&Source> = rules
        .flat_map(|rule| &rule.when)
        .map(|condition| &condition.source)
        .collect();
    sources.sort();
    sources.dedup();
    let mut told = Map::new();
    for source in sources.iter().take(MOST) {
        told.insert(name(source), values(source, who));
    }
    if let Some(more) = sources.len().checked_sub(MOST).filter(|more| *more > 0) {
        told.insert(and_more(more), Value::Null);
    }
    told
}

/// `jwt.PAYLOAD.CLAIM`, `peer` or `header.NAME`.
fn name(source: &Source) -> String {
    let name = match source {
        Source::JwtClaim { payload, path } => format!("jwt.{payload}.{}", path.join(".")),
        Source::PeerSan => "peer".to_owned(),
        Source::Header(name) => format!("header.{name}"),
    };
    escaped(&name, MAX_SHOWN)
}

fn values(source: &Source, who: &Principals<'_>) -> Value {
    if let Source::Header(name) = source {
        return match who.fields.get(name).one() {
            Ok(Some(_)) if TOKENS.contains(&name.as_str()) => Value::from(vec!["-"]),
            Ok(Some(value)) => Value::from(vec![escaped(value, MAX_SHOWN)]),
            Ok(None) | Err(_) => Value::Null,
        };
    }
    let mut known = who.sources.iter().zip(who.known);
    match known.find(|(known, _)| *known == source) {
        Some((_, Some(values))) => Value::from(listed(values.iter(), scalar)),
        _ => Value::Null,
    }
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Text(text) => escaped(text, MAX_SHOWN).into(),
        // Whole ones are exact.
        Scalar::Number(number) if number.fract() == 0.0 => (*number as i64).into(),
        Scalar::Number(number) => (*number).into(),
        Scalar::Flag(flag) => (*flag).into(),
    }
}
