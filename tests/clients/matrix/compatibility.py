"""Which client can do what behind the boundary."""

import asyncio

from .driver import Hangs, Refused
from .run import Failed, Missing, Run
from .scenarios import SCENARIOS, connect, denied, on_tower, reach, sample
from .tables import cells, plain, table

YES, NONE, NO = "yes", "–", "**no**"
# What works with a switch names the switch.
VERSIONS = "`versions`"
DEFAULT = "default policy"
HEAD = ["client", "revision", DEFAULT, *SCENARIOS, "notes"]


async def row_of(world, row, only=None):
    """The table's row of one client."""
    driver = row.driver()
    notes = []
    try:
        revision, by_default = await revisions(world, row, driver)
        line = [row.title, revision, by_default]
        for name, (scenario, server) in SCENARIOS.items():
            if only and name not in only:
                line.append("")
                continue
            cell, note = await cell_of(world, row, driver, name, scenario, server)
            line.append(cell)
            if note:
                notes.append(f"{name}: {note}")
    finally:
        await driver.stop()
    return [*line, "; ".join(notes)]


async def cell_of(world, row, driver, name, scenario, server):
    """A cell, and a note if it is not `yes`."""
    problem = await attempt(Run(world, row, driver, "rpc", slug(name), server), scenario)
    if problem is None:
        return YES, None
    if isinstance(problem, Missing):
        return NONE, str(problem)
    # Nothing is denied without the boundary: there, what can be compared is connecting.
    same = reach if scenario in (denied, sample, on_tower) else scenario
    without = await attempt(Run(world, row, driver, "direct", slug(name), server), same)
    if without is not None:
        return NONE, f"not without the boundary either ({plain(without, 90)})"
    return NO, plain(problem, 90)


def slug(name):
    return name.replace(" ", "-")


async def attempt(run, scenario):
    """What went wrong, if anything did."""
    try:
        await asyncio.wait_for(scenario(run), 120)
    except (Failed, Missing, Refused, Hangs, TimeoutError) as problem:
        return problem
    finally:
        await run.close()
    return None


async def revisions(world, row, driver):
    """Which revision the client ends up with, and whether a policy that names none is enough."""
    run = Run(world, row, driver, "rpc", "revision")
    problem = await attempt(run, connect)
    headers = [dict(exchange.headers) for exchange in run.sent(method="tools/call")]
    revision = headers[0].get("mcp-protocol-version", "2025-03-26") if headers else "?"
    if problem is not None:
        return revision, NO
    by_default = await attempt(Run(world, row, driver, "default", "revision"), connect)
    return revision, VERSIONS if by_default else YES


def lost(before, lines):
    """What worked in the page's table and does not any more."""
    known = cells(before)
    problems = []
    for line in lines:
        now = dict(zip(HEAD[1:], line[1:]))
        for head, cell in known.get(line[0], {}).items():
            worked = cell in (YES, VERSIONS)
            if head in (DEFAULT, *SCENARIOS) and worked and now.get(head) in (NONE, NO):
                problems.append(f"{line[0]}: `{head}` worked before and does not now; {line[-1]}")
    return problems


def render(lines):
    return table(HEAD, lines)
