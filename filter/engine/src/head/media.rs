//! The media type of a POST: JSON in UTF-8, not compressed. Contract section 4.

use super::fields::Fields;
use crate::answer::reason::{Reason, Refusal};

/// The body is said to be JSON in UTF-8 as it is sent.
#[derive(Debug)]
pub(crate) struct Json(());

impl Json {
    pub(crate) fn declared(fields: &Fields) -> Result<Self, Refusal> {
        media_type(fields)?;
        encoding(fields)?;
        Ok(Self(()))
    }
}

fn media_type(fields: &Fields) -> Result<(), Refusal> {
    let refused = |detail: String| Err(Refusal::new(Reason::MediaType, detail));
    let value = match fields.get("content-type").one() {
        Ok(Some(value)) => value,
        Ok(None) => return refused("the request needs `Content-Type: application/json`".into()),
        Err(fault) => {
            let what = fault.as_str();
            return refused(format!(
                "the header `content-type` {what}; send it once, as `application/json`"
            ));
        }
    };
    let mut parts = value.split(';').map(|part| part.trim_matches([' ', '\t']));
    let essence = parts.next().unwrap_or_default();
    // RFC 9110, 5.6.6: a parameter may be empty, and is none then.
    let mut parts = parts.filter(|part| !part.is_empty());
    if !essence.eq_ignore_ascii_case("application/json") {
        return refused("the `Content-Type` must be `application/json`".into());
    }
    let charset = |parameter: &str| {
        parameter.split_once('=').is_some_and(|(name, value)| {
            let value = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'))
                .unwrap_or(value);
            name.eq_ignore_ascii_case("charset") && value.eq_ignore_ascii_case("utf-8")
        })
    };
    match (parts.next(), parts.next()) {
        (None, _) => Ok(()),
        (Some(parameter), None) if charset(parameter) => Ok(()),
        _ => refused(
            "the only parameter `Content-Type` may have is `charset=utf-8`; leave out others"
                .into(),
        ),
    }
}

fn encoding(fields: &Fields) -> Result<(), Refusal> {
    match fields.get("content-encoding").one() {
        Ok(None) => Ok(()),
        Ok(Some(value)) if value.eq_ignore_ascii_case("identity") => Ok(()),
        Ok(Some(_)) => Err(Refusal::new(
            Reason::ContentEncoding,
            "the body must not be compressed; send it without `content-encoding` (the operator can put Envoy's decompressor ahead)",
        )),
        Err(fault) => Err(Refusal::new(
            Reason::ContentEncoding,
            fault.told("content-encoding"),
        )),
    }
}
