"""The tasks extension of 2026-07-28 on the conformance server.

The SDK has no part for it, so this keeps the tasks: tools that go on after the
call is answered, and the methods that ask after them.
"""

import asyncio
import datetime
import secrets

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

EXTENSION = "io.modelcontextprotocol/tasks"
LIFETIME_MS = 600_000
POLL_MS = 100
ENDED = ("completed", "failed", "cancelled")


class TaskParams(types.RequestParams):
    """Of all three methods; `inputResponses` is of `tasks/update` alone."""

    model_config = ConfigDict(extra="allow")

    taskId: str


def declared(ctx):
    """Whether this request says that its client knows tasks."""
    capabilities = ctx.session.client_capabilities
    return bool(capabilities and EXTENSION in (capabilities.extensions or {}))


def require(ctx):
    if not declared(ctx):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="this needs the tasks extension",
            data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )


def now():
    return datetime.datetime.now(datetime.UTC).isoformat().replace("+00:00", "Z")


class Task:
    """One call that goes on. `work` gets the task and gives the tool's result."""

    def __init__(self, work):
        self.id = secrets.token_hex(12)
        self.created = self.updated = now()
        self.status, self.outcome, self.pending, self.answers = "working", {}, {}, {}
        self.changed = asyncio.Event()
        self.running = asyncio.create_task(self._run(work))

    def envelope(self):
        return {
            "taskId": self.id,
            "status": self.status,
            "createdAt": self.created,
            "lastUpdatedAt": self.updated,
            "ttlMs": LIFETIME_MS,
            "pollIntervalMs": POLL_MS,
        }

    def settle(self, status, **outcome):
        if self.status not in ENDED:
            self.status, self.outcome, self.updated = status, outcome, now()

    async def _run(self, work):
        try:
            self.settle("completed", result=await work(self))
        except MCPError as error:
            self.settle("failed", error={"code": error.error.code, "message": error.error.message})

    async def ask(self, requests):
        """Waits until the client has answered all of these."""
        self.pending, self.status = dict(requests), "input_required"
        while self.pending:
            self.changed.clear()
            await self.changed.wait()
        self.status = "working"
        return self.answers

    def answer(self, responses):
        for key in set(responses) & set(self.pending):
            self.answers[key] = responses[key]
            del self.pending[key]
        self.updated = now()
        self.changed.set()

    def cancel(self):
        self.settle("cancelled")
        self.running.cancel()


class Tasks:
    """All tasks of a server; the three methods as its handlers."""

    def __init__(self):
        self.kept = {}

    def tool(self, work, required=False):
        """A tool that becomes a task where the client knows them."""

        async def call(ctx, params):
            if required:
                require(ctx)
            if not declared(ctx):
                return await work(params)(None)
            task = Task(work(params))
            self.kept[task.id] = task
            return {"resultType": "task", **task.envelope()}

        return call

    def _find(self, ctx, params):
        require(ctx)
        if params.taskId not in self.kept:
            raise MCPError(code=types.INVALID_PARAMS, message="no such task")
        return self.kept[params.taskId]

    async def get(self, ctx, params):
        task = self._find(ctx, params)
        asked = {"inputRequests": task.pending} if task.status == "input_required" else {}
        return {"resultType": "complete", **task.envelope(), **task.outcome, **asked}

    async def update(self, ctx, params):
        self._find(ctx, params).answer((params.model_extra or {}).get("inputResponses") or {})
        return {"resultType": "complete"}

    async def cancel(self, ctx, params):
        self._find(ctx, params).cancel()
        return {"resultType": "complete"}

    def serve(self, server):
        for method, handler in (("get", self.get), ("update", self.update), ("cancel", self.cancel)):
            server.add_request_handler(f"tasks/{method}", TaskParams, handler)
        server.extensions[EXTENSION] = {}


# The tools. Each takes a call's params and gives the work that a task does.


def said(words, **more):
    return {"content": [{"type": "text", "text": words}], "resultType": "complete", **more}


def confirmation(name):
    schema = {"type": "object", "properties": {"confirm": {"type": "boolean"}}}
    params = {"mode": "form", "message": f"Really {name}?", "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def slow_compute(params):
    async def work(_task):
        await asyncio.sleep((params.arguments or {}).get("seconds", 0))
        return said("computed")

    return work


def failing_job(_params):
    async def work(_task):
        await asyncio.sleep(0.5)
        return said("the job failed", isError=True)

    return work


def protocol_error_job(_params):
    async def work(_task):
        raise MCPError(code=types.INTERNAL_ERROR, message="the job broke")

    return work


def asking(*names):
    def tool(_params):
        async def work(task):
            if task is None:
                return said("nobody to ask")
            answers = await task.ask({secrets.token_hex(4): confirmation(name) for name in names})
            return said(f"{len(answers)} answers")

        return work

    return tool


def greeting(name):
    async def work(_task):
        return said(f"Hello, {name}!")

    return work
