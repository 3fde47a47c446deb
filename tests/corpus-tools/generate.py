#!/usr/bin/env python3
"""Writes the systematic part of the corpus; see README.md beside this file."""

import argparse
import importlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "corpus" / "generated"
MODULES = (
    "methods",
    "answers",
    "repairs",
    "limits",
    "endpoints",
    "paths",
    "verbs",
    "headers",
    "strict",
    "texts",
    "messages",
    "revisions",
    "mirrors",
    "schema",
    "rules",
    "denials",
    "conditions",
    "uris",
    "bypasses",
)


def families():
    """Every family of every module, in the order of `MODULES`."""
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    made = []
    for name in MODULES:
        made += importlib.import_module(f"families.{name}").families()
    return made


def files(made):
    """File name, its subject's folder included, to text."""
    texts, ids = {}, set()
    for family in made:
        for case in family.cases:
            if case["id"] in ids:
                sys.exit(f"two cases are called `{case['id']}`; rename one")
            ids.add(case["id"])
            name = f"{family.folder(case)}/{case['id']}.json"
            texts[name] = json.dumps(case, indent=1) + "\n"
    return texts


def differences(texts):
    """What must change in the folder: (verb, file name)."""
    owned = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.json")}
    for name in sorted(owned - texts.keys()):
        yield "left over", name
    for name, text in sorted(texts.items()):
        path = FOLDER / name
        if not path.exists():
            yield "missing", name
        elif path.read_text(encoding="utf-8") != text:
            yield "changed", name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if files differ")
    parser.add_argument("--list", action="store_true", help="print ids and verdicts, write nothing")
    arguments = parser.parse_args()
    made = families()
    texts = files(made)
    if arguments.list:
        for family in made:
            for case in family.cases:
                print(f"{case['expected']:8}{case.get('expected_code', '-'):26}{case['id']}")
        return 0
    found = list(differences(texts))
    if arguments.check:
        for what, name in found:
            print(f"{what}: {name}")
        if found:
            print("run tests/corpus-tools/generate.py and commit what it writes", file=sys.stderr)
        return 1 if found else 0
    for what, name in found:
        if what == "left over":
            (FOLDER / name).unlink()
        else:
            (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(texts[name], encoding="utf-8")
    print(f"{len(texts)} cases, {len(found)} files written or removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
