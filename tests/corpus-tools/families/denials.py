"""Denies, forbidden arguments, names reached through others, audit."""

from case import JULY, MARCH, NOVEMBER, Family, decide, notification, policy, post, request, tool

DENY = "10: deny always wins; denies compare ASCII-case-insensitively, allows exactly"
REACHED = "10: an operation = (kind, method, name); completions and subscriptions reach names too"
AUDIT = "1: audit: forwarded, recorded as would-deny"
URI = "file:///docs/a.md"


def one(**more):
    """A policy of one legacy revision."""
    return policy([NOVEMBER], **more)


def denies(family):
    every = {
        "methods": ["*", "tools/call", "prompts/get", "resources/read"],
        "extensions": ["vendor/x"],
    }
    prompt, read = (
        request("prompts/get", {"name": "Secret"}),
        request("resources/read", {"uri": URI}),
    )
    for slug, deny, body, code in [
        ("tool", {"tools": ["delete_repo"]}, tool("delete_repo"), "tool_denied"),
        ("tool-case", {"tools": ["delete_repo"]}, tool("DELETE_Repo"), "tool_denied"),
        ("tool-glob-case", {"tools": ["Delete_*"]}, tool("delete_x"), "tool_denied"),
        ("tool-other", {"tools": ["delete_*"]}, tool("undelete_x"), None),
        ("prompt-case", {"prompts": ["secret"]}, prompt, "prompt_denied"),
        ("method", {"methods": ["tools/list"]}, request("tools/list"), "method_denied"),
        ("method-case", {"methods": ["TOOLS/LIST"]}, request("tools/list"), "method_denied"),
        ("method-glob", {"methods": ["tools/l*"]}, request("tools/list"), "method_denied"),
        ("named-operation", {"methods": ["tools/call"]}, tool("x"), "method_denied"),
        ("extension", {"extensions": ["vendor/x"]}, request("vendor/x", {}), "extension_denied"),
        (
            "extension-case",
            {"extensions": ["VENDOR/X"]},
            request("vendor/x", {}),
            "extension_denied",
        ),
        ("resource-exact", {"resources": [URI]}, read, "resource_denied"),
        ("resource-case", {"resources": ["file:///DOCS/*"]}, read, "resource_denied"),
        ("resource-star-stops", {"resources": ["file:///*"]}, read, None),
    ]:
        decide(
            family,
            f"deny-{slug}",
            "Deny wins over every allow.",
            DENY,
            one(deny=deny, **every),
            body,
            code,
        )
    for slug, body in [("tool", tool("x")), ("extension", request("vendor/x", {}))]:
        decide(
            family,
            f"deny-method-star-{slug}",
            "A deny that silently missed some calls would be worse than one that covers too many.",
            "10: deny always wins",
            one(tools=["*"], extensions=["vendor/x"], deny={"methods": ["*"]}),
            body,
            "extension_denied" if slug == "extension" else "method_denied",
            debatable=True,
        )
    forbid = one(tools=["*"], arguments_forbid=["_owner", "run as"])
    for slug, arguments, code in [
        ("top", {"_owner": None}, "argument_forbidden"),
        ("space", {"run as": 1}, "argument_forbidden"),
        ("nested", {"a": {"_owner": 1}}, None),
        ("value", {"a": "_owner"}, None),
        ("none", {}, None),
    ]:
        decide(
            family,
            f"forbid-{slug}",
            "Top-level argument names that no call may carry.",
            "10: arguments.forbid",
            forbid,
            tool("x", arguments),
            code,
        )
    decide(
        family,
        "forbid-set-by-filters",
        "What a filter sets behind admit no client may send.",
        "10: arguments.set_by_filters",
        one(tools=["*"], arguments_forbid=["_owner"], arguments_set_by_filters=["_owner"]),
        tool("x", {"_owner": 1}),
        "argument_forbidden",
    )
    escaped = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        '{"name":"x","arguments":{"\\u005fowner":1}}}'
    )
    decide(
        family,
        "forbid-escaped",
        "The escape is undone before comparing.",
        "10: arguments.forbid",
        forbid,
        escaped,
        "argument_forbidden",
        id=1,
    )


def reached(family):
    def complete(**ref):
        return request("completion/complete", {"ref": ref, "argument": {"name": "a", "value": "b"}})

    review, template = (
        complete(type="ref/prompt", name="review"),
        complete(type="ref/resource", uri="file:///docs/{page}"),
    )
    method = ["completion/complete"]
    for slug, made, body, code in [
        ("prompt", one(methods=method, prompts=["re*"]), review, None),
        ("prompt-every", one(methods=[*method, "prompts/get"]), review, None),
        ("prompt-other", one(methods=method, prompts=["other"]), review, "prompt_not_allowed"),
        (
            "prompt-denied",
            one(methods=[*method, "prompts/get"], deny={"prompts": ["REVIEW"]}),
            review,
            "prompt_denied",
        ),
        ("no-method", one(prompts=["review"]), review, "method_not_allowed"),
        ("template", one(methods=method, resources=["file:///docs/*"]), template, None),
        ("template-every", one(methods=[*method, "resources/read"]), template, None),
        (
            "template-other",
            one(methods=method, resources=["file:///etc/*"]),
            template,
            "resource_not_allowed",
        ),
        (
            "template-denied",
            one(methods=[*method, "resources/read"], deny={"resources": ["file:///docs/**"]}),
            template,
            "resource_denied",
        ),
        (
            "template-evasive",
            one(methods=method, resources=["file:///docs/**"]),
            complete(type="ref/resource", uri="file:///docs/../{x}"),
            "name_invalid",
        ),
    ]:
        decide(
            family,
            f"completion-{slug}",
            "A completion tells about a prompt or a template.",
            REACHED,
            made,
            body,
            code,
        )

    def listen(*uris):
        return request(
            "subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}}, JULY
        )

    for slug, more, body, code in [
        ("none", {}, listen(), None),
        ("selector", {"resources": ["file:///docs/*"]}, listen(URI), None),
        ("selector-all", {"resources": ["file:///docs/*"]}, listen(URI, "file:///docs/b"), None),
        (
            "one-outside",
            {"resources": ["file:///docs/*"]},
            listen(URI, "file:///etc/b"),
            "resource_not_allowed",
        ),
        ("not-allowed", {}, listen(URI), "resource_not_allowed"),
        (
            "evasive",
            {"resources": ["file:///docs/**"]},
            listen("file:///docs/../b"),
            "name_invalid",
        ),
        (
            "denied",
            {"resources": ["**"], "deny": {"resources": ["file:///docs/**"]}},
            listen(URI),
            "resource_denied",
        ),
    ]:
        decide(
            family,
            f"listen-{slug}",
            "Each URI of a subscription needs its permission.",
            REACHED,
            policy([JULY], methods=["subscriptions/listen"], **more),
            body,
            code,
            JULY,
        )
    for name in ("resources/read", "resources/subscribe"):
        decide(
            family,
            f"listen-every-{name.split('/')[1]}",
            "Either permission covers every URI.",
            REACHED,
            policy([JULY], methods=["subscriptions/listen", name]),
            listen(URI),
            None,
            JULY,
        )


def audit(family):
    made = one(
        mode="audit",
        methods=["ping"],
        tools=["get_weather"],
        responses="deny",
        arguments_forbid=["_owner"],
        deny={"methods": ["prompts/list"]},
    )
    for slug, body, code in [
        ("method", request("tools/list"), "method_not_allowed"),
        ("method-denied", request("prompts/list"), "method_denied"),
        ("tool", tool("delete_repo"), "tool_not_allowed"),
        ("prompt", request("prompts/get", {"name": "a"}), "prompt_not_allowed"),
        ("resource", request("resources/read", {"uri": URI}), "resource_not_allowed"),
        ("extension", request("vendor/x", {}), "extension_not_allowed"),
        ("argument", tool("get_weather", {"_owner": 1}), "argument_forbidden"),
        ("notification", notification("notifications/initialized"), "method_not_allowed"),
        ("allowed", tool("get_weather"), "allowed"),
    ]:
        family.forward(
            f"audit-{slug}",
            "Audit forwards what the policy denies.",
            AUDIT,
            made,
            post(body),
            code,
            "audit: recorded as would-deny",
        )
    for slug, body, version, code in [
        ("name", tool("a b"), NOVEMBER, "tool_name_invalid"),
        ("envelope", {"jsonrpc": "2.0", "id": 1}, NOVEMBER, "envelope_invalid"),
        ("unavailable", request("server/discover", {}), NOVEMBER, "method_unavailable"),
        ("direction", request("roots/list"), NOVEMBER, "method_wrong_direction"),
        ("version", request("ping"), MARCH, "version_not_permitted"),
        ("depth", tool("get_weather", {"v": [[[[[]]]]]}), NOVEMBER, "json_too_deep"),
    ]:
        strict = made | ({"max_depth": 6} if slug == "depth" else {})
        family.refuse(
            f"audit-reject-{slug}",
            "Audit weakens no rejection.",
            "1: audit never weakens it",
            strict,
            post(body, version),
            code,
            "malformed",
            unsaid=("expected_id",),
        )
    for slug, body, code in [
        ("name-and-deny", tool("delete repo"), "tool_name_invalid"),
        (
            "params-and-deny",
            request("tools/call", {"name": "delete_repo", "arguments": []}),
            "params_invalid",
        ),
    ]:
        decide(
            family,
            f"both-{slug}",
            "Both faults: rejected.",
            "1: reject is found before deny",
            one(tools=["get_weather"], deny={"tools": ["delete*"]}),
            body,
            code,
        )


def principals(family):
    """Rules with `when`: a header here; claims and peers cannot be read."""
    rule = "10: when: what cannot be read: an allow does not match, a deny does"
    role = {"header": {"name": "x-agent-role", "in": ["admin", "ops-*"]}}
    claim = {"jwt": {"payload": "jwt_payload", "claim": "role", "in": ["admin"]}}
    names = ["spiffe://cluster.local/ns/*/sa/agent"]
    peer = {"peer": {"in": names, "first_san": "acknowledged"}}
    sometimes = {"versions": [NOVEMBER], "allow": [{"id": "some", "tools": ["t"], "when": role}]}
    never = {
        "versions": [NOVEMBER],
        "allow": [{"id": "all", "tools": ["*"]}],
        "deny": [{"id": "some", "tools": ["t"], "when": role}],
    }
    for slug, value, allowed, denied in [
        ("listed", "admin", True, True),
        ("glob", "ops-eu", True, True),
        ("other", "guest", False, False),
        # Denies compare without case, allows exactly.
        ("case", "Admin", False, True),
        ("absent", None, False, True),
    ]:
        extra = [("x-agent-role", value)] if value else []
        for kind, made, code in [
            ("allow", sometimes, None if allowed else "tool_not_allowed"),
            ("deny", never, "tool_denied" if denied else None),
        ]:
            why = "Who is asking decides; who is not known is not permitted."
            sent = post(tool("t"), extra=extra)
            if code is None:
                family.forward(f"when-{kind}-{slug}", why, rule, made, sent)
            else:
                family.refuse(f"when-{kind}-{slug}", why, rule, made, sent, code, "policy denial")
    for slug, extra in [
        ("repeated", [("x-agent-role", "admin"), ("x-agent-role", "guest")]),
        ("twin", [("x-agent-role", "admin"), ("x_agent_role", "guest")]),
        ("empty", [("x-agent-role", "")]),
    ]:
        family.refuse(
            f"when-header-{slug}",
            "A header that a rule reads must say one thing.",
            "4: headers it reads: and those that principals name",
            sometimes,
            post(tool("t"), extra=extra),
            "header_ambiguous",
            "ambiguous header",
            loose=True,
        )
    for slug, when in [("claim", claim), ("peer", peer), ("both", [role, claim])]:
        extra = [("x-agent-role", "admin")]
        unread = {"versions": [NOVEMBER], "allow": [{"id": "some", "tools": ["t"], "when": when}]}
        family.refuse(
            f"when-allow-unread-{slug}",
            "Neither a token nor a client certificate is there.",
            rule,
            unread,
            post(tool("t"), extra=extra),
            "tool_not_allowed",
            "policy denial",
        )
        unread = never | {"deny": [{"id": "some", "tools": ["t"], "when": when}]}
        family.refuse(
            f"when-deny-unread-{slug}",
            "Neither a token nor a client certificate is there.",
            rule,
            unread,
            post(tool("t"), extra=extra),
            "tool_denied",
            "policy denial",
        )
    family.refuse(
        "when-rule-id",
        "The answer names the rule that denied.",
        "11: error.data",
        never,
        post(tool("t"), extra=[("x-agent-role", "admin")]),
        "tool_denied",
        "policy denial",
        data={"rule": "some"},
    )


def families():
    """`den`."""
    family = Family("den", "authorisation")
    for part in (denies, reached, audit, principals):
        part(family)
    return [family]
