"""Requests as SDKs send them, kept as cases of tests/corpus.

They are recorded without the boundary, so that what a client sends is not what
the boundary let through; and what has to become of each is said here, not read
from a run.
"""

import json
import re

from harness import places

from .driver import Hangs, Refused
from .rows import ROWS
from .run import Failed, Missing, Run, method_of
from .scenarios import DENIED, NEWS, SCENARIOS, SECRET

RECORDED = places.TESTS / "corpus/recorded"
# What else these rows send is the same as in others.
SKIPPED = ("ts-2.4.0-pin",)
# The connection's, or there in some runs only.
DROPPED = {"host", "connection", "content-length", "transfer-encoding", "keep-alive", "last-event-id"}
SESSION = "00000000-0000-4000-8000-000000000000"

METHODS = ["initialize", "server/discover", "ping", "logging/setLevel", "notifications/*", "*/list"]
METHODS += ["subscriptions/listen"]
ALLOW = {
    "methods": METHODS,
    "tools": ["echo", "trigger-*", "toggle-*"],
    "prompts": ["simple-prompt"],
    "resources": ["demo://resource/dynamic/text/*"],
}


def named(method, name):
    def found(exchange):
        body = parsed(exchange)
        return body.get("method") == method and name in (body["params"].get("name"), body["params"].get("uri"))

    return found


def method(name):
    return lambda exchange: exchange.method == "POST" and method_of(exchange) == name


def verb(name):
    return lambda exchange: exchange.method == name


def parsed(exchange):
    try:
        body = json.loads(exchange.body)
        return body if isinstance(body, dict) else {}
    except ValueError:
        return {}


def retried(exchange):
    return "inputResponses" in parsed(exchange).get("params", {})


def answer(text):
    return lambda exchange: text in str(parsed(exchange).get("result", ""))


# What to keep: its name, how to find it, what it is, and the reason if it is denied.
BOTH = [
    ("list", method("tools/list"), "the tools are listed", None),
    ("call", named("tools/call", "echo"), "a permitted call", None),
    ("denied", named("tools/call", "get-env"), "a call that no rule allows", "tool_not_allowed"),
    ("prompt-denied", named("prompts/get", "args-prompt"), "a prompt that no rule allows", "prompt_not_allowed"),
    ("prompt", named("prompts/get", "simple-prompt"), "a permitted prompt", None),
    ("resource", named("resources/read", NEWS), "a permitted resource", None),
    ("resource-denied", named("resources/read", SECRET), "a resource that no rule allows", "resource_not_allowed"),
]
LEGACY = [
    ("initialize", method("initialize"), "the first request", None),
    ("initialized", method("notifications/initialized"), "the session is ready", None),
    *BOTH,
    ("level", method("logging/setLevel"), "which log messages the client wants", None),
    ("roots", method("notifications/roots/list_changed"), "the client's roots have changed", None),
    ("answer", answer("Ada"), "the user's answer to an elicitation", None),
    ("sampled", answer("sampled"), "the answer of the client's model", None),
    ("cancelled", method("notifications/cancelled"), "a call is given up", None),
    ("get", verb("GET"), "the stream is opened", None),
    ("delete", verb("DELETE"), "the session is ended", None),
]
MODERN = [
    ("discover", method("server/discover"), "the first request", None),
    *BOTH,
    ("retry", retried, "the call again, with the user's answer to an elicitation", None),
    ("listen", method("subscriptions/listen"), "a subscription", None),
]

# The subject of the corpus that each belongs to.
SUBJECTS = {
    **dict.fromkeys(("call", "denied", "prompt", "prompt-denied"), "authorisation"),
    **dict.fromkeys(("list", "level", "roots", "cancelled", "listen"), "methods"),
    **dict.fromkeys(("initialize", "initialized", "discover"), "revision"),
    **dict.fromkeys(("resource", "resource-denied"), "resources"),
    **dict.fromkeys(("answer", "sampled"), "envelope"),
    **dict.fromkeys(("get", "delete"), "http"),
    "retry": "profile",
}
# What says where a case comes from; without it, copies are equal.
ORIGIN = ("id", "source", "why", "expected_reason")


async def record(world, row):
    """Writes one client's cases; returns their names. `drop_copies` comes after the last one."""
    if row.id.startswith(SKIPPED):
        return []
    driver = row.driver()
    try:
        await everything(world, row, driver)
    finally:
        await driver.stop()
    exchanges = [exchange for exchange in world.router.exchanges if exchange.run.startswith(f"{row.id}.direct.")]
    calls = [dict(exchange.headers) for exchange in exchanges if named("tools/call", "echo")(exchange)]
    revision = calls[0].get("mcp-protocol-version", "2025-03-26")
    written = []
    for what, wanted, is_about, reason in MODERN if row.modern else LEGACY:
        found = next(filter(wanted, exchanges), None)
        if found:
            name = f"sdk-{row.id}-{what}"
            case = case_of(name, row, found, revision, is_about, reason)
            path = RECORDED / SUBJECTS[what] / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n")
            written.append(name)
    for path in RECORDED.glob(f"*/sdk-{row.id}-*.json"):
        if path.stem not in written:
            path.unlink()
    return written


def drop_copies():
    """Keeps one of the cases that say the same: that of the client which comes first in rows.py. Returns what is
    dropped, each with what is kept: paths."""
    order = [f"sdk-{row.id}-" for row in ROWS]

    def place(path):
        client = max((start for start in order if path.name.startswith(start)), key=len)
        return order.index(client), path.name

    kept, dropped = {}, []
    for path in sorted(RECORDED.glob("*/sdk-*.json"), key=place):
        case = json.loads(path.read_text())
        said = json.dumps({key: value for key, value in case.items() if key not in ORIGIN}, sort_keys=True)
        first = kept.setdefault(said, path)
        if first != path:
            path.unlink()
            dropped.append((path, first))
    return dropped


async def everything(world, row, driver):
    """Has the client send all of it; the scenarios' own tests are elsewhere."""
    for name in ("allowed", "list", "elicitation", "sampling", "cancel", "stream", "delete"):
        await quietly(Run(world, row, driver, "direct", name), SCENARIOS[name][0])

    async def notified(run):
        await run.connect()
        await run.ask("notify")

    await quietly(Run(world, row, driver, "direct", "notified"), notified)
    for op, arguments in DENIED:

        async def refused(run, op=op, arguments=arguments):
            await run.connect()
            await run.ask(op, **arguments)

        await quietly(Run(world, row, driver, "direct", f"denied-{op}"), refused)


async def quietly(run, work):
    try:
        await work(run)
    except (Failed, Missing, Refused, Hangs):
        # Not everything is in every SDK; what was sent until here counts.
        pass
    await run.close()


def case_of(name, row, exchange, revision, is_about, reason):
    # Sorted, since some clients send them in another order every time.
    headers = sorted([key, cleaned(key, value)] for key, value in exchange.headers if key not in DROPPED)
    case = {
        "id": name,
        "source": f"recorded: {row.title.replace('`', '')}",
        "why": f"What this client sends on the wire: {is_about}.",
        "policy": {"versions": [revision], "allow": ALLOW},
        "method": exchange.method,
        "path": "/mcp",
        "headers": headers,
    }
    if exchange.body:
        case["body"] = re.sub(r'("requestState": ?)"[^"]*"', r'\1"state"', exchange.body.decode())
    case["expected"] = "deny" if reason else "forward"
    case["expected_reason"] = f"{is_about}; valid in {revision}"
    if reason:
        case["expected_code"] = reason
        case["expected_error_code"] = -31403
    return case


def cleaned(name, value):
    return SESSION if name == "mcp-session-id" else value
