#!/usr/bin/env python3
"""Takes one defence after the other away and sees that a test fails.

Each mutation of mutations.py is made in a copy of the tree; there the suites
that it names run, the cheapest first, until one fails. What none of them
notices has survived, and the run fails. Python 3 and git, no packages; see
README.md beside this file.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from mutations import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]


def suite(package, *which):
    return ["test", "--quiet", "--package", package, *which]


# What `tests` of a mutation may name, as arguments of cargo. None needs Envoy.
SUITES = {
    "format": suite("mcp-boundary-format", "--lib"),
    "engine": suite("mcp-boundary-engine", "--lib"),
    "audit": suite("mcp-boundary-engine", "--test", "audit"),
    "principals": suite("mcp-boundary-engine", "--test", "principals"),
    "recheck": suite("mcp-boundary-engine", "--test", "recheck"),
    "roll-out": suite("mcp-boundary-engine", "--test", "rollout"),
    "gate": suite("mcp-boundary-gate", "--lib"),
    "gate-calls": suite("mcp-boundary-tests", "--test", "gate_calls"),
    "held-bodies": suite("mcp-boundary-tests", "--test", "held_bodies"),
    "compiler": suite("mcp-policy", "--lib"),
    "diagnostics": suite("mcp-policy", "--test", "diagnostics"),
    "corpus": suite("mcp-boundary-tests", "--test", "corpus_native"),
    "paths": suite("mcp-boundary-tests", "--test", "paths"),
    "secrets": suite("mcp-boundary-tests", "--test", "secrets"),
    "uris": suite("mcp-boundary-tests", "--test", "uris"),
    "conditions": suite("mcp-boundary-tests", "--test", "conditions"),
    "schema": suite("mcp-boundary-tests", "--test", "schema_sweep"),
}
# Seconds for one cargo command, its build included.
PATIENCE = 1200


def known_files():
    """The files that git knows, committed or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True,
    )
    return {name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()}


def tidy(folder, names):
    """Removes what tests left: what proptest has found once fails ever after."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        name = path.relative_to(folder)
        # There lies what tests have fetched.
        if name.parts[0] != ".cache" and str(name) not in names:
            path.unlink()


def copy_tree(folder, names):
    """The files as they are now.

    What is equal keeps its time, so cargo builds only what changed since the
    last run; what differs is written anew, since an older time would not do.
    """
    tidy(folder, names)
    for name in names:
        target = folder / name
        text = (ROOT / name).read_bytes()
        if not target.is_file() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)


def cargo(folder, target, arguments):
    """Whether the command succeeds, and what it said."""
    # No snapshot is written where nobody looks, and random tests do the same
    # each time, or one that happens to fail would be taken for a killer.
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0",
        "INSTA_UPDATE": "no", "PROPTEST_RNG_SEED": "1",
    }
    done = subprocess.run(
        ["cargo", *arguments], cwd=folder, env=environment, timeout=PATIENCE, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
    )
    return done.returncode == 0, done.stdout


def mutated(mutation, folder):
    """The file to edit, its text, and the text with the edit."""
    path = folder / mutation.file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = text.count(mutation.find)
    if found != 1:
        sys.exit(
            f"{mutation.name}: its text stands {found} times in {mutation.file}, not once;"
            " follow the code in tests/mutations/families"
        )
    return path, text, text.replace(mutation.find, mutation.put)


def failures(said):
    """The tests or cases that failed, as far as the output names them."""
    cases = sorted(set(re.findall(r"^FAIL (\S+) \[", said, re.MULTILINE)))
    tests = sorted(set(re.findall(r"^---- (\S+) stdout ----$", said, re.MULTILINE)))
    names = cases or tests
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def judge(mutation, folder, target, names):
    """What noticed the mutation; None if nothing did."""
    path, text, edited = mutated(mutation, folder)
    path.write_text(edited, encoding="utf-8")
    try:
        for name in mutation.tests:
            # What does not build proves nothing about the tests.
            built, said = cargo(folder, target, [*SUITES[name], "--no-run"])
            if not built:
                sys.exit(f"{mutation.name} does not compile; mend it\n{said[-3000:]}")
            passes, said = cargo(folder, target, SUITES[name])
            if not passes:
                return f"{name}: {failures(said)}"
        return None
    finally:
        path.write_text(text, encoding="utf-8")
        tidy(folder, names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="mutations to try; all if none is named")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument(
        "--check", action="store_true", help="see that each text stands once, run nothing"
    )
    parser.add_argument(
        "--target", type=Path, default=ROOT / ".cache" / "mutations",
        help="cargo's target folder; the copy of the tree lies in it too",
    )
    arguments = parser.parse_args()
    known = {mutation.name for mutation in MUTATIONS}
    if unknown := set(arguments.names) - known:
        parser.error(f"no mutation is called {', '.join(sorted(unknown))}; see --list")
    chosen = [m for m in MUTATIONS if not arguments.names or m.name in arguments.names]
    if arguments.list:
        print("\n".join(mutation.name for mutation in chosen))
        return 0
    if arguments.check:
        for mutation in chosen:
            mutated(mutation, ROOT)
        return 0
    target = arguments.target.resolve()
    if target == ROOT / "target":
        parser.error("--target must be a folder of its own: what is built there is mutated")
    names = known_files()
    folder = target / "tree"
    copy_tree(folder, names)
    for mutation in chosen:
        mutated(mutation, folder)
    for name in SUITES:
        if any(name in mutation.tests for mutation in chosen):
            passes, said = cargo(folder, target, SUITES[name])
            if not passes:
                sys.exit(f"{name} fails without any mutation; mend it first\n{said[-3000:]}")
    survived = 0
    for mutation in chosen:
        noticed = judge(mutation, folder, target, names)
        survived += noticed is None
        word = f"killed by {noticed}" if noticed else "SURVIVED"
        print(f"{mutation.name}: {word}", flush=True)
    print(f"{len(chosen) - survived} killed, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
