#!/usr/bin/env python3
"""Takes one defence after the other away and sees that a test fails.

Each mutation of mutations.py is made in a copy of the tree; there the engine's
tests and the native corpus run. What they do not notice has survived, and the
run fails. Python 3 and git, no packages; see README.md beside this file.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mutations import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ["test", "--quiet", "--package", "mcp-boundary-tests", "--test", "corpus_native"]
ENGINE = ["test", "--quiet", "--package", "mcp-boundary-engine", "--lib"]
# Seconds for one cargo command, its build included.
PATIENCE = 1200


def copy_tree(folder):
    """The files that git knows, as they are now, committed or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source = ROOT / name
        if source.is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def cargo(folder, target, arguments):
    """Whether the command succeeds, and what it said."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    done = subprocess.run(
        ["cargo", *arguments], cwd=folder, env=environment, timeout=PATIENCE, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
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
            " follow the code in tests/mutations/mutations.py"
        )
    return path, text, text.replace(mutation.find, mutation.put)


def judge(mutation, folder, target):
    """What noticed the mutation; None if nothing did."""
    path, text, edited = mutated(mutation, folder)
    path.write_text(edited, encoding="utf-8")
    try:
        # What does not build proves nothing about the tests.
        built, said = cargo(folder, target, [*CORPUS, "--no-run"])
        if not built:
            sys.exit(f"{mutation.name} does not compile; mend it\n{said[-3000:]}")
        for what, command in (("corpus", CORPUS), ("engine tests", ENGINE)):
            if not cargo(folder, target, command)[0]:
                return what
        return None
    finally:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="mutations to try; all if none is named")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument(
        "--target", type=Path, default=ROOT / ".cache" / "mutations", help="cargo's target folder"
    )
    arguments = parser.parse_args()
    known = {mutation.name for mutation in MUTATIONS}
    if unknown := set(arguments.names) - known:
        parser.error(f"no mutation is called {', '.join(sorted(unknown))}; see --list")
    chosen = [m for m in MUTATIONS if not arguments.names or m.name in arguments.names]
    if arguments.list:
        print("\n".join(mutation.name for mutation in chosen))
        return 0
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutations-") as name:
        folder = Path(name)
        copy_tree(folder)
        for mutation in chosen:
            mutated(mutation, folder)
        target = arguments.target.resolve()
        for what in (CORPUS, ENGINE):
            passes, said = cargo(folder, target, what)
            if not passes:
                sys.exit(f"the tests fail without any mutation; mend them first\n{said[-3000:]}")
        for mutation in chosen:
            noticed = judge(mutation, folder, target)
            survived += noticed is None
            word = f"killed by the {noticed}" if noticed else "SURVIVED"
            print(f"{mutation.name}: {word}", flush=True)
    print(f"{len(chosen) - survived} killed, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
