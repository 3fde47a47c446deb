"""Envelopes, batches and client responses."""

from case import (
    ALL,
    JULY,
    JUNE,
    LEGACY,
    MARCH,
    NOVEMBER,
    Family,
    notification,
    policy,
    post,
    request,
    tool,
)

ENVELOPE = "6: exactly one of request / notification / result / error"
PARAMS = "6: `params` if present is an object"
BATCH = "6: batches exist only in 2025-03-26"
EVERY = "6: every member is inspected and authorised"
ANSWERS = "8: client responses in legacy revisions pass"
PING, INITIALIZED = request("ping"), notification("notifications/initialized")


def allow(versions=ALL, **more):
    """A policy that permits two methods, a notification and a tool."""
    return policy(
        versions,
        methods=["initialize", "ping", "tools/list", "notifications/initialized"],
        tools=["get_weather"],
        **more,
    )


def envelopes(family):
    for slug, body, code in [
        ("nothing", {"jsonrpc": "2.0", "id": 1}, "envelope_invalid"),
        ("params-only", {"jsonrpc": "2.0", "id": 1, "params": {}}, "envelope_invalid"),
        ("version-missing", {"id": 1, "method": "ping"}, "envelope_invalid"),
        ("version-short", PING | {"jsonrpc": "2"}, "envelope_invalid"),
        ("version-array", PING | {"jsonrpc": ["2.0"]}, "envelope_invalid"),
        ("method-and-result", PING | {"result": {}}, "envelope_conflict"),
        ("method-and-null-result", PING | {"result": None}, "envelope_conflict"),
        ("method-and-error", PING | {"error": {"code": 1, "message": ""}}, "envelope_conflict"),
        ("method-and-null-error", PING | {"error": None}, "envelope_conflict"),
        (
            "null-method-and-result",
            {"jsonrpc": "2.0", "id": 1, "method": None, "result": {}},
            "envelope_conflict",
        ),
        (
            "result-and-error",
            {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}},
            "envelope_conflict",
        ),
        ("method-null", {"jsonrpc": "2.0", "id": 1, "method": None}, "method_invalid"),
        ("method-number", {"jsonrpc": "2.0", "id": 1, "method": 7}, "method_invalid"),
        ("method-empty", {"jsonrpc": "2.0", "id": 1, "method": ""}, "method_invalid"),
    ]:
        family.refuse(
            f"envelope-{slug}",
            "Not exactly one kind of message.",
            ENVELOPE,
            allow(),
            post(body),
            code,
            "bad envelope",
            unsaid=("expected_id",),
        )
    for slug, value in [
        ("null", None),
        ("array", []),
        ("positional", ["get_weather", {}]),
        ("string", "x"),
    ]:
        body = request("ping") | {"params": value}
        family.refuse(
            f"params-{slug}",
            "MCP knows named params only.",
            PARAMS,
            allow(),
            post(body),
            "params_invalid",
            "params is not an object",
        )
        if slug in ("null", "positional"):
            note = INITIALIZED | {"params": value}
            family.refuse(
                f"params-{slug}-notification",
                "MCP knows named params only.",
                PARAMS,
                allow(),
                post(note),
                "params_invalid",
                "params is not an object",
            )
    for slug, body in [
        ("params-empty", request("ping", {})),
        ("params-unknown", request("ping", {"x": [1, None]})),
        ("unknown-member", PING | {"trace": {"id": 1}}),
        ("unknown-member-null", PING | {"x": None}),
        ("meta", request("ping", {"_meta": {"progressToken": 0, "com.example/x": 1}})),
        ("notification-params", notification("notifications/initialized", {"_meta": {}})),
    ]:
        family.forward(
            f"{slug}", "Unknown members are the server's affair.", ENVELOPE, allow(), post(body)
        )
    for slug, method in [
        ("leading-space", " tools/call"),
        ("trailing-space", "tools/call "),
        ("capitals", "Tools/Call"),
        ("rpc", "rpc.discover"),
        ("look-alike", "tools\u2215call"),
    ]:
        body = request(method, {"name": "get_weather"})
        family.refuse(
            f"method-{slug}",
            "A name of its own; nothing is trimmed or folded.",
            "8: unknown to every revision: an extension",
            allow(),
            post(body),
            "extension_not_allowed",
            "unknown method is an extension",
        )


def batches(family):
    two = [PING, tool("get_weather", id=2)]
    for slug, body in [
        ("one", [PING]),
        ("two", two),
        ("notifications", [INITIALIZED, INITIALIZED]),
        ("id-and-string", [request("ping", id=1), request("ping", id="1")]),
        ("id-empty-and-zero", [request("ping", id=""), request("ping", id=0)]),
    ]:
        family.forward(f"batch-{slug}", "A batch of 2025-03-26.", BATCH, allow(), post(body, MARCH))
    family.forward(
        "batch-no-header",
        "No header is 2025-03-26, where batches are.",
        BATCH,
        allow(),
        post(two, None),
    )
    family.forward(
        "batch-responses",
        "Answers in one batch.",
        BATCH,
        allow(),
        post(
            [
                {"jsonrpc": "2.0", "id": 1, "result": {}},
                {"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": "no"}},
            ],
            MARCH,
        ),
        "client_response",
    )
    for version in (JUNE, NOVEMBER, JULY):
        for slug, body in [
            ("calls", two),
            ("responses", [{"jsonrpc": "2.0", "id": 1, "result": {}}]),
            ("notifications", [INITIALIZED]),
        ]:
            if slug == "calls" or version == JUNE:
                family.refuse(
                    f"batch-{slug}-{version}",
                    "No batches there, although the endpoint permits 2025-03-26 too.",
                    BATCH,
                    allow(),
                    post(body, version),
                    "batch_unavailable",
                    "no batches in this revision",
                )
    response = {"jsonrpc": "2.0", "id": 9, "result": {}}
    for slug, body, code in [
        ("empty", [], "batch_empty"),
        ("nested", [[PING]], "batch_member_invalid"),
        ("scalar", [PING, 1], "batch_member_invalid"),
        ("null", [None], "batch_member_invalid"),
        ("mixed", [PING, response], "batch_mixed"),
        ("mixed-notification", [response, INITIALIZED], "batch_mixed"),
        ("same-id", [PING, PING], "batch_duplicate_id"),
        (
            "same-id-escaped",
            '[{"jsonrpc":"2.0","id":"a","method":"ping"},'
            '{"jsonrpc":"2.0","id":"\\u0061","method":"ping"}]',
            "batch_duplicate_id",
        ),
        ("same-response-id", [response, response], "batch_duplicate_id"),
        ("conflict", [PING, PING | {"id": 2, "result": {}}], "envelope_conflict"),
        ("bad-params", [PING, tool(5, id=2)], "params_invalid"),
        ("wrong-direction", [PING, request("roots/list", id=2)], "method_wrong_direction"),
        ("unavailable", [PING, request("tasks/list", id=2)], "method_unavailable"),
        ("wrong-kind", [PING, notification("tools/list")], "method_wrong_kind"),
        ("bad-name", [PING, tool("a b", id=2)], "tool_name_invalid"),
    ]:
        family.refuse(
            f"batch-{slug}",
            "One malformed member rejects the batch.",
            EVERY,
            allow(),
            post(body, MARCH),
            code,
            "malformed batch",
        )
        if slug in ("empty", "bad-params", "mixed"):
            family.refuse(
                f"batch-{slug}-audit",
                "In both modes.",
                EVERY,
                allow(mode="audit"),
                post(body, MARCH),
                code,
                "malformed batch",
            )
    initialize = request(
        "initialize",
        {"protocolVersion": MARCH, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    )
    for slug, body in [
        ("alone", [initialize]),
        ("first", [initialize, request("ping", id=2)]),
        ("last", [request("ping", id=2), initialize]),
    ]:
        for version in (MARCH, None):
            family.refuse(
                f"batch-initialize-{slug}-{version or 'no-header'}",
                "A batch gets no exemption and holds no `initialize`.",
                BATCH,
                allow(),
                post(body, version),
                "initialize_in_batch",
                "initialize in a batch",
            )
    denied = tool("delete_repo", id=7)
    for slug, body in [("first", [denied, PING]), ("last", [PING, denied]), ("alone", [denied])]:
        family.refuse(
            f"batch-denied-{slug}",
            "One denied member denies all.",
            EVERY,
            allow(),
            post(body, MARCH),
            "tool_not_allowed",
            "policy denial of a member",
        )
        family.forward(
            f"batch-denied-{slug}-audit",
            "Audit lets a denied batch pass.",
            EVERY,
            allow(mode="audit"),
            post(body, MARCH),
            "tool_not_allowed",
            "audit: recorded as would-deny",
        )


def responses(family):
    elicited = {"action": "accept", "content": {"city": "Oslo", "days": 1.5}}
    for version in LEGACY:
        family.forward(
            f"result-{version}",
            "Elicitation and sampling answers travel this way.",
            ANSWERS,
            allow(),
            post({"jsonrpc": "2.0", "id": 3, "result": elicited}, version),
            "client_response",
        )
        family.forward(
            f"error-{version}",
            "So do refusals of the user.",
            ANSWERS,
            allow(),
            post(
                {
                    "jsonrpc": "2.0",
                    "id": "e-3",
                    "error": {"code": -32601, "message": "no", "data": [1]},
                },
                version,
            ),
            "client_response",
        )
    for slug, body in [
        ("result", {"jsonrpc": "2.0", "id": 3, "result": {}}),
        ("error", {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": ""}}),
    ]:
        family.refuse(
            f"{slug}-modern",
            "2026-07-28 has no client responses.",
            "8: a client response is refused in 2026-07-28",
            allow(),
            post(body, JULY),
            "response_unavailable",
            "no responses in this revision",
        )
    for slug, more, code in [
        ("result-no-id", {"result": {}}, "id_invalid"),
        ("result-null-id", {"id": None, "result": {}}, "id_invalid"),
        ("result-number", {"id": 1, "result": 5}, "envelope_invalid"),
        ("result-null", {"id": 1, "result": None}, "envelope_invalid"),
        ("result-array", {"id": 1, "result": []}, "envelope_invalid"),
        ("error-null-id", {"id": None, "error": {"code": 1, "message": ""}}, "id_invalid"),
        ("error-null", {"id": 1, "error": None}, "envelope_invalid"),
        ("error-array", {"id": 1, "error": [-1, "no", None]}, "envelope_invalid"),
        ("error-no-code", {"id": 1, "error": {"message": "no"}}, "envelope_invalid"),
        ("error-string-code", {"id": 1, "error": {"code": "1", "message": ""}}, "envelope_invalid"),
        ("error-no-message", {"id": 1, "error": {"code": 1}}, "envelope_invalid"),
    ]:
        family.refuse(
            slug,
            "Not an answer.",
            ENVELOPE,
            allow(),
            post({"jsonrpc": "2.0"} | more),
            code,
            "bad envelope",
        )
    family.forward(
        "result-audit",
        "`responses` is a switch, not a rule; allowed is allowed.",
        ANSWERS,
        allow(mode="audit"),
        post({"jsonrpc": "2.0", "id": 1, "result": {}}),
        "client_response",
    )
    family.forward(
        "result-denied-audit",
        "Audit lets denied answers pass.",
        ANSWERS,
        allow(mode="audit", responses="deny"),
        post({"jsonrpc": "2.0", "id": 1, "result": {}}),
        "response_not_allowed",
        "audit: recorded as would-deny",
    )


def families():
    """`msg`."""
    family = Family("msg", "envelope")
    for part in (envelopes, batches, responses):
        part(family)
    return [family]
