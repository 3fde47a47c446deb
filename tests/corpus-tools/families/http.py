"""Verbs, media types, encodings, guarded headers, origins."""

from case import ALL, JULY, JUNE, LEGACY, MARCH, NOVEMBER, Family, bare, policy, post, request, tool

VERB_RULES = {"GET": "4: GET", "DELETE": "4: DELETE"}
TYPE, ENCODING = "4: Content-Type of a POST", "4: Content-Encoding"
GUARD = "4: a header the filter reads, sent twice, empty, non-ASCII, beside an underscore twin, or named by Connection"
ORIGIN = "4: Origin"
FREE = "4: Accept, User-Agent and all else: not judged"
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
        family.forward(f"get-{version or 'no-version'}", "All conditions hold.", rule, allow(),
                       bare("GET", version, good), "stream", "a stream of a legacy session")
    for slug, extra in [
        ("accept-list", [("accept", "application/json, text/event-stream")]),
        ("accept-case", [("accept", "Text/Event-Stream")]),
        ("accept-quality", [("accept", "text/event-stream;q=0.9, */*;q=0.1")]),
        ("last-event-id", [STREAM, SESSION, ("last-event-id", "42")]),
        ("content-type", [STREAM, ("content-type", "application/json")]),
        ("length-zero", [STREAM, ("content-length", "0")]),
        ("odd-content-type", [STREAM, ("content-type", "text/plain")]),
    ]:
        family.forward(f"get-{slug}", "Clients send streams with such headers.", rule, allow(),
                       bare("GET", extra=extra), "stream", "a stream of a legacy session")
    family.forward("get-h2", "Over HTTP/2.", rule, allow(), bare("GET", extra=good, http="h2"),
                   "stream", "a stream of a legacy session")
    family.forward("get-audit", "Streams need no rule.", rule, allow(mode="audit"),
                   bare("GET", extra=good), "stream", "a stream of a legacy session")
    for slug, made, sent in [
        ("accept-missing", allow(), bare("GET")),
        ("accept-any", allow(), bare("GET", extra=[("accept", "*/*")])),
        ("accept-text", allow(), bare("GET", extra=[("accept", "text/*")])),
        ("accept-json", allow(), bare("GET", extra=[("accept", "application/json")])),
        ("accept-longer", allow(), bare("GET", extra=[("accept", "text/event-streams")])),
        ("modern", allow(), bare("GET", JULY, good)),
        ("only-modern-permitted", allow([JULY]), bare("GET", NOVEMBER, good)),
        ("only-modern-permitted-no-version", allow([JULY]), bare("GET", None, good)),
        ("not-permitted", allow([NOVEMBER]), bare("GET", JUNE, good)),
        ("no-version-not-permitted", allow([NOVEMBER]), bare("GET", None, good)),
        ("unknown-version", allow(), bare("GET", "2024-11-05", good)),
        ("switched-off", allow(streams="deny"), bare("GET", extra=good)),
        ("switched-off-audit", allow(streams="deny", mode="audit"), bare("GET", extra=good)),
    ]:
        modern = slug.startswith("only-modern") or sent["_modern"]
        family.refuse(f"get-{slug}", "One condition does not hold.", rule, made, sent,
                      "verb_not_allowed", "405",
                      **({"id": {"absent": True}} if modern else {}),
                      **({"unsaid": ("expected_id",)} if slug == "only-modern-permitted" else {}))
    family.refuse("get-two-versions", "Two version lines.", GUARD, allow(),
                  bare("GET", extra=[STREAM, ("mcp-protocol-version", JUNE)]), "version_ambiguous",
                  "repeated header", loose=True)
    for slug, body, transport in [("declared", "{}", {}), ("chunked", "{}", {"chunk_sizes": [1]}),
                                  ("denied-call", '{"jsonrpc":"2.0","id":1,"method":"tools/call",'
                                   '"params":{"name":"delete_repo"}}', {})]:
        for verb, extra in [("GET", STREAM), ("DELETE", SESSION)]:
            family.refuse(f"{verb.lower()}-body-{slug}", "Nobody looks into a body there.",
                          "4: a body on GET/DELETE", allow(),
                          bare(verb, extra=[extra], body=body, **transport), "verb_body",
                          "a body on GET/DELETE")


def sessions(family):
    """DELETE: every condition missing in turn."""
    rule = VERB_RULES["DELETE"]
    for version in (None, *LEGACY):
        family.forward(f"delete-{version or 'no-version'}", "All conditions hold.", rule, allow(),
                       bare("DELETE", version, [SESSION]), "session_end", "ends a legacy session")
    family.forward("delete-accept-any", "TypeScript clients send this `Accept`.", rule, allow(),
                   bare("DELETE", extra=[SESSION, ("accept", "*/*")]), "session_end",
                   "ends a legacy session")
    for slug, made, sent in [
        ("no-session", allow(), bare("DELETE")),
        ("modern", allow(), bare("DELETE", JULY, [SESSION])),
        ("not-permitted", allow([NOVEMBER]), bare("DELETE", MARCH, [SESSION])),
        ("no-version-not-permitted", allow([NOVEMBER]), bare("DELETE", None, [SESSION])),
        ("unknown-version", allow(), bare("DELETE", "draft", [SESSION])),
        ("switched-off", allow(sessions="deny"), bare("DELETE", extra=[SESSION])),
    ]:
        family.refuse(f"delete-{slug}", "One condition does not hold.", rule, made, sent,
                      "verb_not_allowed", "405")
    for slug, extra in [("two-sessions", [SESSION, ("mcp-session-id", "s-2")]),
                        ("same-session-twice", [SESSION, SESSION]),
                        ("empty-session", [("mcp-session-id", "")]),
                        ("non-ascii-session", [("mcp-session-id", "s\u00e9")])]:
        family.refuse(f"delete-{slug}", "Not exactly one session.", GUARD, allow(),
                      bare("DELETE", extra=extra), "header_ambiguous", "not exactly one session",
                      loose=True)
    family.forward("post-two-sessions", "On POST the session is the server's affair.",
                   "4: headers it reads: mcp-session-id (DELETE)", allow(),
                   post(CALL, extra=[SESSION, ("mcp-session-id", "s-2")]), debatable=True)


def verbs(family):
    for verb in ("PUT", "PATCH", "OPTIONS", "TRACE"):
        family.refuse(f"verb-{verb.lower()}", "Not a verb of MCP.", "4: other verbs", allow(),
                      bare(verb, extra=[STREAM, SESSION]), "verb_not_allowed", "405")
    codec = "Envoy's codec or the test's client has its own idea of this verb."
    for verb in ("HEAD", "CONNECT", "QUERY", "post", "Get", "PROPFIND"):
        slug = {"post": "lower-post", "Get": "mixed-get"}.get(verb, verb.lower())
        family.refuse(f"verb-{slug}", f"Not a verb of MCP. {codec}", "4: other verbs", allow(),
                      bare(verb, extra=[STREAM]), "verb_not_allowed", "405", runners=["native"])
    family.refuse("verb-put-with-call", "A permitted call under another verb.", "4: other verbs",
                  allow(), post(CALL) | {"method": "PUT"}, "verb_not_allowed", "405", id=None)
    family.refuse("upgrade-websocket", "Envoy refuses upgrades that no route enables itself.",
                  "4: upgrades", allow(), bare("GET", extra=[
                      STREAM, ("connection", "upgrade"), ("upgrade", "websocket")]),
                  "verb_not_allowed", "405", runners=["native"])
    family.refuse("upgrade-post", "Envoy refuses upgrades that no route enables itself.",
                  "4: upgrades", allow(), post(CALL, extra=[
                      ("connection", "upgrade"), ("upgrade", "foo/2")]),
                  "verb_not_allowed", "405", id=None, runners=["native"])
    for verb in ("GET", "POST", "DELETE"):
        sent = post(request("ping", None, JULY), JULY) if verb == "POST" else bare(verb, JULY)
        if verb != "POST":
            family.refuse(f"modern-{verb.lower()}", "2026-07-28 knows only POST.",
                          "4: 2026-07-28 with any verb but POST", allow([JULY]), sent,
                          "verb_not_allowed", "405, Allow: POST")
    for slug, version, made, value in [
        ("all", NOVEMBER, allow(), "POST, GET, DELETE"), ("modern", JULY, allow(), "POST"),
        ("no-streams", NOVEMBER, allow(streams="deny"), "POST, DELETE"),
        ("no-sessions", NOVEMBER, allow(sessions="deny"), "POST, GET"),
        ("only-modern", None, allow([JULY]), "POST"),
    ]:
        family.refuse(f"allow-header-{slug}", f"`Allow` names what would work: {value}.",
                      "4: 405 + `Allow`", made, bare("PATCH", version), "verb_not_allowed", "405",
                      id={"absent": True} if "modern" in slug else None)


def types(family):
    def sent(*values, drop=("content-type",)):
        return post(CALL, extra=[("content-type", value) for value in values], drop=drop)

    for slug, value in [
        ("plain", "application/json"), ("upper", "APPLICATION/JSON"), ("mixed", "Application/Json"),
        ("charset", "application/json; charset=utf-8"), ("charset-tight", "application/json;charset=utf-8"),
        ("charset-upper", "application/json; CHARSET=UTF-8"),
        ("charset-quoted", 'application/json; charset="utf-8"'),
        ("charset-wide", "application/json ; charset=utf-8"),
    ]:
        family.forward(f"type-{slug}", "The media type of JSON.", TYPE, allow(), sent(value))
    for slug, value in [
        ("text", "text/plain"), ("text-json", "text/json"), ("form", "application/x-www-form-urlencoded"),
        ("multipart", "multipart/form-data; boundary=x"), ("suffix", "application/vnd.api+json"),
        ("json-rpc", "application/json-rpc"), ("ndjson", "application/x-ndjson"),
        ("longer", "application/jsonp"), ("any", "*/*"), ("utf16", "application/json; charset=utf-16"),
        ("latin1", "application/json; charset=iso-8859-1"), ("utf8-misspelt", "application/json; charset=utf8"),
        ("other-parameter", "application/json; version=1"),
        ("two-charsets", "application/json; charset=utf-8; charset=utf-16"),
        ("charset-and-more", "application/json; charset=utf-8; q=1"),
        ("list", "application/json, text/plain"), ("list-equal", "application/json, application/json"),
        ("bare-charset", "application/json; charset"), ("empty-charset", "application/json; charset="),
        ("only-parameter", "; charset=utf-8"), ("inner-space", "application /json"),
    ]:
        family.refuse(f"type-{slug}", "Not JSON in UTF-8, or not plainly so.", TYPE, allow(),
                      sent(value), "media_type", "415")
    family.refuse("type-missing", "No media type.", TYPE, allow(), sent(), "media_type", "415")
    family.refuse("type-twice", "Two lines, even equal ones.", TYPE, allow(),
                  sent("application/json", "application/json"), "media_type", "415")
    family.refuse("type-twice-different", "Two lines.", TYPE, allow(),
                  sent("application/json", "text/plain"), "media_type", "415")


def encodings(family):
    def sent(*values):
        return post(CALL, extra=[("content-encoding", value) for value in values])

    for value in ("identity", "IDENTITY"):
        family.forward(f"encoding-{'upper-' if value.isupper() else ''}identity",
                       "Nothing is encoded.", ENCODING, allow(), sent(value))
    for slug, values in [("gzip", ["gzip"]), ("br", ["br"]), ("zstd", ["zstd"]),
                         ("deflate", ["deflate"]), ("list", ["identity, gzip"]),
                         ("identity-twice", ["identity, identity"]),
                         ("two-lines", ["identity", "gzip"]), ("empty", [""]),
                         ("unknown", ["x-plain"])]:
        family.refuse(f"encoding-{slug}", "The bytes may not be the message.", ENCODING, allow(),
                      sent(*values), "content_encoding", "415")


def guarded(family):
    """Every header that is read, ambiguous in every way."""
    modern = tool("get_weather", version=JULY)
    guard = allow(origins=["https://app.example"])
    readings = {
        "mcp-protocol-version": (lambda extra: post(CALL, extra=extra, drop=("mcp-protocol-version",)), NOVEMBER),
        "mcp-method": (lambda extra: post(CALL, extra=extra), "tools/call"),
        "mcp-name": (lambda extra: post(CALL, extra=extra), "get_weather"),
        "content-type": (lambda extra: post(CALL, extra=extra, drop=("content-type",)), "application/json"),
        "content-encoding": (lambda extra: post(CALL, extra=extra), "identity"),
        "origin": (lambda extra: post(CALL, extra=extra), "https://app.example"),
        "accept": (lambda extra: bare("GET", extra=extra), "text/event-stream"),
        "mcp-session-id": (lambda extra: bare("DELETE", extra=extra), "s-1"),
    }
    for name, (sent, value) in readings.items():
        twin = name.replace("-", "_")
        native = {"runners": ["native"]}
        ways = [
            ("repeated", [(name, value), (name, value)],
             "Envoy joins `Accept` lines to one list." if name == "accept" else ""),
            ("empty", [(name, "")], ""),
            ("non-ascii", [(name, value + "\u00ff")], ""),
            ("named-by-connection", [(name, value), ("connection", f"close, {name}")],
             "Envoy removes what `Connection` names before any filter sees it."),
        ]
        if twin != name:
            ways.append(("twin", [(name, value), (twin, value)], ""))
        for way, extra, codec in ways:
            why = f"Another server may read another value. {codec}".strip()
            family.refuse(f"{name}-{way}", why, GUARD, guard, sent(extra), "header_ambiguous",
                          "ambiguous header", loose=True, **(native if codec else {}))
    family.refuse("modern-mcp-name-twin", "A twin beside the right mirror.", GUARD, allow(),
                  post(modern, JULY, [("mcp_name", "delete_repo")]), "header_ambiguous",
                  "ambiguous header", loose=True)
    family.refuse("twin-alone", "The twin alone: a CGI-like server reads it as the header.", GUARD,
                  allow(), post(CALL, extra=[("mcp_method", "tools/list")]), "header_ambiguous",
                  "ambiguous header", loose=True)
    family.forward("other-twin", "A header nobody reads may have any name.", FREE, allow(),
                   post(CALL, extra=[("x_trace_id", "1"), ("x-trace-id", "2")]))


def origins(family):
    one = allow(origins=["https://app.example", "http://localhost:6274"])
    for slug, lines in [("absent", []), ("listed", ["https://app.example"]),
                        ("listed-port", ["http://localhost:6274"])]:
        family.forward(f"origin-{slug}", "Absent, or exactly one listed value.", ORIGIN, one,
                       post(CALL, extra=[("origin", line) for line in lines]))
    for slug, lines in [
        ("other", ["https://evil.example"]), ("null", ["null"]), ("scheme", ["http://app.example"]),
        ("port", ["https://app.example:8443"]), ("subdomain", ["https://x.app.example"]),
        ("suffix", ["https://app.example.evil"]), ("path", ["https://app.example/"]),
        ("case", ["https://APP.example"]), ("list", ["https://app.example, https://evil.example"]),
        ("space-list", ["https://app.example https://evil.example"]),
        ("two", ["https://app.example", "https://evil.example"]),
    ]:
        family.refuse(f"origin-{slug}", "A web page of another origin must not reach the server.",
                      ORIGIN, one, post(CALL, extra=[("origin", line) for line in lines]),
                      "origin_not_allowed", "403")
    for verb, extra in [("GET", STREAM), ("DELETE", SESSION)]:
        family.refuse(f"origin-{verb.lower()}", "Every verb.", ORIGIN, one,
                      bare(verb, extra=[extra, ("origin", "https://evil.example")]),
                      "origin_not_allowed", "403")
    family.refuse("origin-audit", "Audit weakens no rejection.", ORIGIN,
                  one | {"mode": "audit"}, post(CALL, extra=[("origin", "https://evil.example")]),
                  "origin_not_allowed", "403")
    for value in ("https://evil.example", "null", "\u00ff"):
        slug = {"null": "null", "\u00ff": "odd"}.get(value, "any")
        family.forward(f"origin-unlisted-{slug}", "Without `origins` it is not judged.", ORIGIN,
                       allow(), post(CALL, extra=[("origin", value)]))


def free(family):
    for slug, extra, drop in [
        ("accept-bytes", [("accept", "\u00ff\u00fe\u0080")], ["accept"]),
        ("accept-empty", [("accept", "")], ["accept"]),
        ("accept-missing", [], ["accept"]),
        ("accept-two", [("accept", "text/html"), ("accept", "*/*")], []),
        ("accept-long", [("accept", "a/b," * 1000)], ["accept"]),
        ("user-agent-bytes", [("user-agent", "\u00e9\u00ff")], []),
        ("cookie-bytes", [("cookie", "a=\u0080")], []),
        ("authorization", [("authorization", "Bearer \u00ff")], []),
        ("method-override", [("x-http-method-override", "DELETE")], []),
        ("unknown-mcp-header", [("mcp-future", "1"), ("mcp-future", "2")], []),
        ("last-event-id", [("last-event-id", "\u00ff")], []),
    ]:
        family.forward(f"free-{slug}", "Not judged, and never able to crash the filter.", FREE,
                       allow(), post(CALL, extra=extra, drop=drop))
    rule = "4: trailers: decide there too"
    for http in ("h1", "h2"):
        how = {"trailers": [["x-checksum", "1"]], **({"http": "h2"} if http == "h2" else {})}
        family.forward(f"trailers-{http}-permitted", "Trailers end the body.", rule, allow(),
                       post(CALL, **how))
        family.refuse(f"trailers-{http}-denied", "No end of stream comes with the body.", rule,
                      allow(), post(tool("delete_repo"), **how), "tool_not_allowed",
                      "policy denial")
        family.refuse(f"trailers-{http}-malformed", "No end of stream comes with the body.", rule,
                      allow(), post('{"jsonrpc"', **how), "json_invalid", "not JSON")
    family.refuse("empty-post", "A POST without a body.", "4: empty POST body", allow(),
                  post(None), "body_empty", "400")
    family.refuse("empty-post-length-zero", "A POST with a body of no bytes.",
                  "4: empty POST body", allow(), post(""), "body_empty", "400")
    family.refuse("blank-post", "White space only.", "5: one RFC 8259 value", allow(),
                  post(" \r\n\t"), "json_invalid", "not JSON")


def families():
    """`vrb` and `hdr`."""
    vrb, hdr = Family("vrb"), Family("hdr")
    for part in (streams, sessions, verbs):
        part(vrb)
    for part in (types, encodings, guarded, origins, free):
        part(hdr)
    return [vrb, hdr]
