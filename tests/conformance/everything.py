"""The server that the conformance suite is run against.

Offers every tool, resource and prompt that the suite's server scenarios name,
on the Python SDK's low-level server, which speaks the legacy revisions and
2026-07-28. With `--trusting` it believes the request line's mirrors: whatever
`Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` say, it goes by the body alone, as
servers do that were written before those headers.

    everything.py --port 0 [--trusting]     prints its URL, serves until ended
"""

import argparse
import asyncio
import json

import anyio
import mcp_types as types
import trusting
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from tools import TOOLS, changes, running
from wire import PNG, answered, ask, elicited, form, image, resource, text

NAME = "conformance-everything"


class Events(EventStore):
    """Keeps every event of every stream, so that a client may come back."""

    def __init__(self):
        self.kept = []

    async def store_event(self, stream_id, message):
        self.kept.append((stream_id, message))
        return str(len(self.kept))

    async def replay_events_after(self, last_event_id, send_callback):
        if not last_event_id.isdigit() or not 0 < int(last_event_id) <= len(self.kept):
            return None
        stream_id, _ = self.kept[int(last_event_id) - 1]
        for place, (stream, message) in enumerate(self.kept, start=1):
            if stream == stream_id and place > int(last_event_id) and message is not None:
                await send_callback(EventMessage(message, str(place)))
        return stream_id


def described(name):
    return name.removeprefix("test_").replace("_", " ").capitalize()


async def list_tools(_ctx, _params):
    tools = [
        {"name": name, "description": described(name), "inputSchema": schema} for name, (schema, _) in TOOLS.items()
    ]
    return types.ListToolsResult.model_validate({"tools": tools})


async def call_tool(ctx, params):
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
    result = await TOOLS[params.name][1](ctx, params)
    if isinstance(result, list):
        return types.CallToolResult.model_validate({"content": result})
    return result


RESOURCES = {
    "test://static-text": ("text/plain", {"text": "This is the content of the static text resource."}),
    "test://static-binary": ("image/png", {"blob": PNG}),
    "test://watched-resource": ("text/plain", {"text": "Watched resource content"}),
}
TEMPLATE = ("test://template/", "/data")


async def list_resources(_ctx, _params):
    resources = [
        {"uri": uri, "name": uri.partition("://")[2], "description": f"The resource {uri}", "mimeType": mime}
        for uri, (mime, _) in RESOURCES.items()
    ]
    return types.ListResourcesResult.model_validate({"resources": resources})


async def list_templates(_ctx, _params):
    template = {
        "uriTemplate": "{id}".join(TEMPLATE),
        "name": "template",
        "description": "Data by id",
        "mimeType": "application/json",
    }
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})


async def read_resource(_ctx, params):
    uri = str(params.uri)
    before, after = TEMPLATE
    if uri in RESOURCES:
        mime, content = RESOURCES[uri]
    elif uri.startswith(before) and uri.endswith(after) and len(uri) > len(before + after):
        id = uri[len(before) : -len(after)]
        data = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        mime, content = "application/json", {"text": json.dumps(data)}
    else:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, "mimeType": mime, **content}]})


def said(*contents):
    messages = [{"role": "user", "content": content} for content in contents]
    return types.GetPromptResult.model_validate({"messages": messages})


async def simple_prompt(_params):
    return said(text("This is a simple prompt for testing."))


async def prompt_with_arguments(params):
    given = params.arguments or {}
    return said(text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"))


async def prompt_with_resource(params):
    uri = (params.arguments or {}).get("resourceUri", "test://example-resource")
    embedded = resource(uri, "text/plain", "Embedded resource content for testing.")
    return said(embedded, text("Please process the embedded resource above."))


async def prompt_with_image(_params):
    return said(image(), text("Please analyze the image above."))


async def asking_prompt(params):
    answers = answered(params, "user_context")
    if answers is None:
        question = form("What context should the prompt use?", {"context": {"type": "string"}}, ["context"])
        return ask({"user_context": question})
    return said(text(f"Context: {elicited(answers[0], 'context')}"))


PROMPTS = {
    "test_simple_prompt": ([], simple_prompt),
    "test_prompt_with_arguments": (["arg1", "arg2"], prompt_with_arguments),
    "test_prompt_with_embedded_resource": (["resourceUri"], prompt_with_resource),
    "test_prompt_with_image": ([], prompt_with_image),
    "test_input_required_result_prompt": ([], asking_prompt),
}


async def list_prompts(_ctx, _params):
    prompts = [
        {
            "name": name,
            "description": described(name),
            "arguments": [{"name": given, "description": given, "required": True} for given in arguments],
        }
        for name, (arguments, _) in PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": prompts})


async def get_prompt(_ctx, params):
    if params.name not in PROMPTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
    return await PROMPTS[params.name][1](params)


async def complete(_ctx, params):
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    completion = {"values": values, "total": len(values), "hasMore": False}
    return types.CompleteResult.model_validate({"completion": completion})


async def accept(_ctx, _params):
    return types.EmptyResult()


def server():
    made = Server(
        NAME,
        version="1",
        get_tool_input_schema=lambda name: TOOLS[name][0] if name in TOOLS else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_subscriptions_listen=ListenHandler(changes),
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=accept,
    )
    running.serve(made)
    # What clients send back as state must be what was sent to them.
    made.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return made


async def serve(port, is_trusting):
    app = server().streamable_http_app(event_store=Events(), retry_interval=100)
    if is_trusting:
        app = trusting.Trusting(app, {name: schema for name, (schema, _) in TOOLS.items()})
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
    listener = uvicorn.Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve)
        while not listener.started:
            await asyncio.sleep(0.02)
        [socket] = listener.servers[0].sockets
        print(f"http://127.0.0.1:{socket.getsockname()[1]}/mcp", flush=True)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--trusting", action="store_true")
    chosen = arguments.parse_args()
    asyncio.run(serve(chosen.port, chosen.trusting))
