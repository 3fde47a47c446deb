"""Runs shipped MCP clients against the boundary; see README.md.

    run.sh clients                      every client; writes the tables of docs/
    run.sh clients 'ts-*' py-1.30.0     these clients; prints, writes nothing
    run.sh clients --only record        writes tests/corpus/recorded instead
"""

import argparse
import asyncio
import fnmatch
import json
import sys

from harness.places import DOCS

from .matrix import compatibility, denials, fixtures, tables
from .matrix.rows import ROWS
from .matrix.world import world

COMPATIBILITY = DOCS / "compatibility.md"
DENIALS = DOCS / "denials.md"
# Most of a run is waiting; more at once would measure this machine instead.
AT_ONCE = 3


async def main(arguments):
    rows = [row for row in ROWS if any(fnmatch.fnmatch(row.id, pattern) for pattern in arguments.clients or ["*"])]
    if not rows:
        sys.exit(f"no such client; there are {' '.join(row.id for row in ROWS)}")
    both = not arguments.only
    gate = asyncio.Semaphore(AT_ONCE)

    async def each(work, *details):
        async def guarded(row):
            async with gate:
                found = await work(around, row, *details)
                print(f"{row.id}: {json.dumps(found, ensure_ascii=False)}", flush=True)
                return found

        return await asyncio.gather(*map(guarded, rows))

    lines, refusals = [], []
    async with world() as around:
        if both or arguments.only == "compatibility":
            lines = await each(compatibility.row_of, arguments.scenario)
        if both or arguments.only == "denials":
            refusals = await each(denials.rows_of)
        if arguments.only == "record":
            await each(fixtures.record)
            for copy, kept in fixtures.drop_copies():
                print(f"{copy.stem} says the same as {kept.stem}, dropped")
            return
        pages = denials.render(around, refusals) if refusals and rows == ROWS else {}

    problems = compatibility.problems(tables.between(COMPATIBILITY, "clients"), lines)
    problems += denials.problems(DENIALS, refusals)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems and not arguments.accept:
        sys.exit(1)
    if rows == ROWS and not arguments.scenario:
        if lines:
            tables.replace(COMPATIBILITY, "clients", compatibility.render(lines))
        for name, text in pages.items():
            tables.replace(DENIALS, name, text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", help="names of clients, `*` for any run of characters")
    parser.add_argument("--only", choices=["compatibility", "denials", "record"], help="one part of the matrix")
    parser.add_argument("--scenario", action="append", help="only this scenario of the compatibility table")
    parser.add_argument("--accept", action="store_true", help="write the tables although something has stopped working")
    asyncio.run(main(parser.parse_args()))
