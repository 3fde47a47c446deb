"""Clients under test, each behind the line protocol of ../README.md."""

import asyncio
import itertools
import json
import os

from harness.process import LOOPBACK, end

# Seconds; longer than any call that is meant to succeed takes.
PATIENCE = 40


class Refused(Exception):
    """The SDK raised an error; `code` is the JSON-RPC code if it kept that."""

    def __init__(self, error, seconds):
        super().__init__(error["text"])
        self.text = error["text"]
        self.code = error["code"]
        self.type = error["type"]
        self.seconds = seconds


class Hangs(Exception):
    """Neither an answer nor an error."""


class Operation:
    """One that has been asked for."""

    def __init__(self, number, future, began):
        self.number = number
        self.future = future
        self.began = began

    async def done(self, patience=PATIENCE):
        clock = asyncio.get_running_loop().time
        try:
            reply = await asyncio.wait_for(asyncio.shield(self.future), patience)
        except TimeoutError:
            raise Hangs(f"no answer in {patience} s") from None
        if "error" in reply:
            raise Refused(reply["error"], clock() - self.began)
        return reply["result"]


class Driver:
    """A program that answers operations, one JSON object a line."""

    def __init__(self, command, log, environment=None):
        self.command = command
        self.log = log
        self.environment = {**os.environ, "NO_PROXY": LOOPBACK, **(environment or {})}
        self.process = None
        self.numbers = itertools.count(1)
        self.waiting = {}

    async def start(self):
        with open(self.log, "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self.environment,
                limit=1 << 20,
                start_new_session=True,
            )
        self.reading = asyncio.create_task(self.read())

    async def read(self):
        while line := await self.process.stdout.readline():
            if line.startswith(b"{"):
                reply = json.loads(line)
                future = self.waiting.pop(reply["id"], None)
                if future and not future.done():
                    future.set_result(reply)
        for future in self.waiting.values():
            if not future.done():
                future.set_result({"error": {"text": "the client's process ended", "code": None, "type": "exit"}})
        self.waiting.clear()

    async def begin(self, op, **arguments):
        """Asks for an operation without waiting for its answer."""
        if self.process is None or self.process.returncode is not None:
            await self.start()
            # Loading an SDK takes seconds; no operation's time may be spent on it.
            await (await self.begin("ready")).done(120)
        number = next(self.numbers)
        loop = asyncio.get_running_loop()
        future = self.waiting[number] = loop.create_future()
        self.process.stdin.write(json.dumps({"id": number, "op": op, **arguments}).encode() + b"\n")
        return Operation(number, future, loop.time())

    async def ask(self, op, patience=PATIENCE, **arguments):
        return await (await self.begin(op, **arguments)).done(patience)

    async def stop(self):
        if self.process is None:
            return
        end(self.process)
        await self.process.wait()
        await self.reading
        self.process = None


class Inspector(Driver):
    """The Inspector's command line: a process and a connection for every call.

    In `command`, `URL` and `MODE` stand for those of the connection.
    """

    def __init__(self, command, log, environment=None):
        super().__init__(command, log, environment)
        self.urls = {}

    async def begin(self, op, **arguments):
        loop = asyncio.get_running_loop()
        future = asyncio.ensure_future(self.perform(op, arguments))
        return Operation(0, future, loop.time())

    async def perform(self, op, arguments):
        connection = arguments.pop("connection", None)
        if op == "connect":
            self.urls[connection] = (arguments["url"], arguments["mode"])
            op, arguments = "list", {}
        if op in ("close", "events"):
            return {"result": {}}
        methods = {
            "list": ["tools/list"],
            "call": ["tools/call", "--tool-name", arguments.get("tool")],
            "prompt": ["prompts/get", "--prompt-name", arguments.get("name")],
            "read": ["resources/read", "--uri", arguments.get("uri")],
        }
        if op not in methods:
            return {"error": {"text": "the command line cannot do this", "code": None, "type": "unsupported"}}
        url, mode = self.urls[connection]
        pairs = [
            f"{name}={value if isinstance(value, str) else json.dumps(value)}"
            for name, value in (arguments.get("arguments") or {}).items()
        ]
        flag = "--prompt-args" if op == "prompt" else "--tool-arg"
        command = [{"URL": url, "MODE": mode}.get(part, part) for part in self.command]
        command += ["--method", *methods[op], *([flag, *pairs] if pairs else [])]
        return await self.run(op, command)

    async def run(self, op, command):
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.environment,
            start_new_session=True,
        )
        try:
            output, errors = await process.communicate()
        finally:
            end(process)
            await process.wait()
        if process.returncode:
            return {"error": {"text": errors.decode().strip(), "code": None, "type": "exit"}}
        answer = json.loads(output)
        if op == "call":
            return {"result": {"text": "\n".join(part.get("text", "") for part in answer["content"])}}
        counts = {"prompt": ("messages",), "read": ("contents",), "list": ("tools",)}[op]
        return {"result": {name: len(answer[name]) for name in counts}}

    async def stop(self):
        pass
