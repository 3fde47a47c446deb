"""One run: one client, one endpoint, one server, one connection."""

import asyncio
import json

from .driver import PATIENCE


class Failed(Exception):
    """The run did not go as it has to; says what happened."""


class Missing(Exception):
    """The SDK or the revision has no such thing; says which."""


class Run:
    def __init__(self, world, row, driver, endpoint, name, server=None):
        self.row = row
        self.driver = driver
        self.router = world.router
        # A path segment of its own, so that the router can tell runs apart.
        self.name = f"{row.id}.{endpoint}.{name}"
        self.url = world.url(endpoint, server or row.server, self.name)

    async def connect(self, patience=PATIENCE):
        return await self.driver.ask("connect", patience, connection=self.name, url=self.url, mode=self.row.mode)

    async def ask(self, op, patience=PATIENCE, **arguments):
        return await self.driver.ask(op, patience, connection=self.name, **arguments)

    async def begin(self, op, **arguments):
        return await self.driver.begin(op, connection=self.name, **arguments)

    async def echo(self):
        """A call that is permitted: the connection is alive."""
        answer = await self.ask("call", tool="echo", arguments={"message": "hello"})
        expect("hello" in answer["text"], f"`echo` answered {answer['text']!r}")

    async def close(self):
        try:
            await self.ask("close", patience=5)
        except Exception:
            # A connection that cannot be closed is no scenario's question; the driver must not keep it.
            await self.driver.stop()

    def sent(self, verb="POST", method=None):
        """What reached the server in this run."""
        found = [exchange for exchange in self.router.of(self.name) if exchange.method == verb]
        return [exchange for exchange in found if method in (None, method_of(exchange))]

    def revisions(self):
        """The revisions of the calls that reached the server."""
        calls = self.sent(method="tools/call")
        return {dict(call.headers).get("mcp-protocol-version", "2025-03-26") for call in calls}

    async def until(self, condition, patience, problem):
        """Waits for something that happens by itself."""
        for _ in range(int(patience * 10)):
            if found := condition():
                return found
            await asyncio.sleep(0.1)
        raise Failed(problem)

    async def events(self, method):
        return (await self.ask("events")).get(method, 0)

    async def until_events(self, method, count, patience):
        for _ in range(int(patience * 4)):
            if await self.events(method) >= count:
                return
            await asyncio.sleep(0.25)
        raise Failed(f"{await self.events(method)} of {count} `{method}` in {patience} s")


def method_of(exchange):
    try:
        return json.loads(exchange.body).get("method")
    except (ValueError, AttributeError):
        return None


def expect(condition, problem):
    if not condition:
        raise Failed(problem)
