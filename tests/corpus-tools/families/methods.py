"""Core methods in every revision: available, direction, kind, params."""

from case import (
    ALL,
    JULY,
    JUNE,
    LEGACY,
    NOVEMBER,
    TASKS,
    Family,
    meta,
    notification,
    policy,
    post,
    request,
)

RULE = "8: not available, wrong direction, wrong kind, bad params"
INFO = {"name": "probe", "version": "1.0.0"}
SINCE_JUNE = (JUNE, NOVEMBER)

# Name -> (kind, revisions in which clients may send it, revisions in which
# only servers may, minimal params, member that must be there, a wrong value
# for a member). None: there is nothing to get wrong.
REQUEST, NOTE = "request", "notification"
URI, PLAIN = {"uri": "file:///docs/a.md"}, {}
METHODS = {
    "initialize": (
        REQUEST,
        LEGACY,
        (),
        {"protocolVersion": NOVEMBER, "capabilities": {}, "clientInfo": INFO},
        "clientInfo",
        ("capabilities", "all"),
    ),
    "ping": (REQUEST, LEGACY, (), PLAIN, None, None),
    "completion/complete": (
        REQUEST,
        ALL,
        (),
        {
            "ref": {"type": "ref/prompt", "name": "review"},
            "argument": {"name": "style", "value": "f"},
        },
        "argument",
        ("ref", "review"),
    ),
    "prompts/get": (REQUEST, ALL, (), {"name": "review"}, "name", ("name", 7)),
    "resources/read": (REQUEST, ALL, (), URI, "uri", ("uri", ["file:///docs/a.md"])),
    "tools/call": (REQUEST, ALL, (), {"name": "get_weather"}, "name", ("arguments", "city")),
    "prompts/list": (REQUEST, ALL, (), PLAIN, None, ("cursor", 5)),
    "resources/list": (REQUEST, ALL, (), PLAIN, None, ("cursor", {})),
    "resources/templates/list": (REQUEST, ALL, (), PLAIN, None, ("cursor", False)),
    "tools/list": (REQUEST, ALL, (), PLAIN, None, ("cursor", ["p2"])),
    "logging/setLevel": (REQUEST, LEGACY, (), {"level": "info"}, "level", ("level", "loud")),
    "resources/subscribe": (REQUEST, LEGACY, (), URI, "uri", ("uri", None)),
    "resources/unsubscribe": (REQUEST, LEGACY, (), URI, "uri", ("uri", 0)),
    "sampling/createMessage": (
        REQUEST,
        (),
        LEGACY,
        {
            "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
            "maxTokens": 16,
        },
        None,
        None,
    ),
    "roots/list": (REQUEST, (), LEGACY, PLAIN, None, None),
    "elicitation/create": (
        REQUEST,
        (),
        SINCE_JUNE,
        {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}},
        None,
        None,
    ),
    "tasks/get": (REQUEST, (NOVEMBER,), (), {"taskId": "t1"}, "taskId", ("taskId", 1)),
    "tasks/result": (REQUEST, (NOVEMBER,), (), {"taskId": "t1"}, "taskId", ("taskId", {})),
    "tasks/cancel": (REQUEST, (NOVEMBER,), (), {"taskId": "t1"}, "taskId", ("taskId", True)),
    "tasks/list": (REQUEST, (NOVEMBER,), (), PLAIN, None, ("cursor", 1)),
    "tasks/update": (REQUEST, (), (), {"taskId": "t1", "inputResponses": {}}, None, None),
    "server/discover": (REQUEST, (JULY,), (), PLAIN, None, None),
    "subscriptions/listen": (
        REQUEST,
        (JULY,),
        (),
        {"notifications": {"toolsListChanged": True}},
        "notifications",
        ("notifications", True),
    ),
    "notifications/cancelled": (
        NOTE,
        ALL,
        (),
        {"requestId": 1},
        "requestId",
        ("requestId", {"id": 1}),
    ),
    "notifications/progress": (
        NOTE,
        LEGACY,
        (JULY,),
        {"progressToken": 1, "progress": 0.5},
        "progress",
        ("progress", "half"),
    ),
    "notifications/initialized": (NOTE, LEGACY, (), PLAIN, None, None),
    "notifications/roots/list_changed": (NOTE, LEGACY, (), PLAIN, None, None),
    "notifications/message": (NOTE, (), ALL, {"level": "info", "data": "x"}, None, None),
    "notifications/resources/updated": (NOTE, (), ALL, URI, None, None),
    "notifications/resources/list_changed": (NOTE, (), ALL, PLAIN, None, None),
    "notifications/tools/list_changed": (NOTE, (), ALL, PLAIN, None, None),
    "notifications/prompts/list_changed": (NOTE, (), ALL, PLAIN, None, None),
    "notifications/elicitation/complete": (
        NOTE,
        (),
        (NOVEMBER,),
        {"elicitationId": "e1"},
        None,
        None,
    ),
    "notifications/tasks/status": (
        NOTE,
        (NOVEMBER,),
        (),
        {
            "taskId": "t1",
            "status": "working",
            "ttl": None,
            "createdAt": "2025-11-25T10:00:00Z",
            "lastUpdatedAt": "2025-11-25T10:00:01Z",
        },
        "status",
        ("taskId", 1),
    ),
    "notifications/subscriptions/acknowledged": (
        NOTE,
        (),
        (JULY,),
        {"notifications": {}},
        None,
        None,
    ),
}
NAMED = {
    "tools/call": "tool",
    "prompts/get": "prompt",
    "resources/read": "resource",
    "resources/subscribe": "resource",
    "resources/unsubscribe": "resource",
}


def slug(method):
    """The method as part of a file name."""
    return method.replace("notifications/", "n-").replace("/", "-").replace("_", "-").lower()


def message(method, kind, params, version):
    """The message of that kind, empty params left out where they may be."""
    if kind == REQUEST:
        return request(method, params or None, version)
    return notification(method, params or None)


def available(family, method, version, entry):
    kind, _, _, params, member, wrong = entry
    # A completion reaches a prompt, which needs its own permission.
    prompts = ["review"] if method == "completion/complete" else []
    name, allow = f"{version}-{slug(method)}", policy([version], methods=[method], prompts=prompts)
    good = message(method, kind, params, version)
    family.forward(
        f"{name}-permitted",
        f"Clients may send {method} in {version}.",
        RULE,
        allow,
        post(good, version),
    )
    nothing = policy([version], methods=["x/never"])
    reason = f"{NAMED.get(method, 'method')}_not_allowed"
    refuse = family.refuse if kind == REQUEST else family.silent
    refuse(
        f"{name}-not-permitted",
        "What no rule allows is denied.",
        "10: nothing allowed = denied",
        nothing,
        post(good, version),
        reason,
        "no rule allows it",
    )
    if version not in (NOVEMBER, JULY):
        return  # The grammar of params and kinds is the same in the older two.
    other = notification(method, good.get("params")) if kind == REQUEST else good | {"id": 1}
    family.refuse(
        f"{name}-wrong-kind",
        f"{method} is a {kind}; sent as the other kind nobody answers, or two do.",
        RULE,
        allow,
        post(other, version, auto="id" in other),
        "method_wrong_kind",
        "wrong kind",
    )
    if member:
        less = {key: value for key, value in params.items() if key != member}
        family.refuse(
            f"{name}-without-{slug(member)}",
            f"{method} cannot do without `{member}`.",
            RULE,
            allow,
            post(message(method, kind, less, version), version),
            "params_invalid",
            f"`{member}` is missing",
        )
    if wrong:
        bad = message(method, kind, params | dict([wrong]), version)
        family.refuse(
            f"{name}-wrong-{slug(wrong[0])}",
            f"`{wrong[0]}` has another type.",
            RULE,
            allow,
            post(bad, version),
            "params_invalid",
            f"`{wrong[0]}` has a wrong type",
        )


def unavailable(family, method, version, entry):
    kind, _, servers, params, _, _ = entry
    sent = post(message(method, kind, params, version), version)
    allow = policy([version], methods=[method])
    if version in servers:
        family.refuse(
            f"{version}-{slug(method)}-from-client",
            f"Only servers send {method} in {version}, whatever the policy lists.",
            RULE,
            allow,
            sent,
            "method_wrong_direction",
            "wrong direction",
        )
    else:
        family.refuse(
            f"{version}-{slug(method)}-unavailable",
            f"{version} has no {method}, whatever the policy lists.",
            RULE,
            allow,
            sent,
            "method_unavailable",
            "not in this revision",
        )


def tasks_extension(family, method):
    """In 2026-07-28 three task methods are the official extension's."""
    rule = "8: the official tasks extension counts as an extension"
    params = {"taskId": "t1"} | ({"inputResponses": {}} if method == "tasks/update" else {})
    good = request(method, params, JULY)
    name = f"{JULY}-{slug(method)}"
    allow = policy([JULY], extensions=[method])
    family.forward(
        f"{name}-extension-permitted",
        "The exact extension name is permitted.",
        rule,
        allow,
        post(good, JULY),
    )
    family.refuse(
        f"{name}-extension-by-method-name",
        "A method list does not grant an extension, not even by its exact name.",
        rule,
        policy([JULY], methods=[method]),
        post(good, JULY),
        "extension_not_allowed",
        "needs an exact extension permission",
    )
    less = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"taskId": "t1"}}
    family.refuse(
        f"{name}-extension-without-meta",
        "Extension requests carry `_meta` too.",
        "9: extension requests too",
        allow,
        post(less, JULY),
        "meta_invalid",
        "required _meta missing",
    )
    nameless = request(method, {}, JULY)
    family.refuse(
        f"{name}-extension-without-task-id",
        "Without `taskId` nothing is mirrored.",
        "9: the tasks extension (`params.taskId`)",
        allow,
        post(nameless, JULY),
        "params_invalid",
        "`taskId` is missing",
    )
    note = notification(method, {"taskId": "t1", "_meta": meta()})
    family.refuse(
        f"{name}-extension-wrong-kind",
        "A task call is a request.",
        RULE,
        allow,
        post(note, JULY),
        "method_wrong_kind",
        "wrong kind",
    )


def families():
    """`mth`."""
    family = Family("mth", "methods")
    for method, entry in METHODS.items():
        for version in ALL:
            if version == JULY and method in TASKS:
                tasks_extension(family, method)
            elif version in entry[1]:
                available(family, method, version, entry)
            else:
                unavailable(family, method, version, entry)
    return [family]
