"""Media types, encodings, guarded headers, origins, and what is not judged."""

from case import ALL, JULY, NOVEMBER, Family, bare, policy, post, tool

TYPE, ENCODING = "4: Content-Type of a POST", "4: Content-Encoding"
GUARD = (
    "4: a header the filter reads, sent twice, empty, non-ASCII, beside an underscore twin, or"
    " named by Connection"
)
ORIGIN = "4: Origin"
FREE = "4: Accept, User-Agent and all else: not judged"
STREAM, SESSION = ("accept", "text/event-stream"), ("mcp-session-id", "s-1")
CALL = tool("get_weather")


# Headers whose faults have a code of their own.
OWN_CODES = {
    "content-type": "media_type",
    "content-encoding": "content_encoding",
    "origin": "origin_not_allowed",
    "mcp-protocol-version": "version_ambiguous",
}


def own_code(name, way):
    """The code of a guarded header's fault; mirrors have one for what is unreadable."""
    if name in ("mcp-method", "mcp-name") and way in ("empty", "non-ascii"):
        return "mirror_invalid"
    return OWN_CODES.get(name, "header_ambiguous")


def allow(versions=ALL, **more):
    """A policy that permits one tool."""
    return policy(versions, methods=["ping"], tools=["get_weather"], **more)


def types(family):
    def sent(*values, drop=("content-type",)):
        return post(CALL, extra=[("content-type", value) for value in values], drop=drop)

    for slug, value in [
        ("plain", "application/json"),
        ("upper", "APPLICATION/JSON"),
        ("mixed", "Application/Json"),
        ("charset", "application/json; charset=utf-8"),
        ("charset-upper", "application/json; CHARSET=UTF-8"),
        ("charset-quoted", 'application/json; charset="utf-8"'),
        ("empty-parameter", "application/json; "),
        ("empty-parameters", "application/json;;"),
        ("charset-and-empty", "application/json;; charset=utf-8;"),
    ]:
        family.forward(f"type-{slug}", "The media type of JSON.", TYPE, allow(), sent(value))
    for slug, value in [
        ("text", "text/plain"),
        ("form", "application/x-www-form-urlencoded"),
        ("suffix", "application/vnd.api+json"),
        ("json-rpc", "application/json-rpc"),
        ("ndjson", "application/x-ndjson"),
        ("utf16", "application/json; charset=utf-16"),
        ("utf8-misspelt", "application/json; charset=utf8"),
        ("two-charsets", "application/json; charset=utf-8; charset=utf-16"),
        ("list", "application/json, text/plain"),
        ("bare-charset", "application/json; charset"),
    ]:
        family.refuse(
            f"type-{slug}",
            "Not JSON in UTF-8, or not plainly so.",
            TYPE,
            allow(),
            sent(value),
            "media_type",
            "415",
        )
    family.refuse("type-missing", "No media type.", TYPE, allow(), sent(), "media_type", "415")
    family.refuse(
        "type-twice",
        "Two lines, even equal ones.",
        TYPE,
        allow(),
        sent("application/json", "application/json"),
        "media_type",
        "415",
    )
    family.refuse(
        "type-twice-different",
        "Two lines.",
        TYPE,
        allow(),
        sent("application/json", "text/plain"),
        "media_type",
        "415",
    )


def encodings(family):
    def sent(*values):
        return post(CALL, extra=[("content-encoding", value) for value in values])

    for value in ("identity", "IDENTITY"):
        family.forward(
            f"encoding-{'upper-' if value.isupper() else ''}identity",
            "Nothing is encoded.",
            ENCODING,
            allow(),
            sent(value),
        )
    for slug, values in [
        ("gzip", ["gzip"]),
        ("br", ["br"]),
        ("list", ["identity, gzip"]),
        ("two-lines", ["identity", "gzip"]),
        ("empty", [""]),
    ]:
        family.refuse(
            f"encoding-{slug}",
            "The bytes may not be the message.",
            ENCODING,
            allow(),
            sent(*values),
            "content_encoding",
            "415",
        )


def guarded(family):
    """Every header that is read, ambiguous in every way."""
    modern = tool("get_weather", version=JULY)
    guard = allow(origins=["https://app.example"])
    readings = {
        "mcp-protocol-version": (
            lambda extra: post(CALL, extra=extra, drop=("mcp-protocol-version",)),
            NOVEMBER,
        ),
        "mcp-method": (lambda extra: post(CALL, extra=extra), "tools/call"),
        "mcp-name": (lambda extra: post(CALL, extra=extra), "get_weather"),
        "content-type": (
            lambda extra: post(CALL, extra=extra, drop=("content-type",)),
            "application/json",
        ),
        "content-encoding": (lambda extra: post(CALL, extra=extra), "identity"),
        "origin": (lambda extra: post(CALL, extra=extra), "https://app.example"),
        "accept": (lambda extra: bare("GET", extra=extra), "text/event-stream"),
        "mcp-session-id": (lambda extra: bare("DELETE", extra=extra), "s-1"),
    }
    for name, (sent, value) in readings.items():
        twin = name.replace("-", "_")
        native = {"runners": ["native"]}
        ways = [
            (
                "repeated",
                [(name, value), (name, value)],
                "Envoy joins `Accept` lines to one list." if name == "accept" else "",
            ),
            ("empty", [(name, "")], ""),
            ("non-ascii", [(name, value + "\u00ff")], ""),
            (
                "named-by-connection",
                [(name, value), ("connection", f"close, {name}")],
                "Envoy removes what `Connection` names before any filter sees it.",
            ),
        ]
        if twin != name:
            ways.append(("twin", [(name, value), (twin, value)], ""))
        for way, extra, codec in ways:
            why = f"Another server may read another value. {codec}".strip()
            family.refuse(
                f"{name}-{way}",
                why,
                GUARD,
                guard,
                sent(extra),
                own_code(name, way),
                "ambiguous header",
                loose=True,
                **(native if codec else {}),
            )
    family.refuse(
        "modern-mcp-name-twin",
        "A twin beside the right mirror.",
        GUARD,
        allow(),
        post(modern, JULY, [("mcp_name", "delete_repo")]),
        "header_ambiguous",
        "ambiguous header",
        loose=True,
    )
    family.refuse(
        "twin-alone",
        "The twin alone: a CGI-like server reads it as the header.",
        GUARD,
        allow(),
        post(CALL, extra=[("mcp_method", "tools/list")]),
        "header_ambiguous",
        "ambiguous header",
        loose=True,
    )
    family.forward(
        "other-twin",
        "A header nobody reads may have any name.",
        FREE,
        allow(),
        post(CALL, extra=[("x_trace_id", "1"), ("x-trace-id", "2")]),
    )


def origins(family):
    one = allow(origins=["https://app.example", "http://localhost:6274"])
    for slug, lines in [
        ("absent", []),
        ("listed", ["https://app.example"]),
        ("listed-port", ["http://localhost:6274"]),
    ]:
        family.forward(
            f"origin-{slug}",
            "Absent, or exactly one listed value.",
            ORIGIN,
            one,
            post(CALL, extra=[("origin", line) for line in lines]),
        )
    for slug, lines in [
        ("other", ["https://evil.example"]),
        ("null", ["null"]),
        ("scheme", ["http://app.example"]),
        ("port", ["https://app.example:8443"]),
        ("suffix", ["https://app.example.evil"]),
        ("case", ["https://APP.example"]),
        ("list", ["https://app.example, https://evil.example"]),
        ("two", ["https://app.example", "https://evil.example"]),
    ]:
        family.refuse(
            f"origin-{slug}",
            "A web page of another origin must not reach the server.",
            ORIGIN,
            one,
            post(CALL, extra=[("origin", line) for line in lines]),
            "origin_not_allowed",
            "403",
        )
    for verb, extra in [("GET", STREAM), ("DELETE", SESSION)]:
        family.refuse(
            f"origin-{verb.lower()}",
            "Every verb.",
            ORIGIN,
            one,
            bare(verb, extra=[extra, ("origin", "https://evil.example")]),
            "origin_not_allowed",
            "403",
        )
    family.refuse(
        "origin-audit",
        "Audit weakens no rejection.",
        ORIGIN,
        one | {"mode": "audit"},
        post(CALL, extra=[("origin", "https://evil.example")]),
        "origin_not_allowed",
        "403",
    )
    for value in ("https://evil.example", "null", "\u00ff"):
        slug = {"null": "null", "\u00ff": "odd"}.get(value, "any")
        family.forward(
            f"origin-unlisted-{slug}",
            "Without `origins` it is not judged.",
            ORIGIN,
            allow(),
            post(CALL, extra=[("origin", value)]),
        )


def free(family):
    for slug, extra, drop in [
        ("accept-bytes", [("accept", "\u00ff\u00fe\u0080")], ["accept"]),
        ("accept-empty", [("accept", "")], ["accept"]),
        ("accept-missing", [], ["accept"]),
        ("accept-long", [("accept", "a/b," * 1000)], ["accept"]),
        ("user-agent-bytes", [("user-agent", "\u00e9\u00ff")], []),
        ("authorization", [("authorization", "Bearer \u00ff")], []),
        ("unknown-mcp-header", [("mcp-future", "1"), ("mcp-future", "2")], []),
    ]:
        family.forward(
            f"free-{slug}",
            "Not judged, and never able to crash the filter.",
            FREE,
            allow(),
            post(CALL, extra=extra, drop=drop),
        )
    rule = "4: trailers: decide there too"
    for http in ("h1", "h2"):
        how = {"trailers": [["x-checksum", "1"]], **({"http": "h2"} if http == "h2" else {})}
        family.forward(
            f"trailers-{http}-permitted", "Trailers end the body.", rule, allow(), post(CALL, **how)
        )
        family.refuse(
            f"trailers-{http}-denied",
            "No end of stream comes with the body.",
            rule,
            allow(),
            post(tool("delete_repo"), **how),
            "tool_not_allowed",
            "policy denial",
        )
        family.refuse(
            f"trailers-{http}-malformed",
            "No end of stream comes with the body.",
            rule,
            allow(),
            post('{"jsonrpc"', **how),
            "json_invalid",
            "not JSON",
        )
    family.refuse(
        "empty-post",
        "A POST without a body.",
        "4: empty POST body",
        allow(),
        post(None),
        "body_empty",
        "400",
    )
    family.refuse(
        "empty-post-length-zero",
        "A POST with a body of no bytes.",
        "4: empty POST body",
        allow(),
        post(""),
        "body_empty",
        "400",
    )
    family.refuse(
        "blank-post",
        "White space only.",
        "5: one RFC 8259 value",
        allow(),
        post(" \r\n\t"),
        "json_invalid",
        "not JSON",
    )


def families():
    """`hdr`."""
    family = Family("hdr", "http")
    for part in (types, encodings, guarded, origins, free):
        part(family)
    return [family]
