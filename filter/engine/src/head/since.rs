//! What changed since admit, in the words of a recheck's refusal.
//! Contract section 12.
//!
//! Admit leaves fingerprints of what it saw, no text of it: of the headers that
//! are read, of who is calling, and of each operation's method and name. They
//! say why a recheck refuses and decide nothing.

use super::fields::READ;
use super::record::Record;
use crate::answer::reason::{Kind, Reason, Refusal};
use crate::hash::hash;
use crate::policy::claims::Scalar;
use crate::policy::operation::{Operation, OperationKind};
use crate::policy::principals::Principals;

/// Operations that are compared, at most.
const MAX_CALLS: usize = 64;
/// Fingerprints of `Mcp-Param-*` headers and of who is calling, as messages
/// name what is behind them.
const PARAMS: &str = "an `Mcp-Param-*` header";
const CALLER: &str = "who is calling";

/// A fingerprint as it is recorded.
type Print = [u8; 8];

fn print(bytes: &[u8]) -> Print {
    hash(bytes).to_le_bytes()
}

/// Fingerprints of what is known before the body: of each header that is read,
/// of the parameters and of the caller.
pub(crate) fn head(who: &Principals<'_>, principals: &[String]) -> Vec<u8> {
    let (fields, known) = (who.fields, who.known);
    let read = READ.iter().map(|name| print(&fields.get(name).bytes()));
    let params = print(&fields.params.join(&b'\n'));
    let mut caller = Vec::new();
    for name in principals {
        caller.extend(fields.get(name).bytes());
        caller.push(b'\n');
    }
    for values in known {
        for value in values.iter().flatten() {
            match value {
                Scalar::Text(text) => caller.extend(text.bytes()),
                Scalar::Number(number) => caller.extend(number.to_le_bytes()),
                Scalar::Flag(flag) => caller.push(u8::from(*flag)),
            }
            caller.push(b',');
        }
        caller.push(b'\n');
    }
    let prints = read.chain([params, print(&caller)]);
    prints.flatten().collect()
}

/// Fingerprints of the method and the name of each operation.
pub(crate) fn calls(operations: &[Operation]) -> Vec<u8> {
    let prints = operations.iter().take(MAX_CALLS).map(call);
    prints.flatten().flatten().collect()
}

fn call(operation: &Operation) -> [Print; 2] {
    let name = operation.name.as_deref().unwrap_or_default();
    [print(operation.method.as_bytes()), print(name.as_bytes())]
}

/// What a recheck knows of the difference to admit.
#[derive(Debug)]
pub(crate) struct Since {
    another_policy: bool,
    /// Of the headers that are read, the parameters and the caller.
    changed: Vec<&'static str>,
    calls: Vec<u8>,
}

impl Since {
    /// From the record and what [`head`] makes of the request now.
    pub(crate) fn new(record: &Record<'_>, digest: &[u8; 32], now: &[u8]) -> Self {
        let names = READ.into_iter().chain([PARAMS, CALLER]);
        let then = record.head.chunks(size_of::<Print>());
        let pairs = then.zip(now.chunks(size_of::<Print>()));
        let changed = names.zip(pairs).filter(|(_, (then, now))| then != now);
        Self {
            another_policy: record.digest != *digest,
            changed: changed.map(|(name, _)| name).collect(),
            calls: record.calls.to_vec(),
        }
    }

    /// The refusal, which also says what changed. `operations` are the
    /// request's, if they are known.
    pub(crate) fn tell(&self, refusal: Refusal, operations: &[Operation]) -> Refusal {
        let reason = refusal.reason;
        let denied = reason.kind() == Kind::Deny;
        let headers = self.changed.iter().filter(|name| match **name {
            // Whoever rewrites the body also sets this one.
            "content-length" => reason == Reason::HeaderAmbiguous,
            CALLER => denied,
            _ => true,
        });
        let mut things: Vec<String> = headers
            .map(|name| match *name {
                PARAMS | CALLER => (*name).to_owned(),
                name => format!("the header `{name}`"),
            })
            .collect();
        match self.call(operations) {
            _ if reason == Reason::ArgumentForbidden => things.push("the arguments".to_owned()),
            Some(what) => things.push(what.to_owned()),
            None if is_about_body(reason) => things.push("the body".to_owned()),
            None if things.is_empty() && !self.another_policy => {
                things.push("the body".to_owned());
            }
            None => {}
        }
        let mut detail = refusal.detail.into_owned();
        if !things.is_empty() {
            let things = things.join(" and ");
            detail = format!("a filter between admit and recheck changed {things}: {detail}");
        }
        if self.another_policy {
            detail.push_str("; the recheck runs another policy than admit");
        }
        Refusal {
            detail: detail.into(),
            ..refusal
        }
    }

    /// Whether the request asks for what admit saw.
    pub(crate) fn is_same_call(&self, operations: &[Operation]) -> bool {
        calls(operations) == self.calls
    }

    /// The first difference among the operations.
    fn call(&self, operations: &[Operation]) -> Option<&'static str> {
        if operations.is_empty() {
            return None;
        }
        let size = size_of::<[Print; 2]>();
        if self.calls.len() != operations.len().min(MAX_CALLS).saturating_mul(size) {
            return Some("how many things the body asks for");
        }
        let pairs = self.calls.chunks(size).zip(operations);
        pairs.into_iter().find_map(|(then, operation)| {
            let [method, name] = call(operation);
            match then.split_at_checked(method.len())? {
                (before, _) if before != method => Some("the method"),
                (_, before) if before != name => Some(match operation.kind {
                    OperationKind::Tool => "the tool's name",
                    OperationKind::Prompt => "the prompt's name",
                    OperationKind::Resource => "the resource's URI",
                    _ => "the name",
                }),
                _ => None,
            }
        })
    }
}

/// Whether a refusal is about the body and nothing else.
fn is_about_body(reason: Reason) -> bool {
    use Reason as Of;
    let code = reason.code();
    ["json_", "body_", "envelope_", "batch_", "params_"]
        .iter()
        .any(|start| code.starts_with(start))
        || matches!(
            reason,
            Of::IdInvalid
                | Of::MethodInvalid
                | Of::MethodDirection
                | Of::MethodKind
                | Of::InitializeInBatch
                | Of::MetaInvalid
                | Of::ToolNameInvalid
                | Of::NameInvalid
                | Of::LengthMismatch
        )
}
