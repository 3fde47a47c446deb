//! Why a request goes on or not: kinds of verdicts, reason codes, refusals.
//! Contract sections 1 and 11.

use std::borrow::Cow;

/// The three verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Valid and permitted.
    Forward,
    /// Valid, but the policy says no.
    Deny,
    /// Malformed, ambiguous, over a bound, or not in the selected profile.
    Reject,
}

impl Kind {
    /// The word for logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Deny => "deny",
            Self::Reject => "reject",
        }
    }
}

/// JSON-RPC error codes this project answers with.
pub mod code {
    /// Not JSON.
    pub const PARSE: i32 = -32700;
    /// Not a valid message or request.
    pub const REQUEST: i32 = -32600;
    /// No such method in the revision.
    pub const METHOD: i32 = -32601;
    /// Bad params.
    pub const PARAMS: i32 = -32602;
    /// The boundary itself cannot decide.
    pub const INTERNAL: i32 = -32603;
    /// MCP 2026-07-28: headers and body disagree.
    pub const HEADER: i32 = -32020;
    /// MCP 2026-07-28: unsupported protocol version.
    pub const VERSION: i32 = -32022;
    /// Policy denial; outside the range JSON-RPC reserves.
    pub const DENIED: i32 = -31403;
}

macro_rules! reasons {
    ($($(#[$meta:meta])* $name:ident = $text:literal, $kind:ident, $status:literal, $code:ident;)+) => {
        /// Why. Each has one stable code, kind, HTTP status and JSON-RPC code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$meta])* $name),+
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable code.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// Which verdict it belongs to.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind),+ }
            }

            /// HTTP status of the answer in legacy revisions; 0 where the
            /// request is forwarded.
            const fn base_status(self) -> u16 {
                match self { $(Self::$name => $status),+ }
            }

            /// `error.code` of the answer.
            pub const fn error_code(self) -> i32 {
                match self { $(Self::$name => code::$code),+ }
            }
        }
    };
}

reasons! {
    /// Permitted by a rule.
    Allowed = "allowed", Forward, 0, INTERNAL;
    /// No endpoint matches and the policy passes such requests.
    Unmatched = "unmatched", Forward, 0, INTERNAL;
    /// A GET stream of a legacy session.
    Stream = "stream", Forward, 0, INTERNAL;
    /// A DELETE of a legacy session.
    SessionEnd = "session_end", Forward, 0, INTERNAL;
    /// An answer of the client to the server.
    ClientResponse = "client_response", Forward, 0, INTERNAL;

    /// No endpoint matches host and path.
    NoEndpoint = "no_endpoint", Deny, 403, DENIED;
    /// A path that servers read in different ways.
    PathNotNormal = "path_not_normal", Reject, 403, REQUEST;
    /// A host that is not one plain spelling.
    HostInvalid = "host_invalid", Reject, 403, REQUEST;
    /// A verb that MCP does not use here.
    VerbNotAllowed = "verb_not_allowed", Reject, 405, REQUEST;
    /// A body on GET or DELETE.
    VerbBody = "verb_body", Reject, 400, REQUEST;
    /// A header that the boundary reads is repeated, empty, or has a twin.
    HeaderAmbiguous = "header_ambiguous", Reject, 400, HEADER;
    /// The media type is not JSON in UTF-8.
    MediaType = "media_type", Reject, 415, REQUEST;
    /// The body is compressed.
    ContentEncoding = "content_encoding", Reject, 415, REQUEST;
    /// The body is over the endpoint's limit.
    BodyTooLarge = "body_too_large", Reject, 413, REQUEST;
    /// A POST without a body.
    BodyEmpty = "body_empty", Reject, 400, PARSE;
    /// The `Origin` is not listed.
    OriginNotAllowed = "origin_not_allowed", Reject, 403, REQUEST;

    /// Not JSON.
    JsonInvalid = "json_invalid", Reject, 400, PARSE;
    /// Not UTF-8.
    JsonUtf8 = "json_utf8", Reject, 400, PARSE;
    /// More than one JSON value.
    JsonTrailing = "json_trailing_data", Reject, 400, PARSE;
    /// A name twice in one object.
    JsonDuplicate = "json_duplicate_member", Reject, 400, PARSE;
    /// A name that folds to a protocol member.
    JsonCaseVariant = "json_case_variant", Reject, 400, REQUEST;
    /// A control character in a protocol object's member name.
    JsonControlName = "json_control_in_name", Reject, 400, REQUEST;
    /// Half of a surrogate pair.
    JsonSurrogate = "json_lone_surrogate", Reject, 400, PARSE;
    /// A number beyond a double.
    JsonNumber = "json_number_range", Reject, 400, PARSE;
    /// Nesting beyond the limit.
    JsonTooDeep = "json_too_deep", Reject, 400, PARSE;

    /// Not a JSON-RPC 2.0 message.
    EnvelopeInvalid = "envelope_invalid", Reject, 400, REQUEST;
    /// `method` beside `result` or `error`, or both of these.
    EnvelopeConflict = "envelope_conflict", Reject, 400, REQUEST;
    /// An id that is neither a string nor an integer within i64.
    IdInvalid = "id_invalid", Reject, 400, REQUEST;
    /// A method name that cannot be one.
    MethodInvalid = "method_invalid", Reject, 400, REQUEST;
    /// A batch in a revision that has none.
    BatchUnavailable = "batch_unavailable", Reject, 400, REQUEST;
    /// A batch without members.
    BatchEmpty = "batch_empty", Reject, 400, REQUEST;
    /// A batch member that is not an object.
    BatchMember = "batch_member_invalid", Reject, 400, REQUEST;
    /// Calls and responses in one batch.
    BatchMixed = "batch_mixed", Reject, 400, REQUEST;
    /// More members than the endpoint's limit.
    BatchTooLarge = "batch_too_large", Reject, 400, REQUEST;
    /// Two members with the same id.
    BatchDuplicateId = "batch_duplicate_id", Reject, 400, REQUEST;
    /// `initialize` inside a batch.
    InitializeInBatch = "initialize_in_batch", Reject, 400, REQUEST;

    /// No version header, and 2025-03-26 is not permitted.
    VersionMissing = "version_missing", Reject, 400, VERSION;
    /// The version header names no known revision.
    VersionUnknown = "version_unknown", Reject, 400, VERSION;
    /// Several version header values.
    VersionAmbiguous = "version_ambiguous", Reject, 400, VERSION;
    /// A known revision that the endpoint does not permit.
    VersionNotPermitted = "version_not_permitted", Reject, 400, VERSION;
    /// `initialize` where no legacy revision is permitted.
    NoLegacyRevision = "no_legacy_revision", Reject, 400, VERSION;
    /// `_meta` names another revision than the header.
    VersionMismatch = "version_mismatch", Reject, 400, HEADER;
    /// `_meta` of 2026-07-28 without its header.
    VersionHeaderMissing = "version_header_missing", Reject, 400, HEADER;

    /// A method of MCP that the selected revision does not have.
    MethodUnavailable = "method_unavailable", Reject, 400, METHOD;
    /// A method that only servers send.
    MethodDirection = "method_wrong_direction", Reject, 400, METHOD;
    /// A request sent as a notification or the reverse.
    MethodKind = "method_wrong_kind", Reject, 400, REQUEST;
    /// `params` are missing or have another shape than the revision's.
    ParamsInvalid = "params_invalid", Reject, 400, PARAMS;
    /// Too many values outside `arguments` to inspect.
    ParamsTooLarge = "params_too_large", Reject, 400, PARAMS;
    /// Required `_meta` members are missing or malformed.
    MetaInvalid = "meta_invalid", Reject, 400, PARAMS;
    /// A client response in a revision that has none.
    ResponseUnavailable = "response_unavailable", Reject, 400, REQUEST;
    /// A tool name outside the endpoint's rule.
    ToolNameInvalid = "tool_name_invalid", Reject, 400, PARAMS;
    /// A prompt name or URI that cannot be matched safely.
    NameInvalid = "name_invalid", Reject, 400, PARAMS;

    /// A mirror disagrees with the body.
    MirrorMismatch = "mirror_mismatch", Reject, 400, HEADER;
    /// A required mirror is missing.
    MirrorMissing = "mirror_missing", Reject, 400, HEADER;
    /// A mirror where the body has nothing to mirror.
    MirrorUnexpected = "mirror_unexpected", Reject, 400, HEADER;
    /// A mirror that cannot be decoded.
    MirrorInvalid = "mirror_invalid", Reject, 400, HEADER;

    /// No rule allows the method.
    MethodNotAllowed = "method_not_allowed", Deny, 200, DENIED;
    /// A rule denies the method.
    MethodDenied = "method_denied", Deny, 200, DENIED;
    /// No rule allows the tool.
    ToolNotAllowed = "tool_not_allowed", Deny, 200, DENIED;
    /// A rule denies the tool.
    ToolDenied = "tool_denied", Deny, 200, DENIED;
    /// No rule allows the prompt.
    PromptNotAllowed = "prompt_not_allowed", Deny, 200, DENIED;
    /// A rule denies the prompt.
    PromptDenied = "prompt_denied", Deny, 200, DENIED;
    /// No rule allows the resource.
    ResourceNotAllowed = "resource_not_allowed", Deny, 200, DENIED;
    /// A rule denies the resource.
    ResourceDenied = "resource_denied", Deny, 200, DENIED;
    /// No rule allows the extension by its exact name.
    ExtensionNotAllowed = "extension_not_allowed", Deny, 200, DENIED;
    /// A rule denies the extension.
    ExtensionDenied = "extension_denied", Deny, 200, DENIED;
    /// An argument name that the endpoint forbids.
    ArgumentForbidden = "argument_forbidden", Deny, 200, DENIED;
    /// The endpoint takes no client responses.
    ResponseNotAllowed = "response_not_allowed", Deny, 200, DENIED;

    /// The recheck found no record of what was admitted.
    RecordMissing = "record_missing", Reject, 503, INTERNAL;
    /// The record cannot be read.
    RecordInvalid = "record_invalid", Reject, 503, INTERNAL;
    /// The host changed after admit.
    HostRewritten = "host_rewritten", Reject, 400, REQUEST;
    /// The recheck's policy puts what admit saw into another endpoint.
    EndpointRewritten = "endpoint_rewritten", Reject, 400, REQUEST;
    /// The verb changed after admit.
    VerbRewritten = "verb_rewritten", Reject, 400, REQUEST;
    /// The path changed after admit.
    PathRewritten = "path_rewritten", Reject, 400, REQUEST;
    /// The query changed after admit.
    QueryRewritten = "query_rewritten", Reject, 400, REQUEST;
    /// `Content-Length` is not the body's length after a rewrite.
    LengthMismatch = "content_length_mismatch", Reject, 400, REQUEST;
    /// The boundary cannot decide.
    Internal = "internal", Reject, 503, INTERNAL;
}

impl Reason {
    /// HTTP status of the answer; 0 where the request is forwarded. What a rule
    /// denies is 403 instead on an endpoint with `denial: http`.
    ///
    /// 2026-07-28 asks for 404 where the method does not exist.
    pub const fn status(self, modern: bool) -> u16 {
        match (self, modern) {
            (Self::MethodUnavailable | Self::MethodDirection, true) => 404,
            _ => self.base_status(),
        }
    }
}

/// A stage's refusal: the reason, and what to tell the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) detail: Cow<'static, str>,
    /// The rule that denied, if one did.
    pub(crate) rule: Option<String>,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason,
            detail: detail.into(),
            rule: None,
        }
    }
}
