//! Which members have which kind, per method and revision. From the official
//! `schema.json` of each revision, only where serde reads more than it says.

use mcp_boundary_format::Revision;
use serde_json::Value;

/// The kinds a member may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    Flag,
    Number,
    /// A string or an integer token.
    Token,
}

impl Kind {
    pub(super) fn holds(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Token => value.is_string() || value.is_i64() || value.is_u64(),
        }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Text => "a string",
            Self::Flag => "true or false",
            Self::Number => "a number",
            Self::Token => "a string or an integer",
        }
    }
}

/// The first and last revision that type the member.
type Span = (Revision, Revision);

const MARCH: Revision = Revision::V2025_03_26;
const JUNE: Revision = Revision::V2025_06_18;
const NOVEMBER: Revision = Revision::V2025_11_25;
const JULY: Revision = Revision::V2026_07_28;
const ALWAYS: Span = (MARCH, JULY);
const LEGACY: Span = (MARCH, NOVEMBER);
const MODERN: Span = (JULY, JULY);

/// One typed member. `*` in a path stands for every member or element.
pub(super) struct Member {
    pub(super) path: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) span: Span,
}

const fn member(path: &'static [&'static str], kind: Kind, span: Span) -> Member {
    Member { path, kind, span }
}

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// In `params` of every core method.
pub(super) const COMMON: &[Member] = &[
    member(&["_meta"], Kind::Object, ALWAYS),
    member(&["_meta", "progressToken"], Kind::Token, ALWAYS),
];

/// In `params` of every request of 2026-07-28, extensions included.
pub(super) const MODERN_META: &[Member] = &[
    member(&["_meta", LOG_LEVEL], Kind::Text, MODERN),
    member(&["_meta", CAPABILITIES], Kind::Object, MODERN),
    member(
        &["_meta", CAPABILITIES, "experimental"],
        Kind::Object,
        MODERN,
    ),
    member(
        &["_meta", CAPABILITIES, "experimental", "*"],
        Kind::Object,
        MODERN,
    ),
    member(&["_meta", CAPABILITIES, "extensions"], Kind::Object, MODERN),
    member(
        &["_meta", CAPABILITIES, "extensions", "*"],
        Kind::Object,
        MODERN,
    ),
    member(&["_meta", CAPABILITIES, "roots"], Kind::Object, MODERN),
    member(&["_meta", CAPABILITIES, "sampling"], Kind::Object, MODERN),
    member(
        &["_meta", CAPABILITIES, "sampling", "context"],
        Kind::Object,
        MODERN,
    ),
    member(
        &["_meta", CAPABILITIES, "sampling", "tools"],
        Kind::Object,
        MODERN,
    ),
    member(
        &["_meta", CAPABILITIES, "elicitation"],
        Kind::Object,
        MODERN,
    ),
    member(
        &["_meta", CAPABILITIES, "elicitation", "form"],
        Kind::Object,
        MODERN,
    ),
    member(
        &["_meta", CAPABILITIES, "elicitation", "url"],
        Kind::Object,
        MODERN,
    ),
    member(&["_meta", CLIENT_INFO], Kind::Object, MODERN),
    member(&["_meta", CLIENT_INFO, "title"], Kind::Text, MODERN),
    member(&["_meta", CLIENT_INFO, "description"], Kind::Text, MODERN),
    member(&["_meta", CLIENT_INFO, "websiteUrl"], Kind::Text, MODERN),
    member(&["_meta", CLIENT_INFO, "icons"], Kind::Array, MODERN),
    member(&["_meta", CLIENT_INFO, "icons", "*"], Kind::Object, MODERN),
    member(
        &["_meta", CLIENT_INFO, "icons", "*", "mimeType"],
        Kind::Text,
        MODERN,
    ),
    member(
        &["_meta", CLIENT_INFO, "icons", "*", "sizes"],
        Kind::Array,
        MODERN,
    ),
    member(
        &["_meta", CLIENT_INFO, "icons", "*", "theme"],
        Kind::Text,
        MODERN,
    ),
];

const INITIALIZE: &[Member] = &[
    member(&["capabilities"], Kind::Object, LEGACY),
    member(&["capabilities", "experimental"], Kind::Object, LEGACY),
    member(&["capabilities", "experimental", "*"], Kind::Object, LEGACY),
    member(&["capabilities", "roots"], Kind::Object, LEGACY),
    member(
        &["capabilities", "roots", "listChanged"],
        Kind::Flag,
        LEGACY,
    ),
    member(&["capabilities", "sampling"], Kind::Object, LEGACY),
    member(
        &["capabilities", "sampling", "context"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "sampling", "tools"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "elicitation"],
        Kind::Object,
        (JUNE, NOVEMBER),
    ),
    member(
        &["capabilities", "elicitation", "form"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "elicitation", "url"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "list"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "cancel"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "requests"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "requests", "sampling"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &[
            "capabilities",
            "tasks",
            "requests",
            "sampling",
            "createMessage",
        ],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "requests", "elicitation"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["capabilities", "tasks", "requests", "elicitation", "create"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(&["clientInfo"], Kind::Object, LEGACY),
    member(&["clientInfo", "title"], Kind::Text, (JUNE, NOVEMBER)),
    member(
        &["clientInfo", "description"],
        Kind::Text,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["clientInfo", "websiteUrl"],
        Kind::Text,
        (NOVEMBER, NOVEMBER),
    ),
    member(&["clientInfo", "icons"], Kind::Array, (NOVEMBER, NOVEMBER)),
    member(
        &["clientInfo", "icons", "*"],
        Kind::Object,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["clientInfo", "icons", "*", "mimeType"],
        Kind::Text,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["clientInfo", "icons", "*", "sizes"],
        Kind::Array,
        (NOVEMBER, NOVEMBER),
    ),
    member(
        &["clientInfo", "icons", "*", "theme"],
        Kind::Text,
        (NOVEMBER, NOVEMBER),
    ),
];

const PAGED: &[Member] = &[member(&["cursor"], Kind::Text, ALWAYS)];

const COMPLETE: &[Member] = &[
    member(&["ref"], Kind::Object, ALWAYS),
    member(&["ref", "title"], Kind::Text, (JUNE, JULY)),
    member(&["argument"], Kind::Object, ALWAYS),
    member(&["context"], Kind::Object, (JUNE, JULY)),
    member(&["context", "arguments"], Kind::Object, (JUNE, JULY)),
];

const INPUTS: &[Member] = &[
    member(&["arguments"], Kind::Object, ALWAYS),
    member(&["inputResponses"], Kind::Object, MODERN),
    member(&["requestState"], Kind::Text, MODERN),
];

const CALL: &[Member] = &[
    member(&["task"], Kind::Object, (NOVEMBER, NOVEMBER)),
    member(&["task", "ttl"], Kind::Number, (NOVEMBER, NOVEMBER)),
];

const LISTEN: &[Member] = &[
    member(&["notifications"], Kind::Object, MODERN),
    member(&["notifications", "toolsListChanged"], Kind::Flag, MODERN),
    member(&["notifications", "promptsListChanged"], Kind::Flag, MODERN),
    member(
        &["notifications", "resourcesListChanged"],
        Kind::Flag,
        MODERN,
    ),
    member(
        &["notifications", "resourceSubscriptions"],
        Kind::Array,
        MODERN,
    ),
    member(
        &["notifications", "resourceSubscriptions", "*"],
        Kind::Text,
        MODERN,
    ),
];

const LEVEL: &[Member] = &[member(&["level"], Kind::Text, LEGACY)];

const CANCELLED: &[Member] = &[
    member(&["requestId"], Kind::Token, LEGACY),
    member(&["reason"], Kind::Text, LEGACY),
];

const PROGRESS: &[Member] = &[
    member(&["progressToken"], Kind::Token, LEGACY),
    member(&["total"], Kind::Number, LEGACY),
    member(&["message"], Kind::Text, LEGACY),
];

const TASK_STATUS: &[Member] = &[
    member(&["status"], Kind::Text, LEGACY),
    member(&["statusMessage"], Kind::Text, LEGACY),
    member(&["pollInterval"], Kind::Number, LEGACY),
];

/// The typed members of a core method's `params`.
pub(super) fn typed(method: &str) -> [&'static [Member]; 2] {
    const NONE: &[Member] = &[];
    match method {
        "initialize" => [INITIALIZE, NONE],
        "tools/list"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "tasks/list" => [PAGED, NONE],
        "completion/complete" => [COMPLETE, NONE],
        "tools/call" => [INPUTS, CALL],
        "prompts/get" | "resources/read" => [INPUTS, NONE],
        "subscriptions/listen" => [LISTEN, NONE],
        "logging/setLevel" => [LEVEL, NONE],
        "notifications/cancelled" => [CANCELLED, NONE],
        "notifications/progress" => [PROGRESS, NONE],
        "notifications/tasks/status" => [TASK_STATUS, NONE],
        _ => [NONE, NONE],
    }
}
