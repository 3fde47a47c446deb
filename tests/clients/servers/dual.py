"""A server for both eras on the official Python SDK 2.x.

Its names are those of the official everything server, so that one list of
calls fits both. Prints its URL, then serves until it is ended.
"""

import asyncio
import contextlib
import socket
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp_types import CreateMessageResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("dual")
NEWS = "demo://resource/dynamic/text/1"


class Person(BaseModel):
    name: str


def ask() -> Elicit[Person]:
    return Elicit("What is your name?", Person)


def think() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="Think."))], max_tokens=10)


@server.tool()
def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool(name="get-env")
def get_env() -> str:
    return "everything that nobody should see"


@server.tool(name="trigger-long-running-operation")
async def long_running(duration: float, steps: int, context: Context) -> str:
    for step in range(steps):
        await asyncio.sleep(duration / steps)
        await context.report_progress(step + 1, steps)
    return "Long running operation completed."


@server.tool(name="trigger-elicitation-request")
async def elicitation(person: Annotated[Person, Resolve(ask)]) -> str:
    return f"It is {person.name}."


@server.tool(name="trigger-sampling-request")
async def sampling(thought: Annotated[CreateMessageResult, Resolve(think)], prompt: str = "") -> str:
    return f"The model says {thought.content.text}."


@server.tool(name="toggle-subscriber-updates")
async def news(context: Context) -> str:
    """Two updates, the second a while after the call."""

    async def later():
        await asyncio.sleep(20)
        await context.notify_resource_updated(NEWS)

    await context.notify_resource_updated(NEWS)
    waiting.append(asyncio.create_task(later()))
    return "Two updates are on their way."


waiting: list[asyncio.Task] = []


@server.prompt(name="simple-prompt")
def simple() -> str:
    return "A prompt."


@server.prompt(name="args-prompt")
def args(city: str) -> str:
    return f"A prompt about {city}."


@server.resource(NEWS)
def text() -> str:
    return "News."


@server.resource("demo://resource/dynamic/blob/1")
def blob() -> str:
    return "Not for everybody."


async def serve():
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    application = server.streamable_http_app()
    await uvicorn.Server(uvicorn.Config(application, log_level="warning")).serve(sockets=[listener])


with contextlib.suppress(KeyboardInterrupt):
    asyncio.run(serve())
