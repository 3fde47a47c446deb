//! One object after the other, as text.

use std::fmt::Write as _;

use super::Unfit;
use crate::yaml::quoted;

/// What one object may have: etcd takes requests of 1.5 MiB, and the server
/// adds what it keeps of an object.
pub const MAX_OBJECT_BYTES: usize = 3 * (1 << 19) - (1 << 16);

/// Above this `kubectl apply` needs `--server-side`: it would keep a copy in an
/// annotation, which holds 256 KiB.
const MAX_APPLIED_BYTES: usize = 1 << 18;

/// Objects in the order in which they are to be applied.
#[derive(Debug, Default)]
pub struct Objects {
    text: String,
    largest: usize,
}

impl Objects {
    /// One more. `spec` is indented by two blanks.
    pub(super) fn push(
        &mut self,
        (version, kind): (&str, &str),
        name: &str,
        namespace: Option<&str>,
        comment: &str,
        spec: &str,
    ) {
        let mut object = String::new();
        for line in comment.lines() {
            let _ = writeln!(object, "# {line}");
        }
        let _ = writeln!(object, "apiVersion: {version}\nkind: {kind}\nmetadata:");
        let _ = writeln!(object, "  name: {}", quoted(name));
        if let Some(namespace) = namespace {
            let _ = writeln!(object, "  namespace: {}", quoted(namespace));
        }
        let _ = write!(object, "spec:\n{spec}");
        self.largest = self.largest.max(object.len());
        // Before the first one too: files are put one behind the other.
        self.text.push_str("---\n");
        self.text.push_str(&object);
    }

    /// All of them, as one file with `head` in comments before.
    ///
    /// # Errors
    /// If one is larger than Kubernetes takes. `names` is how many the policy
    /// lists, to tell how many would fit.
    pub fn render(self, head: &str, names: usize) -> Result<String, Unfit> {
        if self.largest > MAX_OBJECT_BYTES {
            let fitting = names
                .saturating_mul(MAX_OBJECT_BYTES)
                .checked_div(self.largest)
                .unwrap_or_default();
            return Err(Unfit::new(
                format!(
                    "with this policy an object has {} bytes, and Kubernetes takes {MAX_OBJECT_BYTES}",
                    self.largest
                ),
                format!(
                    "of its {names} names about {fitting} would fit: write patterns for them, give each server a policy of its own, or load the filter from Envoy's own configuration, which has no such bound (`mcp-policy envoy`)"
                ),
            ));
        }
        let mut out = String::new();
        for line in head.lines() {
            let _ = writeln!(out, "# {line}");
        }
        let apply = match self.largest > MAX_APPLIED_BYTES {
            true => {
                "# Apply with `kubectl apply --server-side`: without it an annotation would have to hold a copy, and is too small.\n"
            }
            false => "",
        };
        Ok(format!("{out}{apply}{}", self.text))
    }
}

/// The members of a JSON object as YAML, in their order, each `indent` blanks
/// to the right. A policy goes last: it is long.
pub(super) fn members(json: &str, indent: usize) -> String {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).unwrap_or_default();
    let blank = " ".repeat(indent);
    let (long, short): (Vec<_>, Vec<_>) = object.iter().partition(|(key, _)| *key == "policy");
    let mut out = String::new();
    for (key, value) in short.into_iter().chain(long) {
        let _ = writeln!(out, "{blank}{key}: {value}");
    }
    out
}
