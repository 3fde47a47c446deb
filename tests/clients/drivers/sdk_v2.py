"""The official Python SDK 2.x, which speaks the legacy revisions and 2026-07-28."""

import asyncio
from contextlib import asynccontextmanager

import loop
import mcp
import mcp_types as types


class Client:
    def __init__(self, client):
        self.client = client
        self.listening = []

    def revision(self):
        return self.client.protocol_version

    async def list(self, _):
        tools = await self.client.list_tools()
        prompts = await self.client.list_prompts()
        resources = await self.client.list_resources()
        return {"tools": len(tools.tools), "prompts": len(prompts.prompts), "resources": len(resources.resources)}

    async def call(self, request):
        count = 0

        async def progress(*_):
            nonlocal count
            count += 1

        result = await self.client.call_tool(request["tool"], request["arguments"], progress_callback=progress)
        return {"text": "\n".join(getattr(part, "text", "") for part in result.content), "progress": count}

    async def prompt(self, request):
        return {"messages": len((await self.client.get_prompt(request["name"], request["arguments"])).messages)}

    async def read(self, request):
        return {"contents": len((await self.client.read_resource(request["uri"])).contents)}

    async def notify(self, _):
        await self.client.send_roots_list_changed()

    async def listen(self, request):
        ready = asyncio.get_running_loop().create_future()
        self.listening.append(asyncio.create_task(self.follow(request["uri"], ready)))
        await ready

    async def follow(self, uri, ready):
        try:
            async with self.client.listen(resource_subscriptions=[uri]) as events:
                ready.set_result(None)
                async for _ in events:
                    self.events["notifications/resources/updated"] += 1
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)


async def elicit(_context, _params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def sample(_context, _params):
    content = types.TextContent(type="text", text="sampled")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///docs", name="docs")])


@asynccontextmanager
async def opened(url, mode, events):
    async def log(params):
        events["notifications/message"] += 1

    client = mcp.Client(
        url,
        mode="2026-07-28" if mode == "pin" else mode,
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
        logging_callback=log,
    )
    async with client:
        wrapped = Client(client)
        yield wrapped
        for task in wrapped.listening:
            task.cancel()


loop.serve(opened)
