"""Status, code, id and body of every kind of refusal."""

from case import (
    JULY,
    MARCH,
    NOVEMBER,
    Family,
    bare,
    meta,
    notification,
    policy,
    post,
    request,
    tool,
)

ROWS = "11: answers"
BASE = {"methods": ["ping", "tools/list", "notifications/initialized"], "tools": ["get_weather"]}
DENY = {"tools": ["delete_repo"]}


def allow(versions=(MARCH, NOVEMBER, JULY), **more):
    """A policy with a few permissions and one deny."""
    return policy(versions, deny=DENY, **BASE, **more)


def both(family, slug, why, body, code, because, rule=ROWS, versions=(NOVEMBER, JULY), **more):
    """The same fault in a legacy revision and in 2026-07-28.

    `body` makes the message for a revision.
    """
    for version in versions:
        family.refuse(
            f"{slug}-{version}",
            why,
            rule,
            allow(),
            post(body(version), version),
            code,
            because,
            **more,
        )


def table(family):
    text = '{"jsonrpc":"2.0","id":1,"method":"ping"'
    both(family, "not-json", "An unfinished object.", lambda v: text, "json_invalid", "not JSON")
    both(
        family,
        "duplicate",
        "A repeated name.",
        lambda v: text + ',"id":2}',
        "json_duplicate_member",
        "duplicate key",
    )
    both(
        family,
        "too-deep",
        "65 containers are open at once.",
        lambda v: text + ',"x":' + "[" * 64 + "]" * 64 + "}",
        "json_too_deep",
        "too deep",
    )
    both(
        family,
        "scalar",
        "A number is JSON but no message.",
        lambda v: "42",
        "envelope_invalid",
        "bad envelope",
    )
    both(
        family,
        "conflict",
        "A call and an answer in one.",
        lambda v: request("ping", None, v) | {"result": {}},
        "envelope_conflict",
        "bad envelope",
    )
    both(
        family,
        "unknown-version-member",
        "JSON-RPC 1.0.",
        lambda v: request("tools/list", None, v) | {"jsonrpc": "1.0"},
        "envelope_invalid",
        "bad envelope",
    )
    both(
        family,
        "batch",
        "Only 2025-03-26 has batches.",
        lambda v: [request("tools/list", None, v)],
        "batch_unavailable",
        "no batches here",
    )
    both(
        family,
        "bad-params",
        "A tool name must be a string.",
        lambda v: request("tools/call", {"name": 5}, v),
        "params_invalid",
        "bad params",
    )
    both(
        family,
        "removed-method",
        "A method the revision does not have: 404 from 2026-07-28 on.",
        lambda v: request("logging/setLevel" if v == JULY else "server/discover", {}, v),
        "method_unavailable",
        "method not in this profile",
    )
    both(
        family,
        "wrong-direction",
        "A method only servers send.",
        lambda v: notification("notifications/message", {"level": "info", "data": 1}),
        "method_wrong_direction",
        "method not in this profile",
    )
    both(
        family,
        "denied-tool",
        "The id is echoed so that the caller is not left waiting.",
        lambda v: tool("delete_repo", version=v),
        "tool_denied",
        "policy denial",
    )
    both(
        family,
        "unlisted-tool",
        "What is not allowed is denied.",
        lambda v: tool("list_repos", version=v),
        "tool_not_allowed",
        "policy denial",
    )
    for id in ("call-1", "", 0, -7, 9007199254740993):
        both(
            family,
            f"echo-{str(id) or 'empty'}",
            "Every valid id is echoed as it was.",
            lambda v, id=id: tool("delete_repo", version=v, id=id),
            "tool_denied",
            "policy denial",
            rule="11: `id` echoed for a single request with a valid id",
            versions=(NOVEMBER,),
        )
    for name, id in [("null", None), ("fraction", 1.5)]:
        both(
            family,
            f"no-echo-{name}",
            "An invalid id is not echoed.",
            lambda v, id=id: tool("get_weather", version=v, id=id),
            "id_invalid",
            "bad envelope",
            rule="11: otherwise `null` in legacy revisions and absent in 2026-07-28",
        )


def modern_only(family):
    good = tool("get_weather", version=JULY)
    less = tool("get_weather")
    family.refuse(
        "meta-missing",
        "A request of 2026-07-28 without `_meta`.",
        ROWS,
        allow(),
        post(less, JULY),
        "meta_invalid",
        "required _meta missing",
    )
    half = tool("get_weather", version=JULY)
    del half["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    family.refuse(
        "meta-half",
        "`clientCapabilities` is required too.",
        ROWS,
        allow(),
        post(half, JULY),
        "meta_invalid",
        "required _meta missing",
    )
    family.refuse(
        "mirror-missing",
        "Required headers are missing.",
        ROWS,
        allow(),
        post(good, JULY, auto=False),
        "mirror_missing",
        "required header missing",
    )
    lie = [("mcp-method", "tools/call"), ("mcp-name", "get_time")]
    family.refuse(
        "mirror-lies",
        "Header and body disagree.",
        ROWS,
        allow(),
        post(good, JULY, lie, auto=False),
        "mirror_mismatch",
        "header/body disagreement",
    )
    family.refuse(
        "meta-without-header",
        "`_meta` of 2026-07-28 without its header.",
        ROWS,
        allow(),
        post(good, None),
        "version_header_missing",
        "header/body disagreement",
        id=1,
    )
    other = tool("get_weather", version=JULY)
    other["params"]["_meta"] = meta(NOVEMBER)
    family.refuse(
        "meta-against-header",
        "The header says one revision, `_meta` another.",
        ROWS,
        allow(),
        post(other, JULY),
        "version_mismatch",
        "header against _meta",
    )
    family.refuse(
        "response-modern",
        "2026-07-28 has no client responses.",
        ROWS,
        allow(),
        post({"jsonrpc": "2.0", "id": 1, "result": {}}, JULY),
        "response_unavailable",
        "response where there is none",
    )


def versions(family):
    ping = request("ping")
    only = policy([NOVEMBER], **BASE)
    family.refuse(
        "version-missing",
        "No header means 2025-03-26.",
        ROWS,
        only,
        post(ping, None),
        "version_missing",
        "no header, 2025-03-26 not permitted",
    )
    family.refuse(
        "version-unknown",
        "A date nobody knows.",
        ROWS,
        only,
        post(ping, "2025-01-01"),
        "version_unknown",
        "unknown revision",
    )
    family.refuse(
        "version-not-permitted",
        "Known, but not permitted.",
        ROWS,
        only,
        post(ping, MARCH),
        "version_not_permitted",
        "revision not permitted",
    )
    family.refuse(
        "version-not-permitted-modern",
        "Dual-era clients need the version error.",
        ROWS,
        only,
        post(tool("get_weather", version=JULY), JULY),
        "version_not_permitted",
        "revision not permitted",
    )


def http(family):
    call = tool("get_weather")
    for version in (NOVEMBER, JULY):
        body = tool("get_weather", version=version)
        family.refuse(
            f"media-type-{version}",
            "Plain text.",
            ROWS,
            allow(),
            post(body, version, [("content-type", "text/plain")], ["content-type"]),
            "media_type",
            "media type",
        )
        family.refuse(
            f"size-{version}",
            "One byte over the limit.",
            ROWS,
            allow(max_body_bytes=64),
            post(body, version),
            "body_too_large",
            "size",
        )
        family.refuse(
            f"verb-{version}",
            "A verb that MCP does not use.",
            ROWS,
            allow(),
            bare("PUT", version),
            "verb_not_allowed",
            "verb",
        )
        family.refuse(
            f"origin-{version}",
            "An origin that is not listed.",
            ROWS,
            allow(origins=["https://app.example"]),
            post(body, version, [("origin", "https://evil.example")]),
            "origin_not_allowed",
            "origin",
        )
    family.refuse(
        "verb-body",
        "A body where the verb has none.",
        ROWS,
        allow(),
        bare("GET", extra=[("accept", "text/event-stream")], body='{"x":1}'),
        "verb_body",
        "verb body",
    )
    family.refuse(
        "no-endpoint",
        "Nothing matches.",
        ROWS,
        allow(path="/mcp", unmatched="deny"),
        post(call, path="/other"),
        "no_endpoint",
        "no endpoint matches",
    )
    family.refuse(
        "no-endpoint-audit",
        "There is no endpoint to audit.",
        ROWS,
        allow(path="/mcp", unmatched="deny", mode="audit"),
        post(call, path="/other"),
        "no_endpoint",
        "no endpoint matches, no audit",
    )


def denials(family):
    """Every denied shape under both settings of `denial`."""
    shapes = [
        ("request", NOVEMBER, tool("delete_repo"), "tool_denied", False),
        ("request-modern", JULY, tool("delete_repo", version=JULY), "tool_denied", False),
        ("method", NOVEMBER, request("prompts/list"), "method_not_allowed", False),
        (
            "notification",
            NOVEMBER,
            notification("notifications/roots/list_changed"),
            "method_not_allowed",
            True,
        ),
        (
            "extension-notification",
            NOVEMBER,
            notification("notifications/vendor", {}),
            "extension_not_allowed",
            True,
        ),
        (
            "extension-notification-modern",
            JULY,
            notification("notifications/vendor", {}),
            "extension_not_allowed",
            True,
        ),
        ("batch", MARCH, [tool("get_weather"), tool("delete_repo", id=2)], "tool_denied", False),
        (
            "batch-one-notification",
            MARCH,
            [notification("notifications/roots/list_changed"), request("ping")],
            "method_not_allowed",
            False,
        ),
        (
            "batch-notifications",
            MARCH,
            [
                notification("notifications/roots/list_changed"),
                notification("notifications/initialized"),
            ],
            "method_not_allowed",
            True,
        ),
        (
            "response",
            NOVEMBER,
            {"jsonrpc": "2.0", "id": 4, "result": {"action": "accept"}},
            "response_not_allowed",
            True,
        ),
        (
            "error-response",
            NOVEMBER,
            {"jsonrpc": "2.0", "id": 4, "error": {"code": -1, "message": "no"}},
            "response_not_allowed",
            True,
        ),
        (
            "batch-responses",
            MARCH,
            [{"jsonrpc": "2.0", "id": 4, "result": {}}],
            "response_not_allowed",
            True,
        ),
    ]
    for denial in ("http", "rpc"):
        for name, version, body, code, quiet in shapes:
            refuse = family.silent if quiet else family.refuse
            more = {"responses": "deny"} if "response" in code else {}
            rule = "11: policy denial; denied notification/response: empty body"
            refuse(
                f"denial-{denial}-{name}",
                "How a denial looks is the operator's choice.",
                rule,
                allow(denial=denial, **more),
                post(body, version),
                code,
                "policy denial",
            )
    # The choice is about denials: what is malformed keeps its status.
    family.refuse(
        "denial-rpc-reject",
        "`denial: rpc` changes no rejection.",
        ROWS,
        allow(denial="rpc"),
        post(request("tools/call", {"name": 5})),
        "params_invalid",
        "bad params",
    )
    family.refuse(
        "denial-rpc-version",
        "`denial: rpc` changes no rejection.",
        ROWS,
        allow([NOVEMBER], denial="rpc"),
        post(request("ping"), MARCH),
        "version_not_permitted",
        "revision not permitted",
    )


def rejected_without_id(family):
    """Rejected notifications, responses and batches: the status, a null id."""
    for name, version, body, code in [
        ("notification", NOVEMBER, notification("notifications/cancelled", {}), "params_invalid"),
        (
            "notification-modern",
            JULY,
            notification("notifications/initialized"),
            "method_unavailable",
        ),
        ("response", NOVEMBER, {"jsonrpc": "2.0", "id": 4, "result": 5}, "envelope_invalid"),
        ("batch", MARCH, [request("ping"), request("ping")], "batch_duplicate_id"),
        ("batch-empty", MARCH, [], "batch_empty"),
    ]:
        family.refuse(
            f"rejected-{name}",
            "Nobody waits for an answer with an id.",
            ROWS,
            allow(),
            post(body, version),
            code,
            "malformed",
        )


def families():
    """`ans`."""
    family = Family("ans", "answers")
    for part in (table, modern_only, versions, http, denials, rejected_without_id):
        part(family)
    return [family]
