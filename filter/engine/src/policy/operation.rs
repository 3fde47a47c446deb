//! What a request asks for, in terms that a policy can name. Contract section 10.

/// What kind of thing an operation needs permission for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// A core method.
    Method,
    /// A tool.
    Tool,
    /// A prompt, also one whose arguments are completed.
    Prompt,
    /// A resource URI, also a completed template or a subscription.
    Resource,
    /// An extension method.
    Extension,
    /// An answer of the client.
    Response,
}

/// One thing a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What kind of permission it needs.
    pub kind: OperationKind,
    /// The message's method; empty for a response.
    pub method: String,
    /// Tool, prompt or URI.
    pub name: Option<String>,
    /// Methods that, named exactly in `allow.methods`, permit every name.
    pub(crate) granted_by: &'static [&'static str],
    /// A `tools/call` with an argument name that the endpoint forbids.
    pub(crate) forbidden_argument: bool,
}

impl Operation {
    /// Whether the name is a URI template: those are completed.
    pub(crate) fn is_template(&self) -> bool {
        self.kind == OperationKind::Resource && self.method == "completion/complete"
    }
}
