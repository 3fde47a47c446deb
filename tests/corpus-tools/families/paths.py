"""Paths that servers read in different ways, near paths, hosts, and what may pass."""

from case import NOVEMBER, Family, bare, policy, post, tool

WHITE = "3: paths are white-listed, not modelled"
NEAR = "3: a near path is refused unless the endpoint it selects is as long"
HOST = "3: a host that is not one plain spelling is refused"
ENTRIES = "3: `pass` entries"
DOORS = "3: under bare `pass` the old transport's doors count as guarded"

SAID = {"methods": ["ping"], "tools": ["get_weather"]}
DENIED = tool("delete_all")
CALL = tool("get_weather")
PASS = policy([NOVEMBER], path="/mcp", unmatched="pass", **SAID)
STRICT = {"name": "strict", "path": "/servers/admin", "allow": {"methods": ["ping"]}}
WIDE = policy([NOVEMBER], path_prefix="/servers", more_endpoints=[STRICT], methods=["tools/call"])
AGENT_CORE = "/runtimes/arn%3Aaws%3Abedrock-agentcore%3Aus-east-1%3A123456789012%3Aruntime%2Fname"
ESCAPED = policy(
    [NOVEMBER],
    path=AGENT_CORE + "/invocations",
    more_endpoints=[
        {"name": "runtimes", "path_prefix": "/runtimes", "allow": {"methods": ["tools/call"]}},
        {"name": "scope", "path": "/s/%40scope/mcp", "allow": {"tools": ["get_weather"]}},
        {"name": "at", "path": "/t/@scope/mcp", "allow": {"tools": ["get_weather"]}},
        {"name": "team", "path_prefix": "/team", "allow": {"methods": ["tools/call"]}},
        {"name": "blank", "path": "/caf%C3%A9%20x", "allow": {"tools": ["get_weather"]}},
    ],
    **SAID,
)
LISTED = policy(
    [NOVEMBER],
    path="/mcp",
    unmatched={
        "pass": [
            {"path": "/healthz"},
            {"path_prefix": "/.well-known"},
            {"path": "/mcp/"},
            {"path_prefix": "/mcp/health"},
            {"path_prefix": "/m"},
            {"path": "/sse"},
            {"path": "/servers/ADMIN"},
            {"path_prefix": "/", "hosts": ["static.example"]},
        ]
    },
    more_endpoints=[
        {"name": "wide", "path_prefix": "/servers", "allow": {"tools": ["wide"]}},
        STRICT,
    ],
    **SAID,
)

# Each was served as `/mcp`, or could be, by a server that reads paths in some order.
READ = [
    ("protocol-relative", "//a/mcp"),
    ("protocol-relative-backslash", "/\\a/mcp"),
    ("escaped-question-then-dots", "/a%3f/../mcp"),
    ("escaped-hash-then-dots", "/a%23/../mcp"),
    ("escaped-nul-then-dots", "/a%00/../mcp"),
    ("escaped-slash-then-dots", "/a%2fb/../mcp"),
    ("escaped-slash-in-parameter", "/mcp;%2fx"),
    ("parameter", "/mcp;x=1"),
    ("escaped-parameter", "/mcp%3Bx"),
    ("empty-parameter-then-dots", "/mcp/;/.."),
    ("dots-in-parameter", "/x/..;/mcp"),
    ("single-dot", "/./mcp"),
    ("escaped-dot", "/%2E/mcp"),
    ("final-dots", "/mcp/x/.."),
    ("double-escape", "/%256Dcp"),
    ("lower-case-escape", "/caf%c3%a9"),
    ("latin-1-escape", "/caf%E9"),
    ("overlong-escape", "/%C0%AE%C0%AE/mcp"),
    ("surrogate-escape", "/%ED%A0%80"),
    ("escaped-line-end", "/mcp%0A"),
    ("escaped-next-line", "/mcp%C2%85"),
    ("unicode-escape", "/%u002fmcp"),
    ("broken-escape", "/mcp%"),
    ("bare-bracket", "/mcp[1]"),
    ("bare-bar", "/mcp|x"),
    ("dots-and-blank", "/x/..%20/mcp"),
    ("blank-segment", "/%20/mcp"),
    ("empty-segment-inside", "/mcp//x"),
    ("two-final-slashes", "/mcp//"),
]


def unclean(family):
    for slug, path in READ:
        family.refuse(
            f"read-{slug}",
            "Servers read this path in different ways, some as an endpoint's: it goes nowhere, though the rest may pass.",
            WHITE,
            PASS,
            post(DENIED, path=path),
            "path_not_normal",
            "not in normal form",
        )
    for slug, path in [
        ("parameter", "/servers/admin;%252fx"),
        ("escaped-letter", "/servers/%61dmin"),
        ("escaped-letter-twice", "/servers/%2561dmin"),
        ("dots", "/servers/x/../admin"),
        ("escaped-slash", "/servers/x%2F..%2Fadmin"),
        ("out", "/servers/..%2Fmcp"),
    ]:
        family.refuse(
            f"wide-{slug}",
            "The wide endpoint must not judge what a server takes for the strict one's.",
            WHITE,
            WIDE,
            post(DENIED, path=path),
            "path_not_normal",
            "not in normal form",
        )
    family.refuse(
        "read-audit",
        "Rejected, which audit does not weaken.",
        WHITE,
        PASS | {"mode": "audit"},
        post(DENIED, path="//a/mcp"),
        "path_not_normal",
        "not in normal form",
    )
    for slug, path in [
        ("characters", "/x/-._~!$&'()*+,=:@"),
        ("escapes", "/x/a%20b/caf%C3%A9/%5B1%5D"),
        ("optional-escapes", "/x/%40scope%2Fpkg".replace("%2F", "%2C")),
        ("final-slash", "/x/"),
        ("dots-in-names", "/x/..a/a../..."),
        ("query", "/x?u=//a/mcp;%2f"),
    ]:
        family.forward(
            f"normal-{slug}",
            "Every server reads this path in one way.",
            WHITE,
            PASS,
            bare("GET", path=path),
            "unmatched",
            "outside every endpoint",
        )


def near(family):
    for slug, path in [
        ("case", "/MCP"),
        ("final-slash", "/mcp/"),
        ("below", "/mcp/x"),
        ("case-below", "/MCP/x"),
        ("format", "/mcp.json"),
        ("colon", "/mcp:x"),
        ("blank", "/mcp%20"),
        ("letter-beyond-ascii", "/mcp%C3%A9"),
        ("escaped-at", "/mcp%40"),
        ("tilde", "/mcp~"),
    ]:
        family.refuse(
            f"near-{slug}",
            "Some servers serve this path as the endpoint's.",
            NEAR,
            PASS,
            post(DENIED, path=path),
            "no_endpoint",
            "near an endpoint's path",
        )
    family.refuse(
        "near-without-final-slash",
        "Some servers serve this path as the endpoint's.",
        NEAR,
        policy([NOVEMBER], path="/mcp/", unmatched="pass", **SAID),
        post(DENIED, path="/mcp"),
        "no_endpoint",
        "near an endpoint's path",
    )
    for slug, path in [("word", "/mcpx"), ("dash", "/mcp-x"), ("underscore", "/mcp_x"), ("inside", "/x/mcp")]:
        family.forward(
            f"far-{slug}",
            "Another word, another path.",
            NEAR,
            PASS,
            post(DENIED, path=path),
            "unmatched",
            "outside every endpoint",
        )
    for slug, path in [
        ("case", "/servers/ADMIN"),
        ("final-slash", "/servers/admin/"),
        ("below", "/servers/Admin/x"),
        ("format", "/servers/admin.json"),
    ]:
        family.refuse(
            f"near-wide-{slug}",
            "Near the strict endpoint's path, so the wide one does not judge it.",
            NEAR,
            WIDE,
            post(DENIED, path=path),
            "no_endpoint",
            "near a stricter endpoint's path",
        )
    family.forward(
        "far-wide",
        "Another word below the prefix.",
        NEAR,
        WIDE,
        post(DENIED, path="/servers/admin2"),
    )
    hosted = PASS | {"hosts": ["mcp.example.com"]}
    for slug, path, host in [
        ("same-path", "/mcp", "evil.example"),
        ("below", "/mcp/x", "mcp.example.com"),
        ("address", "/mcp", "127.0.0.1:8080"),
    ]:
        family.refuse(
            f"near-host-{slug}",
            "One server behind every host: another one must not lead past the rules.",
            NEAR,
            hosted,
            post(DENIED, path=path, extra=[("host", host)]),
            "no_endpoint",
            "near an endpoint's path, on another host",
        )
    family.forward(
        "far-host",
        "Another path on another host.",
        NEAR,
        hosted,
        bare("GET", path="/other", extra=[("host", "evil.example")]),
        "unmatched",
        "outside every endpoint",
    )
    root = policy([NOVEMBER], path="/", unmatched="pass", **SAID)
    family.refuse("root", "The endpoint itself.", NEAR, root, post(DENIED, path="/"), "tool_not_allowed", "judged")
    family.forward(
        "root-other",
        "Near an exact `/` is only `/`.",
        NEAR,
        root,
        bare("GET", path="/healthz"),
        "unmatched",
        "outside every endpoint",
    )


def escapes(family):
    for slug, path in [
        ("agent-core", AGENT_CORE + "/invocations"),
        ("agent-core-query", AGENT_CORE + "/invocations?qualifier=DEFAULT"),
        ("scope", "/s/%40scope/mcp"),
        ("at", "/t/@scope/mcp"),
        ("below-prefix", "/team/%40scope/mcp"),
        ("needed", "/caf%C3%A9%20x"),
    ]:
        family.forward(
            f"escape-{slug}",
            "Written in the policy as clients send it.",
            WHITE,
            ESCAPED,
            post(CALL, path=path),
        )
    family.refuse(
        "escape-agent-core-denied",
        "The rules of the exact path, not of the wide one beside it.",
        WHITE,
        ESCAPED,
        post(DENIED, path=AGENT_CORE + "/invocations"),
        "tool_not_allowed",
        "policy denial",
    )
    for slug, path, code in [
        ("agent-core-lower-case", AGENT_CORE.replace("%2F", "%2f") + "/invocations", "path_not_normal"),
        ("agent-core-longer", AGENT_CORE + "/invocations/x", "path_not_normal"),
        ("agent-core-decoded", AGENT_CORE.replace("%3A", ":").replace("%2F", "/") + "/invocations", "no_endpoint"),
        ("scope-decoded", "/s/@scope/mcp", "no_endpoint"),
        ("scope-case", "/s/%40SCOPE/mcp", "no_endpoint"),
        ("at-escaped", "/t/%40scope/mcp", "path_not_normal"),
        ("at-escaped-lower-case", "/t/%40scope/mcp".replace("scope", "%73cope"), "path_not_normal"),
        ("needed-lower-case", "/caf%c3%a9%20x", "path_not_normal"),
        ("needed-case", "/CAF%C3%A9%20x", "no_endpoint"),
    ]:
        family.refuse(
            f"escape-{slug}",
            "Another spelling of a path that the policy writes in one.",
            WHITE if code == "path_not_normal" else NEAR,
            ESCAPED,
            post(CALL, path=path),
            code,
            code.replace("_", " "),
        )


def hosts(family):
    made = policy([NOVEMBER], hosts=["admin.example.com", "[::1]", "127.0.0.1"], path="/mcp", **SAID) | {
        "more_endpoints": [{"name": "lax", "path": "/mcp", "allow": {"tools": ["*"]}}]
    }
    for slug, host in [
        ("port", "admin.example.com:8443"),
        ("case", "Admin.Example.com"),
        ("ipv6", "[::1]"),
        ("ipv6-port", "[::1]:8080"),
        ("ipv4", "127.0.0.1"),
    ]:
        family.refuse(
            f"host-{slug}",
            "The strict endpoint judges, not the one for any host.",
            HOST,
            made,
            post(DENIED, extra=[("host", host)]),
            "tool_not_allowed",
            "policy denial",
        )
    for slug, host in [
        ("other", "www.example.com"),
        ("punycode", "xn--bcher-kva.example"),
        ("mapped", "[::ffff:7f00:2]"),
        ("underscore", "mcp_1.internal"),
    ]:
        family.forward(
            f"host-{slug}",
            "A plain host of which the policy says nothing in particular.",
            HOST,
            made,
            post(DENIED, extra=[("host", host)]),
        )
    for slug, host in [
        ("final-dot", "admin.example.com."),
        ("final-dots", "admin.example.com.."),
        ("empty-label", "admin..example.com"),
        ("leading-dot", ".example.com"),
        ("empty-port", "admin.example.com:"),
        ("port-zero", "admin.example.com:0"),
        ("port-zero-led", "admin.example.com:080"),
        ("port-large", "admin.example.com:65536"),
        ("ipv4-short", "127.1"),
        ("ipv4-number", "2130706433"),
        ("ipv4-octal", "0177.0.0.1"),
        ("ipv4-hexadecimal", "0x7f.0.0.1"),
        ("ipv4-large", "127.0.0.256"),
        ("ipv4-last-label", "example.1"),
        ("ipv6-zeros", "[::0001]"),
        ("ipv6-long", "[0:0:0:0:0:0:0:1]"),
        ("ipv6-upper-case", "[::A]"),
        ("ipv6-with-ipv4", "[::ffff:127.0.0.1]"),
        ("two", "admin.example.com,www.example.com"),
        ("escape", "admin%2eexample.com"),
        ("user", "u@admin.example.com"),
        ("full-width", "\xef\xbd\x81dmin.example.com"),
        ("zone", "[fe80::1%25eth0]"),
    ]:
        # Envoy refuses these two itself.
        here = {"runners": ["native"]} if slug in ("user", "full-width") else {}
        family.refuse(
            f"host-{slug}",
            "No other host: some readers take it for one that the policy names.",
            HOST,
            made,
            post(DENIED, extra=[("host", host)]),
            "host_invalid",
            "not one plain spelling of a host",
            **here,
        )
    family.refuse(
        "host-pass",
        "Whatever `unmatched` says.",
        HOST,
        PASS,
        post(DENIED, path="/other", extra=[("host", "a.")]),
        "host_invalid",
        "not one plain spelling of a host",
    )


def entries(family):
    for slug, path, host in [
        ("exact", "/healthz", "a.example"),
        ("exact-query", "/healthz?full=1", "a.example"),
        ("well-known", "/.well-known/oauth-protected-resource/mcp", "a.example"),
        ("prefix-itself", "/.well-known", "a.example"),
        ("near-exact", "/mcp/", "a.example"),
        ("near-prefix", "/mcp/health/live", "a.example"),
        ("wide-prefix", "/m/x", "a.example"),
        ("old-door", "/sse", "a.example"),
        ("host", "/anything", "static.example:8080"),
    ]:
        family.forward(
            f"entry-{slug}",
            "The list names it.",
            ENTRIES,
            LISTED,
            bare("GET", path=path, extra=[("host", host)]),
            "unmatched",
            "listed under `unmatched`",
        )
    for slug, path, host, code in [
        ("exact-slash", "/healthz/", "a.example", "no_endpoint"),
        ("exact-case", "/HEALTHZ", "a.example", "no_endpoint"),
        ("boundary", "/.well-knownx", "a.example", "no_endpoint"),
        ("other", "/other", "a.example", "no_endpoint"),
        ("near-case", "/MCP/", "a.example", "no_endpoint"),
        ("near-below", "/mcp/x", "a.example", "no_endpoint"),
        ("near-wide", "/mcp/x", "static.example", "no_endpoint"),
        ("other-host", "/anything", "a.example", "no_endpoint"),
        ("unclean", "/.well-known/../mcp", "a.example", "path_not_normal"),
        ("unclean-slashes", "//.well-known/mcp", "a.example", "path_not_normal"),
    ]:
        family.refuse(
            f"entry-{slug}",
            "The list does not open it.",
            ENTRIES,
            LISTED,
            post(DENIED, path=path, extra=[("host", host)]),
            code,
            code.replace("_", " "),
        )
    family.refuse(
        "entry-judged",
        "An entry over an endpoint's path lifts no rule.",
        ENTRIES,
        LISTED,
        post(DENIED, extra=[("host", "static.example")]),
        "tool_not_allowed",
        "policy denial",
    )
    family.forward(
        "entry-lifts",
        "The entry lifts the rule of near paths alone; the wide endpoint judges.",
        ENTRIES,
        LISTED,
        post(tool("wide"), path="/servers/ADMIN"),
    )
    family.refuse(
        "entry-lifts-denied",
        "The entry lifts the rule of near paths alone; the wide endpoint judges.",
        ENTRIES,
        LISTED,
        post(DENIED, path="/servers/ADMIN"),
        "tool_not_allowed",
        "policy denial",
    )
    for slug, path in [
        ("messages", "/messages/?session_id=0123456789abcdef"),
        ("messages-query", "/messages?session_id=1"),
        ("message", "/message?sessionId=1"),
        ("sse", "/sse"),
        ("sse-case", "/SSE"),
    ]:
        family.refuse(
            f"door-{slug}",
            "Servers of the old transport run what arrives here, whatever the rules say of `/mcp`.",
            DOORS,
            PASS,
            post(DENIED, path=path),
            "no_endpoint",
            "a door of the old transport",
        )
    family.forward(
        "door-other",
        "Another word.",
        DOORS,
        PASS,
        bare("GET", path="/messages-archive"),
        "unmatched",
        "outside every endpoint",
    )
    family.forward(
        "door-endpoint",
        "Guarded only where no endpoint matches.",
        DOORS,
        policy([NOVEMBER], path_prefix="/", unmatched="pass", **SAID),
        post(CALL, path="/messages"),
    )


def families():
    """`pth`."""
    family = Family("pth", "paths", {"host-": "hosts"})
    for part in (unclean, near, escapes, hosts, entries):
        part(family)
    return [family]
