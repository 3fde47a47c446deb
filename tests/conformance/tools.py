"""The tools of the conformance server: what each scenario calls.

Each takes the request's context and its params, and gives content or a whole
result.
"""

import asyncio
import json

import mcp_types as types
import tasks
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged
from wire import ROOTS, WAV, answered, ask, elicited, form, image, resource, sampling, text

NOTHING = {"type": "object", "properties": {}}

changes = InMemorySubscriptionBus()
running = tasks.Tasks()


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


async def greet(_ctx, params):
    return await tasks.greeting(params.arguments["name"])(None)


async def ask_then_run(ctx, params):
    """Asks first, and becomes a task with the answer."""
    tasks.require(ctx)
    answers = answered(params, "user_name")
    if answers is None:
        return ask({"user_name": form("What is your name?", {"name": {"type": "string"}}, ["name"])})
    return await running.tool(lambda _: tasks.greeting(elicited(answers[0], "name")))(ctx, params)


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
    "greet": (one_text("name"), greet),
    "slow_compute": (NOTHING, running.tool(tasks.slow_compute)),
    "failing_job": (NOTHING, running.tool(tasks.failing_job, required=True)),
    "protocol_error_job": (NOTHING, running.tool(tasks.protocol_error_job)),
    "confirm_delete": (NOTHING, running.tool(tasks.asking("delete"))),
    "multi_input": (NOTHING, running.tool(tasks.asking("one", "two"))),
    "test_tool_with_task": (NOTHING, ask_then_run),
    ASKING + "elicitation": (NOTHING, ask_name),
    ASKING + "sampling": (NOTHING, ask_model),
    ASKING + "list_roots": (NOTHING, ask_roots),
    ASKING + "request_state": (NOTHING, ask_with_state),
    ASKING + "tampered_state": (NOTHING, ask_with_state),
    ASKING + "multiple_inputs": (NOTHING, ask_all),
    ASKING + "multi_round": (NOTHING, ask_twice),
    ASKING + "capabilities": (NOTHING, ask_as_declared),
}
