"""Messages from which a person can repair the request."""

from case import (
    JULY,
    MARCH,
    NOVEMBER,
    Family,
    bare,
    compact,
    meta,
    notification,
    policy,
    post,
    request,
    tool,
)

BASE = {"methods": ["ping", "tools/list", "notifications/initialized"], "tools": ["get_weather"]}
DENY = {"tools": ["delete_repo"]}


def allow(versions=(MARCH, NOVEMBER, JULY), **more):
    """A policy with a few permissions and one deny."""
    return policy(versions, deny=DENY, **BASE, **more)


def told(family, slug, why, sent, code, *words, policy=None, **more):
    """A refusal whose message holds `words`."""
    family.refuse(
        slug,
        why,
        "11: answers",
        policy or allow(),
        sent,
        code,
        code.replace("_", " "),
        expected_message=list(words),
        **more,
    )


SECRET = "s3cret"


def params_told(family):
    """Bad params: the member and what it must be."""
    why = "Who sent it learns which member is wrong and what it must be."
    call = {"name": "get_weather"}
    token = "`params._meta.progressToken` must be a string or an integer"
    initialize = {
        "protocolVersion": NOVEMBER,
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    ref = {"type": "ref/prompt", "name": "p"}
    for slug, method, params, words in [
        ("name-missing", "tools/call", {}, ["`params.name` is missing", "a string", NOVEMBER]),
        (
            "name-number",
            "tools/call",
            {"name": 5},
            ["`params.name` must be a string, not a number"],
        ),
        ("token-flag", "tools/list", {"_meta": {"progressToken": True}}, [token]),
        ("token-fraction", "tools/list", {"_meta": {"progressToken": 1.5}}, [token, "64 bits"]),
        ("token-long", "tools/list", {"_meta": {"progressToken": 2**63}}, [token, "64 bits"]),
        ("meta-array", "tools/list", {"_meta": []}, ["`params._meta` must be an object"]),
        (
            "cursor-null",
            "tools/list",
            {"cursor": None},
            ["`params.cursor`", "be left out, not null"],
        ),
        ("cursor-number", "tools/list", {"cursor": 3}, ["`params.cursor` must be a string"]),
        ("uri-missing", "resources/read", {}, ["`params.uri` is missing", "a string"]),
        ("arguments-text", "tools/call", call | {"arguments": SECRET}, ["`params.arguments`"]),
        (
            "arguments-values",
            "prompts/get",
            {"name": "p", "arguments": {SECRET: 1}},
            ["`params.arguments.*` must be a string"],
        ),
        ("task-text", "tools/call", call | {"task": SECRET}, ["`params.task` must be an object"]),
        (
            "task-ttl",
            "tools/call",
            call | {"task": {"ttl": -1}},
            ["`params.task.ttl`", "milliseconds"],
        ),
        ("cancelled-empty", "notifications/cancelled", {}, ["`params.requestId` is missing"]),
        (
            "level-unknown",
            "logging/setLevel",
            {"level": SECRET},
            ["`params.level` must be `alert`", "`warning`"],
        ),
        ("level-missing", "logging/setLevel", {}, ["`params.level` is missing"]),
        (
            "ref-type",
            "completion/complete",
            {"ref": {"type": SECRET}, "argument": {"name": "a", "value": "b"}},
            ["`params.ref`", "`ref/prompt` or `ref/resource`"],
        ),
        (
            "ref-name",
            "completion/complete",
            {"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": "b"}},
            ["`params.ref.name` is missing"],
        ),
        (
            "argument-value",
            "completion/complete",
            {"ref": ref, "argument": {"name": "a"}},
            ["`params.argument.value` is missing"],
        ),
        (
            "context-values",
            "completion/complete",
            {
                "ref": ref,
                "argument": {"name": "a", "value": "b"},
                "context": {"arguments": {SECRET: 1}},
            },
            ["`params.context.arguments.*` must be a string"],
        ),
        (
            "info-version",
            "initialize",
            initialize | {"clientInfo": {"name": SECRET}},
            ["`params.clientInfo.version` is missing"],
        ),
        (
            "capabilities-array",
            "initialize",
            initialize | {"capabilities": []},
            ["`params.capabilities` must be an object"],
        ),
        (
            "capabilities-extensions",
            "initialize",
            initialize | {"capabilities": {"extensions": {SECRET: {}}}},
            ["`params.capabilities.extensions`", "a prefix"],
        ),
        (
            "icon-source",
            "initialize",
            initialize | {"clientInfo": initialize["clientInfo"] | {"icons": [{}]}},
            ["`params.clientInfo.icons[0].src` is missing"],
        ),
        (
            "progress-token",
            "notifications/progress",
            {"progress": 1},
            ["`params.progressToken` is missing"],
        ),
        ("task-id", "tasks/get", {"taskId": 5}, ["`params.taskId` must be a string"]),
        (
            "status-unknown",
            "notifications/tasks/status",
            {"taskId": "t", "status": SECRET, "createdAt": "x", "lastUpdatedAt": "x", "ttl": None},
            ["`params.status` must be"],
        ),
    ]:
        message = notification if method.startswith("notifications/") else request
        told(family, f"params-{slug}", why, post(message(method, params)), "params_invalid", *words)
    told(
        family,
        "params-absent",
        why,
        post(request("tools/call")),
        "params_invalid",
        "`params.name` is missing",
    )
    told(
        family,
        "params-in-batch",
        "The message that is wrong is told.",
        post([request("ping"), request("tools/call", {}, id=2)], MARCH),
        "params_invalid",
        "`params.name` is missing",
        "message 2 of the batch",
    )
    told(
        family,
        "params-without-header",
        "Nobody chose the revision; the message says where it comes from.",
        post(request("tools/call", {}), None),
        "params_invalid",
        "no `MCP-Protocol-Version` was sent",
    )


def meta_told(family):
    """Bad `_meta` of 2026-07-28: likewise."""
    why = "Who sent it learns which member of `_meta` is wrong and what it must be."
    own = "io.modelcontextprotocol/"
    capabilities = f'`params._meta["{own}clientCapabilities"]'
    info = f'`params._meta["{own}clientInfo"]'
    level = f'`params._meta["{own}logLevel"]'
    for slug, wrong, words in [
        ("capabilities-array", {own + "clientCapabilities": []}, [capabilities + "`", "an object"]),
        (
            "capabilities-null",
            {own + "clientCapabilities": None},
            [capabilities + "`", "an object"],
        ),
        (
            "capabilities-roots",
            {own + "clientCapabilities": {"roots": 1}},
            [capabilities + ".roots` must be an object"],
        ),
        (
            "capabilities-tasks",
            {own + "clientCapabilities": {"tasks": 5}},
            [capabilities + ".tasks`", "an object"],
        ),
        (
            "capabilities-extensions",
            {own + "clientCapabilities": {"extensions": {SECRET: {}}}},
            [capabilities + ".extensions`", "a prefix"],
        ),
        ("info-array", {own + "clientInfo": []}, [info + "`", "`name` and `version`"]),
        ("info-version", {own + "clientInfo": {"name": SECRET}}, [info + ".version` is missing"]),
        ("level-null", {own + "logLevel": None}, [level + "`", "be left out, not null"]),
        ("level-unknown", {own + "logLevel": SECRET}, [level + "`", "`debug`"]),
        (
            "token-flag",
            {"progressToken": False},
            ["`params._meta.progressToken` must be a string or an integer"],
        ),
        ("token-long", {"progressToken": 2**63}, ["`params._meta.progressToken`", "64 bits"]),
    ]:
        for method in ("tools/list", "vendor.example/rotate"):
            message = request(method, {"_meta": meta() | wrong}, JULY)
            kind = "core" if method == "tools/list" else "extension"
            told(family, f"meta-{slug}-{kind}", why, post(message, JULY), "meta_invalid", *words)
    for slug, params in [("absent", None), ("empty", {})]:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        if params is not None:
            message["params"] = params
        told(
            family,
            f"meta-{slug}",
            why,
            post(message, JULY),
            "meta_invalid",
            "`params._meta` is missing",
            f"`{own}protocolVersion`",
        )
    told(
        family,
        "version-of-another-kind",
        "A version that is no text agrees with no header.",
        post(request("tools/list", {"_meta": meta(5)}, JULY), JULY),
        "version_mismatch",
        f'`params._meta["{own}protocolVersion"]` must be `{JULY}`',
    )


def others_told(family):
    """What else a message names."""
    call = tool("get_weather")
    ping = request("ping")
    told(
        family,
        "version-missing",
        "First what is missing, then what is meant without it.",
        post(ping, None),
        "version_missing",
        f"`MCP-Protocol-Version` is missing; send it with one of: {NOVEMBER}",
        policy=allow([NOVEMBER]),
    )
    told(
        family,
        "version-unknown",
        "What may be sent is what the endpoint permits.",
        post(ping, "2031-01-01"),
        "version_unknown",
        f"send one of: {NOVEMBER}",
        policy=allow([NOVEMBER]),
    )
    text = compact(ping)
    for slug, body, code, words in [
        ("utf8-mark", b"\xef\xbb\xbf" + text.encode(), "json_invalid", "byte order mark"),
        (
            "utf16le-mark",
            b"\xff\xfe" + text.encode("utf-16-le"),
            "json_utf8",
            "UTF-16 byte order mark",
        ),
        (
            "utf16be-mark",
            b"\xfe\xff" + text.encode("utf-16-be"),
            "json_utf8",
            "UTF-16 byte order mark",
        ),
    ]:
        told(family, slug, "A byte order mark is called one.", post(body), code, words)
    told(
        family,
        "preflight",
        "A browser's preflight is for Envoy's CORS filter.",
        bare(
            "OPTIONS",
            None,
            [("origin", "https://app.example"), ("access-control-request-method", "POST")],
        ),
        "verb_not_allowed",
        "CORS",
        "before the MCP filter",
        id=None,
    )
    told(
        family,
        "other-host",
        "The path is right, so it is not blamed.",
        post(call, extra=[("host", "other.test")]),
        "no_endpoint",
        "none for this host",
        policy=allow(hosts=["mcp.test"], unmatched="deny"),
    )
    told(
        family,
        "bad-host",
        "A host that is none is not blamed on the path.",
        post(call, extra=[("host", "cases.test.")]),
        "host_invalid",
        "`Host` is not plain",
        policy=allow(path="/mcp", unmatched="deny"),
    )
    gateway = "refused by the gateway before the server: "
    told(
        family,
        "denied",
        "Clients show the message as the server's words.",
        post(tool("delete_repo")),
        "tool_denied",
        gateway + "tool `delete_repo`",
    )
    told(
        family,
        "not-allowed",
        "Likewise.",
        post(tool("list_repos")),
        "tool_not_allowed",
        gateway + "tool `list_repos`",
        "only the operator can allow it",
    )
    variant = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","NAME":1}}'
    told(
        family,
        "case-variant",
        "The protocol's member is named, the client's is not; the id is echoed.",
        post(variant),
        "json_case_variant",
        "differs from `name` only in case",
    )
    for slug, member, code in [
        ("case", '"ID":2', "json_case_variant"),
        ("control", '"id\\u0000":2', "json_control_in_name"),
        ("control-inside", '"i\\u0001d":2', "json_control_in_name"),
    ]:
        told(
            family,
            f"two-ids-{slug}",
            "Some reader takes the other member for the id: none is echoed.",
            post('{"jsonrpc":"2.0","id":1,"method":"ping",%s}' % member),
            code,
            id=None,
        )


def families():
    """`rpr`."""
    family = Family("rpr", "answers")
    for part in (params_told, meta_told, others_told):
        part(family)
    return [family]
