"""What selectors and globs allow."""

from case import JULY, NOVEMBER, Family, decide, notification, policy, post, request, tool

METHODS = "10: methods: core methods, exact or glob; never named operations nor extensions"
EXACT = "10: naming one of them exactly = every name of it"
NAMES = "10: tools, prompts: names, exact or glob"
URIS = "10: resources: URI patterns (`*` stops at `/`, `**` does not)"
EVASIVE = "10: URIs that are not canonical are refused"
EXTENSIONS = "10: extensions: exact names"
ANY = "10: tool_names"
URI = "file:///docs/a.md"


def one(**more):
    """A policy of one legacy revision."""
    return policy([NOVEMBER], **more)


def methods(family):
    for slug, listed, body, code in [
        ("exact-other", ["tools/list"], request("prompts/list"), "method_not_allowed"),
        ("exact-case", ["Tools/List"], request("tools/list"), "method_not_allowed"),
        ("glob-star-ping", ["*"], request("ping"), None),
        ("glob-star-notification", ["*"], notification("notifications/initialized"), None),
        ("glob-star-tool", ["*"], tool("a"), "tool_not_allowed"),
        ("glob-star-prompt", ["*"], request("prompts/get", {"name": "a"}), "prompt_not_allowed"),
        ("glob-star-read", ["*"], request("resources/read", {"uri": URI}), "resource_not_allowed"),
        (
            "glob-star-subscribe",
            ["*"],
            request("resources/subscribe", {"uri": URI}),
            "resource_not_allowed",
        ),
        ("glob-star-extension", ["*"], request("vendor/x", {}), "extension_not_allowed"),
        ("glob-prefix-list", ["tools/*"], request("tools/list"), None),
        ("glob-prefix-call", ["tools/*"], tool("a"), "tool_not_allowed"),
        ("glob-almost-exact", ["tools/cal*"], tool("a"), "tool_not_allowed"),
        (
            "glob-resources-read",
            ["resources/*"],
            request("resources/read", {"uri": URI}),
            "resource_not_allowed",
        ),
        ("glob-middle", ["n*s/initialized"], notification("notifications/initialized"), None),
        ("glob-core-tasks", ["tasks/*"], request("tasks/get", {"taskId": "t"}), None),
        ("exact-is-no-extension", ["vendor/x"], request("vendor/x", {}), "extension_not_allowed"),
        ("every-tool", ["tools/call"], tool("anything"), None),
        ("every-prompt", ["prompts/get"], request("prompts/get", {"name": "any thing"}), None),
        ("every-resource", ["resources/read"], request("resources/read", {"uri": "a:b"}), None),
        (
            "every-resource-evasive",
            ["resources/read"],
            request("resources/read", {"uri": "file:///a/../b"}),
            None,
        ),
        (
            "read-is-not-subscribe",
            ["resources/read"],
            request("resources/subscribe", {"uri": URI}),
            "resource_not_allowed",
        ),
        ("nothing", [], request("ping"), "method_not_allowed"),
    ]:
        rule = EXACT if slug.startswith("every") else METHODS
        family_slug = f"methods-{slug}"
        quiet = "id" not in body and code
        (family.silent if quiet else decide_plain(family))(
            family_slug,
            "What a list of methods covers.",
            rule,
            one(methods=listed),
            post(body),
            *([code, "not covered"] if code else []),
        )
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        body = request(method, {"taskId": "t"}, JULY)
        decide(
            family,
            f"methods-glob-modern-{method.replace('/', '-')}",
            "An extension in 2026-07-28: no glob grants it.",
            METHODS,
            policy([JULY], methods=["tasks/*", "*"]),
            body,
            "extension_not_allowed",
            JULY,
        )


def decide_plain(family):
    """`forward` or `refuse`, by whether a code is given."""

    def call(slug, why, rule, made, sent, *refusal):
        if refusal:
            family.refuse(slug, why, rule, made, sent, *refusal)
        else:
            family.forward(slug, why, rule, made, sent)

    return call


def tools_and_prompts(family):
    for slug, listed, name, allowed in [
        ("exact", "get_weather", "get_weather", True),
        ("case", "get_weather", "Get_Weather", False),
        ("longer", "get_weather", "get_weather2", False),
        ("star", "*", "x", True),
        ("prefix", "get_*", "get_", True),
        ("prefix-other", "get_*", "set_x", False),
        ("suffix", "*.read", "files.read", True),
        ("middle", "a*b*c", "aXbYc", True),
        ("question-mark", "get_?", "get_x", False),
        ("dot-is-a-dot", "a.b", "axb", False),
        ("overlap", "ab*ba", "aba", False),
    ]:
        decide(
            family,
            f"tools-{slug}",
            f"`{listed}` against `{name}`.",
            NAMES,
            one(tools=[listed]),
            tool(name),
            None if allowed else "tool_not_allowed",
        )
    for slug, listed, name, allowed in [
        ("exact", "review", "review", True),
        ("glob", "re*", "re view/\u00e9", True),
        ("other", "review", "Review", False),
        ("empty", "review", "", False),
    ]:
        decide(
            family,
            f"prompts-{slug}",
            f"`{listed}` against `{name}`.",
            NAMES,
            one(prompts=[listed]),
            request("prompts/get", {"name": name}),
            None if allowed else "prompt_not_allowed",
        )
    decide(
        family,
        "tools-grant-no-prompt",
        "Kinds are apart.",
        NAMES,
        one(tools=["*"]),
        request("prompts/get", {"name": "a"}),
        "prompt_not_allowed",
    )
    decide(
        family,
        "prompts-grant-no-tool",
        "Kinds are apart.",
        NAMES,
        one(prompts=["*"]),
        tool("a"),
        "tool_not_allowed",
    )
    decide(
        family,
        "resources-grant-no-list",
        "A selector grants no method.",
        NAMES,
        one(resources=["**"]),
        request("resources/list"),
        "method_not_allowed",
    )
    loose = {"strict_tool_names": False}
    for slug, listed, name, allowed in [
        ("space", "my tool", "my tool", True),
        ("slash", "a/*", "a/b", True),
        ("unicode", "\u65e5\u672c*", "\u65e5\u672c\u8a9e", True),
        ("normal-form", "caf\u00e9", "cafe\u0301", False),
        ("zero-width", "get_weather", "get\u200b_weather", False),
    ]:
        decide(
            family,
            f"any-{slug}",
            "`any` lifts the set of characters, nothing else.",
            ANY,
            one(tools=[listed], **loose),
            tool(name),
            None if allowed else "tool_not_allowed",
        )
    decide(
        family,
        "strict-listed-outside",
        "An exact listed name outside the set needs `any`.",
        ANY,
        one(tools=["my tool"]),
        tool("my tool"),
        "tool_name_invalid",
    )


def resources(family):
    def read(uri):
        return request("resources/read", {"uri": uri})

    for slug, listed, uri, allowed in [
        ("exact", URI, URI, True),
        ("exact-case", URI, "file:///docs/A.md", False),
        ("star", "file:///docs/*", URI, True),
        ("star-stops", "file:///docs/*", "file:///docs/x/a.md", False),
        ("star-host", "https://*/x", "https://evil.example/y/x", False),
        ("two-stars", "file:///docs/**", "file:///docs/x/y/a.md", True),
        ("two-stars-elsewhere", "file:///docs/**", "file:///etc/passwd", False),
        ("two-stars-middle", "file:///**/a.md", "file:///docs/x/a.md", True),
        ("everything", "**", "any:thing/at/all?x=y#z", True),
        ("one-star-slash", "*", "a:b/c", False),
        ("query", "https://h.example/x", "https://h.example/x?y", False),
    ]:
        decide(
            family,
            f"resources-{slug}",
            f"`{listed}` against `{uri}`.",
            URIS,
            one(resources=[listed]),
            read(uri),
            None if allowed else "resource_not_allowed",
        )
    decide(
        family,
        "resources-scheme-case",
        "A server may take it for the URI in lower case.",
        EVASIVE,
        one(resources=["file:///docs/*"]),
        read("FILE:///docs/a.md"),
        "name_invalid",
    )
    for slug, uri in [
        ("dot-dot", "file:///docs/../etc/passwd"),
        ("dot", "file:///docs/./a.md"),
        ("encoded-dots", "file:///docs/%2e%2e/etc"),
        ("half-encoded", "file:///docs/.%2e/etc"),
        ("encoded-slash", "file:///docs/..%2Fetc"),
        ("encoded-dot-in-name", "file:///docs/a%2emd"),
        ("encoded-backslash", "file:///docs/..%5cetc"),
        ("double-encoded", "file:///docs/%252e%252e/etc"),
        ("backslash", "file:///docs\\..\\etc"),
        ("query-after", "file:///docs/..?x"),
    ]:
        decide(
            family,
            f"evasive-{slug}",
            "A server that resolves it leaves the pattern.",
            EVASIVE,
            one(resources=["file:///docs/**"]),
            read(uri),
            "name_invalid",
        )
    decide(
        family,
        "evasive-deny-pattern",
        "Deny patterns are patterns too.",
        EVASIVE,
        one(methods=["resources/read"], deny={"resources": ["file:///etc/**"]}),
        read("file:///docs/../etc/passwd"),
        "name_invalid",
    )
    for method in ("resources/subscribe", "resources/unsubscribe"):
        slug = method.split("/")[1]
        made = one(resources=["file:///docs/*"])
        decide(
            family,
            f"resources-{slug}",
            "A selector covers all three operations.",
            URIS,
            made,
            request(method, {"uri": URI}),
        )
        decide(
            family,
            f"resources-{slug}-outside",
            "A selector covers all three operations.",
            URIS,
            made,
            request(method, {"uri": "file:///etc/a"}),
            "resource_not_allowed",
        )
        decide(
            family,
            f"resources-{slug}-evasive",
            "A selector covers all three operations.",
            EVASIVE,
            made,
            request(method, {"uri": "file:///docs/../a"}),
            "name_invalid",
        )


def extensions(family):
    made = one(extensions=["vendor/x", "notifications/vendor"])
    decide(
        family,
        "extension-exact",
        "Permitted by its exact name.",
        EXTENSIONS,
        made,
        request("vendor/x", {"a": 1}),
    )
    family.forward(
        "extension-notification",
        "Notifications too.",
        EXTENSIONS,
        made,
        post(notification("notifications/vendor")),
    )
    for slug, method in [("case", "Vendor/x"), ("longer", "vendor/xy"), ("space", "vendor/x ")]:
        decide(
            family,
            f"extension-{slug}",
            "No other name.",
            EXTENSIONS,
            made,
            request(method, {}),
            "extension_not_allowed",
        )
    decide(
        family,
        "extension-core-name",
        "A core method is no extension: listing it there grants nothing.",
        EXTENSIONS,
        one(extensions=["tools/list"]),
        request("tools/list"),
        "method_not_allowed",
    )
    decide(
        family,
        "extension-unavailable-name",
        "Nor is one of another revision.",
        EXTENSIONS,
        one(extensions=["server/discover"]),
        request("server/discover", {}),
        "method_unavailable",
    )


def families():
    """`aut`."""
    family = Family("aut", "authorisation")
    for part in (methods, tools_and_prompts, resources, extensions):
        part(family)
    return [family]
