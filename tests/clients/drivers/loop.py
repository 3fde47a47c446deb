"""The line protocol of ../README.md for the Python SDKs, without any of them.

A driver gives `serve` a function that opens a connection as an asynchronous
context manager; what it yields has the operations as methods.
"""

import asyncio
import json
import sys
from collections import Counter


class Connection:
    """Opens and closes a client in one task, as their task groups require."""

    def __init__(self, opened):
        self.opened = opened
        self.client = None
        self.ended = asyncio.Event()
        self.ready = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self.run())

    async def run(self):
        try:
            async with self.opened as self.client:
                self.ready.set_result(None)
                await self.ended.wait()
        except BaseException as error:
            if self.ready.done():
                raise
            ended = isinstance(error, asyncio.CancelledError)
            self.ready.set_exception(RuntimeError("not connected") if ended else error)

    async def close(self):
        self.ended.set()
        await self.task


def innermost(error):
    """What an application prints: task groups wrap the one error that counts."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def described(error):
    error = innermost(error)
    inner = getattr(error, "error", None)
    code = getattr(error, "code", None) or getattr(inner, "code", None)
    return {
        "type": type(error).__name__,
        "code": code if isinstance(code, int) else None,
        "text": str(error),
    }


class Driver:
    def __init__(self, open_connection):
        self.open_connection = open_connection
        self.connections = {}
        self.calls = {}

    async def answer(self, request):
        try:
            reply = {"result": await self.perform(request)}
        except asyncio.CancelledError:
            reply = {"error": {"type": "CancelledError", "code": None, "text": "cancelled by the application"}}
        except BaseException as error:
            reply = {"error": described(error)}
        print(json.dumps({"id": request["id"], **reply}), flush=True)

    async def perform(self, request):
        operation = request.pop("op")
        if operation == "ready":
            return {}
        name = request.pop("connection", None)
        if operation == "connect":
            events = Counter()
            connection = Connection(self.open_connection(request["url"], request["mode"], events))
            await connection.ready
            connection.client.events = events
            self.connections[name] = connection
            return {"revision": connection.client.revision()}
        if operation == "cancel":
            await self.cancel(request["target"])
            return {}
        connection = self.connections[name]
        if operation == "close":
            await connection.close()
            return {}
        if operation == "events":
            return dict(connection.client.events)
        identity = request.pop("id")
        self.calls[identity] = (connection.client, asyncio.current_task())
        request["id"] = identity
        return await getattr(connection.client, operation)(request) or {}

    async def cancel(self, target):
        client, task = self.calls[target]
        # Some SDKs tell the server by themselves when a call is abandoned.
        if hasattr(client, "cancel"):
            await client.cancel(target)
        task.cancel()

    async def run(self):
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        tasks = set()
        while line := await reader.readline():
            task = asyncio.create_task(self.answer(json.loads(line)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


def serve(open_connection):
    asyncio.run(Driver(open_connection).run())
