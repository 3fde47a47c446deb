//! One case: a policy, a request, and the verdict it must get.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::transport::{Raw, Transport};
use super::{Between, Shorthand};
use crate::error::{Context, Error, Result};

/// The `expected_code` of what Envoy refuses by itself, before the filter is
/// asked: such an answer carries no reason code.
pub const ENVOY: &str = "envoy";

/// One request and what must become of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The file's stem.
    pub id: String,
    /// The folder that holds the file, below the one that was loaded:
    /// `written/paths`; empty if it is that one.
    #[serde(skip)]
    pub folder: String,
    /// Where the case comes from: a public report, or the rule it tests.
    pub source: String,
    /// Why it matters.
    pub why: String,
    /// The endpoint's policy, in shorthand.
    pub policy: Shorthand,
    /// The HTTP verb.
    pub method: String,
    /// The request target, query included.
    pub path: String,
    /// Name and value, in the order they are sent. Values are latin-1: one
    /// character is one byte.
    pub headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<String>,
    /// The token that `jwt_authn` checks: the payload's key in metadata, and
    /// the claims, or `null` for a request without a token.
    #[serde(default)]
    jwt: Option<Map<String, Value>>,
    /// How the request is sent; plainly over HTTP/1.1 if absent.
    #[serde(default)]
    pub transport: Transport,
    /// What a filter changes after admit; the verdict is then the recheck's.
    pub between: Option<Between>,
    /// The verdict.
    pub expected: Expected,
    /// The reason in prose, for people.
    pub expected_reason: String,
    /// Whether another answer could be defended; it is still checked.
    #[serde(default)]
    pub debatable: bool,
    /// The reason code the verdict must carry, or [`ENVOY`].
    pub expected_code: Option<String>,
    /// The HTTP status of the answer to a refused request.
    pub expected_status: Option<u16>,
    /// `error.code` of that answer.
    pub expected_error_code: Option<i64>,
    /// `id` of that answer.
    #[serde(default, deserialize_with = "present")]
    pub expected_id: Option<ExpectedId>,
    /// The answer has no body at all.
    #[serde(default)]
    pub expected_empty: bool,
    /// Headers that the answer has exactly once, with exactly these values.
    #[serde(default)]
    pub expected_headers: Vec<(String, String)>,
    /// Members of the answer's `error.data` with exactly these values.
    #[serde(default)]
    pub expected_data: Map<String, Value>,
    /// Texts that the answer's `error.message` holds.
    #[serde(default)]
    pub expected_message: Vec<String>,
    /// Runs the case only there; `why` says what the other cannot do.
    pub runners: Option<Vec<Runner>>,
}

/// The three verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// The request reaches the server, byte for byte.
    Forward,
    /// The policy says no.
    Deny,
    /// The request is not one that can be decided.
    Reject,
}

impl Expected {
    /// The word used in case files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Deny => "deny",
            Self::Reject => "reject",
        }
    }
}

/// What the answer's `id` member must be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ExpectedId {
    /// `{"absent": true}`: the answer has no such member.
    Absent {
        /// Always true.
        absent: bool,
    },
    /// Exactly this value, `null` included.
    Value(Value),
}

/// `null` is a value here, not "nothing is expected".
fn present<'de, D: Deserializer<'de>>(source: D) -> Result<Option<ExpectedId>, D::Error> {
    ExpectedId::deserialize(source).map(Some)
}

/// Who runs a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// The engine, called directly.
    Native,
    /// A real Envoy with the filter in it.
    Envoy,
}

impl Runner {
    /// The word used in case files and in `known-wrong.txt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Envoy => "envoy",
        }
    }
}

impl Case {
    /// The body's bytes; `None` for a request that has none.
    pub fn body(&self) -> Option<Vec<u8>> {
        match (&self.body, &self.body_base64) {
            (Some(text), _) => Some(text.clone().into_bytes()),
            (None, Some(text)) => STANDARD.decode(text).ok(),
            (None, None) => None,
        }
    }

    /// The key of the payload that `jwt_authn` checks in front of the case,
    /// with the claims if there is a token.
    pub fn token(&self) -> Option<(&str, Option<&Map<String, Value>>)> {
        let (payload, claims) = self.jwt.as_ref()?.iter().next()?;
        Some((payload, claims.as_object()))
    }

    /// The headers as bytes, in order, names as written.
    pub fn header_bytes(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.headers.iter().map(latin1_pair).collect()
    }

    /// The trailers as bytes.
    pub fn trailer_bytes(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.transport.trailers.iter().map(latin1_pair).collect()
    }

    /// The request verbatim, if the case gives one.
    pub fn raw_bytes(&self) -> Option<Vec<u8>> {
        match &self.transport.raw {
            Raw::Bytes(text) => Some(latin1(text)),
            Raw::Flag(_) => None,
        }
    }

    /// Whether only Envoy's codec can judge the request.
    pub fn is_raw(&self) -> bool {
        self.transport.raw != Raw::Flag(false)
    }

    /// Folder and id: `written/paths/ID`.
    pub fn name(&self) -> String {
        match self.folder.as_str() {
            "" => self.id.clone(),
            folder => format!("{folder}/{}", self.id),
        }
    }

    /// Why `runner` does not run this case; `None` if it does.
    pub fn left_out(&self, runner: Runner) -> Option<&'static str> {
        if self.runs_in(runner) {
            None
        } else if self.is_raw() {
            Some("malformed below HTTP's semantics: only Envoy reads such bytes")
        } else {
            Some("`runners` names the other one only, `why` says why")
        }
    }

    /// Whether `runner` runs this case.
    pub fn runs_in(&self, runner: Runner) -> bool {
        let wanted = self.runners.as_deref();
        wanted.is_none_or(|list| list.contains(&runner))
            && (runner == Runner::Envoy || !self.is_raw())
    }

    /// Whether the case lists the header `name` (lower case).
    pub fn lists(&self, name: &str) -> bool {
        self.header(name).is_some()
    }

    /// The first value of the header `name` (lower case), as bytes.
    pub fn header(&self, name: &str) -> Option<Vec<u8>> {
        let (_, value) = self
            .headers
            .iter()
            .find(|(listed, _)| listed.eq_ignore_ascii_case(name))?;
        Some(latin1(value))
    }

    /// Whether the case expects a refusal without saying for which reason, so
    /// that one for a wrong reason would pass.
    pub fn lacks_code(&self) -> bool {
        self.expected != Expected::Forward && self.expected_code.is_none()
    }

    /// What deserialising alone cannot see.
    pub(super) fn check(&self) -> Result<()> {
        if self.body.is_some() && self.body_base64.is_some() {
            return Err(Error::new(
                "both `body` and `body_base64` are given; keep one of them",
            ));
        }
        if let Some(text) = &self.body_base64 {
            STANDARD
                .decode(text)
                .context("`body_base64` is not padded base64")?;
        }
        for (name, value) in self.headers.iter().chain(&self.transport.trailers) {
            if let Some(other) = name.chars().chain(value.chars()).find(|c| *c > '\u{ff}') {
                return Err(Error::new(format!(
                    "header `{name}` holds `{other}`, which is no latin-1 character; write its bytes one by one"
                )));
            }
        }
        if let Some(jwt) = &self.jwt {
            let fits = |claims: &Value| claims.is_object() || claims.is_null();
            if jwt.len() != 1 || !jwt.values().all(fits) {
                return Err(Error::new(
                    "`jwt` is not one payload with claims; write `{\"PAYLOAD\": {claims}}`, or `null` for the claims if no token is sent",
                ));
            }
            if self.is_raw() {
                return Err(Error::new(
                    "`jwt` adds a header, which a raw request does not have; drop one of them",
                ));
            }
        }
        if self.transport.chunk_sizes.contains(&0) {
            return Err(Error::new(
                "`chunk_sizes` holds 0, which ends a chunked body; use sizes of 1 and more",
            ));
        }
        if let Some(between) = &self.between {
            between.check(self)?;
        }
        if self.why.trim().is_empty() {
            return Err(Error::new("`why` is empty; say why the case matters"));
        }
        let by_envoy = self.expected_code.as_deref() == Some(ENVOY);
        if by_envoy && !(self.is_raw() && self.expected == Expected::Reject) {
            return Err(Error::new(
                "`expected_code` is `envoy`, which only a rejected case with `transport.raw` can expect; name the filter's reason code",
            ));
        }
        if self.runners.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::new(
                "`runners` is empty; leave it out to run everywhere",
            ));
        }
        if self.expected == Expected::Forward
            && (self.expected_status.is_some()
                || self.expected_error_code.is_some()
                || self.expected_id.is_some()
                || self.expected_empty
                || !self.expected_headers.is_empty()
                || !self.expected_data.is_empty()
                || !self.expected_message.is_empty())
        {
            return Err(Error::new(
                "a forwarded request is answered by the server; drop what the case expects of the answer",
            ));
        }
        Ok(())
    }
}

/// Checked by `Case::check`: every character fits one byte.
pub(super) fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(c).unwrap_or(b'?'))
        .collect()
}

fn latin1_pair((name, value): &(String, String)) -> (Vec<u8>, Vec<u8>) {
    (latin1(name), latin1(value))
}
