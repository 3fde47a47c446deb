//! What a filter between admit and recheck makes of a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::case::latin1;
use super::{Case, Runner};
use crate::client::Request;
use crate::error::{Context, Error, Result};

/// The changes, none by default, and where the recheck stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Between {
    /// The target, query included.
    pub path: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The verb.
    pub method: Option<String>,
    /// The whole body. A `content-length` follows it unless `headers` sets one.
    pub body: Option<String>,
    /// Changes of other headers.
    pub headers: HeaderChanges,
    /// `none`: there is no admit. Else base64 that stands in the record's
    /// place; only natively.
    pub record: Option<String>,
    /// What the recheck's configuration says.
    pub place: Place,
}

/// Headers that are set, each to one line, and those that are removed. Names
/// in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeaderChanges {
    /// Name and value.
    pub set: Vec<(String, String)>,
    /// Names.
    pub remove: Vec<String>,
}

/// Where a recheck stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the listener's chain.
    #[default]
    Chain,
    /// Behind the route.
    Upstream,
}

/// What the recheck finds recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// What admit left.
    ByAdmit,
    /// Nothing: there is no admit.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// Header lines, names in lower case.
type Lines = Vec<(Vec<u8>, Vec<u8>)>;

impl Between {
    /// What the recheck finds recorded.
    ///
    /// # Errors
    /// If `record` is neither `none` nor base64.
    pub fn recorded(&self) -> Result<Recorded> {
        match self.record.as_deref() {
            None => Ok(Recorded::ByAdmit),
            Some("none") => Ok(Recorded::Nothing),
            Some(text) => STANDARD
                .decode(text)
                .map(Recorded::Bytes)
                .context("`between.record` is neither `none` nor padded base64"),
        }
    }

    /// Pseudo-headers and headers to set.
    pub fn set(&self) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
        let pseudo = [
            (":path", &self.path),
            (":authority", &self.host),
            (":method", &self.method),
        ];
        let pseudo = pseudo
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), latin1(value.as_ref()?))));
        let set = self.headers.set.iter();
        pseudo.chain(set.map(|(name, value)| (name.clone(), latin1(value))))
    }

    /// The header lines after the changes, the length of a changed body
    /// included.
    pub fn lines(&self, mut lines: Lines) -> Lines {
        let is = |line: &(Vec<u8>, Vec<u8>), name: &str| line.0 == name.as_bytes();
        if let Some(body) = &self.body {
            let length = body.len().to_string().into_bytes();
            let stated = lines.iter_mut().filter(|line| is(line, "content-length"));
            stated.for_each(|line| line.1.clone_from(&length));
        }
        for (name, value) in self.set() {
            match lines.iter().position(|line| is(line, &name)) {
                Some(first) => {
                    lines[first].1 = value;
                    let mut at = 0;
                    lines.retain(|line| {
                        at += 1;
                        at - 1 <= first || !is(line, &name)
                    });
                }
                None => lines.push((name.into_bytes(), value)),
            }
        }
        lines.retain(|line| !self.headers.remove.iter().any(|name| is(line, name)));
        lines
    }

    /// The request as the server must get it if the recheck forwards it.
    pub fn rewritten(&self, mut request: Request) -> Request {
        if let Some(path) = &self.path {
            path.clone_into(&mut request.path);
        }
        if let Some(method) = &self.method {
            method.clone_into(&mut request.method);
        }
        if let Some(body) = &self.body {
            request.body = Some(body.clone().into_bytes());
        }
        let lower = |(name, value): (Vec<u8>, Vec<u8>)| (name.to_ascii_lowercase(), value);
        let lines = request.headers.into_iter().map(lower).collect();
        let mut lines = self.lines(lines);
        lines.retain(|(name, _)| !name.starts_with(b":"));
        request.headers = lines;
        request
    }

    /// What deserialising alone cannot see.
    pub(super) fn check(&self, case: &Case) -> Result<()> {
        if matches!(self.recorded()?, Recorded::Bytes(_)) && case.runs_in(Runner::Envoy) {
            return Err(Error::new(
                "no filter of the runner overwrites a record; add `\"runners\": [\"native\"]`",
            ));
        }
        if case.is_raw() {
            return Err(Error::new("`between` needs a request that is not `raw`"));
        }
        let names = self.headers.set.iter().map(|(name, _)| name);
        for name in names.chain(&self.headers.remove) {
            if name.to_ascii_lowercase() != *name || name.starts_with(':') {
                return Err(Error::new(format!(
                    "`between.headers` names `{name}`; write names in lower case, and `path`, `host` and `method` beside `headers`"
                )));
            }
        }
        Ok(())
    }
}
