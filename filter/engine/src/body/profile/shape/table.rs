// Generated from the official schemas by tests/schema-tools/generate.py: edit
// nothing here. Schemas: tests/data/schema, with their licence.

//! What `params` of each client's method may hold, per revision.

use super::node::{FLAG, INTEGER, NULL, NUMBER, OBJECT, TEXT, TOKEN};
use super::node::{Node, Params, optional, required};

static ANNOTATIONS: Node = Node::Object(&[
    optional("audience", &Node::Array(&Node::Words(&["assistant", "user"]))),
    optional("lastModified", &Node::Kinds(TEXT)),
    optional("priority", &Node::Between(0, 1)),
]);
static ANY_NOTIFICATION_PARAMS: Node = Node::Object(&[
    optional("_meta", &NOTIFICATION_META_OBJECT),
]);
static AUDIO_CONTENT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("annotations", &ANNOTATIONS),
    required("data", &Node::Kinds(TEXT)),
    required("mimeType", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["audio"])),
]);
static BLOB_RESOURCE_CONTENTS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    required("blob", &Node::Kinds(TEXT)),
    optional("mimeType", &Node::Kinds(TEXT)),
    required("uri", &Node::Kinds(TEXT)),
]);
static CLIENT_CAPABILITIES: Node = Node::Object(&[
    optional("experimental", &Node::Map(&Node::Kinds(OBJECT))),
    optional("roots", &Node::Object(&[optional("listChanged", &Node::Kinds(FLAG))])),
    optional("sampling", &Node::Kinds(OBJECT)),
]);
static CLIENT_CAPABILITIES_2: Node = Node::Object(&[
    optional("elicitation", &Node::Kinds(OBJECT)),
    optional("experimental", &Node::Map(&Node::Kinds(OBJECT))),
    optional("roots", &Node::Object(&[optional("listChanged", &Node::Kinds(FLAG))])),
    optional("sampling", &Node::Kinds(OBJECT)),
]);
static CLIENT_CAPABILITIES_3: Node = Node::Object(&[
    optional("elicitation", &Node::Object(&[optional("form", &Node::Kinds(OBJECT)), optional("url", &Node::Kinds(OBJECT))])),
    optional("experimental", &Node::Map(&Node::Kinds(OBJECT))),
    optional("roots", &Node::Object(&[optional("listChanged", &Node::Kinds(FLAG))])),
    optional("sampling", &Node::Object(&[optional("context", &Node::Kinds(OBJECT)), optional("tools", &Node::Kinds(OBJECT))])),
    optional("tasks", &Node::Object(&[optional("cancel", &Node::Kinds(OBJECT)), optional("list", &Node::Kinds(OBJECT)), optional("requests", &Node::Object(&[optional("elicitation", &Node::Object(&[optional("create", &Node::Kinds(OBJECT))])), optional("sampling", &Node::Object(&[optional("createMessage", &Node::Kinds(OBJECT))]))]))])),
]);
static CLIENT_CAPABILITIES_4: Node = Node::Object(&[
    optional("elicitation", &Node::Object(&[optional("form", &Node::Kinds(OBJECT)), optional("url", &Node::Kinds(OBJECT))])),
    optional("experimental", &Node::Map(&Node::Kinds(OBJECT))),
    optional("extensions", &Node::Map(&Node::Kinds(OBJECT))),
    optional("roots", &Node::Kinds(OBJECT)),
    optional("sampling", &Node::Object(&[optional("context", &Node::Kinds(OBJECT)), optional("tools", &Node::Kinds(OBJECT))])),
]);
static COMPLETION_COMPLETE_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("argument", &Node::Object(&[required("name", &Node::Kinds(TEXT)), required("value", &Node::Kinds(TEXT))])),
    required("ref", &Node::Union(&[&PROMPT_REFERENCE, &RESOURCE_REFERENCE])),
]);
static COMPLETION_COMPLETE_PARAMS_2: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("argument", &Node::Object(&[required("name", &Node::Kinds(TEXT)), required("value", &Node::Kinds(TEXT))])),
    optional("context", &Node::Object(&[optional("arguments", &Node::Map(&Node::Kinds(TEXT)))])),
    required("ref", &Node::Union(&[&PROMPT_REFERENCE_2, &RESOURCE_REFERENCE])),
]);
static COMPLETION_COMPLETE_PARAMS_3: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    required("argument", &Node::Object(&[required("name", &Node::Kinds(TEXT)), required("value", &Node::Kinds(TEXT))])),
    optional("context", &Node::Object(&[optional("arguments", &Node::Map(&Node::Kinds(TEXT)))])),
    required("ref", &Node::Union(&[&PROMPT_REFERENCE_2, &RESOURCE_REFERENCE])),
]);
static CONTENT_BLOCK: Node = Node::Union(&[&TEXT_CONTENT, &IMAGE_CONTENT, &AUDIO_CONTENT, &RESOURCE_LINK, &EMBEDDED_RESOURCE]);
static CREATE_MESSAGE_RESULT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    required("content", &Node::Union(&[&TEXT_CONTENT, &IMAGE_CONTENT, &AUDIO_CONTENT, &TOOL_USE_CONTENT, &TOOL_RESULT_CONTENT, &Node::Array(&SAMPLING_MESSAGE_CONTENT_BLOCK)])),
    required("model", &Node::Kinds(TEXT)),
    required("role", &Node::Words(&["assistant", "user"])),
    optional("stopReason", &Node::Kinds(TEXT)),
]);
static ELICIT_RESULT: Node = Node::Object(&[
    required("action", &Node::Words(&["accept", "cancel", "decline"])),
    optional("content", &Node::Map(&Node::Union(&[&Node::Kinds(TEXT | NUMBER | FLAG), &Node::Array(&Node::Kinds(TEXT))]))),
]);
static EMBEDDED_RESOURCE: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("annotations", &ANNOTATIONS),
    required("resource", &Node::Union(&[&TEXT_RESOURCE_CONTENTS, &BLOB_RESOURCE_CONTENTS])),
    required("type", &Node::Words(&["resource"])),
]);
static ICON: Node = Node::Object(&[
    optional("mimeType", &Node::Kinds(TEXT)),
    optional("sizes", &Node::Array(&Node::Kinds(TEXT))),
    required("src", &Node::Kinds(TEXT)),
    optional("theme", &Node::Words(&["dark", "light"])),
]);
static IMAGE_CONTENT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("annotations", &ANNOTATIONS),
    required("data", &Node::Kinds(TEXT)),
    required("mimeType", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["image"])),
]);
static IMPLEMENTATION: Node = Node::Object(&[
    required("name", &Node::Kinds(TEXT)),
    required("version", &Node::Kinds(TEXT)),
]);
static IMPLEMENTATION_2: Node = Node::Object(&[
    required("name", &Node::Kinds(TEXT)),
    optional("title", &Node::Kinds(TEXT)),
    required("version", &Node::Kinds(TEXT)),
]);
static IMPLEMENTATION_3: Node = Node::Object(&[
    optional("description", &Node::Kinds(TEXT)),
    optional("icons", &Node::Array(&ICON)),
    required("name", &Node::Kinds(TEXT)),
    optional("title", &Node::Kinds(TEXT)),
    required("version", &Node::Kinds(TEXT)),
    optional("websiteUrl", &Node::Kinds(TEXT)),
]);
static INITIALIZE_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("capabilities", &CLIENT_CAPABILITIES),
    required("clientInfo", &IMPLEMENTATION),
    required("protocolVersion", &Node::Kinds(TEXT)),
]);
static INITIALIZE_PARAMS_2: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("capabilities", &CLIENT_CAPABILITIES_2),
    required("clientInfo", &IMPLEMENTATION_2),
    required("protocolVersion", &Node::Kinds(TEXT)),
]);
static INITIALIZE_PARAMS_3: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("capabilities", &CLIENT_CAPABILITIES_3),
    required("clientInfo", &IMPLEMENTATION_3),
    required("protocolVersion", &Node::Kinds(TEXT)),
]);
static INPUT_RESPONSE: Node = Node::Union(&[&CREATE_MESSAGE_RESULT, &LIST_ROOTS_RESULT, &ELICIT_RESULT]);
static LIST_ROOTS_RESULT: Node = Node::Object(&[
    required("roots", &Node::Array(&ROOT)),
]);
static LOGGING_SET_LEVEL_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("level", &Node::Words(&["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"])),
]);
static NOTIFICATIONS_CANCELLED_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("reason", &Node::Kinds(TEXT)),
    required("requestId", &Node::Kinds(TEXT | TOKEN)),
]);
static NOTIFICATIONS_CANCELLED_PARAMS_2: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("reason", &Node::Kinds(TEXT)),
    optional("requestId", &Node::Kinds(TEXT | TOKEN)),
]);
static NOTIFICATIONS_CANCELLED_PARAMS_3: Node = Node::Object(&[
    optional("_meta", &NOTIFICATION_META_OBJECT),
    optional("reason", &Node::Kinds(TEXT)),
    required("requestId", &Node::Kinds(TEXT | TOKEN)),
]);
static NOTIFICATIONS_INITIALIZED_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
]);
static NOTIFICATIONS_PROGRESS_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("message", &Node::Kinds(TEXT)),
    required("progress", &Node::Kinds(NUMBER)),
    required("progressToken", &Node::Kinds(TEXT | TOKEN)),
    optional("total", &Node::Kinds(NUMBER)),
]);
static NOTIFICATIONS_TASKS_STATUS_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    required("createdAt", &Node::Kinds(TEXT)),
    required("lastUpdatedAt", &Node::Kinds(TEXT)),
    optional("pollInterval", &Node::Kinds(INTEGER)),
    required("status", &Node::Words(&["cancelled", "completed", "failed", "input_required", "working"])),
    optional("statusMessage", &Node::Kinds(TEXT)),
    required("taskId", &Node::Kinds(TEXT)),
    required("ttl", &Node::Kinds(INTEGER | NULL)),
]);
static NOTIFICATION_META_OBJECT: Node = Node::Object(&[
    optional("io.modelcontextprotocol/subscriptionId", &Node::Kinds(TEXT | TOKEN)),
]);
static PING_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
]);
static PROMPTS_GET_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    optional("arguments", &Node::Map(&Node::Kinds(TEXT))),
    required("name", &Node::Kinds(TEXT)),
]);
static PROMPTS_GET_PARAMS_2: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    optional("arguments", &Node::Map(&Node::Kinds(TEXT))),
    optional("inputResponses", &Node::Map(&INPUT_RESPONSE)),
    required("name", &Node::Kinds(TEXT)),
    optional("requestState", &Node::Kinds(TEXT)),
]);
static PROMPT_REFERENCE: Node = Node::Object(&[
    required("name", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["ref/prompt"])),
]);
static PROMPT_REFERENCE_2: Node = Node::Object(&[
    required("name", &Node::Kinds(TEXT)),
    optional("title", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["ref/prompt"])),
]);
static REQUEST_META_OBJECT: Node = Node::Object(&[
    required("io.modelcontextprotocol/clientCapabilities", &CLIENT_CAPABILITIES_4),
    optional("io.modelcontextprotocol/clientInfo", &IMPLEMENTATION_3),
    optional("io.modelcontextprotocol/logLevel", &Node::Words(&["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"])),
    required("io.modelcontextprotocol/protocolVersion", &Node::Kinds(TEXT)),
    optional("progressToken", &Node::Kinds(TEXT | TOKEN)),
]);
static RESOURCES_LIST_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    optional("cursor", &Node::Kinds(TEXT)),
]);
static RESOURCES_LIST_PARAMS_2: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    optional("cursor", &Node::Kinds(TEXT)),
]);
static RESOURCES_READ_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    required("uri", &Node::Kinds(TEXT)),
]);
static RESOURCES_READ_PARAMS_2: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    optional("inputResponses", &Node::Map(&INPUT_RESPONSE)),
    optional("requestState", &Node::Kinds(TEXT)),
    required("uri", &Node::Kinds(TEXT)),
]);
static RESOURCE_LINK: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("annotations", &ANNOTATIONS),
    optional("description", &Node::Kinds(TEXT)),
    optional("icons", &Node::Array(&ICON)),
    optional("mimeType", &Node::Kinds(TEXT)),
    required("name", &Node::Kinds(TEXT)),
    optional("size", &Node::Kinds(INTEGER)),
    optional("title", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["resource_link"])),
    required("uri", &Node::Kinds(TEXT)),
]);
static RESOURCE_REFERENCE: Node = Node::Object(&[
    required("type", &Node::Words(&["ref/resource"])),
    required("uri", &Node::Kinds(TEXT)),
]);
static ROOT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("name", &Node::Kinds(TEXT)),
    required("uri", &Node::Kinds(TEXT)),
]);
static SAMPLING_MESSAGE_CONTENT_BLOCK: Node = Node::Union(&[&TEXT_CONTENT, &IMAGE_CONTENT, &AUDIO_CONTENT, &TOOL_USE_CONTENT, &TOOL_RESULT_CONTENT]);
static SERVER_DISCOVER_PARAMS: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
]);
static SUBSCRIPTIONS_LISTEN_PARAMS: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    required("notifications", &SUBSCRIPTION_FILTER),
]);
static SUBSCRIPTION_FILTER: Node = Node::Object(&[
    optional("promptsListChanged", &Node::Kinds(FLAG)),
    optional("resourceSubscriptions", &Node::Array(&Node::Kinds(TEXT))),
    optional("resourcesListChanged", &Node::Kinds(FLAG)),
    optional("toolsListChanged", &Node::Kinds(FLAG)),
]);
static TASKS_GET_PARAMS: Node = Node::Object(&[
    required("taskId", &Node::Kinds(TEXT)),
]);
static TASKS_GET_PARAMS_2: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    required("taskId", &Node::Kinds(TEXT)),
]);
static TASKS_UPDATE_PARAMS: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    required("taskId", &Node::Kinds(TEXT)),
    optional("inputResponses", &Node::Map(&INPUT_RESPONSE)),
]);
static TASK_METADATA: Node = Node::Object(&[
    optional("ttl", &Node::Kinds(INTEGER)),
]);
static TEXT_CONTENT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("annotations", &ANNOTATIONS),
    required("text", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["text"])),
]);
static TEXT_RESOURCE_CONTENTS: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    optional("mimeType", &Node::Kinds(TEXT)),
    required("text", &Node::Kinds(TEXT)),
    required("uri", &Node::Kinds(TEXT)),
]);
static TOOLS_CALL_PARAMS: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    optional("arguments", &Node::Kinds(OBJECT)),
    required("name", &Node::Kinds(TEXT)),
]);
static TOOLS_CALL_PARAMS_2: Node = Node::Object(&[
    optional("_meta", &Node::Object(&[optional("progressToken", &Node::Kinds(TEXT | TOKEN))])),
    optional("arguments", &Node::Kinds(OBJECT)),
    required("name", &Node::Kinds(TEXT)),
    optional("task", &TASK_METADATA),
]);
static TOOLS_CALL_PARAMS_3: Node = Node::Object(&[
    required("_meta", &REQUEST_META_OBJECT),
    optional("arguments", &Node::Kinds(OBJECT)),
    optional("inputResponses", &Node::Map(&INPUT_RESPONSE)),
    required("name", &Node::Kinds(TEXT)),
    optional("requestState", &Node::Kinds(TEXT)),
]);
static TOOL_RESULT_CONTENT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    required("content", &Node::Array(&CONTENT_BLOCK)),
    optional("isError", &Node::Kinds(FLAG)),
    required("toolUseId", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["tool_result"])),
]);
static TOOL_USE_CONTENT: Node = Node::Object(&[
    optional("_meta", &Node::Kinds(OBJECT)),
    required("id", &Node::Kinds(TEXT)),
    required("input", &Node::Kinds(OBJECT)),
    required("name", &Node::Kinds(TEXT)),
    required("type", &Node::Words(&["tool_use"])),
]);

/// By method; a node for each revision that has it, in date order.
pub(super) static METHODS: &[(&str, Params)] = &[
    ("completion/complete", [Some(&COMPLETION_COMPLETE_PARAMS), Some(&COMPLETION_COMPLETE_PARAMS_2), Some(&COMPLETION_COMPLETE_PARAMS_2), Some(&COMPLETION_COMPLETE_PARAMS_3)]),
    ("initialize", [Some(&INITIALIZE_PARAMS), Some(&INITIALIZE_PARAMS_2), Some(&INITIALIZE_PARAMS_3), None]),
    ("logging/setLevel", [Some(&LOGGING_SET_LEVEL_PARAMS), Some(&LOGGING_SET_LEVEL_PARAMS), Some(&LOGGING_SET_LEVEL_PARAMS), None]),
    ("notifications/cancelled", [Some(&NOTIFICATIONS_CANCELLED_PARAMS), Some(&NOTIFICATIONS_CANCELLED_PARAMS), Some(&NOTIFICATIONS_CANCELLED_PARAMS_2), Some(&NOTIFICATIONS_CANCELLED_PARAMS_3)]),
    ("notifications/initialized", [Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), None]),
    ("notifications/progress", [Some(&NOTIFICATIONS_PROGRESS_PARAMS), Some(&NOTIFICATIONS_PROGRESS_PARAMS), Some(&NOTIFICATIONS_PROGRESS_PARAMS), None]),
    ("notifications/roots/list_changed", [Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), None]),
    ("notifications/tasks/status", [None, None, Some(&NOTIFICATIONS_TASKS_STATUS_PARAMS), None]),
    ("ping", [Some(&PING_PARAMS), Some(&PING_PARAMS), Some(&PING_PARAMS), None]),
    ("prompts/get", [Some(&PROMPTS_GET_PARAMS), Some(&PROMPTS_GET_PARAMS), Some(&PROMPTS_GET_PARAMS), Some(&PROMPTS_GET_PARAMS_2)]),
    ("prompts/list", [Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS_2)]),
    ("resources/list", [Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS_2)]),
    ("resources/read", [Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS_2)]),
    ("resources/subscribe", [Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), None]),
    ("resources/templates/list", [Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS_2)]),
    ("resources/unsubscribe", [Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), Some(&RESOURCES_READ_PARAMS), None]),
    ("server/discover", [None, None, None, Some(&SERVER_DISCOVER_PARAMS)]),
    ("subscriptions/listen", [None, None, None, Some(&SUBSCRIPTIONS_LISTEN_PARAMS)]),
    ("tasks/cancel", [None, None, Some(&TASKS_GET_PARAMS), Some(&TASKS_GET_PARAMS_2)]),
    ("tasks/get", [None, None, Some(&TASKS_GET_PARAMS), Some(&TASKS_GET_PARAMS_2)]),
    ("tasks/list", [None, None, Some(&RESOURCES_LIST_PARAMS), None]),
    ("tasks/result", [None, None, Some(&TASKS_GET_PARAMS), None]),
    ("tasks/update", [None, None, None, Some(&TASKS_UPDATE_PARAMS)]),
    ("tools/call", [Some(&TOOLS_CALL_PARAMS), Some(&TOOLS_CALL_PARAMS), Some(&TOOLS_CALL_PARAMS_2), Some(&TOOLS_CALL_PARAMS_3)]),
    ("tools/list", [Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS), Some(&RESOURCES_LIST_PARAMS_2)]),
];

/// Of a request that no revision describes.
pub(super) static ANY_REQUEST: Params = [Some(&PING_PARAMS), Some(&PING_PARAMS), Some(&PING_PARAMS), Some(&SERVER_DISCOVER_PARAMS)];

/// Of a notification that no revision describes.
pub(super) static ANY_NOTIFICATION: Params = [Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&NOTIFICATIONS_INITIALIZED_PARAMS), Some(&ANY_NOTIFICATION_PARAMS)];
