"""GET and DELETE with every condition missing in turn, other verbs, upgrades."""

from case import ALL, JULY, JUNE, LEGACY, MARCH, NOVEMBER, Family, bare, policy, post, tool

VERB_RULES = {"GET": "4: GET", "DELETE": "4: DELETE"}
GUARD = "4: a header the filter reads, sent twice, empty, non-ASCII"
STREAM, SESSION = ("accept", "text/event-stream"), ("mcp-session-id", "s-1")
CALL = tool("get_weather")


def allow(versions=ALL, **more):
    """A policy that permits one tool."""
    return policy(versions, methods=["ping"], tools=["get_weather"], **more)


def streams(family):
    """GET: every condition missing in turn."""
    rule = VERB_RULES["GET"]
    good = [STREAM]
    for version in (None, *LEGACY):
        family.forward(
            f"get-{version or 'no-version'}",
            "All conditions hold.",
            rule,
            allow(),
            bare("GET", version, good),
            "stream",
            "a stream of a legacy session",
        )
    for slug, extra in [
        ("accept-list", [("accept", "application/json, text/event-stream")]),
        ("accept-case", [("accept", "Text/Event-Stream")]),
        ("accept-low-q", [("accept", "text/event-stream;q=0.001")]),
        ("accept-bad-q", [("accept", "text/event-stream;q=nil")]),
        ("accept-long-q", [("accept", "text/event-stream;q=0.0000")]),
        ("accept-one-of-two", [("accept", "text/event-stream;q=0, text/event-stream")]),
        ("last-event-id", [STREAM, SESSION, ("last-event-id", "42")]),
        ("content-type", [STREAM, ("content-type", "application/json")]),
        ("length-zero", [STREAM, ("content-length", "0")]),
    ]:
        family.forward(
            f"get-{slug}",
            "Clients send streams with such headers.",
            rule,
            allow(),
            bare("GET", extra=extra),
            "stream",
            "a stream of a legacy session",
        )
    family.forward(
        "get-h2",
        "Over HTTP/2.",
        rule,
        allow(),
        bare("GET", extra=good, http="h2"),
        "stream",
        "a stream of a legacy session",
    )
    family.forward(
        "get-audit",
        "Streams need no rule.",
        rule,
        allow(mode="audit"),
        bare("GET", extra=good),
        "stream",
        "a stream of a legacy session",
    )
    for slug, made, sent in [
        ("accept-missing", allow(), bare("GET")),
        ("accept-any", allow(), bare("GET", extra=[("accept", "*/*")])),
        ("accept-q-zero", allow(), bare("GET", extra=[("accept", "text/event-stream; Q=0.000")])),
        (
            "accept-q-zero-list",
            allow(),
            bare("GET", extra=[("accept", "text/html, text/event-stream;q=0.")]),
        ),
        ("accept-longer", allow(), bare("GET", extra=[("accept", "text/event-streams")])),
        ("modern", allow(), bare("GET", JULY, good)),
        ("only-modern-permitted", allow([JULY]), bare("GET", NOVEMBER, good)),
        ("not-permitted", allow([NOVEMBER]), bare("GET", JUNE, good)),
        ("no-version-not-permitted", allow([NOVEMBER]), bare("GET", None, good)),
        ("unknown-version", allow(), bare("GET", "2024-11-05", good)),
        ("switched-off", allow(streams="deny"), bare("GET", extra=good)),
        ("switched-off-audit", allow(streams="deny", mode="audit"), bare("GET", extra=good)),
    ]:
        modern = slug.startswith("only-modern") or sent["_modern"]
        family.refuse(
            f"get-{slug}",
            "One condition does not hold.",
            rule,
            made,
            sent,
            "verb_not_allowed",
            "405",
            **({"id": {"absent": True}} if modern else {}),
            **({"unsaid": ("expected_id",)} if slug == "only-modern-permitted" else {}),
        )
    family.refuse(
        "get-two-versions",
        "Two version lines.",
        GUARD,
        allow(),
        bare("GET", extra=[STREAM, ("mcp-protocol-version", JUNE)]),
        "version_ambiguous",
        "repeated header",
        loose=True,
    )
    for slug, body, transport in [
        ("declared", "{}", {}),
        ("chunked", "{}", {"chunk_sizes": [1]}),
        (
            "denied-call",
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_repo"}}',
            {},
        ),
    ]:
        for verb, extra in [("GET", STREAM), ("DELETE", SESSION)]:
            family.refuse(
                f"{verb.lower()}-body-{slug}",
                "Nobody looks into a body there.",
                "4: a body on GET/DELETE",
                allow(),
                bare(verb, extra=[extra], body=body, **transport),
                "verb_body",
                "a body on GET/DELETE",
            )


def sessions(family):
    """DELETE: every condition missing in turn."""
    rule = VERB_RULES["DELETE"]
    for version in (None, *LEGACY):
        family.forward(
            f"delete-{version or 'no-version'}",
            "All conditions hold.",
            rule,
            allow(),
            bare("DELETE", version, [SESSION]),
            "session_end",
            "ends a legacy session",
        )
    family.forward(
        "delete-accept-any",
        "TypeScript clients send this `Accept`.",
        rule,
        allow(),
        bare("DELETE", extra=[SESSION, ("accept", "*/*")]),
        "session_end",
        "ends a legacy session",
    )
    for slug, made, sent in [
        ("no-session", allow(), bare("DELETE")),
        ("modern", allow(), bare("DELETE", JULY, [SESSION])),
        ("not-permitted", allow([NOVEMBER]), bare("DELETE", MARCH, [SESSION])),
        ("no-version-not-permitted", allow([NOVEMBER]), bare("DELETE", None, [SESSION])),
        ("unknown-version", allow(), bare("DELETE", "draft", [SESSION])),
        ("switched-off", allow(sessions="deny"), bare("DELETE", extra=[SESSION])),
    ]:
        family.refuse(
            f"delete-{slug}",
            "One condition does not hold.",
            rule,
            made,
            sent,
            "verb_not_allowed",
            "405",
        )
    for slug, extra in [
        ("two-sessions", [SESSION, ("mcp-session-id", "s-2")]),
        ("same-session-twice", [SESSION, SESSION]),
        ("empty-session", [("mcp-session-id", "")]),
        ("non-ascii-session", [("mcp-session-id", "s\u00e9")]),
    ]:
        family.refuse(
            f"delete-{slug}",
            "Not exactly one session.",
            GUARD,
            allow(),
            bare("DELETE", extra=extra),
            "header_ambiguous",
            "not exactly one session",
            loose=True,
        )
    family.forward(
        "post-two-sessions",
        "On POST the session is the server's affair.",
        "4: headers it reads: mcp-session-id (DELETE)",
        allow(),
        post(CALL, extra=[SESSION, ("mcp-session-id", "s-2")]),
        debatable=True,
    )


def verbs(family):
    for verb in ("PUT", "PATCH", "OPTIONS", "TRACE"):
        family.refuse(
            f"verb-{verb.lower()}",
            "Not a verb of MCP.",
            "4: other verbs",
            allow(),
            bare(verb, extra=[STREAM, SESSION]),
            "verb_not_allowed",
            "405",
        )
    codec = "Envoy's codec or the test's client has its own idea of this verb."
    for verb in ("HEAD", "CONNECT", "QUERY", "post", "Get", "PROPFIND"):
        slug = {"post": "lower-post", "Get": "mixed-get"}.get(verb, verb.lower())
        family.refuse(
            f"verb-{slug}",
            f"Not a verb of MCP. {codec}",
            "4: other verbs",
            allow(),
            bare(verb, extra=[STREAM]),
            "verb_not_allowed",
            "405",
            runners=["native"],
        )
    family.refuse(
        "verb-put-with-call",
        "A permitted call under another verb.",
        "4: other verbs",
        allow(),
        post(CALL) | {"method": "PUT"},
        "verb_not_allowed",
        "405",
        id=None,
    )
    family.refuse(
        "upgrade-websocket",
        "Envoy refuses upgrades that no route enables itself.",
        "4: upgrades",
        allow(),
        bare("GET", extra=[STREAM, ("connection", "upgrade"), ("upgrade", "websocket")]),
        "verb_not_allowed",
        "405",
        runners=["native"],
    )
    family.refuse(
        "upgrade-post",
        "Envoy refuses upgrades that no route enables itself.",
        "4: upgrades",
        allow(),
        post(CALL, extra=[("connection", "upgrade"), ("upgrade", "foo/2")]),
        "verb_not_allowed",
        "405",
        id=None,
        runners=["native"],
    )
    for verb in ("GET", "DELETE"):
        family.refuse(
            f"modern-{verb.lower()}",
            "2026-07-28 knows only POST.",
            "4: 2026-07-28 with any verb but POST",
            allow([JULY]),
            bare(verb, JULY, [STREAM, SESSION]),
            "verb_not_allowed",
            "405, Allow: POST",
            allow="POST",
        )
    for slug, version, made, value in [
        ("all", NOVEMBER, allow(), "POST, GET, DELETE"),
        ("modern", JULY, allow(), "POST"),
        ("no-streams", NOVEMBER, allow(streams="deny"), "POST, DELETE"),
        ("no-sessions", NOVEMBER, allow(sessions="deny"), "POST, GET"),
        ("only-modern", None, allow([JULY]), "POST"),
    ]:
        family.refuse(
            f"allow-header-{slug}",
            f"`Allow` names what would work: {value}.",
            "4: 405 + `Allow`",
            made,
            bare("PATCH", version),
            "verb_not_allowed",
            "405",
            id={"absent": True} if "modern" in slug else None,
            allow=value,
        )


def families():
    """`vrb`."""
    family = Family("vrb", "http")
    for part in (streams, sessions, verbs):
        part(family)
    return [family]
