"""Between a client and Envoy: makes of a sound request what no SDK sends by itself.

A call whose argument `message` is `spoil KIND` is spoiled in that way, so that
every client gets to see every refusal. All else passes as it is.
"""

import re

from .router import Router

MARK = re.compile(rb"spoil (\w+)")


def kind_of(exchange):
    """How the exchange is to be spoiled, if at all."""
    found = MARK.search(exchange.body) if exchange.method == "POST" else None
    return found.group(1).decode() if found else None


class Spoiler(Router):
    def __init__(self, envoy, undecided):
        """`host:port` of the Envoy under test, and of one whose recheck can decide nothing."""
        super().__init__()
        self.envoy = envoy
        self.undecided = undecided
        self.spoiled = {}

    def target(self, exchange):
        kind = kind_of(exchange)
        # Some clients send what was refused again.
        self.spoiled.setdefault((exchange.run, kind), exchange)
        if kind in SPOIL:
            SPOIL[kind](exchange)
        host, _, port = (self.undecided if kind == "fault" else self.envoy).partition(":")
        return host, int(port), f"/{exchange.endpoint}/{exchange.server}/{exchange.run}"

    def answered(self, run, kind):
        """Status and body of the first answer to what was spoiled so in one run."""
        found = self.spoiled[run, kind]
        return found.status, found.answer


def swap(name, value):
    """Puts a header in the place of those of its name."""

    def spoil(exchange):
        without(exchange, name)
        exchange.headers.append((name, value))

    return spoil


def without(exchange, name):
    exchange.headers = [pair for pair in exchange.headers if pair[0] != name]


def rewrite(before, after):
    """Puts a text in the place of one that the body has."""

    def spoil(exchange):
        exchange.body = exchange.body.replace(before, after, 1)

    return spoil


def tool(exchange):
    """One whose name no endpoint takes."""
    rewrite(b'"echo"', b'"no such name"')(exchange)
    if "mcp-name" in dict(exchange.headers):
        swap("mcp-name", "no such name")(exchange)


def method(exchange):
    """One of another revision."""
    modern = dict(exchange.headers).get("mcp-protocol-version") == "2026-07-28"
    name = "ping" if modern else "server/discover"
    rewrite(b'"tools/call"', f'"{name}"'.encode())(exchange)
    if "mcp-method" in dict(exchange.headers):
        swap("mcp-method", name)(exchange)
        without(exchange, "mcp-name")


SPOIL = {
    "deep": rewrite(b'"spoil deep"', b'{"a":' * 20 + b"{}" + b"}" * 20),
    "envelope": rewrite(b'"2.0"', b'"1.0"'),
    "name": tool,
    "method": method,
    "version": swap("mcp-protocol-version", "2031-01-01"),
    "mirror": swap("mcp-method", "prompts/get"),
    "large": rewrite(b"spoil large", b"x" * 4096),
    "origin": swap("origin", "https://evil.example"),
    "media": swap("content-type", "text/plain"),
}
