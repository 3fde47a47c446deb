"""Which revision governs: header, bootstrap, `_meta`."""

from case import (
    ALL,
    JULY,
    JUNE,
    LEGACY,
    MARCH,
    META,
    NOVEMBER,
    Family,
    meta,
    notification,
    policy,
    post,
    request,
    tool,
)

HEADER = "7: MCP-Protocol-Version"
BOOT = "7: bootstrap"
AGREE = "7: `_meta` in any message must equal the selection"
ONE = "7: one selected profile governs; grammars never merge"
REPEATS = "7: compat.equal_version_repeats"
VERSION = "mcp-protocol-version"
HELLO = {
    "protocolVersion": NOVEMBER,
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}
ENDPOINTS = {
    "november": [NOVEMBER],
    "march-june": [MARCH, JUNE],
    "dual": [NOVEMBER, JULY],
    "modern": [JULY],
    "all": list(ALL),
}


def allow(versions=ALL, **more):
    """A policy that permits `initialize`, two methods and a tool."""
    return policy(
        versions,
        methods=[
            "initialize",
            "ping",
            "tools/list",
            "server/discover",
            "notifications/initialized",
        ],
        tools=["get_weather"],
        **more,
    )


def lines(*values):
    """Version header lines."""
    return [(VERSION, value) for value in values]


def selecting(family):
    """An ordinary request under every header, for every endpoint."""
    for endpoint, permitted in ENDPOINTS.items():
        for version in (None, *ALL):
            chosen = version or MARCH
            sent = post(request("tools/list", None, chosen), version)
            slug = f"{version or 'no-header'}-at-{endpoint}"
            if chosen in permitted:
                family.forward(slug, "Selected and permitted.", HEADER, allow(permitted), sent)
            elif version is None:
                family.refuse(
                    slug,
                    "No header is 2025-03-26, which is not permitted.",
                    HEADER,
                    allow(permitted),
                    sent,
                    "version_missing",
                    "2025-03-26 not permitted",
                )
            else:
                family.refuse(
                    slug,
                    "Known, but not permitted.",
                    HEADER,
                    allow(permitted),
                    sent,
                    "version_not_permitted",
                    "revision not permitted",
                    data={"requested": version},
                )
    ping = request("ping")
    for slug, value in [("spaces", "  2025-11-25 "), ("tab", "\t2025-11-25\t")]:
        family.forward(
            f"header-{slug}",
            "SP and HTAB are trimmed.",
            HEADER,
            allow(),
            post(ping, None, lines(value)),
        )
    for slug, value in [
        ("older", "2024-11-05"),
        ("short", "2025-11-5"),
        ("v", "v2025-11-25"),
        ("semicolon", "2025-11-25;q=1"),
        ("two-words", "2025-11-25 2025-11-25"),
        ("future", "2027-01-01"),
        ("latest", "latest"),
    ]:
        family.refuse(
            f"header-{slug}",
            "No revision known here; nothing is guessed.",
            HEADER,
            allow(),
            post(ping, None, lines(value)),
            "version_unknown",
            "unknown revision",
            data={"requested": value},
        )
    family.refuse(
        "header-long",
        "What is told back is cut at 32 bytes.",
        "7: `data.requested` is cut at 32 bytes",
        allow(),
        post(ping, None, lines("9" * 300)),
        "version_unknown",
        "unknown revision",
        data={"requested": "9" * 32},
    )
    for slug, values in [
        ("list", ["2025-11-25, 2025-06-18"]),
        ("list-equal", ["2025-11-25, 2025-11-25"]),
        ("two-lines", ["2025-11-25", "2025-06-18"]),
        ("two-lines-modern", ["2025-11-25", JULY]),
        ("two-lines-reverse", [JULY, "2025-11-25"]),
        ("two-lines-equal", ["2025-11-25"] * 2),
        ("empty", [""]),
        ("empty-and-good", ["", "2025-11-25"]),
        ("non-ascii", ["2025-11-25\u00a0"]),
    ]:
        family.refuse(
            f"header-{slug}",
            "Not exactly one value.",
            HEADER,
            allow(),
            post(ping, None, lines(*values)),
            "version_ambiguous",
            "not exactly one value",
            unsaid=("expected_id",),
        )


def bootstrap(family):
    """A standalone `initialize` under every header, for every endpoint."""
    hello = request("initialize", HELLO)
    for endpoint, permitted in ENDPOINTS.items():
        for version in (None, *LEGACY):
            slug = f"initialize-{version or 'no-header'}-at-{endpoint}"
            if endpoint in ("all", "march-june") and version:
                continue  # The other endpoints show that the header does not matter.
            if endpoint == "modern":
                family.refuse(
                    slug,
                    "Dual-era clients move on when they see the version error.",
                    BOOT,
                    allow(permitted),
                    post(hello, version),
                    "no_legacy_revision",
                    "only 2026-07-28 is permitted",
                    data={"requested": version or NOVEMBER},
                )
            elif version not in permitted or version == permitted[0]:
                family.forward(
                    slug,
                    "Exempt from selection: permitted or not.",
                    BOOT,
                    allow(permitted),
                    post(hello, version),
                )
        if endpoint in ("dual", "modern", "november"):
            code = "version_not_permitted" if endpoint == "november" else "method_unavailable"
            modern = request("initialize", HELLO, JULY)
            family.refuse(
                f"initialize-{JULY}-at-{endpoint}",
                "No exemption under 2026-07-28, which has no `initialize`.",
                BOOT,
                allow(permitted),
                post(modern, JULY),
                code,
                "no exemption",
            )
    for slug, values in [
        ("unknown", ["2024-11-05"]),
        ("two-lines", [NOVEMBER, JUNE]),
        ("list", ["2025-11-25, 2025-06-18"]),
        ("empty", [""]),
    ]:
        family.refuse(
            f"initialize-header-{slug}",
            "No exemption for a header that is not one known legacy date.",
            BOOT,
            allow(),
            post(hello, None, lines(*values)),
            "version_unknown" if slug == "unknown" else "version_ambiguous",
            "no exemption",
        )
    for offer in (JULY, "2024-11-05", "draft", ""):
        body = request("initialize", HELLO | {"protocolVersion": offer})
        family.forward(
            f"initialize-offer-{offer or 'empty'}",
            "The offer is never compared.",
            BOOT,
            allow([NOVEMBER]),
            post(body, None),
        )
    family.forward(
        "initialize-with-session",
        "Other headers change nothing.",
        BOOT,
        allow([NOVEMBER]),
        post(hello, None, [("mcp-session-id", "s-1")]),
    )
    named = policy([NOVEMBER], methods=["ping"])
    family.refuse(
        "initialize-not-permitted",
        "The exemption is from selection, not from rules.",
        BOOT,
        named,
        post(hello, None),
        "method_not_allowed",
        "needs the permission",
    )
    family.forward(
        "initialize-not-permitted-audit",
        "Audit lets it pass.",
        BOOT,
        named | {"mode": "audit"},
        post(hello, None),
        "method_not_allowed",
        "audit: recorded as would-deny",
    )
    family.refuse(
        "initialize-denied",
        "A deny wins over the exemption.",
        BOOT,
        policy([NOVEMBER], methods=["*"], deny={"methods": ["Initialize"]}),
        post(hello, None),
        "method_denied",
        "denied by name",
    )
    for slug, params in [
        ("no-params", None),
        ("empty", {}),
        ("no-info", {"protocolVersion": NOVEMBER, "capabilities": {}}),
    ]:
        family.refuse(
            f"initialize-{slug}",
            "Only valid params are exempt.",
            BOOT,
            allow([NOVEMBER]),
            post(request("initialize", params), None),
            "params_invalid",
            "bad params",
            unsaid=("expected_error_code",),
        )
    family.refuse(
        "initialize-notification",
        "Only a request is exempt.",
        BOOT,
        allow([NOVEMBER]),
        post(notification("initialize", HELLO), None),
        "version_missing",
        "no exemption",
        unsaid=("expected_error_code",),
    )
    family.refuse(
        "ping-before-initialize",
        "`ping` is not exempt.",
        BOOT,
        allow([NOVEMBER]),
        post(request("ping"), None),
        "version_missing",
        "no exemption",
    )
    family.refuse(
        "initialized-no-header",
        "`notifications/initialized` is not exempt.",
        BOOT,
        allow([NOVEMBER]),
        post(notification("notifications/initialized"), None),
        "version_missing",
        "no exemption",
    )
    body = request("initialize", HELLO | {"_meta": meta()})
    family.refuse(
        "initialize-modern-meta-no-header",
        "`_meta` of 2026-07-28 without its header.",
        "11: header/body disagreement",
        allow(),
        post(body, None),
        "version_header_missing",
        "header/body disagreement",
        id=1,
    )


def bootstrap_profile(family):
    """As what an exempt `initialize` is inspected, and what its `_meta` may say."""
    key = META + "protocolVersion"

    def hello(params=None, **names):
        held = {"_meta": names} if names else {}
        return request("initialize", HELLO | (params or {}) | held)

    late = {"capabilities": {"elicitation": []}}
    icons = {"clientInfo": HELLO["clientInfo"] | {"icons": [{"src": "a:b", "theme": None}]}}
    for slug, permitted, version, params, good in [
        ("elicitation-at-november", [NOVEMBER], None, late, False),
        ("elicitation-at-march-november", [MARCH, NOVEMBER], None, late, False),
        ("elicitation-at-dual", [NOVEMBER, JULY], None, late, False),
        ("elicitation-at-march", [MARCH], None, late, True),
        ("elicitation-march-at-november", [NOVEMBER], MARCH, late, True),
        ("elicitation-june-at-march", [MARCH], JUNE, late, False),
        ("icons-at-june", [JUNE], None, icons, True),
        ("icons-at-november", [JUNE, NOVEMBER], None, icons, False),
    ]:
        name, why = f"initialize-as-{slug}", "Inspected as the header's, or the newest permitted."
        if good:
            family.forward(name, why, BOOT, allow(permitted), post(hello(params), version))
        else:
            family.refuse(
                name,
                why,
                BOOT,
                allow(permitted),
                post(hello(params), version),
                "params_invalid",
                "bad params in the revision that it is inspected as",
            )
    for slug, permitted, version, named, good in [
        ("november", [NOVEMBER], None, NOVEMBER, True),
        ("older-permitted", [MARCH, NOVEMBER], None, MARCH, True),
        ("not-permitted", [NOVEMBER], None, MARCH, False),
        ("unknown", [NOVEMBER], None, "2024-11-05", False),
        ("number", [NOVEMBER], None, 20251125, False),
        ("equal-to-header", [NOVEMBER], JUNE, JUNE, True),
        ("permitted-but-not-the-header", [NOVEMBER], JUNE, NOVEMBER, False),
        ("modern-under-header", [NOVEMBER, JULY], NOVEMBER, JULY, False),
    ]:
        name, why = f"initialize-meta-{slug}", "`_meta` must name the header's or a permitted one."
        sent = post(hello(**{key: named}), version)
        if good:
            family.forward(name, why, BOOT, allow(permitted), sent)
        else:
            family.refuse(
                name, why, BOOT, allow(permitted), sent, "version_mismatch", "_meta disagrees"
            )
    for slug, offer, told in [
        ("unknown", "2024-11-05", "2024-11-05"),
        ("modern", JULY, JULY),
        ("long", "9" * 300, "9" * 32),
        ("wide", "\u00e9" * 40, "\u00e9" * 16),
        ("empty", "", ""),
    ]:
        family.refuse(
            f"initialize-told-{slug}",
            "`requested` is what the client offered, never a default.",
            "7: `data.requested` is what the client offered",
            allow([JULY]),
            post(hello({"protocolVersion": offer}), None),
            "no_legacy_revision",
            "only 2026-07-28 is permitted",
            data={"requested": told},
        )


def agreement(family):
    key = META + "protocolVersion"
    for version in LEGACY:
        good = tool("get_weather", version=version)
        good["params"]["_meta"] = {key: version}
        family.forward(
            f"meta-equal-{version}",
            "It says what the header says.",
            AGREE,
            allow(),
            post(good, version),
        )
        for other in (JULY, NOVEMBER if version != NOVEMBER else JUNE):
            bad = tool("get_weather", version=version)
            bad["params"]["_meta"] = {key: other}
            family.refuse(
                f"meta-{other}-under-{version}",
                "It says another revision.",
                AGREE,
                allow(),
                post(bad, version),
                "version_mismatch",
                "header against _meta",
            )
    for slug, value in [
        ("legacy", NOVEMBER),
        ("unknown", "2027-01-01"),
        ("space", JULY + " "),
        ("list", f"{JULY}, {JULY}"),
    ]:
        bad = request("tools/list", {}, JULY)
        bad["params"]["_meta"][key] = value
        family.refuse(
            f"meta-{slug}-under-modern",
            "It says another revision.",
            AGREE,
            allow(),
            post(bad, JULY),
            "version_mismatch",
            "header against _meta",
        )
    for slug, value in [("number", 20260728), ("null", None)]:
        bad = request("tools/list", {}, JULY)
        bad["params"]["_meta"][key] = value
        family.refuse(
            f"meta-{slug}-under-modern",
            "Not a revision at all.",
            AGREE,
            allow(),
            post(bad, JULY),
            "version_mismatch",
            "not a string",
            unsaid=("expected_error_code",),
        )
        bad = tool("get_weather")
        bad["params"]["_meta"] = {key: value}
        family.refuse(
            f"meta-{slug}-under-legacy",
            "Not a revision at all.",
            AGREE,
            allow(),
            post(bad),
            "version_mismatch",
            "not a string",
            unsaid=("expected_error_code",),
        )
    family.refuse(
        "meta-no-header-march",
        "No header is 2025-03-26; `_meta` says otherwise.",
        AGREE,
        allow(),
        post(request("ping", {"_meta": {key: NOVEMBER}}), None),
        "version_mismatch",
        "header against _meta",
    )
    family.forward(
        "meta-no-header-equal",
        "No header is 2025-03-26, and `_meta` says so.",
        AGREE,
        allow(),
        post(request("ping", {"_meta": {key: MARCH}}), None),
    )
    note = notification("notifications/initialized", {"_meta": {key: JUNE}})
    family.refuse(
        "meta-notification",
        "In notifications too.",
        AGREE,
        allow(),
        post(note),
        "version_mismatch",
        "header against _meta",
    )
    member = request("ping", {"_meta": {key: JUNE}}, id=2)
    family.refuse(
        "meta-batch-member",
        "In every member of a batch.",
        AGREE,
        allow(),
        post([request("ping"), member], MARCH),
        "version_mismatch",
        "header against _meta",
    )
    family.forward(
        "meta-in-arguments",
        "`arguments` is opaque.",
        AGREE,
        allow(),
        post(tool("get_weather", {"_meta": {key: JULY}})),
    )
    extension = policy([JULY], extensions=["vendor/x"])
    body = request("vendor/x", {}, JULY)
    body["params"]["_meta"][key] = NOVEMBER
    family.refuse(
        "meta-extension",
        "In extension requests too.",
        AGREE,
        extension,
        post(body, JULY),
        "version_mismatch",
        "header against _meta",
    )


def no_union(family):
    for slug, body, version, code in [
        ("batch-november", [request("ping")], NOVEMBER, "batch_unavailable"),
        ("tasks-in-june", request("tasks/list"), JUNE, "method_unavailable"),
        (
            "discover-in-november",
            request("server/discover", {"_meta": {}}),
            NOVEMBER,
            "method_unavailable",
        ),
        ("ping-in-modern", request("ping", {}, JULY), JULY, "method_unavailable"),
        ("no-meta-in-modern", request("tools/list", {}), JULY, "meta_invalid"),
        (
            "initialized-in-modern",
            notification("notifications/initialized"),
            JULY,
            "method_unavailable",
        ),
    ]:
        family.refuse(
            f"union-{slug}",
            "Another permitted revision has it; the selected one does not.",
            ONE,
            allow(),
            post(body, version),
            code,
            "not in this revision",
        )


def repeats(family):
    compat = {"compat": {"equal_version_repeats": True}}
    ping = request("ping")
    for slug, values in [
        ("list", ["2025-11-25, 2025-11-25"]),
        ("lines", [NOVEMBER] * 2),
        ("list-and-line", ["2025-11-25, 2025-11-25", NOVEMBER]),
    ]:
        family.forward(
            f"repeats-{slug}",
            "Equal repeats are collapsed into one line.",
            REPEATS,
            allow(**compat),
            post(ping, None, lines(*values)),
        )
    for slug, values in [
        ("different", [NOVEMBER, JUNE]),
        ("different-list", ["2025-11-25, 2026-07-28"]),
        ("with-empty", ["2025-11-25, "]),
        ("only-commas", [","]),
    ]:
        family.refuse(
            f"repeats-{slug}",
            "The switch is for equal, known, non-empty values.",
            REPEATS,
            allow(**compat),
            post(ping, None, lines(*values)),
            "version_ambiguous",
            "not one value",
            unsaid=("expected_id",),
        )
    family.refuse(
        "repeats-not-permitted",
        "Collapsed, it is judged as ever.",
        REPEATS,
        allow([NOVEMBER], **compat),
        post(ping, None, lines(JUNE, JUNE)),
        "version_not_permitted",
        "revision not permitted",
        id=1,
    )


def families():
    """`rev`."""
    family = Family("rev", "revision")
    for part in (selecting, bootstrap, bootstrap_profile, agreement, no_union, repeats):
        part(family)
    return [family]
