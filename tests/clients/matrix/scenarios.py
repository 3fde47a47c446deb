"""What an MCP client does, and what has to become of it behind the boundary.

Each scenario raises `Failed` if it goes wrong and `Missing` if the SDK or the
revision has nothing of the kind. What a scenario asks of a denial is in
`denials.py`; here it only has to be one.
"""

import asyncio

from .driver import Refused
from .run import Missing, expect

# Seconds; of Envoy's routes, where nothing else is said.
ROUTE_TIMEOUT = 15
LONG = "trigger-long-running-operation"
NEWS = "demo://resource/dynamic/text/1"
SECRET = "demo://resource/dynamic/blob/1"


async def reach(run):
    await run.connect()


async def connect(run):
    """`initialize` or `server/discover`, then a call."""
    await run.connect()
    await run.echo()


async def list_all(run):
    """Tools, prompts and resources."""
    await run.connect()
    counts = await run.ask("list")
    expect(all(counts.values()), f"an empty list: {counts}")


async def denied(run):
    """What no rule allows, of each kind: an error each, nothing of it upstream, and the connection lives."""
    await run.connect()
    for op, arguments in DENIED:
        try:
            answer = await run.ask(op, **arguments)
        except Refused:
            continue
        expect(False, f"the denied `{op}` was answered: {answer}")
    seen = [exchange for exchange in run.sent() if any(name in exchange.body for name in MARKS)]
    expect(not seen, "a denied call reached the server")
    await run.echo()


DENIED = [
    ("call", {"tool": "get-env", "arguments": {}}),
    ("prompt", {"name": "args-prompt", "arguments": {"city": "Oslo"}}),
    ("read", {"uri": SECRET}),
]
MARKS = [b"get-env", b"args-prompt", b"dynamic/blob"]


async def allowed(run):
    """A tool, a prompt and a resource."""
    await run.connect()
    await run.echo()
    expect((await run.ask("prompt", name="simple-prompt", arguments={}))["messages"], "an empty prompt")
    expect((await run.ask("read", uri=NEWS))["contents"], "an empty resource")


async def elicitation(run):
    """The server asks the user in the middle of a call."""
    await run.connect()
    answer = await run.ask("call", tool="trigger-elicitation-request", arguments={})
    expect("Ada" in answer["text"], answer["text"])


async def sampling(run):
    """The server asks the client's model in the middle of a call."""
    await run.connect()
    answer = await run.ask("call", tool="trigger-sampling-request", arguments={"prompt": "Think.", "maxTokens": 10})
    expect("sampled" in answer["text"], answer["text"])


async def progress(run):
    """A call that reports its progress for some seconds."""
    await run.connect()
    answer = await run.ask("call", tool=LONG, arguments={"duration": 4, "steps": 4})
    if "progress" not in answer:
        raise Missing("shows no progress")
    expect(answer["progress"] >= 3, f"{answer['progress']} of 4 steps")


async def cancel(run):
    """A call given up half-way, which the server learns; then another one."""
    await run.connect()
    call = await run.begin("call", tool=LONG, arguments={"duration": 15, "steps": 3})
    await run.until(lambda: run.sent(method="tools/call"), 10, "the call does not arrive")
    await asyncio.sleep(0.5)
    await run.ask("cancel", target=call.number)
    try:
        await call.done(patience=5)
    except Refused:
        pass
    if run.row.modern:
        await run.until(lambda: run.sent(method="tools/call")[0].abandoned, 5, "the call's stream stays open")
    else:
        told = await run.until(lambda: run.sent(method="notifications/cancelled"), 5, "the server is not told")
        await run.until(lambda: told[0].status == 202, 5, "the server does not take the cancellation")
    await run.echo()


async def stream(run):
    """What the server says unasked: on GET, or on `subscriptions/listen`; and again much later."""
    await run.connect()
    await open_stream(run)
    await run.until_events(news(run), 1, 12)
    await asyncio.sleep(ROUTE_TIMEOUT + 1)
    await run.until_events(news(run), await run.events(news(run)) + 1, 12)


async def reconnect(run):
    """The stream is cut, and comes back: by itself with GET, by asking again with `subscriptions/listen`."""
    await run.connect()
    await open_stream(run)
    await run.until_events(news(run), 1, 12)
    known = streams(run)
    known[-1].cut()
    await asyncio.sleep(0.5)
    # The old one may have brought a second message before it was cut.
    before = await run.events(news(run))
    if run.row.modern:
        await run.ask("listen", uri=NEWS)
        await run.ask("call", tool="toggle-subscriber-updates", arguments={})
    fresh = await run.until(lambda: streams(run)[len(known) :], 12, "no new stream after the cut")
    await run.until(lambda: fresh[0].status == 200, 5, "the new stream is not taken")
    await run.until_events(news(run), before + 1, 12)


def news(run):
    return "notifications/resources/updated" if run.row.modern else "notifications/message"


def streams(run):
    return run.sent(method="subscriptions/listen") if run.row.modern else run.sent("GET")


async def open_stream(run):
    """Opens the stream and has the server say something on it, and again some seconds later."""
    if run.row.inspector:
        raise Missing("keeps no connection")
    if run.row.modern:
        try:
            await run.ask("listen", uri=NEWS)
        except Refused as error:
            if "no subscriptions" in error.text:
                raise Missing("the SDK has no subscriptions") from None
            raise
        await run.ask("call", tool="toggle-subscriber-updates", arguments={})
    else:
        await run.until(lambda: run.sent("GET"), 10, "no GET stream is opened")
        await run.until(lambda: run.sent("GET")[0].status == 200, 10, "the GET stream is not taken")
        await run.ask("call", tool="toggle-simulated-logging", arguments={})


async def delete(run):
    """The end of a session; then a new one."""
    if run.row.modern:
        raise Missing("the revision has no sessions")
    if run.row.inspector:
        raise Missing("keeps no connection")
    await run.connect()
    await run.ask("close", patience=10)
    ended = run.sent("DELETE")
    expect(ended, "no DELETE is sent")
    await run.until(lambda: ended[0].status, 5, "the DELETE is not answered")
    expect(ended[0].status in (200, 202, 204), f"the DELETE is answered with {ended[0].status}")
    await run.connect()
    await run.echo()


async def sample(run):
    """The sample server and the denied tool of the demo."""
    await run.connect()
    answer = await run.ask("call", tool="get_weather", arguments={"city": "Oslo"})
    expect("Oslo" in answer["text"], answer["text"])
    try:
        await run.ask("call", tool="delete_repo", arguments={"repo": "main"})
    except Refused:
        pass
    else:
        expect(False, "`delete_repo` was answered")
    expect((await run.ask("read", uri="file:///docs/readme.md"))["contents"], "an empty resource")


async def on_tower(run):
    """The same on tower-mcp: a tool, a prompt and a resource that are permitted, and three that are not."""
    await allowed(run)
    await run.ask("close")
    await denied(run)


# In the table's order: its head, the scenario, the server if not the row's own.
SCENARIOS = {
    "connect": (connect, None),
    "list": (list_all, None),
    "allowed": (allowed, None),
    "denied": (denied, None),
    "elicitation": (elicitation, None),
    "sampling": (sampling, None),
    "progress": (progress, None),
    "cancel": (cancel, None),
    "stream": (stream, None),
    "reconnect": (reconnect, None),
    "delete": (delete, None),
    "tower-mcp server": (on_tower, "tower"),
    "sample server": (sample, "sample"),
}
