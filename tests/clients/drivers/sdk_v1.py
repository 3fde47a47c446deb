"""The official Python SDK 1.x."""

import inspect
from contextlib import asynccontextmanager

import loop
from mcp import ClientSession, types
from mcp.client.streamable_http import streamablehttp_client


class Client:
    def __init__(self, session, hello):
        self.session = session
        self.hello = hello
        self.numbers = {}

    def revision(self):
        return self.hello.protocolVersion

    async def list(self, _):
        tools = await self.session.list_tools()
        prompts = await self.session.list_prompts()
        resources = await self.session.list_resources()
        return {"tools": len(tools.tools), "prompts": len(prompts.prompts), "resources": len(resources.resources)}

    async def call(self, request):
        count = 0

        async def progress(*_):
            nonlocal count
            count += 1

        # There is no other way to learn the id that a later cancellation has to name.
        self.numbers[request["id"]] = self.session._request_id
        result = await self.session.call_tool(request["tool"], request["arguments"], progress_callback=progress)
        return {"text": "\n".join(getattr(part, "text", "") for part in result.content), "progress": count}

    async def cancel(self, target):
        params = types.CancelledNotificationParams(requestId=self.numbers[target], reason="no longer needed")
        message = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(message))

    async def prompt(self, request):
        return {"messages": len((await self.session.get_prompt(request["name"], request["arguments"])).messages)}

    async def read(self, request):
        return {"contents": len((await self.session.read_resource(request["uri"])).contents)}

    async def notify(self, _):
        await self.session.send_roots_list_changed()

    async def listen(self, _):
        raise NotImplementedError("this SDK has no subscriptions")


async def elicit(_context, _params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def sample(_context, _params):
    content = types.TextContent(type="text", text="sampled")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///docs", name="docs")])


@asynccontextmanager
async def opened(url, _mode, events):
    async def note(message):
        if isinstance(message, types.ServerNotification):
            events[message.root.method] += 1

    callbacks = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": roots}
    known = inspect.signature(ClientSession).parameters
    callbacks = {name: callback for name, callback in callbacks.items() if name in known}
    async with streamablehttp_client(url) as (read, write, _):
        async with ClientSession(read, write, message_handler=note, **callbacks) as session:
            yield Client(session, await session.initialize())


loop.serve(opened)
