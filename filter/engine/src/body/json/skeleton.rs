//! What the strict pass keeps of a body.

use serde_json::Value;

use super::guard;
use crate::answer::reason::Refusal;

/// Values kept in the skeleton of one body, at most; a body with more is
/// refused. Real requests keep a few dozen.
pub(crate) const MAX_KEPT: usize = 16_384;

/// What a `params.arguments` was, without its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// There is none.
    Absent,
    /// An object; the flag says whether it has a forbidden top-level name.
    Object {
        /// One of the names that the endpoint forbids is there.
        forbidden: bool,
    },
    /// Any other kind.
    Other,
}

/// A body that is one strict JSON value, but for names that some reader takes
/// for a protocol member: the id to answer with can be read all the same.
#[derive(Debug)]
pub(crate) struct ReadJson {
    json: StrictJson,
    /// What is to be said of the first such name.
    odd_name: Option<Refusal>,
    /// Such a name may be read as the envelope's `id`.
    id_is_odd: bool,
}

/// A body that passed the strict JSON pass.
#[derive(Debug)]
pub(crate) struct StrictJson {
    /// The envelope, or an array of them, without what is not inspected.
    skeleton: Value,
    /// One entry for each object that stands for an envelope, in order.
    arguments: Vec<Arguments>,
}

/// Names that no argument may have at the top level.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Forbidden<'a> {
    /// As denies elsewhere, and as readers that fold case would see it.
    pub(crate) names: &'a [String],
    /// Those that a filter has set meanwhile, exactly as written.
    pub(crate) but: &'a [String],
}

impl Forbidden<'_> {
    pub(super) fn has(self, name: &str) -> bool {
        let mut names = self.names.iter();
        names.any(|word| guard::folds_to(name, word)) && !self.but.iter().any(|set| set == name)
    }
}

impl ReadJson {
    pub(super) fn new(json: StrictJson, odd_name: Option<Refusal>, id_is_odd: bool) -> Self {
        Self {
            json,
            odd_name,
            id_is_odd,
        }
    }

    /// The id to answer a single request with, if it has one that is valid and
    /// that every reader takes for its id.
    pub(crate) fn reply_id(&self) -> Option<Value> {
        let envelope = self.json.skeleton.as_object()?;
        let request = envelope.contains_key("method")
            && !envelope.contains_key("result")
            && !envelope.contains_key("error");
        let id = envelope.get("id")?;
        let known = request && !self.id_is_odd && is_valid_id(id);
        known.then(|| id.clone())
    }

    /// What later stages work on.
    pub(crate) fn strict(self) -> Result<StrictJson, Refusal> {
        match self.odd_name {
            Some(refusal) => Err(refusal),
            None => Ok(self.json),
        }
    }
}

impl StrictJson {
    pub(super) fn new(skeleton: Value, arguments: Vec<Arguments>) -> Self {
        Self {
            skeleton,
            arguments,
        }
    }

    /// The skeleton and what each envelope's `params.arguments` was.
    pub(crate) fn into_parts(self) -> (Value, Vec<Arguments>) {
        (self.skeleton, self.arguments)
    }
}

/// A string, or an integer token within i64. `1.0`, `1e2` and `-0` are
/// doubles to many readers and integers to others.
pub(crate) fn is_valid_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}
