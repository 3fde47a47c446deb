//! What the host says about the sender, read with its kind or not at all.
//! Contract section 10, "`when`".
//!
//! # Trust boundary
//!
//! Envoy shows a filter one claim as bytes without a kind: `["admin"]`,
//! `{"admin": ""}` and a text with NULs are the same nineteen bytes, `{}` and
//! `[]` the same four, `8` and some text the same eight, `true` and U+0001 the
//! same one, and a list with a `null` in it is none. No way of telling these
//! apart is left to a filter that looks at one claim. So claims are read from
//! the whole of dynamic metadata, which Envoy hands over as a serialised
//! `envoy.config.core.v3.Metadata`: there every value carries its kind, and
//! each of these is one thing only. `tests/tests/claims.rs` has both forms of
//! every kind, from a real Envoy.
//!
//! `None` is what is not known: what is absent, malformed, or of a kind that a
//! policy cannot name. An allow then does not match, a deny does.

use crate::policy::protobuf::{Wire, fields};

/// Where `jwt_authn` puts the claims of the tokens it verified.
const VERIFIED: &str = "envoy.filters.http.jwt_authn";

/// JSON readers, Envoy's too, keep numbers as doubles. From here on several
/// integers become the same one.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// One value that a policy can name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scalar {
    /// Not empty, without control characters.
    Text(String),
    /// Exact, if it is whole.
    Number(f64),
    Flag(bool),
}

/// A claim: one value or a flat list of values, never none.
pub(crate) fn claim(metadata: &[u8], payload: &str, path: &[String]) -> Option<Vec<Scalar>> {
    let mut value = entry(entry(metadata, VERIFIED)?, payload)?;
    for member in path {
        let Kind::Object(object) = kind(value)? else {
            return None;
        };
        value = entry(object, member)?;
    }
    let words = path.last().is_some_and(|name| is_list_of_words(name));
    let mut values = Vec::new();
    match kind(value)? {
        Kind::List(list) => {
            for item in fields(list) {
                match item? {
                    (1, Wire::Bytes(item)) => scalar(kind(item)?, words, &mut values)?,
                    _ => return None,
                }
            }
        }
        other => scalar(other, words, &mut values)?,
    }
    // An empty list says nothing about anybody, not even that it is no guest.
    (!values.is_empty()).then_some(values)
}

/// Whether the claim of this name holds words parted by blanks: `scope` as in
/// RFC 8693 section 4.2, and what several issuers call it.
pub fn is_list_of_words(name: &str) -> bool {
    name == "scope" || name == "scp"
}

/// The names in a peer's certificate that Envoy shows: the first URI and the
/// first DNS name. Each must look like its kind, or a DNS name could pass for
/// a SPIFFE id; and one that cannot be read makes both unknown.
pub(crate) fn peer(uri: Option<&[u8]>, dns: Option<&[u8]>) -> Option<Vec<Scalar>> {
    let is_dns = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte))
    };
    let is_uri = |name: &str| name.contains(':');
    let mut names = Vec::new();
    if let Some(uri) = uri {
        names.push(text(uri).filter(|name| is_uri(name))?);
    }
    if let Some(dns) = dns {
        names.push(text(dns).filter(|name| is_dns(name))?);
    }
    let names: Vec<Scalar> = names
        .into_iter()
        .map(|name| Scalar::Text(name.to_owned()))
        .collect();
    (!names.is_empty()).then_some(names)
}

/// A `google.protobuf.Value`.
enum Kind<'a> {
    Null,
    Number(f64),
    Text(&'a [u8]),
    Flag(bool),
    /// A `google.protobuf.Struct`.
    Object(&'a [u8]),
    /// A `google.protobuf.ListValue`.
    List(&'a [u8]),
}

/// The one kind a value has. Protobuf takes the last of several; Envoy never
/// writes several, and whoever does is not believed.
fn kind(value: &[u8]) -> Option<Kind<'_>> {
    let mut fields = fields(value);
    let kind = match fields.next()?? {
        (1, Wire::Varint(_)) => Kind::Null,
        (2, Wire::Double(number)) => Kind::Number(number),
        (3, Wire::Bytes(text)) => Kind::Text(text),
        (4, Wire::Varint(flag @ (0 | 1))) => Kind::Flag(flag == 1),
        (5, Wire::Bytes(object)) => Kind::Object(object),
        (6, Wire::Bytes(list)) => Kind::List(list),
        _ => return None,
    };
    fields.next().is_none().then_some(kind)
}

fn scalar(kind: Kind<'_>, words: bool, values: &mut Vec<Scalar>) -> Option<()> {
    match kind {
        Kind::Text(bytes) if words => {
            let before = values.len();
            let words = text(bytes)?.split(' ').filter(|word| !word.is_empty());
            values.extend(words.map(|word| Scalar::Text(word.to_owned())));
            (values.len() > before).then_some(())
        }
        Kind::Text(bytes) => {
            values.push(Scalar::Text(text(bytes)?.to_owned()));
            Some(())
        }
        Kind::Number(number) if number.abs() < FIRST_INEXACT => {
            values.push(Scalar::Number(number));
            Some(())
        }
        Kind::Flag(flag) => {
            values.push(Scalar::Flag(flag));
            Some(())
        }
        Kind::Null | Kind::Number(_) | Kind::Object(_) | Kind::List(_) => None,
    }
}

/// Policies name nothing that is empty or has control characters, and what
/// shows a value may cut it at a NUL.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.is_empty() && !text.chars().any(char::is_control)).then_some(text)
}

/// The value of a key in a message whose field 1 is a map from text to
/// messages, as `Metadata` and `Struct` are; none if the key is there twice.
fn entry<'a>(message: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut found = None;
    for field in fields(message) {
        let (1, Wire::Bytes(pair)) = field? else {
            continue;
        };
        let (mut name, mut value) = (&b""[..], None);
        for part in fields(pair) {
            match part? {
                (1, Wire::Bytes(bytes)) => name = bytes,
                (2, Wire::Bytes(bytes)) => value = Some(bytes),
                _ => {}
            }
        }
        if name == key.as_bytes() && found.replace(value?).is_some() {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests;
