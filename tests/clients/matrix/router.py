"""The router: one HTTP/1.1 relay for every server, which remembers what passed.

A request's path is `/ENDPOINT/SERVER/RUN`. Behind Envoy the router sees what
the boundary let through; a client that is given the router's own address is
recorded as it is, without a boundary. Answers are passed on as they come, so
that streams stay streams.
"""

import asyncio
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from harness.process import LOOPBACK

LARGEST_HEAD = 64 * 1024


@dataclass
class Exchange:
    """One request and how its answer ended."""

    endpoint: str
    server: str
    run: str
    method: str
    headers: list[tuple[str, str]]
    body: bytes
    status: int | None = None
    # The answer's body, if it has a length.
    answer: bytes = b""
    # Whether the client was gone before the server had finished.
    abandoned: bool = False
    finished: bool = False
    writer: asyncio.StreamWriter | None = field(default=None, repr=False)

    def cut(self):
        """Drops the connection in the middle of the answer."""
        if not self.finished and self.writer:
            self.writer.transport.abort()


class Router:
    def __init__(self):
        self.servers = {}
        self.exchanges = []
        self.listener = None

    async def start(self):
        self.listener = await asyncio.start_server(self.serve, LOOPBACK, 0, limit=LARGEST_HEAD)

    @property
    def port(self):
        return self.listener.sockets[0].getsockname()[1]

    def of(self, run):
        """What was sent in one run."""
        return [exchange for exchange in self.exchanges if exchange.run == run]

    async def serve(self, reader, writer):
        try:
            # One request a connection: the server is asked to close after its answer.
            method, path, headers = await read_head(reader)
            exchange = Exchange(*path.strip("/").split("/"), method, headers, await read_body(reader, headers))
            exchange.writer = writer
            self.exchanges.append(exchange)
            await self.relay(exchange, reader, writer)
        except (OSError, ValueError, TypeError, KeyError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Either side may go at any time, and at the end of everything the router goes first.
            pass
        finally:
            writer.close()

    def target(self, exchange):
        """Host, port and path that the exchange goes on to."""
        url = urlsplit(self.servers[exchange.server])
        return url.hostname, url.port, url.path

    async def relay(self, exchange, reader, writer):
        host, port, path = self.target(exchange)
        from_server, to_server = await asyncio.open_connection(host, port)
        lines = [f"{exchange.method} {path} HTTP/1.1"]
        skipped = {"connection", "content-length", "transfer-encoding"}
        if exchange.server == "everything":
            # It resumes the wrong stream, which then stays silent; without the header it opens a new one.
            skipped.add("last-event-id")
        lines += [f"{name}: {value}" for name, value in exchange.headers if name not in skipped]
        if exchange.body:
            lines.append(f"content-length: {len(exchange.body)}")
        head = "\r\n".join([*lines, "connection: close", "", ""])
        to_server.write(head.encode("latin-1") + exchange.body)
        watch = asyncio.create_task(reader.read(1))
        answer = asyncio.create_task(pass_on(from_server, writer, exchange))
        try:
            await asyncio.wait([watch, answer], return_when=asyncio.FIRST_COMPLETED)
            exchange.abandoned = not answer.done()
        finally:
            exchange.finished = True
            for task in (watch, answer):
                task.cancel()
            await asyncio.gather(watch, answer, return_exceptions=True)
            to_server.close()


async def pass_on(source, sink, exchange):
    """Copies one answer as it comes, up to its end: not every server closes when asked to."""
    start, *lines = (await source.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip("\r\n").split("\r\n")
    exchange.status = int(start.split(" ")[1])
    headers = dict(parsed(lines))
    kept = [line for line in lines if not line.lower().startswith(("connection:", "keep-alive:"))]
    sink.write("\r\n".join([start, *kept, "connection: close", "", ""]).encode("latin-1"))
    if "chunked" in headers.get("transfer-encoding", ""):
        size = None
        while size != 0:
            line = await source.readline()
            size = int(line.split(b";")[0], 16)
            sink.write(line + await source.readexactly(size + 2))
            await sink.drain()
    elif "content-length" in headers:
        exchange.answer = await source.readexactly(int(headers["content-length"]))
        sink.write(exchange.answer)
    elif exchange.status not in (202, 204):
        while data := await source.read(64 * 1024):
            sink.write(data)
    await sink.drain()


def parsed(lines):
    return [(name.lower(), value.strip()) for name, value in (line.split(":", 1) for line in lines)]


async def read_head(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = request.split(" ")
    return method, path, parsed(lines)


async def read_body(reader, headers):
    named = dict(headers)
    if "chunked" not in named.get("transfer-encoding", ""):
        return await reader.readexactly(int(named.get("content-length", 0)))
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readline()
    while (await reader.readline()).strip():
        pass
    return body
