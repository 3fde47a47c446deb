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
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

import trusting

NAME = "conformance-everything"

# One red pixel, and two samples of silence.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA"

NOTHING = {"type": "object", "properties": {}}

changes = InMemorySubscriptionBus()


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


def text(words):
    return {"type": "text", "text": words}


def resource(uri, mime, words):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": words}}


def image():
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def form(message, properties, required=None):
    """An elicitation, as the request that an input-required result carries."""
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def sampling(prompt, tokens):
    messages = [{"role": "user", "content": text(prompt)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


ROOTS = {"method": "roots/list", "params": {}}


def ask(requests, state=None):
    """An input-required result: what the client must answer before it asks again."""
    wire = {"resultType": "input_required", "inputRequests": requests}
    if state is not None:
        wire["requestState"] = state
    return types.InputRequiredResult.model_validate(wire)


def answered(params, *keys):
    """The answers to all of `keys`, as on the wire; `None` if one is missing or of another kind."""
    found = []
    for key in keys:
        answer = (params.input_responses or {}).get(key)
        if answer is None:
            return None
        found.append(answer.model_dump(by_alias=True, mode="json", exclude_none=True))
    return found


def elicited(answer, field):
    return (answer.get("content") or {}).get(field)


# Tools: each takes the request's context and its params, and gives content or a whole result.


def constant(*content):
    async def tool(_ctx, _params):
        return list(content)

    return tool


async def with_logging(ctx, _params):
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message(level="info", data=words, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)
    return [text("Logged three times")]


async def with_progress(ctx, _params):
    for step in (0, 50, 100):
        await ctx.session.report_progress(step, 100, f"{step} of 100")
        await asyncio.sleep(0.05)
    return [text("Reported three times")]


async def failing(_ctx, _params):
    words = "This tool intentionally returns an error for testing"
    return types.CallToolResult.model_validate({"content": [text(words)], "isError": True})


async def legacy_sampling(ctx, params):
    prompt = (params.arguments or {}).get("prompt", "")
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=prompt))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return [text(f"LLM response: {answer.content.text}")]


def eliciting(message, schema):
    async def tool(ctx, params):
        words = message or (params.arguments or {}).get("message", "")
        answer = await ctx.session.elicit_form(words, schema, related_request_id=ctx.request_id)
        content = json.dumps(answer.content)
        return [text(f"Elicitation completed: action={answer.action}, content={content}")]

    return tool


async def reconnecting(ctx, _params):
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    # Longer than the client is told to wait before it comes back.
    await asyncio.sleep(0.3)
    return [text("Reconnection test completed")]


async def missing_capability(ctx, _params):
    if not ctx.session.check_client_capability(types.ClientCapabilities(sampling=types.SamplingCapability())):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="this tool needs sampling",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return [text("sampling is there")]


async def streaming_elicitation(ctx, params):
    await ctx.session.report_progress(0, 1, "about to ask")
    answers = answered(params, "go")
    if answers is None:
        return ask({"go": form("Go on?", {"go": {"type": "boolean"}})})
    return [text("asked and answered")]


async def logging_once(ctx, _params):
    await ctx.session.send_log_message(level="info", data="logged", related_request_id=ctx.request_id)
    return [text("logged, if that was wanted")]


def announcing(event):
    async def tool(_ctx, _params):
        await changes.publish(event())
        return [text("announced")]

    return tool


async def ask_name(_ctx, params):
    answers = answered(params, "user_name")
    name = elicited(answers[0], "name") if answers else None
    if not isinstance(name, str):
        return ask({"user_name": form("What is your name?", {"name": {"type": "string"}}, ["name"])})
    return [text(f"Hello, {name}!")]


async def ask_model(_ctx, params):
    answers = answered(params, "capital_question")
    if answers is None:
        return ask({"capital_question": sampling("What is the capital of France?", 100)})
    return [text(f"The model says: {answers[0]['content']['text']}")]


async def ask_roots(_ctx, params):
    answers = answered(params, "client_roots")
    if answers is None:
        return ask({"client_roots": ROOTS})
    return [text("Roots: " + ", ".join(root["uri"] for root in answers[0]["roots"]))]


async def ask_with_state(_ctx, params):
    confirm = form("Please confirm", {"ok": {"type": "boolean"}}, ["ok"])
    if answered(params, "confirm") is None or params.request_state is None:
        return ask({"confirm": confirm}, "waiting-for-confirm")
    return [text("state-ok" if params.request_state == "waiting-for-confirm" else "state lost")]


async def ask_all(_ctx, params):
    keys = ("user_name", "greeting", "client_roots")
    if answered(params, *keys) is None:
        name = form("What is your name?", {"name": {"type": "string"}}, ["name"])
        greeting = sampling("Generate a greeting", 50)
        return ask(dict(zip(keys, (name, greeting, ROOTS), strict=True)), "three-asked")
    return [text("all three answered")]


async def ask_twice(_ctx, params):
    if params.request_state == "round-2" and answered(params, "step2"):
        return [text("both steps answered")]
    if params.request_state == "round-1" and answered(params, "step1"):
        color = form("Step 2: What is your favorite color?", {"color": {"type": "string"}}, ["color"])
        return ask({"step2": color}, "round-2")
    return ask({"step1": form("Step 1: What is your name?", {"name": {"type": "string"}}, ["name"])}, "round-1")


async def ask_as_declared(ctx, _params):
    """Asks only for what this request says the client can do."""
    declared = ctx.session.client_capabilities or types.ClientCapabilities()
    requests = {}
    if declared.sampling is not None:
        requests["model"] = sampling("Say something", 50)
    if declared.elicitation is not None:
        requests["user"] = form("Say something", {"words": {"type": "string"}})
    if declared.roots is not None:
        requests["roots"] = ROOTS
    return ask(requests) if requests else [text("nothing to ask with")]


DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array",
            "items": {"anyOf": [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]},
        },
    },
}
USER = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}


def one_text(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


# Every keyword that the suite looks for in a listed schema.
RICH = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MIRRORED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "query": {"type": "string"}},
    "required": ["region"],
}

ASKING = "test_input_required_result_"
SIMPLE = text("This is a simple text response for testing.")
EMBEDDED = resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
MIXED = resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')

TOOLS = {
    "test_simple_text": (NOTHING, constant(SIMPLE)),
    "test_image_content": (NOTHING, constant(image())),
    "test_audio_content": (NOTHING, constant({"type": "audio", "data": WAV, "mimeType": "audio/wav"})),
    "test_embedded_resource": (NOTHING, constant(EMBEDDED)),
    "test_multiple_content_types": (NOTHING, constant(text("Multiple content types test:"), image(), MIXED)),
    "test_tool_with_logging": (NOTHING, with_logging),
    "test_tool_with_progress": (NOTHING, with_progress),
    "test_error_handling": (NOTHING, failing),
    "test_sampling": (one_text("prompt"), legacy_sampling),
    "test_elicitation": (one_text("message"), eliciting(None, USER)),
    "test_elicitation_sep1034_defaults": (NOTHING, eliciting("Please check these values", DEFAULTS)),
    "test_elicitation_sep1330_enums": (NOTHING, eliciting("Please choose", ENUMS)),
    "test_reconnection": (NOTHING, reconnecting),
    "json_schema_2020_12_tool": (RICH, constant(text("valid"))),
    "test_custom_headers": (MIRRORED, constant(text("mirrored"))),
    "test_missing_capability": (NOTHING, missing_capability),
    "test_streaming_elicitation": (NOTHING, streaming_elicitation),
    "test_logging_tool": (NOTHING, logging_once),
    "test_trigger_tool_change": (NOTHING, announcing(ToolsListChanged)),
    "test_trigger_prompt_change": (NOTHING, announcing(PromptsListChanged)),
    ASKING + "elicitation": (NOTHING, ask_name),
    ASKING + "sampling": (NOTHING, ask_model),
    ASKING + "list_roots": (NOTHING, ask_roots),
    ASKING + "request_state": (NOTHING, ask_with_state),
    ASKING + "tampered_state": (NOTHING, ask_with_state),
    ASKING + "multiple_inputs": (NOTHING, ask_all),
    ASKING + "multi_round": (NOTHING, ask_twice),
    ASKING + "capabilities": (NOTHING, ask_as_declared),
}


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
    # What clients send back as state must be what was sent to them.
    made.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return made


async def serve(port, is_trusting):
    app = server().streamable_http_app(event_store=Events(), retry_interval=100)
    if is_trusting:
        app = trusting.Trusting(app, {name: schema for name, (schema, _) in TOOLS.items()})
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
    running = uvicorn.Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(running.serve)
        while not running.started:
            await asyncio.sleep(0.02)
        [socket] = running.servers[0].sockets
        print(f"http://127.0.0.1:{socket.getsockname()[1]}/mcp", flush=True)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--trusting", action="store_true")
    chosen = arguments.parse_args()
    asyncio.run(serve(chosen.port, chosen.trusting))
