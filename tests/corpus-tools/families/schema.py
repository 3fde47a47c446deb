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
            "meta_invalid" if version == JULY else "params_invalid",
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


TEXT = {"type": "text", "text": "x"}
SAMPLED = {"role": "assistant", "model": "m", "content": TEXT}
TOOL_USE = {"type": "tool_use", "id": "1", "name": "t", "input": {}}
TOOL_RESULT = {"type": "tool_result", "toolUseId": "1", "content": [TEXT]}
LINK = {"type": "resource_link", "name": "n", "uri": "a:b"}
TASK = {
    "taskId": "t1",
    "status": "working",
    "ttl": None,
    "createdAt": "2025-11-25T10:00:00Z",
    "lastUpdatedAt": "2025-11-25T10:00:01Z",
}
ASKING = {
    "tools/call": {"name": "t"},
    "prompts/get": {"name": "p"},
    "resources/read": {"uri": "file:///docs/a"},
    "tasks/update": {"taskId": "t1"},
}


def without(whole, member):
    return {key: value for key, value in whole.items() if key != member}


def inputs(family):
    """Answers of the client inside a new request of 2026-07-28."""
    rule = "8: inside `inputResponses` the same holds at every depth"
    for at, (slug, answer) in enumerate(
        [
            ("null", None),
            ("text", "accept"),
            ("number", 12345),
            ("empty", {}),
            ("elicit-positional", ["accept", {"city": "Oslo"}]),
            ("elicit-action-map", {"action": {"accept": None}}),
            ("elicit-action-unknown", {"action": "maybe"}),
            ("elicit-action-null", {"action": None}),
            ("elicit-content-null", {"action": "accept", "content": None}),
            ("elicit-content-array", {"action": "accept", "content": []}),
            ("elicit-content-nested", {"action": "accept", "content": {"a": {"b": 1}}}),
            ("elicit-content-member-null", {"action": "accept", "content": {"a": None}}),
            ("elicit-content-numbers", {"action": "accept", "content": {"a": [1]}}),
            ("sampling-role-map", SAMPLED | {"role": {"assistant": None}}),
            ("sampling-role-unknown", SAMPLED | {"role": "system"}),
            ("sampling-no-model", without(SAMPLED, "model")),
            ("sampling-no-content", without(SAMPLED, "content")),
            ("sampling-content-null", SAMPLED | {"content": None}),
            ("sampling-content-positional", SAMPLED | {"content": ["text", "x"]}),
            ("sampling-content-of-arrays", SAMPLED | {"content": [["text", "x"]]}),
            ("sampling-text-null", SAMPLED | {"content": TEXT | {"text": None}}),
            ("sampling-type-map", SAMPLED | {"content": TEXT | {"type": {"text": None}}}),
            ("sampling-annotations-array", SAMPLED | {"content": TEXT | {"annotations": []}}),
            (
                "sampling-priority-high",
                SAMPLED | {"content": TEXT | {"annotations": {"priority": 2}}},
            ),
            (
                "sampling-audience-map",
                SAMPLED | {"content": TEXT | {"annotations": {"audience": [{"user": None}]}}},
            ),
            ("sampling-meta-array", SAMPLED | {"_meta": []}),
            ("sampling-stop-null", SAMPLED | {"stopReason": None}),
            ("sampling-stop-map", SAMPLED | {"stopReason": {"endTurn": None}}),
            ("sampling-tool-input-array", SAMPLED | {"content": TOOL_USE | {"input": []}}),
            (
                "sampling-tool-result-positional",
                SAMPLED | {"content": TOOL_RESULT | {"content": [["text", "x"]]}},
            ),
            (
                "sampling-tool-result-flag-null",
                SAMPLED | {"content": TOOL_RESULT | {"isError": None}},
            ),
            ("roots-positional", [[{"uri": "file:///docs"}]]),
            ("roots-null", {"roots": None}),
            ("roots-object", {"roots": {}}),
            ("roots-root-positional", {"roots": [["file:///docs"]]}),
            ("roots-no-uri", {"roots": [{"name": "docs"}]}),
            ("roots-name-null", {"roots": [{"uri": "file:///docs", "name": None}]}),
        ]
    ):
        method = list(ASKING)[at % len(ASKING)]
        body = request(method, ASKING[method] | {"inputResponses": {"ask": answer}}, JULY)
        refuse_input(family, f"input-{slug}", rule, body)
    # Nothing but the table knows the extension's answers.
    for slug, answer in [
        ("action-unknown", {"action": "maybe"}),
        ("role-unknown", SAMPLED | {"role": "system"}),
    ]:
        responses = {"inputResponses": {"ask": answer}}
        body = request("tasks/update", ASKING["tasks/update"] | responses, JULY)
        refuse_input(family, f"input-tasks-update-{slug}", rule, body)
    for method, params in ASKING.items():
        for slug, responses in [("array", []), ("null", None), ("positional", [["accept"]])]:
            body = request(method, params | {"inputResponses": responses}, JULY)
            refuse_input(family, f"inputs-{slug}-{method.replace('/', '-')}", rule, body)
        answers = {
            "elicit": {"action": "accept", "content": {"a": "x", "b": 1.5, "c": True, "d": ["y"]}},
            "declined": {"action": "decline"},
            "sampled": SAMPLED | {"stopReason": "endTurn", "_meta": {}},
            "tools": SAMPLED | {"content": [TEXT, TOOL_USE, TOOL_RESULT]},
            "roots": {"roots": [{"uri": "file:///docs", "name": "docs"}]},
        }
        body = request(method, params | {"inputResponses": answers}, JULY)
        family.forward(
            f"taken-inputs-{method.replace('/', '-')}",
            "Answers as the schema has them.",
            rule,
            INPUTS,
            post(body, JULY),
        )


INPUTS = policy(
    [JULY], tools=["t"], prompts=["p"], resources=["file:///docs/**"], extensions=["tasks/update"]
)


def refuse_input(family, slug, rule, body):
    family.refuse(
        slug,
        "Not the schema's shape, at whatever depth.",
        rule,
        INPUTS,
        post(body, JULY),
        "params_invalid",
        "an answer of none of the three shapes",
    )


def statuses(family):
    """`notifications/tasks/status` of 2025-11-25: a whole task."""
    rule = "8: task status, a missing required member"
    for slug, params in [
        *[(f"no-{member}", without(TASK, member)) for member in TASK],
        ("status-map", TASK | {"status": {"working": None}}),
        ("status-unknown", TASK | {"status": "asleep"}),
        ("message-null", TASK | {"statusMessage": None}),
        ("poll-null", TASK | {"pollInterval": None}),
        ("ttl-text", TASK | {"ttl": "60000"}),
        ("created-number", TASK | {"createdAt": 1}),
    ]:
        family.refuse(
            f"task-status-{slug}".lower(),
            "The schema wants a whole task.",
            rule,
            ALLOW,
            post(notification("notifications/tasks/status", params)),
            "params_invalid",
            "not a task",
        )
    for slug, params in [("plain", TASK), ("ttl", TASK | {"ttl": 60000, "pollInterval": 500})]:
        family.forward(
            f"taken-task-status-{slug}",
            "A whole task.",
            rule,
            ALLOW,
            post(notification("notifications/tasks/status", params)),
        )


def cancelled(family):
    """`notifications/cancelled` in 2026-07-28: a notification like others."""
    rule = "8: `notifications/cancelled` in 2026-07-28 is an ordinary notification"
    name, id = "notifications/cancelled", {"requestId": "listen:0"}
    for slug, params in [
        ("text-id", id),
        ("number-id", {"requestId": 0}),
        ("reason", id | {"reason": "closed"}),
        ("meta", id | {"_meta": {META + "subscriptionId": "s"}}),
        ("unknown-member", id | {"later": None}),
    ]:
        family.forward(
            f"taken-cancelled-{slug}",
            "The TypeScript SDK posts it whenever it closes a listener.",
            rule,
            ALLOW,
            post(notification(name, params), JULY),
        )
    for slug, params in [
        ("no-params", None),
        ("no-id", {"reason": "closed"}),
        ("reason-number", id | {"reason": 5}),
        ("reason-null", id | {"reason": None}),
        ("id-null", {"requestId": None}),
        ("id-map", {"requestId": {"0": None}}),
        ("id-fraction", {"requestId": 1.5}),
        ("meta-array", id | {"_meta": []}),
        ("meta-subscription-null", id | {"_meta": {META + "subscriptionId": None}}),
    ]:
        family.refuse(
            f"cancelled-modern-{slug}",
            "Its params are judged like any other's.",
            rule,
            ALLOW,
            post(notification(name, params), JULY),
            "meta_invalid" if slug.startswith("meta-") else "params_invalid",
            "bad params",
        )


def untyped(family):
    """What no schema types is not judged."""
    rule = "8: the official schema of the revision"
    token = {"_meta": {"progressToken": 1.5}}
    for version in LEGACY:
        family.forward(
            f"taken-token-in-notification-{version}",
            "`_meta` of a notification has no types.",
            rule,
            ALLOW,
            post(notification("notifications/initialized", token), version),
        )
    family.forward(
        "taken-arguments-elsewhere",
        "Only calls and prompts have `arguments`; elsewhere it is an unknown member.",
        rule,
        ALLOW,
        post(request("ping", {"arguments": "x"})),
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
        (
            "info-meta-number",
            request("initialize", HELLO | {"clientInfo": INFO | {"_meta": 5}}),
            [NOVEMBER],
        ),
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
        ("extensions-modern", {"extensions": {"foo": {}}}),
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
    resource = {"type": "resource", "resource": {"uri": "a:b", "text": ""}}
    for slug, block in [("link", LINK), ("resource", resource)]:
        answer = SAMPLED | {"content": [TOOL_RESULT | {"content": [block]}]}
        refuse(
            family,
            f"input-tool-result-{slug}",
            "The schema would take it; no known client sends it.",
            STRICT,
            request("tools/call", {"name": "t", "inputResponses": {"ask": answer}}, JULY),
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
    family = Family("sch", "profile")
    lax(family)
    inputs(family)
    statuses(family)
    cancelled(family)
    untyped(family)
    stricter(family)
    taken(family)
    return [family]
