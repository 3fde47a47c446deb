"""Resource URIs: what is refused, what stays legal, what denies cover."""

from case import JULY, NOVEMBER, Family, decide, policy, request

CANONICAL = "10: URIs: what a WHATWG reader leaves alone, else name_invalid"
DECODED = "10: decoded until nothing changes: no dot segment, no escaped slash"
DENIES = "10: denies are compared with the URI at every level of decoding"
ALLOWS = "10: a wildcard of an allow never covers user information"
ANY = "10: `resource_uris: any` lifts all this"
REFS = "10: a completion ref is checked with each expression replaced"
DENIED = [
    "https://internal.example/**",
    "https://h.example:8443/admin",
    "file:///private/**",
    "file:///docs/caf%C3%A9.md",
    "file:///docs/plan(secret).md",
    "docs://h/x",
    "docs://h/q?a",
    "docs://h/f#a",
    "docs://h/s/*",
    "docs://h/star%2A",
]


def one(**more):
    """A policy of one legacy revision."""
    return policy([NOVEMBER], **more)


def read(uri):
    return request("resources/read", {"uri": uri})


def refused(family):
    for slug, uri in [
        ("no-scheme", "docs/a"),
        ("scheme-capitals", "HTTPS://h.example/x"),
        ("not-ascii", "docs://h/caf\u00e9"),
        ("ideographic-stop", "https://internal\u3002example/plan"),
        ("blank", "docs://h/a b"),
        ("brace", "docs://h/{x}"),
        ("bar", "docs://h/a|b"),
        ("percent", "docs://h/100%"),
        ("escape-lower", "docs://h/caf%c3%a9"),
        ("escape-needless", "docs://h/%70lan"),
        ("two-fragments", "docs://h/a#b#c"),
        ("no-path", "https://h.example"),
        ("no-path-query", "https://h.example?x"),
        ("three-slashes", "https:///internal.example/plan"),
        ("user", "https://u@internal.example/plan"),
        ("user-empty", "https://@internal.example/plan"),
        ("host-capitals", "https://INTERNAL.example/plan"),
        ("host-escape", "https://%69nternal.example/plan"),
        ("host-escape-needed", "https://internal%C2%AD.example/plan"),
        ("host-dot", "https://internal.example./plan"),
        ("host-labels", "https://internal..example/plan"),
        ("host-number", "http://2130706433/x"),
        ("host-hex", "http://0x7f.0.0.1/x"),
        ("host-octal", "http://127.0.0.01/x"),
        ("host-short", "http://127.1/x"),
        ("address-long", "http://[0:0:0:0:0:0:0:1]/x"),
        ("address-dotted", "http://[::ffff:127.0.0.1]/x"),
        ("port-default", "https://internal.example:443/plan"),
        ("port-default-http", "http://internal.example:80/plan"),
        ("port-empty", "https://internal.example:/plan"),
        ("port-zero", "https://h.example:0/x"),
        ("port-led", "https://h.example:08443/admin"),
        ("port-large", "https://h.example:65536/x"),
        ("empty-segment", "https://h.example/a//b"),
        ("query-quote", "https://h.example/a?b='c'"),
        ("file-no-slash", "file:private/plan"),
        ("file-four", "file:////private/plan"),
        ("file-drive", "file:///C%7C/private"),
        ("other-user-empty", "docs://@h/x"),
        ("other-user-semicolon", "docs://a;b@h/x"),
        ("other-user-equals", "docs://a=b@h/x"),
        ("other-user-colons", "docs://a:b:c@h/x"),
        ("other-port-empty", "docs://h:/x"),
        ("other-port-led", "docs://h:080/x"),
        ("other-host-not-ascii", "docs://b\u00fccher/x"),
        ("other-address", "docs://[::0001]/x"),
    ]:
        decide(
            family,
            f"refused-{slug}",
            "Some reader takes it for another URI.",
            CANONICAL,
            one(resources=["**"], deny={"resources": DENIED}),
            read(uri),
            "name_invalid",
        )
    for slug, uri in [
        ("opaque-dot", "docs:."),
        ("dots-parameter", "docs://a/..;/b"),
        ("dots-authority", "docs://../x"),
        ("dots-behind-query", "file:///docs/a?/../../private/plan"),
        ("dots-escaped-query", "file:///docs/a%3F/../../private/plan"),
        ("dots-blank", "file:///docs/..%20/private/plan"),
        ("dots-three-deep", "docs://h/%25252E%25252E/x"),
        ("slash-in-query", "https://h.example/?next=%2Fx"),
        ("slash-two-deep", "docs://h/a%252Fb"),
        ("backslash", "docs://h/a%5Cb"),
        ("newline", "docs://h/a%0Ab"),
        ("nul-two-deep", "docs://h/a%2500b"),
        ("five-deep", "docs://h/%2525252528"),
    ]:
        decide(
            family,
            f"decoded-{slug}",
            "Servers decode escapes, some of them more than once.",
            DECODED,
            one(resources=["**"]),
            read(uri),
            "name_invalid",
        )


def legal(family):
    for slug, uri in [
        ("https", "https://h.example/a/b?c=d#e"),
        ("port", "https://h.example:8443/x"),
        ("final-slash", "https://h.example/a/"),
        ("address", "http://[2001:db8::1]:8080/x"),
        ("quad", "http://127.0.0.1/x"),
        ("punycode", "https://xn--bcher-kva.example/x"),
        ("file", "file:///docs/a%20b.md"),
        ("file-parentheses", "file:///docs/plan%28public%29.md"),
        ("github", "github://PyGithub/PyGithub/issues/1"),
        ("slack", "slack://C0123/messages"),
        ("s3", "s3://b//k"),
        ("ui", "ui://widget/index.html"),
        ("screen", "screen://localhost/display1"),
        ("postgres", "postgres://database/customers/schema"),
        ("urn", "urn:isbn:0451450523"),
        ("mailto", "mailto:a@example.com"),
        ("data", "data:text/plain;base64,SGk="),
        ("empty-host", "gdrive:///1Bxi"),
        ("empty", "linear-viewer:"),
        ("name-as-port", "docs://host:name/x"),
        ("escaped-percent", "docs://h/100%25"),
        ("four-deep", "docs://h/%25252528"),
        ("three-dots", "docs://h/a/.../b"),
        ("not-utf8", "docs://h/%E9t%E9"),
    ]:
        decide(
            family,
            f"legal-{slug}",
            "Every reader leaves it as it is.",
            CANONICAL,
            one(resources=["**"], deny={"resources": DENIED}),
            read(uri),
        )


def denied(family):
    for slug, uri, is_denied in [
        ("port", "docs://h:99/x", True),
        ("port-name", "docs://h:name/x", True),
        ("user", "docs://u@h/x", True),
        ("user-escaped", "docs://u%40h/x", True),
        ("port-escaped", "docs://h%3A99/x", True),
        ("host-dot", "docs://h./x", True),
        ("host-capital", "docs://H/X", True),
        ("final-slash", "docs://h/x/", True),
        ("slashes", "docs://h//x", True),
        ("one-slash", "docs:/h/x", True),
        ("four-slashes", "docs:////h/x", True),
        ("final-dot", "docs://h/x.", True),
        ("final-blank", "docs://h/x%20", True),
        ("parameter", "docs://h/x;v=1", True),
        ("fragment", "docs://h/x#y", True),
        ("fragment-empty", "docs://h/x#", True),
        ("query", "docs://h/x?y", True),
        ("query-empty", "docs://h/x?", True),
        ("fragment-escaped", "docs://h/x%23y", True),
        ("query-escaped", "docs://h/x%3Fy", True),
        ("query-two-deep", "docs://h/x%253Fy", True),
        ("twice-escaped", "file:///docs/plan%2528secret%2529.md", True),
        ("escaped-once-more", "file:///docs/caf%25C3%25A9.md", True),
        ("star-crosses-query", "docs://h/s/a?b", True),
        ("star-crosses-fragment", "docs://h/s/a#b", True),
        ("star-stops", "docs://h/s/a/b", False),
        ("literal-star", "docs://h/star*", True),
        ("literal-star-escaped", "docs://h/star%2A", True),
        ("literal-star-other", "docs://h/starry", False),
        ("named-port", "https://h.example:8443/admin", True),
        ("named-port-other", "https://h.example:9443/admin", False),
        ("unnamed-port", "https://internal.example:8443/plan", True),
        ("named-query", "docs://h/q?a#b", True),
        ("named-query-other", "docs://h/q?b", False),
        ("named-query-none", "docs://h/q", False),
        ("named-fragment", "docs://h/f?c#a", True),
        ("named-fragment-none", "docs://h/f", False),
        ("longer", "docs://h/xy", False),
        ("other-host", "docs://h.x/x", False),
    ]:
        decide(
            family,
            f"deny-{slug}",
            "A server may read the denied resource." if is_denied else "Another resource.",
            DENIES,
            one(methods=["resources/read"], deny={"resources": DENIED}),
            read(uri),
            "resource_denied" if is_denied else None,
        )


def allowed(family):
    for slug, listed, uri, permitted in [
        ("user-star", "docs://*/x", "docs://u@h/x", False),
        ("user-two-stars", "**", "docs://u@h/x", False),
        ("user-named", "docs://u@*/x", "docs://u@h/x", True),
        ("user-exact", "docs://u@h/x", "docs://u@h/x", True),
        ("user-elsewhere", "mailto:*", "mailto:a@example.com", True),
        ("escapes-as-sent", "docs://h/a(b)", "docs://h/a%28b%29", False),
        ("star-stops-at-query", "docs://h/*", "docs://h/a?b", False),
        ("case", "docs://h/a", "docs://h/A", False),
    ]:
        decide(
            family,
            f"allow-{slug}",
            f"`{listed}` against `{uri}`.",
            ALLOWS,
            one(resources=[listed]),
            read(uri),
            None if permitted else "resource_not_allowed",
        )


def anything(family):
    for slug, listed, uri, permitted in [
        ("escaped-slash", "repo://o/*", "repo://o/feature%2Fx", True),
        ("user", "https://*/x", "https://u@h.example/x", True),
        ("capitals", "file:///docs/**", "FILE:///docs/a", False),
        ("no-path", "https://h.example", "https://h.example", True),
        ("no-scheme", "klaxon/*", "klaxon/open", True),
        ("blank", "weather://*/current", "weather://San Francisco/current", True),
        ("outside", "repo://o/*", "repo://p/x", False),
    ]:
        decide(
            family,
            f"any-{slug}",
            "For servers whose URIs are otherwise; nothing can be denied then.",
            ANY,
            one(resources=[listed], resource_uris="any"),
            read(uri),
            None if permitted else "resource_not_allowed",
        )


def reached(family):
    def complete(uri):
        ref = {"type": "ref/resource", "uri": uri}
        return request("completion/complete", {"ref": ref, "argument": {"name": "a", "value": "b"}})

    for slug, uri, code in [
        ("path", "file:///docs/{+path}", None),
        ("query", "docs://h/search{?q,limit}", None),
        ("port", "db://{host}:{port}/{table*}", None),
        ("no-expression", "docs://h/y", None),
        ("denied", "file:///private/{name}", "resource_denied"),
        ("denied-without", "docs://h/x{?q}", "resource_denied"),
        ("denied-port", "docs://h:{port}/x", "resource_denied"),
        ("open-brace", "docs://h/{x", "name_invalid"),
        ("host-as-path", "file://{path}", "name_invalid"),
        ("user", "https://{user}@h.example/x", "name_invalid"),
        ("escaped-slash", "docs://h/a%2F{x}", "name_invalid"),
    ]:
        decide(
            family,
            f"ref-{slug}",
            "A completion tells about a template.",
            REFS,
            one(
                methods=["completion/complete"], resources=["**"], deny={"resources": DENIED}
            ),
            complete(uri),
            code,
        )
    for slug, uris, code in [
        ("legal", ["docs://h/y", "urn:isbn:0451450523"], None),
        ("default-port", ["docs://h/y", "https://internal.example:443/plan"], "name_invalid"),
        ("user", ["https://u@internal.example/plan"], "name_invalid"),
        ("denied", ["docs://h/y", "docs://h/x#y"], "resource_denied"),
        ("denied-decoded", ["file:///docs/plan%28secret%29.md"], "resource_denied"),
    ]:
        wanted = {"notifications": {"resourceSubscriptions": uris}}
        decide(
            family,
            f"listen-{slug}",
            "Each URI of a subscription is checked.",
            CANONICAL,
            policy(
                [JULY],
                methods=["subscriptions/listen"],
                resources=["**"],
                deny={"resources": DENIED},
            ),
            request("subscriptions/listen", wanted, JULY),
            code,
            JULY,
        )
    for method in ("resources/subscribe", "resources/unsubscribe"):
        for slug, uri, code in [
            ("legal", "docs://h/y", None),
            ("file-host", "file://localhost/private/plan", "name_invalid"),
            ("denied", "docs://u@h/x", "resource_denied"),
        ]:
            decide(
                family,
                f"{method.split('/')[1]}-{slug}",
                "As for reading.",
                CANONICAL,
                one(resources=["**"], deny={"resources": DENIED}),
                request(method, {"uri": uri}),
                code,
            )


def families():
    family = Family("uri", "resources")
    for part in (refused, legal, denied, allowed, anything, reached):
        part(family)
    return [family]
