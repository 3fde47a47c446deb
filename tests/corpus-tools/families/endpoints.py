"""Which endpoint a request belongs to, and what becomes of others."""

from case import JULY, NOVEMBER, Family, bare, policy, post, request, tool

RULE = "3: endpoint = hosts + path"
CLEAN = "3: a path that is not in normal form is refused"
SAID = {"methods": ["ping"], "tools": ["get_weather"]}
EXACT = policy([NOVEMBER], path="/mcp", **SAID)
PREFIX = policy([NOVEMBER], path_prefix="/servers", **SAID)
HOSTS = policy([NOVEMBER], hosts=["mcp.example.com", "*.internal.example"], **SAID)
PASS = policy([NOVEMBER], path="/mcp", unmatched="pass", **SAID)
CALL = tool("get_weather")


def paths(family):
    for slug, path in [
        ("exact", "/mcp"),
        ("query", "/mcp?session=1"),
        ("empty-query", "/mcp?"),
        ("query-with-dots", "/mcp?next=/../admin"),
        ("query-with-question", "/mcp?a=?b"),
    ]:
        family.forward(
            f"path-{slug}",
            "The path is compared without its query.",
            RULE,
            EXACT,
            post(CALL, path=path),
        )
    for slug, path in [
        ("case", "/MCP"),
        ("longer", "/mcpx"),
        ("below", "/mcp/x"),
        ("shorter", "/mc"),
        ("root", "/"),
    ]:
        family.refuse(
            f"path-{slug}",
            "Another path.",
            RULE,
            EXACT,
            post(CALL, path=path),
            "no_endpoint",
            "no endpoint matches",
        )
    for slug, path in [
        ("prefix-itself", "/servers"),
        ("prefix-below", "/servers/a/mcp"),
        ("prefix-escape", "/servers/a%20b"),
    ]:
        family.forward(
            f"path-{slug}",
            "At a segment boundary below the prefix.",
            RULE,
            PREFIX,
            post(CALL, path=path),
        )
    family.refuse(
        "path-prefix-no-boundary",
        "Not at a segment boundary.",
        RULE,
        PREFIX,
        post(CALL, path="/serversx"),
        "no_endpoint",
        "no endpoint matches",
    )
    for slug, path in [
        ("dot", "/./mcp"),
        ("dot-dot", "/x/../mcp"),
        ("empty-segment", "//mcp"),
        ("encoded-letter", "/%6dcp"),
        ("encoded-letter-upper", "/%6Dcp"),
        ("encoded-slash", "/x%2f..%2fmcp"),
        ("encoded-dots", "/x/%2e%2e/mcp"),
        ("double-encoded", "/x/%252e%252e/mcp"),
        ("backslash", "/x\\..\\mcp"),
        ("encoded-backslash", "/x%5c..%5cmcp"),
    ]:
        family.refuse(
            f"unclean-{slug}",
            "Some servers would clean this path and land on the endpoint; here it goes nowhere.",
            CLEAN,
            EXACT,
            post(CALL, path=path),
            "path_not_normal",
            "not in normal form",
        )
    family.refuse(
        "unclean-final-slash",
        "Near the endpoint's path, but not it.",
        RULE,
        EXACT,
        post(CALL, path="/mcp/"),
        "no_endpoint",
        "near the endpoint's path",
    )
    for slug, path in [
        ("dot-dot", "/servers/../admin"),
        ("empty-segment", "/servers//a"),
        ("encoded-slash", "/servers/a%2f..%2f..%2fadmin"),
        ("encoded-unreserved", "/servers/%61"),
        ("half-escape", "/servers/%4"),
    ]:
        family.refuse(
            f"unclean-prefix-{slug}",
            "A prefix does not cover a path that leaves it for another reader.",
            CLEAN,
            PREFIX,
            post(CALL, path=path),
            "path_not_normal",
            "not in normal form",
        )


def hosts(family):
    for slug, host in [
        ("exact", "mcp.example.com"),
        ("case", "MCP.Example.COM"),
        ("port", "mcp.example.com:8443"),
        ("suffix", "a.internal.example"),
        ("suffix-deep", "a.b.internal.example:80"),
        ("suffix-case", "A.INTERNAL.example"),
    ]:
        family.forward(
            f"host-{slug}",
            "Without port, case-insensitive, exact or by suffix.",
            RULE,
            HOSTS,
            post(CALL, extra=[("host", host)]),
        )
    for slug, host in [
        ("other", "example.com"),
        ("suffix-itself", "internal.example"),
        ("suffix-glued", "xinternal.example"),
        ("longer", "mcp.example.com.evil"),
        ("prefix", "xmcp.example.com"),
        ("user", "mcp.example.com@evil.example"),
    ]:
        family.refuse(
            f"host-{slug}",
            "Another host.",
            RULE,
            HOSTS,
            post(CALL, extra=[("host", host)]),
            "host_invalid" if slug == "user" else "no_endpoint",
            "no plain host" if slug == "user" else "no endpoint matches",
            **(
                {
                    "runners": ["native"],
                }
                if slug == "user"
                else {}
            ),
        )


def unmatched(family):
    rule = "3: unmatched requests follow `unmatched`"
    family.forward(
        "pass-other-path",
        "What no endpoint matches is not judged.",
        rule,
        PASS,
        post(CALL, path="/other"),
        "unmatched",
        "unmatched: pass",
    )
    family.forward(
        "pass-not-json",
        "What no endpoint matches is not judged.",
        rule,
        PASS,
        post("no json", path="/upload"),
        "unmatched",
        "unmatched: pass",
    )
    family.forward(
        "pass-other-verb",
        "What no endpoint matches is not judged.",
        rule,
        PASS,
        bare("PUT", body="x", path="/files/1"),
        "unmatched",
        "unmatched: pass",
    )
    family.forward(
        "pass-well-known",
        "OAuth discovery is never touched.",
        "2: it never touches `/.well-known/` paths",
        PASS,
        bare("GET", None, path="/.well-known/oauth-protected-resource"),
        "unmatched",
        "unmatched: pass",
    )
    family.refuse(
        "pass-denied-tool",
        "A matched request is judged as ever.",
        rule,
        PASS,
        post(tool("delete_repo")),
        "tool_not_allowed",
        "policy denial",
    )
    for slug, path, code in [
        ("dot-dot", "/x/../mcp", "path_not_normal"),
        ("empty-segment", "//mcp", "path_not_normal"),
        ("encoded", "/%6dcp", "path_not_normal"),
        ("final-slash", "/mcp/", "no_endpoint"),
    ]:
        family.refuse(
            f"pass-unclean-{slug}",
            "A server that cleans paths would take it for the endpoint: passing it would "
            "open the endpoint to all.",
            CLEAN if code == "path_not_normal" else RULE,
            PASS,
            post(CALL, path=path),
            code,
            "would reach the endpoint at a server that cleans paths",
        )
    deny = policy([NOVEMBER], path="/mcp", unmatched="deny", **SAID)
    family.refuse(
        "deny-well-known",
        "`unmatched: deny` covers every path.",
        rule,
        deny,
        bare("GET", None, path="/.well-known/oauth-protected-resource"),
        "no_endpoint",
        "no endpoint matches",
    )
    family.refuse(
        "deny-notification",
        "Nothing of the body is read, so the answer has one.",
        rule,
        deny,
        post({"jsonrpc": "2.0", "method": "notifications/initialized"}, path="/other"),
        "no_endpoint",
        "no endpoint matches",
    )
    family.refuse(
        "deny-rpc",
        "No endpoint means no `denial` setting either.",
        rule,
        deny | {"denial": "rpc"},
        post(CALL, path="/other"),
        "no_endpoint",
        "no endpoint matches",
        unsaid=("expected_status",),
        expected_status=403,
    )
    family.forward(
        "default-versions",
        "`versions` left out is 2025-11-25.",
        '7: omitted = ["2025-11-25"]',
        {"allow": SAID},
        post(CALL),
    )
    for version in ("2025-06-18", JULY):
        family.refuse(
            f"default-versions-{version}",
            "`versions` left out is 2025-11-25 alone.",
            '7: omitted = ["2025-11-25"]',
            {"allow": SAID},
            post(request("tools/list", None, version), version),
            "version_not_permitted",
            "revision not permitted",
        )


def specific(family):
    """Of several matching endpoints the most specific one decides."""
    rule = "3: the most specific endpoint wins"
    names = ["exact-host", "suffix", "prefix", "deep-prefix"]
    tools = dict(zip(names, ["t-host", "t-suffix", "t-prefix", "t-deep"], strict=True))
    endpoint = {"versions": [NOVEMBER]}
    made = policy([NOVEMBER], path="/mcp", tools=["t-any"]) | {
        "more_endpoints": [
            endpoint | {"name": name, **where, "allow": {"tools": [tools[name]]}}
            for name, where in [
                ("exact-host", {"hosts": ["mcp.example.com"], "path": "/mcp"}),
                ("suffix", {"hosts": ["*.example.com"], "path": "/mcp"}),
                ("prefix", {"path_prefix": "/servers"}),
                ("deep-prefix", {"path_prefix": "/servers/a"}),
            ]
        ]
    }
    for slug, host, path, wins in [
        ("any-host", "other.example", "/mcp", "t-any"),
        ("exact-host", "mcp.example.com", "/mcp", "t-host"),
        ("suffix-host", "a.example.com", "/mcp", "t-suffix"),
        ("prefix", "other.example", "/servers/b", "t-prefix"),
        ("deep-prefix", "other.example", "/servers/a/x", "t-deep"),
        ("boundary", "other.example", "/servers/ab", "t-prefix"),
    ]:
        extra = [("host", host)]
        family.forward(
            f"specific-{slug}",
            "The rules of the most specific endpoint apply.",
            rule,
            made,
            post(tool(wins), path=path, extra=extra),
        )
        loser = "t-any" if wins != "t-any" else "t-host"
        family.refuse(
            f"specific-{slug}-alone",
            "No other endpoint's rules apply beside them.",
            rule,
            made,
            post(tool(loser), path=path, extra=extra),
            "tool_not_allowed",
            "another endpoint's permission",
        )


def families():
    """`ept`."""
    family = Family("ept", "endpoints", {"host-": "hosts", "unclean-": "paths", "pass-unclean-": "paths"})
    for part in (paths, hosts, unmatched, specific):
        part(family)
    return [family]
