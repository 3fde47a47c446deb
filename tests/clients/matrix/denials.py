"""What a client makes of a refusal, with each kind of answer."""

import asyncio
import json
import re
from dataclasses import dataclass

from .driver import Hangs, Refused
from .run import Failed, Missing, Run
from .scenarios import DENIED, LONG
from .tables import between, plain, table, worse

# Seconds; an error that comes later is not prompt.
PROMPT = 3


class Seen:
    """How one refused operation looked to the application."""

    def __init__(self, kind, text="", prompt=True):
        self.kind = kind
        self.text = text
        self.prompt = prompt

    def __str__(self):
        told = f"{self.kind} ({short(self.text)})" if self.kind == "bare" else self.kind
        return told if self.prompt else f"{told}, late"


async def look(row, asked, code, words):
    """Waits for a call that will be refused and says what came of it.

    `code`: the call raises with the boundary's own JSON-RPC code and message;
    `text`: the message can be read in what is raised; `bare`: it cannot;
    `hangs`: nothing is raised; `answered`: there was no refusal to see.
    """
    try:
        await asked
    except Refused as error:
        # Some errors tell the URL, which holds the run's name.
        told = re.sub(r"https?://\S+", "", error.text)
        readable = any(word in told for word in words)
        kind = "code" if error.code == code and readable else "text" if readable else "bare"
        return Seen(kind, error.text, error.seconds < PROMPT or row.inspector)
    except Hangs as problem:
        return Seen("hangs", str(problem))
    return Seen("answered")


async def lives(run):
    """Whether a permitted call on the same connection works."""
    try:
        await run.ask("call", run.row.patience, tool="echo", arguments={"message": "hello"})
    except (Refused, Hangs) as problem:
        return f"**no** ({short(problem)})"
    return "yes"


async def guarded(run, work):
    """Runs `work` on a new connection; a client that cannot connect is told as such."""
    try:
        await run.connect(run.row.patience)
        return await asyncio.wait_for(work(run), 60)
    except (Refused, Hangs, Failed, Missing, TimeoutError) as problem:
        return Seen("bare", f"not connected: {problem}"), "–"
    finally:
        await run.close()

# Members of a log line that the page does not show.
LEFT_OUT = ["request_id", "client", "host", "path", "requested", "policy"]


def refused(op, arguments, code, words):
    """Work for `guarded`: one refused operation, and whether its connection lives."""

    async def work(run):
        return await look(run.row, run.ask(op, run.row.patience, **arguments), code, words), await lives(run)

    return work


def together(alive):
    """Whether connections live, in one cell."""
    problems = [cell for cell in alive if cell != "yes"]
    return problems[0] if problems else "yes"


# --- Policy denials ---

DENIAL_HEAD = ["client", "tool", "prompt", "resource", "connection lives", "other call lives"]
DENIAL_HEAD += ["notification", "then lives", "connecting"]
MESSAGE_HEAD = ["client", "`denial`", "what the SDK's error says"]
# Only the boundary says so; SDKs have words of their own for a status.
WORDS = ["is not allowed on endpoint", "is denied by rule"]


async def denial_of(world, row, driver, endpoint):
    """A row of the table for `denial: http` or `denial: rpc`, and one of what the error says."""
    seen, alive = [], []
    for op, arguments in DENIED:
        work = refused(op, arguments, -31403, WORDS)
        one, lived = await guarded(Run(world, row, driver, endpoint, f"denied-{op}"), work)
        if one.kind == "answered":
            raise RuntimeError(f"{row.id}: the denied `{op}` was answered on endpoint `{endpoint}`")
        seen.append(one)
        alive.append(lived)

    async def beside(run):
        call = await run.begin("call", tool=LONG, arguments={"duration": 3, "steps": 3})
        await asyncio.sleep(0.8)
        denied = await look(run.row, run.ask("call", run.row.patience, tool="get-env", arguments={}), -31403, WORDS)
        try:
            await call.done(run.row.patience)
        except (Refused, Hangs) as problem:
            return denied, f"**no** ({short(problem)})"
        return denied, "yes"

    _, other = await guarded(Run(world, row, driver, endpoint, "beside"), beside)
    notified, then = "–", "–"
    if not row.modern and not row.inspector:
        work = refused("notify", {}, -31403, WORDS)
        notified, then = await guarded(Run(world, row, driver, endpoint, "notification"), work)
        notified = "silent" if notified.kind == "answered" else str(notified)
    run = Run(world, row, driver, f"shut-{endpoint}", "connect")
    connecting = await look(run.row, run.connect(run.row.patience), -31403, WORDS)
    await run.close()
    cells = [row.title, *map(str, seen), together(alive), other, notified, then, str(connecting)]
    return cells, [row.title, f"`{endpoint}`", f"`{plain(seen[0].text, 240)}`"]


# --- Rejections ---


@dataclass(frozen=True)
class Kind:
    """One kind of rejection, brought about by one call; see `spoiler.py`."""

    name: str
    reason: str
    # Status and JSON-RPC code, as the reason codes' table has them.
    answer: tuple
    words: tuple
    # If 2026-07-28 wants another status.
    modern_status: int | None = None

    @property
    def head(self):
        status = f"{self.answer[0]}/{self.modern_status}" if self.modern_status else self.answer[0]
        return f"{status} {self.answer[1]} `{self.reason}`"


KINDS = [
    Kind("deep", "json_too_deep", (400, -32700), ("nests deeper than",)),
    Kind("envelope", "envelope_invalid", (400, -32600), ("must be the string",)),
    Kind("name", "tool_name_invalid", (400, -32602), ("is not 1 to 128 characters from",)),
    Kind("method", "method_unavailable", (400, -32601), ("has no client method",), modern_status=404),
    Kind("version", "version_unknown", (400, -32022), ("is no revision known here",)),
    Kind("mirror", "mirror_mismatch", (400, -32020), ("differs from the body's",)),
    Kind("origin", "origin_not_allowed", (403, -32600), ("is not one that this endpoint lists",)),
    Kind("large", "body_too_large", (413, -32600), ("larger than this endpoint's limit",)),
    Kind("media", "media_type", (415, -32600), ("`Content-Type` must be",)),
    Kind("fault", "record_missing", (503, -32603), ("nothing was recorded for this request",)),
]
KIND_HEAD = ["client", *(kind.head for kind in KINDS), "connection lives"]


async def kinds_of(world, row, driver):
    """A row of the table of rejections by kind."""
    line, alive = [row.title], []
    for kind in KINDS:
        run = Run(world, row, driver, "spoiled", kind.name)
        arguments = {"tool": "echo", "arguments": {"message": f"spoil {kind.name}"}}
        seen, lived = await guarded(run, refused("call", arguments, kind.answer[1], kind.words))
        status, answer = world.spoiler.answered(run.name, kind.name)
        error = json.loads(answer)["error"]
        wanted = (row.modern and kind.modern_status or kind.answer[0], kind.answer[1], kind.reason)
        if (status, error["code"], error["data"]["reason"]) != wanted:
            raise RuntimeError(f"{run.name}: the boundary answered {status} {error}, not {wanted}")
        line.append(str(seen))
        alive.append(lived)
    return [*line, together(alive)]


def logged(world):
    """What the log says of each of these, and of a denial."""
    lines = world.log()
    shown = []
    for reason in ["tool_not_allowed", *(kind.reason for kind in KINDS)]:
        line = dict(lines[reason])
        # These differ from run to run, or are of the test alone.
        for member in LEFT_OUT:
            del line[member]
        shown.append([f"`{reason}`", f"`{plain(json.dumps(line), 400)}`"])
    return shown


# --- Ways that a policy closes ---

WAYS_HEAD = ["client", "`responses: deny`", "`streams`, `sessions: deny`", "only legacy", "only 2026-07-28"]


async def ways_of(world, row, driver):
    """A row of the table of what an endpoint does not have at all."""
    line = [row.title]
    if row.modern or row.inspector:
        line.append("–")
    else:
        arguments = {"tool": "trigger-sampling-request", "arguments": {"prompt": "Think."}}
        work = refused("call", arguments, None, WORDS)
        seen, lived = await guarded(Run(world, row, driver, "no-answers", "sampling"), work)
        line.append(f"{seen}; then lives: {lived}")
    line.append(await closed_ways(world, Run(world, row, driver, "no-streams", "closed")))
    for endpoint in ("legacy", "modern"):
        # A server of both eras: what is missing is missing in the policy only.
        line.append(await era(Run(world, row, driver, endpoint, "era", server="dual")))
    return line


async def closed_ways(world, run):
    """With neither GET nor DELETE: are calls and the session's end as they were?"""
    if run.row.modern:
        return "–"
    try:
        await run.connect(run.row.patience)
        alive = await lives(run)
        await run.ask("close", run.row.patience)
    except (Refused, Hangs) as problem:
        await run.close()
        return f"raises ({short(problem)})"
    tried = [exchange for exchange in world.spoiler.of(run.name) if exchange.method in ("GET", "DELETE")]
    if not tried or run.sent("GET") or run.sent("DELETE") or {exchange.status for exchange in tried} != {405}:
        raise RuntimeError(f"{run.name}: {[(exchange.method, exchange.status) for exchange in tried]}, not 405 each")
    verbs = " and ".join(sorted({exchange.method for exchange in tried}, reverse=True))
    return f"works without {verbs}" if alive == "yes" else alive


async def era(run):
    """The revision that the client ends up with, or the error."""
    try:
        await run.connect(run.row.patience)
        await run.echo()
    except (Refused, Hangs, Failed) as problem:
        readable = any(word in str(problem) for word in ("permitted here", "this endpoint permits only"))
        return "hangs" if isinstance(problem, Hangs) else "text" if readable else f"bare ({short(problem)})"
    finally:
        await run.close()
    return " ".join(run.revisions())


TABLES = {"http": DENIAL_HEAD, "rpc": DENIAL_HEAD, "rejects": KIND_HEAD, "ways": WAYS_HEAD}


async def rows_of(world, row):
    """Everything about one client: its line for each of the tables, and its lines of messages."""
    driver = row.driver()
    found = {"messages": []}
    try:
        for endpoint in ("http", "rpc"):
            found[endpoint], message = await denial_of(world, row, driver, endpoint)
            found["messages"].append(message)
        found["rejects"] = await kinds_of(world, row, driver)
        found["ways"] = await ways_of(world, row, driver)
    finally:
        await driver.stop()
    return found


def problems(page, found):
    """What the default of `denial` promises and does not keep, and what the page's tables have better."""
    wrong = []
    for lines in found:
        title, *cells = lines["rpc"]
        if not {*cells[:3]} <= {"code", "text"} or {*cells[3:5]} != {"yes"}:
            wrong.append(f"{title}: a denial under the default is no prompt and readable error: {cells}")
    for name, head in TABLES.items():
        wrong += worse(between(page, name), head, [lines[name] for lines in found])
    return wrong


def render(world, found):
    """The generated parts of the page, by name."""
    pages = {name: table(head, [lines[name] for lines in found]) for name, head in TABLES.items()}
    pages["messages"] = table(MESSAGE_HEAD, [message for lines in found for message in lines["messages"]])
    pages["log"] = table(["reason", "the line's object, shortened"], logged(world))
    return pages


def short(text):
    return plain(text, 60)
