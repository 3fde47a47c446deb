"""FastMCP 2 and 4."""

import inspect
from contextlib import asynccontextmanager

import fastmcp
import loop


class Client:
    def __init__(self, client):
        self.client = client
        self.numbers = {}

    def revision(self):
        return getattr(self.client, "protocol_version", None) or self.client.initialize_result.protocolVersion

    async def list(self, _):
        return {
            "tools": len(await self.client.list_tools()),
            "prompts": len(await self.client.list_prompts()),
            "resources": len(await self.client.list_resources()),
        }

    async def call(self, request):
        count = 0

        async def progress(*_):
            nonlocal count
            count += 1

        self.numbers[request["id"]] = getattr(self.client.session, "_request_id", None)
        result = await self.client.call_tool(request["tool"], request["arguments"], progress_handler=progress)
        return {"text": "\n".join(getattr(part, "text", "") for part in result.content), "progress": count}

    async def cancel(self, target):
        # FastMCP 4 tells the server when the call is abandoned; its predecessor has to be asked.
        if self.numbers[target] is not None:
            await self.client.cancel(self.numbers[target], "no longer needed")

    async def prompt(self, request):
        return {"messages": len((await self.client.get_prompt(request["name"], request["arguments"])).messages)}

    async def read(self, request):
        return {"contents": len(await self.client.read_resource(request["uri"]))}

    async def notify(self, _):
        await self.client.send_roots_list_changed()

    async def listen(self, _):
        raise NotImplementedError("this SDK has no subscriptions")


async def elicit(_message, _type, _params, _context):
    return {"name": "Ada"}


async def sample(_messages, _params, _context):
    return "sampled"


@asynccontextmanager
async def opened(url, mode, events):
    async def log(_message):
        events["notifications/message"] += 1

    eras = {"mode": "2026-07-28" if mode == "pin" else mode}
    if "mode" not in inspect.signature(fastmcp.Client.__init__).parameters:
        eras = {}
    client = fastmcp.Client(
        url, elicitation_handler=elicit, sampling_handler=sample, roots=["file:///docs"], log_handler=log, **eras
    )
    async with client:
        yield Client(client)


loop.serve(opened)
