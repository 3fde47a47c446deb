"""What Envoy's own MCP filter with RBAC lets through, number by number."""

from case import (
    ALL,
    JULY,
    MARCH,
    NOVEMBER,
    Family,
    bare,
    compact,
    meta,
    policy,
    post,
    request,
    tool,
)

POLICY = {
    "methods": ["initialize", "ping", "tools/list", "notifications/initialized"],
    "tools": ["get_weather"],
    "deny": {"tools": ["delete_all"]},
}
GOOD, BAD = tool("get_weather"), tool("delete_all", id=2)
CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}'
JULY_LINE, NOVEMBER_LINE = ("mcp-protocol-version", JULY), ("mcp-protocol-version", NOVEMBER)


def allow(versions=ALL, **more):
    """One tool is permitted, one is denied."""
    return policy(versions, **{**POLICY, **more})


class Numbered:
    """Adds the number, and what the request would do elsewhere."""

    def __init__(self, family, number, why):
        self.family, self.why = family, why
        self.slug, self.rule = f"b{number:02}", f"4 to 9; bypass B{number} of Envoy's MCP filter"

    def refuse(self, slug, sent, code, made=None, **more):
        self.family.refuse(
            f"{self.slug}-{slug}",
            self.why,
            self.rule,
            made or allow(),
            sent,
            code,
            code.replace("_", " "),
            **more,
        )

    def forward(self, slug, sent, made=None, code="allowed"):
        self.family.forward(f"{self.slug}-{slug}", self.why, self.rule, made or allow(), sent, code)


def bodies(family):
    b = Numbered(family, 1, "A complete allowed call ends a chunk; more follows in the next.")
    first = compact(GOOD)
    for slug, rest in [
        ("second-call", "\n" + compact(BAD)),
        ("garbage", "xyz"),
        ("second-call-glued", compact(BAD)),
    ]:
        b.refuse(
            slug,
            post(first + rest, chunk_sizes=[len(first), 4096]),
            "json_trailing_data",
        )
    b.forward("only-white-space", post(first + "\r\n", chunk_sizes=[len(first), 1]))
    b = Numbered(family, 2, "An object `result` must not turn a call into a client response.")
    for slug, body in [
        ("first", {"jsonrpc": "2.0", "id": 2, "result": {}} | BAD),
        ("last", BAD | {"result": {}}),
        ("error", BAD | {"error": {"code": 1, "message": ""}}),
        (
            "no-id",
            {"jsonrpc": "2.0", "result": {}, "method": "tools/call", "params": BAD["params"]},
        ),
    ]:
        b.refuse(slug, post(body), "envelope_conflict")
    b = Numbered(family, 3, "Readers that fold case take the later, capitalised name.")
    for slug, text in [
        ("name", CALL % '{"name":"get_weather","Name":"delete_all"}'),
        (
            "method",
            '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","params":{"name":"delete_all"}}',
        ),
        ("params", CALL[:-3] + '{"name":"get_weather"},"PARAMS":{"name":"delete_all"}}'),
        ("long-s", CALL[:-3] + '{"name":"get_weather"},"param\u017f":{"name":"delete_all"}}'),
    ]:
        b.refuse(slug, post(text), "json_case_variant")
    b = Numbered(family, 4, "A first-wins server runs the denied tool.")
    for slug, text in [
        ("name", CALL % '{"name":"delete_all","name":"get_weather"}'),
        ("params", CALL[:-3] + '{"name":"delete_all"},"params":{"name":"get_weather"}}'),
        (
            "method",
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{"name":"delete_all"}}',
        ),
        ("escaped", CALL % '{"n\\u0061me":"delete_all","name":"get_weather"}'),
    ]:
        b.refuse(slug, post(text), "json_duplicate_member")
    b = Numbered(family, 5, "The second of two equal names holds an array, which a detector skips.")
    for slug, text in [
        ("name", CALL % '{"name":"get_weather","name":["delete_all"]}'),
        ("params", CALL[:-3] + '{"name":"get_weather"},"params":["delete_all"]}'),
        ("method", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":["tools/call"]}'),
    ]:
        b.refuse(slug, post(text), "json_duplicate_member")
    b = Numbered(family, 6, "Equal names in objects inside arrays of `arguments`.")
    for slug, value in [("array", '[{"k":1,"k":2}]'), ("deep", '[[{"a":[{"k":1,"k":2}]}]]')]:
        b.refuse(
            slug,
            post(CALL % ('{"name":"get_weather","arguments":{"r":%s}}' % value)),
            "json_duplicate_member",
        )


def versions(family):
    lie = [("mcp-method", "tools/call"), ("mcp-name", "get_weather")]
    bad = tool("delete_all", version=JULY)
    b = Numbered(family, 7, "The first of two version lines decides, both are forwarded.")
    for slug, lines in [
        ("legacy-first", [NOVEMBER_LINE, JULY_LINE]),
        ("modern-first", [JULY_LINE, NOVEMBER_LINE]),
    ]:
        b.refuse(
            slug,
            post(bad, None, [*lines, *lie]),
            "version_ambiguous",
            unsaid=("expected_id",),
        )
    b.refuse(
        "legacy-body",
        post(GOOD, None, [NOVEMBER_LINE, JULY_LINE]),
        "version_ambiguous",
        unsaid=("expected_id",),
    )
    b = Numbered(family, 8, "A list of versions in one line counts as legacy.")
    for slug, value in [
        ("modern-first", f"{JULY}, {NOVEMBER}"),
        ("legacy-first", f"{NOVEMBER}, {JULY}"),
    ]:
        b.refuse(
            slug,
            post(bad, None, [("mcp-protocol-version", value), *lie]),
            "version_ambiguous",
            unsaid=("expected_id",),
        )
    b = Numbered(family, 9, "The header is legacy or absent, `_meta` says 2026-07-28.")
    b.refuse("legacy-header", post(tool("get_weather", version=JULY), NOVEMBER), "version_mismatch")
    b.refuse(
        "no-header", post(tool("get_weather", version=JULY), None), "version_header_missing", id=1
    )
    b.refuse(
        "no-header-only-modern",
        post(tool("get_weather", version=JULY), None),
        "version_header_missing",
        allow([JULY]),
        id=1,
    )
    b = Numbered(family, 10, "The mirror names an allowed tool, the body a denied one.")
    b.refuse("legacy", post(BAD, extra=lie), "mirror_mismatch")
    b.refuse(
        "legacy-two-names",
        post(BAD, extra=[lie[0], ("mcp-name", "delete_all"), lie[1]]),
        "header_ambiguous",
    )
    b.refuse("modern", post(bad, JULY, lie, auto=False), "mirror_mismatch")
    b.refuse("method", post(BAD, extra=[("mcp-method", "tools/list")]), "mirror_mismatch")


def sizes(family):
    small = allow(max_body_bytes=4096)
    pad = "p" * 9000
    b = Numbered(family, 11, "Beyond its limit the filter is blind; a limit here refuses.")
    text = CALL % f'{{"name":"get_weather","pad":"{pad}","name":"delete_all"}}'
    b.refuse("pad-then-name", post(text), "body_too_large", small)
    b.refuse("pad-then-name-chunked", post(text, chunk_sizes=[4096]), "body_too_large", small)
    b.refuse("pad-within-limit", post(text), "json_duplicate_member")
    b.refuse(
        "pad-before-everything",
        post('{"pad":"%s",%s' % (pad, compact(BAD)[1:])),
        "tool_denied",
        id=2,
    )
    b.refuse("pad-of-space", post(" " * 9000 + compact(BAD)), "tool_denied", id=2)
    b = Numbered(family, 12, "A routable prefix must not end the inspection.")
    start = CALL[:-3] + '{"name":"get_weather"}'
    b.refuse(
        "params-in-next-chunk",
        post(start + ',"params":{"name":"delete_all"}}', chunk_sizes=[len(start), 4096]),
        "json_duplicate_member",
    )
    start = CALL[:-3] + '{"name":"get_weather"'
    b.refuse(
        "name-in-next-chunk",
        post(start + ',"name":"delete_all"}}', chunk_sizes=[len(start), 4096]),
        "json_duplicate_member",
    )
    b.refuse("one-byte-chunks", post(compact(BAD), chunk_sizes=[1]), "tool_denied", id=2)
    b.refuse(
        "batch-in-next-chunk",
        post([GOOD, BAD], MARCH, chunk_sizes=[len(compact(GOOD)) + 2, 4096]),
        "tool_denied",
    )


def rest(family):
    b = Numbered(family, 13, "GET and DELETE carry a denied call in their body.")
    for verb, extra in [
        ("GET", ("accept", "text/event-stream")),
        ("DELETE", ("mcp-session-id", "s-1")),
    ]:
        for slug, transport in [
            ("declared", {}),
            ("chunked", {"chunk_sizes": [20]}),
            ("h2", {"http": "h2"}),
        ]:
            sent = bare(
                verb,
                extra=[extra, ("content-type", "application/json")],
                body=compact(BAD),
                **transport,
            )
            b.refuse(f"{verb.lower()}-{slug}", sent, "verb_body")
    b = Numbered(family, 14, "A lenient reader takes what is no JSON.")
    for slug, text in [
        ("unquoted-key", '{jsonrpc:"2.0","id":1,"method":"ping"}'),
        ("single-quotes", "{'jsonrpc':'2.0','id':1,'method':'ping'}"),
        ("trailing-comma", '{"jsonrpc":"2.0","id":1,"method":"ping",}'),
        ("trailing-comma-array", CALL % '{"name":"get_weather","arguments":{"a":[1,]}}'),
        ("unquoted-argument-key", CALL % '{"name":"get_weather","arguments":{a:1}}'),
    ]:
        b.refuse(slug, post(text), "json_invalid")
    b = Numbered(family, 15, "The envelope is not validated.")
    b.refuse("id-null", post(GOOD | {"id": None}), "id_invalid")
    b.refuse("id-object", post(GOOD | {"id": {"a": 1}}), "id_invalid")
    b.refuse("id-array", post(GOOD | {"id": [1]}), "id_invalid")
    no_id = {key: value for key, value in GOOD.items() if key != "id"}
    b.refuse("no-id", post(no_id), "method_wrong_kind")
    b.refuse(
        "no-id-denied",
        post({key: value for key, value in BAD.items() if key != "id"}),
        "method_wrong_kind",
    )
    b.refuse(
        "no-jsonrpc",
        post({key: value for key, value in GOOD.items() if key != "jsonrpc"}),
        "envelope_invalid",
    )
    b = Numbered(family, 16, "Methods that 2026-07-28 no longer has.")
    for method, params in [
        ("ping", {}),
        (
            "initialize",
            {
                "protocolVersion": JULY,
                "capabilities": {},
                "clientInfo": {"name": "c", "version": "1"},
            },
        ),
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "a:b"}),
    ]:
        b.refuse(
            method.replace("/", "-").lower(),
            post(request(method, params, JULY), JULY),
            "method_unavailable",
            allow(methods=["*", "resources/subscribe"]),
        )
    note = {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"_meta": meta()}}
    b.refuse("initialized", post(note, JULY), "method_unavailable")
    b = Numbered(family, 17, "A batch of 2025-03-26 is valid traffic and must pass.")
    b.forward("one-allowed", post([GOOD], MARCH))
    b.forward("two-allowed", post([GOOD, request("ping", id=2)], MARCH))
    b.refuse("one-denied", post([GOOD, BAD], MARCH), "tool_denied")
    b = Numbered(family, 18, "The media type has no case.")
    for slug, value in [("capital", "Application/JSON"), ("upper", "APPLICATION/JSON")]:
        b.forward(
            f"{slug}-allowed", post(GOOD, extra=[("content-type", value)], drop=["content-type"])
        )
        b.refuse(
            f"{slug}-denied",
            post(BAD, extra=[("content-type", value)], drop=["content-type"]),
            "tool_denied",
        )
    b.refuse(
        "not-mcp-denied",
        post(BAD, extra=[("content-type", "text/plain")], drop=["content-type"]),
        "media_type",
    )
    b = Numbered(
        family, 19, "A web page of another origin reaches a local server by DNS rebinding."
    )
    listed = allow(origins=["https://app.example"])
    b.refuse(
        "evil", post(GOOD, extra=[("origin", "https://evil.example")]), "origin_not_allowed", listed
    )
    b.refuse("null", post(GOOD, extra=[("origin", "null")]), "origin_not_allowed", listed)
    b.forward("listed", post(GOOD, extra=[("origin", "https://app.example")]), listed)


def families():
    """`bypass`."""
    family = Family("bypass", "evasions")
    for part in (bodies, versions, sizes, rest):
        part(family)
    return [family]
