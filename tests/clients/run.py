#!/usr/bin/env python3
"""Runs shipped MCP clients against the boundary; see README.md.

    run.py                      every client; writes the tables of docs/
    run.py ts-1.32.2 py-*       these clients; writes nothing
    run.py --record             also writes tests/corpus/sdk-*.json
"""

import argparse
import asyncio
import fnmatch
import sys

from matrix import compatibility, tables
from matrix.rows import ROWS
from matrix.world import ROOT, world

COMPATIBILITY = ROOT / "docs/compatibility.md"
# Most of a run is waiting; more at once would measure this machine instead.
AT_ONCE = 3


async def main(arguments):
    rows = [row for row in ROWS if any(fnmatch.fnmatch(row.id, pattern) for pattern in arguments.clients or ["*"])]
    if not rows:
        sys.exit(f"no such client; there are {' '.join(row.id for row in ROWS)}")
    gate = asyncio.Semaphore(AT_ONCE)

    async def guarded(work, *details):
        async with gate:
            line = await work(*details)
            print(" | ".join(line), flush=True)
            return line

    async with world() as around:
        lines = await asyncio.gather(*(guarded(compatibility.row_of, around, row, arguments.scenario) for row in rows))
    problems = compatibility.lost(tables.between(COMPATIBILITY, "clients"), lines)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    if rows == ROWS and not arguments.scenario:
        tables.replace(COMPATIBILITY, "clients", compatibility.render(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", help="names of clients, `*` for any run of characters")
    parser.add_argument("--scenario", action="append", help="only this scenario")
    parser.add_argument("--record", action="store_true", help="write the corpus cases of these clients")
    asyncio.run(main(parser.parse_args()))
