"""`Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` against the body."""

import base64

from case import (
    ALL,
    JULY,
    LEGACY,
    MARCH,
    NOVEMBER,
    Family,
    meta,
    notification,
    policy,
    post,
    request,
    tool,
)

NEEDS = "9: 2026-07-28 requests need Mcp-Method, and Mcp-Name where there is one"
EVERY = "9: in every revision a mirror that is present must agree"
FORM = "9: Mcp-Name may be =?base64?...?="
NONE = "9: Mcp-Name where the method has none is refused"
PARAM = "9: Mcp-Param-*"
STALE = "7: compat.stale_mirrors"
ODD_NAME = "\u65e5\u672c\u8a9e tool"


def allow(versions=ALL, **more):
    """A policy that permits all that the cases here call."""
    return policy(
        versions,
        methods=[
            "ping",
            "tools/list",
            "server/discover",
            "completion/complete",
            "subscriptions/listen",
            "notifications/initialized",
            "tools/call",
            "prompts/get",
            "resources/read",
            "resources/subscribe",
        ],
        extensions=["tasks/get", "vendor/x", "notifications/vendor"],
        **more,
    )


def wrapped(name):
    """The name in its base64 form."""
    data = name if isinstance(name, bytes) else name.encode()
    return f"=?base64?{base64.b64encode(data).decode()}?="


def named(method, value, name=None):
    """A modern request of `method` with these mirrors; `name` None sends none."""
    member = {"resources/read": "uri", "tasks/get": "taskId"}.get(method, "name")
    body = request(method, {member: value}, JULY)
    extra = [("mcp-method", method)] + ([("mcp-name", name)] if name is not None else [])
    return post(body, JULY, extra, auto=False)


def required(family):
    for method, value, other in [
        ("tools/call", "get_weather", "get_time"),
        ("prompts/get", "review", "Review"),
        ("resources/read", "file:///docs/a.md", "file:///docs/a.md/"),
        ("tasks/get", "t-1", "t-2"),
    ]:
        slug = method.replace("/", "-")
        family.forward(
            f"modern-{slug}",
            "Both mirrors say what the body says.",
            NEEDS,
            allow(),
            named(method, value, value),
        )
        family.forward(
            f"modern-{slug}-base64",
            "The encoded form of the same.",
            FORM,
            allow(),
            named(method, value, wrapped(value)),
        )
        family.refuse(
            f"modern-{slug}-no-name",
            "`Mcp-Name` is missing.",
            NEEDS,
            allow(),
            named(method, value),
            "mirror_missing",
            "required header missing",
        )
        family.refuse(
            f"modern-{slug}-other-name",
            "`Mcp-Name` says something else.",
            NEEDS,
            allow(),
            named(method, value, other),
            "mirror_mismatch",
            "header/body disagreement",
        )
        family.refuse(
            f"modern-{slug}-other-base64",
            "Decoded before comparing.",
            FORM,
            allow(),
            named(method, value, wrapped(other)),
            "mirror_mismatch",
            "header/body disagreement",
        )
    for method, params in [
        ("tools/list", {}),
        ("server/discover", {}),
        ("vendor/x", {"name": "a"}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "review"},
                "argument": {"name": "a", "value": ""},
            },
        ),
        ("subscriptions/listen", {"notifications": {}}),
    ]:
        slug, body = method.replace("/", "-"), request(method, params, JULY)
        family.forward(f"modern-{slug}", "`Mcp-Method` alone.", NEEDS, allow(), post(body, JULY))
        family.refuse(
            f"modern-{slug}-no-method",
            "`Mcp-Method` is missing.",
            NEEDS,
            allow(),
            post(body, JULY, auto=False),
            "mirror_missing",
            "required header missing",
        )
        family.refuse(
            f"modern-{slug}-name",
            "Nothing to mirror.",
            NONE,
            allow(),
            post(body, JULY, [("mcp-name", "a")]),
            "mirror_unexpected",
            "a mirror of nothing",
        )
    body = tool("get_weather", version=JULY)
    name = ("mcp-name", "get_weather")
    for slug, value in [
        ("capitals", "Tools/Call"),
        ("other", "tools/list"),
        ("encoded", wrapped("tools/call")),
        ("prefix", "tools"),
    ]:
        family.refuse(
            f"modern-method-{slug}",
            "Compared byte by byte; no encoded form.",
            NEEDS,
            allow(),
            post(body, JULY, [("mcp-method", value), name], auto=False),
            "mirror_mismatch",
            "header/body disagreement",
        )
    family.forward(
        "modern-header-names-any-case",
        "Header names have no case, and OWS is trimmed.",
        NEEDS,
        allow(),
        post(
            body,
            JULY,
            [("MCP-METHOD", "  tools/call\t"), ("Mcp-Name", " get_weather ")],
            auto=False,
        ),
    )
    for slug, value in [
        ("capitals", "Get_Weather"),
        ("quoted", '"get_weather"'),
        ("list", "get_weather, get_weather"),
    ]:
        family.refuse(
            f"modern-name-{slug}",
            "Compared byte by byte.",
            NEEDS,
            allow(),
            named("tools/call", "get_weather", value),
            "mirror_mismatch",
            "header/body disagreement",
        )


def encodings(family):
    free = allow(strict_tool_names=False)
    for slug, value in [
        ("unicode", ODD_NAME),
        ("leading-space", " a"),
        ("trailing-tab", "a\t"),
        ("newline", "a\nb"),
        ("sentinel-literal", "=?base64?YQ==?="),
        ("empty", ""),
    ]:
        family.forward(
            f"base64-{slug}",
            "What a header cannot say plainly is encoded.",
            FORM,
            free,
            named("tools/call", value, wrapped(value)),
            debatable=value == "",
        )
    for slug, value, header in [
        ("unpadded", "a", "=?base64?YQ?="),
        ("loose-bits", "a", "=?base64?YR==?="),
        ("url-alphabet", "\u00ff\u00ff\u00fe", "=?base64?w7_Dv8O-?="),
        ("inner-space", "a", "=?base64?YQ= =?="),
        ("not-utf8", "a", wrapped(b"\xff\xfe")),
        ("surrogate", "a", wrapped(b"\xed\xa0\x80")),
        ("no-suffix", "a", "=?base64?YQ=="),
        ("upper-marker", "a", "=?BASE64?YQ==?="),
        ("raw-sentinel", "=?base64?YQ==?=", "=?base64?YQ==?= x"),
        ("raw-unicode", "caf\u00e9", "caf\u00c3\u00a9"),
        ("raw-latin1", "caf\u00e9", "caf\u00e9"),
        ("inner-tab", "a\tb", "a\tb"),
    ]:
        family.refuse(
            f"base64-{slug}",
            "Not visible ASCII, or not the canonical encoded form.",
            FORM,
            free,
            named("tools/call", value, header),
            "mirror_invalid",
            "a mirror that cannot be decoded",
        )
    for slug, value, header in [
        ("literal-of-itself", "=?base64?YQ==?=", "=?base64?YQ==?="),
        ("twice", "a", wrapped(wrapped("a"))),
        ("with-nul", "a", wrapped("a\0")),
    ]:
        family.refuse(
            f"base64-{slug}",
            "Decoded once, then compared byte by byte.",
            FORM,
            free,
            named("tools/call", value, header),
            "mirror_mismatch",
            "header/body disagreement",
        )


def legacy(family):
    for version in LEGACY:
        body = tool("get_weather", version=version)
        right = [("mcp-method", "tools/call"), ("mcp-name", "get_weather")]
        family.forward(
            f"{version}-right",
            "Legacy requests may carry mirrors.",
            EVERY,
            allow(),
            post(body, version, right),
        )
        for slug, lines in [
            ("method", [("mcp-method", "tools/list")]),
            ("name", [("mcp-name", "get_time")]),
        ]:
            family.refuse(
                f"{version}-wrong-{slug}",
                "A router may believe the header.",
                EVERY,
                allow(),
                post(body, version, lines),
                "mirror_mismatch",
                "header/body disagreement",
            )
    listing = request("tools/list")
    family.refuse(
        "legacy-name-of-nothing",
        "Nothing to mirror.",
        NONE,
        allow(),
        post(listing, extra=[("mcp-name", "get_weather")]),
        "mirror_unexpected",
        "a mirror of nothing",
    )
    family.refuse(
        "legacy-subscribe-name",
        "Only three methods and the tasks extension have an `Mcp-Name`.",
        NONE,
        allow(),
        post(request("resources/subscribe", {"uri": "a:b"}), extra=[("mcp-name", "a:b")]),
        "mirror_unexpected",
        "a mirror of nothing",
    )
    note = notification("notifications/initialized")
    family.forward(
        "legacy-notification-right",
        "Mirrors of notifications may be sent.",
        EVERY,
        allow(),
        post(note, extra=[("mcp-method", "notifications/initialized")]),
    )
    family.refuse(
        "legacy-notification-wrong",
        "And must agree then.",
        EVERY,
        allow(),
        post(note, extra=[("mcp-method", "tools/list")]),
        "mirror_mismatch",
        "header/body disagreement",
    )
    family.refuse(
        "legacy-response-method",
        "An answer has no method.",
        EVERY,
        allow(),
        post({"jsonrpc": "2.0", "id": 1, "result": {}}, extra=[("mcp-method", "ping")]),
        "mirror_unexpected",
        "a mirror of nothing",
    )
    family.forward(
        "batch-same-method",
        "It agrees with every member.",
        EVERY,
        allow(),
        post([request("ping"), request("ping", id=2)], MARCH, [("mcp-method", "ping")]),
    )
    family.refuse(
        "batch-other-method",
        "It disagrees with one member.",
        EVERY,
        allow(),
        post([request("ping"), request("tools/list", id=2)], MARCH, [("mcp-method", "ping")]),
        "mirror_mismatch",
        "header/body disagreement",
    )
    vendor = notification("notifications/vendor", {"_meta": meta()})
    family.forward(
        "modern-notification-none",
        "Notifications need the version header alone.",
        "9: notifications need the version header",
        allow(),
        post(vendor, JULY),
    )
    family.forward(
        "modern-notification-right",
        "Mirrors if sent, and then equal.",
        "9: notifications need the version header",
        allow(),
        post(vendor, JULY, [("mcp-method", "notifications/vendor")]),
    )
    family.refuse(
        "modern-notification-wrong",
        "Mirrors if sent, and then equal.",
        "9: notifications need the version header",
        allow(),
        post(vendor, JULY, [("mcp-method", "tools/call")]),
        "mirror_mismatch",
        "header/body disagreement",
    )
    family.refuse(
        "mismatch-audit",
        "Audit weakens no rejection.",
        EVERY,
        allow(mode="audit"),
        post(tool("get_weather"), extra=[("mcp-name", "x")]),
        "mirror_mismatch",
        "header/body disagreement",
    )


def stale(family):
    made = allow(compat={"stale_mirrors": True})
    for slug, lines in [
        ("method", [("mcp-method", "tools/list")]),
        ("name", [("mcp-name", "old")]),
        ("both", [("mcp-method", "ping"), ("mcp-name", "old")]),
    ]:
        family.forward(
            f"stale-{slug}",
            "Stale mirrors of a legacy request are dropped.",
            STALE,
            made,
            post(tool("get_weather"), extra=lines),
        )
    family.refuse(
        "stale-modern",
        "The switch is for legacy requests.",
        STALE,
        made,
        named("tools/call", "get_weather", "old"),
        "mirror_mismatch",
        "header/body disagreement",
    )
    tools = policy([NOVEMBER], tools=["get_weather"], compat={"stale_mirrors": True})
    family.refuse(
        "stale-denied",
        "The body decides, not the mirror.",
        STALE,
        tools,
        post(tool("delete_repo"), extra=[("mcp-name", "get_weather")]),
        "tool_not_allowed",
        "policy denial",
    )


def params(family):
    body = tool("get_weather", {"city": "Oslo"}, JULY)
    for slug, lines in [
        ("plain", ["Oslo"]),
        ("wrapped", [wrapped("Oslo")]),
        ("empty", [""]),
        ("differs", ["Rome"]),
        ("twice", ["Oslo", "Rome"]),
        ("raw-bytes", ["\u00ff"]),
        ("no-suffix", ["=?base64?x"]),
        ("upper-marker", ["=?BASE64?x?="]),
    ]:
        family.forward(
            f"param-{slug}",
            "Without the tool's schema it is forwarded as it is.",
            PARAM,
            allow(),
            post(body, JULY, [("mcp-param-city", v) for v in lines]),
        )
    for slug, value in [
        ("bad-alphabet", "=?base64?T*Nsbw==?="),
        ("unpadded", "=?base64?T3Nsbw?="),
        ("not-utf8", wrapped(b"\xff")),
    ]:
        family.refuse(
            f"param-{slug}",
            "A value in the sentinel form must decode.",
            PARAM,
            allow(),
            post(body, JULY, [("mcp-param-city", value)]),
            "mirror_invalid",
            "cannot be decoded",
        )
    family.refuse(
        "param-second-bad",
        "Every line.",
        PARAM,
        allow(),
        post(body, JULY, [("mcp-param-city", "Oslo"), ("mcp-param-unit", "=?base64?*?=")]),
        "mirror_invalid",
        "cannot be decoded",
    )


def families():
    """`agr`."""
    family = Family("agr", "mirrors")
    for part in (required, encodings, legacy, stale, params):
        part(family)
    return [family]
