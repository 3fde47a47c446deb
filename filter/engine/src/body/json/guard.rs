//! Member names that some reader would take for a protocol member.

/// The protocol's own objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    /// The JSON-RPC message.
    Envelope,
    /// `params`.
    Params,
    /// `params._meta`.
    Meta,
    /// `params.ref` of a completion: its name or uri is authorised.
    Reference,
    /// `params.notifications` of a subscription: its URIs are authorised.
    Notifications,
}

/// Guarded in every protocol object.
const NAMES: &[&str] = &[
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "name",
    "uri",
    "taskId",
    "arguments",
    "_meta",
    "protocolVersion",
    "cursor",
    "ref",
    "argument",
    "notifications",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/related-task",
    "progressToken",
];

/// Guarded only where they decide what is authorised.
const fn more(object: Object) -> &'static [&'static str] {
    match object {
        Object::Reference => &["type"],
        Object::Notifications => &["resourceSubscriptions", "taskIds"],
        Object::Envelope | Object::Params | Object::Meta => &[],
    }
}

/// Why a member name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Equal to this protocol member but for case.
    CaseVariant(&'static str),
    /// It holds a control character; C readers stop at the first NUL.
    Control,
}

pub(super) fn check(name: &str, object: Object) -> Result<(), Fault> {
    if name.chars().any(char::is_control) {
        return Err(Fault::Control);
    }
    let mut guarded = NAMES.iter().chain(more(object));
    if guarded.clone().any(|guarded| *guarded == name) {
        return Ok(());
    }
    match guarded.find(|guarded| folds_to(name, guarded)) {
        Some(guarded) => Err(Fault::CaseVariant(guarded)),
        None => Ok(()),
    }
}

/// Whether some reader may take an odd name for `id`: one that ignores case,
/// drops control characters or stops at the first.
pub(super) fn may_be_id(name: &str) -> bool {
    let without: String = name.chars().filter(|c| !c.is_control()).collect();
    let start = name.split(char::is_control).next().unwrap_or_default();
    folds_to(&without, "id") || folds_to(start, "id")
}

/// Equality under Unicode simple case folding, as far as ASCII goes: besides
/// the 26 letters only U+017F (long s) and U+212A (Kelvin sign) fold into it.
pub(super) fn folds_to(name: &str, other: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(fold).eq(other.chars().map(fold))
}
