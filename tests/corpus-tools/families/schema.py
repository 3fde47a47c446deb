"""Where a typed reader of params is laxer or stricter than the schema.

Laxer: serde takes arrays for objects, `null` for absent members and
`{"info": null}` for an enumeration. All that is refused. Stricter: such
refusals stand; no client is known to send what they hit.
"""

from case import (
    ALL,
    JULY,
    JUNE,
    LEGACY,
    MARCH,
    META,
    NOVEMBER,
    Family,
    notification,
    policy,
    post,
    request,
    tool,
)

LAX = "8: every other place where Tower is laxer than the official schema is refused"
STRICT = "8: where Tower alone is stricter, its refusal stands"
INFO = {"name": "c", "version": "1"}
HELLO = {"protocolVersion": NOVEMBER, "capabilities": {}, "clientInfo": INFO}
COMPLETE = {
    "ref": {"type": "ref/prompt", "name": "review"},
    "argument": {"name": "a", "value": "b"},
}
ALLOW = policy(
    ALL,
    methods=["*", "tools/call", "prompts/get", "resources/read"],
    extensions=["vendor/x", "notifications/tasks", "tasks/get"],
)


def refuse(family, slug, why, rule, body, version, code="params_invalid", **more):
    """A refusal for bad params; params and `_meta` share the error code."""
    family.refuse(
        f"{slug}-{version}",
        why,
        rule,
        ALLOW,
        post(body, version),
        code,
        "bad params",
        **more,
    )


def with_meta(method, params, version, **keys):
    """A request whose `_meta` has these members too."""
    body = request(method, params, version)
    held = body.setdefault("params", {}).setdefault("_meta", {})
    held.update(keys)
    return body


def lax(family):
    for version in ALL:
        for slug, value in [("string", "x"), ("null", None), ("array", [1])]:
            if slug == "null" or version in (MARCH, JULY):
                refuse(
                    family,
                    f"arguments-{slug}",
                    "`arguments` must be an object.",
                    LAX,
                    request("tools/call", {"name": "t", "arguments": value}, version),
                    version,
                )
        member, value = (
            ("ref", ["ref/prompt", "p"]) if version in (MARCH, JULY) else ("argument", ["a", "b"])
        )
        refuse(
            family,
            f"{member}-array",
            "An array for an object.",
            LAX,
            request("completion/complete", COMPLETE | {member: value}, version),
            version,
        )
        refuse(
            family,
            "cursor-null",
            "`null` for an absent member.",
            LAX,
            request("tools/list", {"cursor": None}, version),
            version,
        )
        refuse(
            family,
            "progress-token-null",
            "`null` for an absent member.",
            LAX,
            with_meta("tools/list", {}, version, progressToken=None),
            version,
        )
        refuse(
            family,
            "extension-positional",
            "Params of an extension are an object too.",
            LAX,
            {"jsonrpc": "2.0", "id": 1, "method": "vendor/x", "params": [1]},
            version,
        )
        family.refuse(
            f"notifications-tasks-{version}",
            "Only servers send it, whatever the policy lists.",
            LAX,
            ALLOW,
            post(notification("notifications/tasks", {}), version),
            "method_wrong_direction",
            "wrong direction",
        )
    for version in (JUNE, NOVEMBER, JULY):
        refuse(
            family,
            "context-array",
            "An array for an object.",
            LAX,
            request("completion/complete", COMPLETE | {"context": []}, version),
            version,
        )
    for version in LEGACY:
        refuse(
            family,
            "meta-null",
            "`null` for an absent member.",
            LAX,
            request("tools/list", {"_meta": None}),
            version,
        )
        refuse(
            family,
            "cancelled-reason-null",
            "`null` for an absent member: rmcp up to 0.8 where a call is given up without a reason.",
            LAX,
            notification("notifications/cancelled", {"requestId": 1, "reason": None}),
            version,
        )
        refuse(
            family,
            "level-object",
            "An object for an enumeration.",
            LAX,
            request("logging/setLevel", {"level": {"info": None}}),
            version,
        )
    for slug, value in [("string", "x"), ("number", 1), ("array", [])]:
        refuse(
            family,
            f"meta-{slug}",
            "`_meta` is an object.",
            LAX,
            request("ping", {"_meta": value}),
            NOVEMBER,
        )
    refuse(
        family,
        "meta-array-notification",
        "`_meta` is an object.",
        LAX,
        notification("notifications/initialized", {"_meta": []}),
        NOVEMBER,
    )
    for slug, params in [
        ("capabilities-array", {"capabilities": []}),
        ("info-array", {"clientInfo": ["a", "1"]}),
        ("sampling-array", {"capabilities": {"sampling": []}}),
        ("roots-null", {"capabilities": {"roots": None}}),
        ("experimental-flag", {"capabilities": {"experimental": {"x": True}}}),
    ]:
        refuse(
            family,
            f"initialize-{slug}",
            "Not the schema's kind.",
            LAX,
            request("initialize", HELLO | params),
            NOVEMBER,
        )
    refuse(
        family,
        "task-array",
        "An array for an object.",
        LAX,
        request("tools/call", {"name": "t", "task": []}),
        NOVEMBER,
    )
    for slug, keys in [
        ("capabilities-array", {META + "clientCapabilities": []}),
        ("capabilities-null", {META + "clientCapabilities": None}),
        ("info-array", {META + "clientInfo": ["a", "1", None, None, None, None]}),
        ("info-nameless", {META + "clientInfo": {"version": "1"}}),
        ("level-object", {META + "logLevel": {"info": None}}),
        ("level-null", {META + "logLevel": None}),
        ("level-unknown", {META + "logLevel": "loud"}),
    ]:
        refuse(
            family,
            f"meta-{slug}",
            "Not the schema's kind.",
            LAX,
            with_meta("tools/list", {}, JULY, **keys),
            JULY,
            "meta_invalid",
        )
        if slug in ("capabilities-array", "level-null"):
            refuse(
                family,
                f"extension-meta-{slug}",
                "Extension requests carry the same `_meta`.",
                LAX,
                with_meta("vendor/x", {}, JULY, **keys),
                JULY,
                "meta_invalid",
            )
    for slug, wanted in [
        ("array", []),
        ("flag-null", {"toolsListChanged": None}),
        ("uris-string", {"resourceSubscriptions": "a:b"}),
        ("uris-number", {"resourceSubscriptions": [1]}),
    ]:
        refuse(
            family,
            f"listen-{slug}",
            "Not the schema's kind.",
            LAX,
            request("subscriptions/listen", {"notifications": wanted}, JULY),
            JULY,
        )
    body = {"jsonrpc": "2.0", "id": 1, "method": "vendor/x"}
    refuse(
        family,
        "extension-no-params",
        "Extension requests carry `_meta` too.",
        LAX,
        body,
        JULY,
        "meta_invalid",
    )


def stricter(family):
    for slug, body, versions in [
        ("token-over-i64", with_meta("tools/list", {}, NOVEMBER, progressToken=2**63), [NOVEMBER]),
        (
            "token-one-point-zero",
            with_meta("tools/list", {}, NOVEMBER, progressToken=1.0),
            [NOVEMBER],
        ),
        (
            "cancelled-no-request",
            notification("notifications/cancelled", {"reason": "x"}),
            [NOVEMBER],
        ),
        ("task-string", request("tools/call", {"name": "t", "task": "x"}), [MARCH, JUNE]),
        (
            "ttl-exponent",
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
            '{"name":"t","task":{"ttl":6e4}}}',
            [NOVEMBER],
        ),
        ("ttl-negative", request("tools/call", {"name": "t", "task": {"ttl": -1}}), [NOVEMBER]),
        (
            "input-responses-number",
            request("tools/call", {"name": "t", "inputResponses": 5}),
            [NOVEMBER],
        ),
        ("request-state-number", request("tools/call", {"name": "t", "requestState": 5}), [JUNE]),
        (
            "extensions-unprefixed",
            request("initialize", HELLO | {"capabilities": {"extensions": {"foo": {}}}}),
            [NOVEMBER],
        ),
        (
            "extensions-flag",
            request(
                "initialize", HELLO | {"capabilities": {"extensions": {"com.example/foo": True}}}
            ),
            [NOVEMBER],
        ),
        (
            "roots-deprecated",
            request("initialize", HELLO | {"capabilities": {"roots": {"deprecated": 5}}}),
            [NOVEMBER],
        ),
        (
            "icon-sizes",
            request(
                "initialize",
                HELLO | {"clientInfo": INFO | {"icons": [{"src": "a:b", "sizes": "48x48"}]}},
            ),
            [JUNE],
        ),
        ("tasks-status", request("tasks/list", {"status": "bogus"}), [NOVEMBER]),
        ("context-number", request("completion/complete", COMPLETE | {"context": 5}), [MARCH]),
    ]:
        for version in versions:
            known = {"id": 1} if isinstance(body, str) else {}
            refuse(
                family,
                slug,
                "The schema would take it; no known client sends it.",
                STRICT,
                body,
                version,
                **known,
            )
    for slug, capabilities in [
        ("roots-flag", {"roots": {"listChanged": "x"}}),
        ("tasks-number", {"tasks": 5}),
    ]:
        refuse(
            family,
            slug,
            "The schema would take it; no known client sends it.",
            STRICT,
            with_meta("tools/list", {}, JULY, **{META + "clientCapabilities": capabilities}),
            JULY,
            "meta_invalid",
        )
    refuse(
        family,
        "task-string",
        "The schema would take it; no known client sends it.",
        STRICT,
        request("tools/call", {"name": "t", "task": "x"}, JULY),
        JULY,
    )
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": 2147483648, "message": ""}}
    family.refuse(
        "error-code-over-i32",
        "The schema would take it; no known client sends it.",
        STRICT,
        ALLOW,
        post(error),
        "envelope_invalid",
        "code outside i32",
    )


def taken(family):
    """What real clients send and must pass."""
    rule = "8: ask Tower with the selected revision"
    full = {
        META + "clientInfo": INFO | {"title": "C"},
        META + "logLevel": "info",
        "progressToken": 0,
        META + "clientCapabilities": {"roots": {}, "sampling": {}, "elicitation": {"form": {}}},
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }
    for slug, body, version in [
        ("full-meta", with_meta("tools/list", {}, JULY, **full), JULY),
        ("probe-id", request("server/discover", {}, JULY, id="server-discover-probe-1"), JULY),
        (
            "input-responses",
            request(
                "tools/call",
                {"name": "t", "inputResponses": {"a": {"action": "accept"}}, "requestState": "s"},
                JULY,
            ),
            JULY,
        ),
        ("task", request("tools/call", {"name": "t", "task": {"ttl": 60000}}), NOVEMBER),
        (
            "old-task-in-modern",
            request("tools/call", {"name": "t", "task": {"ttl": 60000}}, JULY),
            JULY,
        ),
        ("no-arguments", request("tools/call", {"name": "t"}), NOVEMBER),
        ("unknown-param", request("tools/list", {"limit": 10}), NOVEMBER),
        (
            "listen-all",
            request(
                "subscriptions/listen",
                {
                    "notifications": {
                        "toolsListChanged": True,
                        "promptsListChanged": False,
                        "resourcesListChanged": True,
                        "resourceSubscriptions": [],
                    }
                },
                JULY,
            ),
            JULY,
        ),
        ("extension-legacy-no-params", {"jsonrpc": "2.0", "id": 1, "method": "vendor/x"}, NOVEMBER),
        ("extension-modern", request("vendor/x", {"any": [1, None]}, JULY), JULY),
    ]:
        family.forward(f"taken-{slug}", "Real clients send it.", rule, ALLOW, post(body, version))
    prompt = request("prompts/get", {"name": "review", "arguments": {"style": "short"}})
    family.forward(
        "taken-prompt-arguments", "Prompt arguments are strings.", rule, ALLOW, post(prompt)
    )
    prompt = request("prompts/get", {"name": "review", "arguments": {"lines": 5}})
    refuse(
        family, "prompt-argument-number", "Prompt arguments are strings.", rule, prompt, NOVEMBER
    )
    for version in (NOVEMBER, JULY):
        family.forward(
            f"taken-large-call-{version}",
            "What a tool takes is its own affair.",
            rule,
            ALLOW,
            post(tool("t", {"rows": [{"n": n, "v": None} for n in range(40)]}, version), version),
        )


def families():
    """`sch`."""
    family = Family("sch")
    lax(family)
    stricter(family)
    taken(family)
    return [family]
