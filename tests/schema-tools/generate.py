#!/usr/bin/env python3
"""Writes filter/engine/src/body/profile/shape/table.rs from the official schemas.

The schemas are in ../data/schema, one a revision. Only what `params` of a
client's method can hold goes into the table. A keyword that this program does
not know is an error, so that a schema says nothing that the filter misses.
"""

import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEMAS = HERE.parent / "data" / "schema"
TABLE = HERE.parents[1] / "filter/engine/src/body/profile/shape/table.rs"
REVISIONS = ("2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")

# JSON Schema's name of a kind to the table's.
KINDS = {
    "string": "TEXT",
    "boolean": "FLAG",
    "number": "NUMBER",
    "integer": "INTEGER",
    "null": "NULL",
    "object": "OBJECT",
    "array": "ARRAY",
}
# Ids and progress tokens. They are compared with others, so that an integer is
# one only as it is usually written.
TOKEN = {"string", "integer"}
# Such members are left out; one that is required would need a node of its own.
ANY = "any value"
# What says nothing about a value. Formats are not asserted, as JSON Schema has
# it by default.
SILENT = {"description", "format"}

# Where `schema.json` says less than the TypeScript source that it is made
# from: there, the source is meant. ../data/schema/README.md has each.
CORRECTIONS = {
    # string | number | boolean | null | JSONObject | JSONArray
    ("2026-07-28", "JSONValue"): {},
    ("2026-07-28", "JSONObject"): {"type": "object"},
    # number, not only integer
    ("2026-07-28", "ElicitResult.content"): {
        "type": "object",
        "additionalProperties": {
            "anyOf": [
                {"type": ["string", "number", "boolean"]},
                {"type": "array", "items": {"type": "string"}},
            ]
        },
    },
}

# The tasks extension is not in the core schema. Its specification reuses the
# core's types.
TASK_ID = {"taskId": {"type": "string"}}
EXTENSIONS = {
    "tasks/get": (TASK_ID, ["taskId"]),
    "tasks/cancel": (TASK_ID, ["taskId"]),
    "tasks/update": (
        TASK_ID | {"inputResponses": {"$ref": "#/$defs/InputResponses"}},
        ["taskId"],
    ),
}


class Schema:
    """The definitions of one revision."""

    def __init__(self, revision):
        self.revision = revision
        whole = json.loads((SCHEMAS / f"{revision}.json").read_text(encoding="utf-8"))
        self.defs = whole.get("$defs") or whole["definitions"]
        for (of, place), corrected in CORRECTIONS.items():
            if of == revision:
                name, _, member = place.partition(".")
                if member:
                    self.defs[name]["properties"][member] = corrected
                else:
                    self.defs[name] = corrected

    def resolved(self, schema):
        """Follows references; also says the definition's name."""
        name = None
        while "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            schema = self.defs[name]
        return name, schema

    def calls(self, union):
        """Method to schema of `params`, of one of the two unions of calls."""
        _, schema = self.resolved(self.defs[union])
        for call in schema.get("anyOf", [schema]):
            _, call = self.resolved(call)
            properties = call["properties"]
            yield properties["method"]["const"], properties.get("params", {"type": "object"})

    def methods(self):
        for base, union in (
            ("JSONRPCRequest", "ClientRequest"),
            ("JSONRPCNotification", "ClientNotification"),
        ):
            envelope = self.defs[base]["properties"]["params"]
            for method, params in self.calls(union):
                yield method, {"allOf": [envelope, params]}
        if "InputResponses" in self.defs:
            for method, (members, required) in EXTENSIONS.items():
                own = {"type": "object", "properties": members, "required": required}
                yield method, {"allOf": [self.any_call("Request"), own]}

    def any_call(self, kind):
        """`params` of a request or notification that only an extension has."""
        if f"{kind}Params" in self.defs:
            return {"$ref": f"#/x/{kind}Params"}
        return self.defs[f"JSONRPC{kind}"]["properties"]["params"]


class Table:
    """Nodes of all revisions; equal ones are one."""

    def __init__(self):
        self.statics = {}
        self.texts = {}

    def named(self, wanted, text):
        """A reference to a static that holds `text`."""
        if text not in self.texts:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", wanted).upper()
            taken = [name] + [f"{name}_{n}" for n in range(2, 9)]
            self.texts[text] = next(free for free in taken if free not in self.statics)
            self.statics[self.texts[text]] = text
        return f"&{self.texts[text]}"

    def node(self, schema, of, wanted=None):
        """Rust for a reference to the node of a schema."""
        name, schema = of.resolved(schema)
        wanted = name or wanted
        where = f"{of.revision} {wanted}"
        rest = {key: value for key, value in schema.items() if key not in SILENT}
        if "allOf" in rest:
            return self.node(merged(rest, of, where), of, wanted)
        if "anyOf" in rest:
            known(rest, {"anyOf"}, where)
            parts = [self.node(part, of) for part in rest["anyOf"]]
            return self.union(parts, of, rest["anyOf"], wanted)
        for literal in ("enum", "const"):
            if literal in rest:
                known(rest, {literal, "type"}, where)
                words = rest[literal] if literal == "enum" else [rest[literal]]
                if rest["type"] != "string" or not all(isinstance(w, str) for w in words):
                    sys.exit(f"{where}: only strings may be listed")
                return f"&Node::Words(&[{', '.join(map(quoted, words))}])"
        kinds = rest.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds == ["object"]:
            known(rest, {"type", "properties", "required", "additionalProperties"}, where)
            return self.object(rest, of, wanted)
        if kinds == ["array"]:
            known(rest, {"type", "items"}, where)
            items = self.node(rest.get("items", {}), of)
            return kinds_of(kinds) if items == ANY else f"&Node::Array({items})"
        if kinds == ["number"] and "minimum" in rest:
            known(rest, {"type", "minimum", "maximum"}, where)
            return f"&Node::Between({rest['minimum']}, {rest['maximum']})"
        known(rest, {"type"}, where)
        if "object" in kinds or "array" in kinds:
            sys.exit(f"{where}: a list of kinds with an object or array in it")
        return kinds_of(kinds) if kinds else ANY

    def union(self, parts, of, schemas, wanted):
        """`anyOf`: one after the other."""
        names = [of.resolved(schema)[0] for schema in schemas]
        text = f"Node::Union(&[{', '.join(parts)}])"
        return self.named(wanted, text) if wanted and all(names) else f"&{text}"

    def object(self, schema, of, wanted):
        required = set(schema.get("required", []))
        members = []
        properties = schema.get("properties", {})
        if required - properties.keys():
            sys.exit(f"{of.revision} {wanted}: required, but not described: {required}")
        for name, member in properties.items():
            node = self.node(member, of)
            if node == ANY and name in required:
                sys.exit(f"{of.revision} {wanted}: `{name}` is required and may be anything")
            if name in required:
                members.append(f"required({quoted(name)}, {node})")
            elif node != ANY:
                members.append(f"optional({quoted(name)}, {node})")
        others = schema.get("additionalProperties", {})
        if not isinstance(others, dict) and others is not True:
            sys.exit(f"{of.revision} {wanted}: closed objects are not known here")
        others = ANY if others is True else self.node(others, of)
        if not members and others == ANY:
            return kinds_of(["object"])
        if not members:
            return f"&Node::Map({others})"
        if others != ANY:
            sys.exit(f"{of.revision} {wanted}: described members beside described others")
        if not wanted:
            return f"&Node::Object(&[{', '.join(members)}])"
        lines = "".join(f"    {member},\n" for member in members)
        return self.named(wanted, f"Node::Object(&[\n{lines}])")


def known(schema, keywords, where):
    if schema.keys() - keywords:
        sys.exit(f"{where}: keywords not known here: {sorted(schema.keys() - keywords)}")


def merged(schema, of, where):
    """`allOf` of objects as one object; what a later one says of a member counts."""
    known(schema, {"allOf"}, where)
    whole = {"type": "object", "properties": {}, "required": []}
    for part in schema["allOf"]:
        _, part = of.resolved(part)
        if "allOf" in part:
            part = merged({k: v for k, v in part.items() if k not in SILENT}, of, where)
        known(part, {"type", "properties", "required", "additionalProperties"} | SILENT, where)
        if part.get("additionalProperties", {}) not in ({}, True):
            sys.exit(f"{where}: described others in a part of a whole")
        for name, member in part.get("properties", {}).items():
            earlier = whole["properties"].get(name)
            # Only `_meta` is described twice; the call's own says more.
            if earlier and name != "_meta":
                sys.exit(f"{where}: `{name}` is described twice")
            whole["properties"][name] = member
        whole["required"] += part.get("required", [])
    return whole


def kinds_of(kinds):
    if set(kinds) == TOKEN:
        return "&Node::Kinds(TEXT | TOKEN)"
    return f"&Node::Kinds({' | '.join(KINDS[kind] for kind in kinds)})"


def quoted(text):
    return json.dumps(text)


def table():
    """The text of the table."""
    made = Table()
    methods = {}
    calls = {"ANY_REQUEST": [], "ANY_NOTIFICATION": []}
    for at, revision in enumerate(REVISIONS):
        schema = Schema(revision)
        for method, params in schema.methods():
            node = made.node(params, schema, f"{method}_params")
            methods.setdefault(method, [None] * len(REVISIONS))[at] = node
        for name, kind in zip(calls, ("Request", "Notification")):
            params = {"allOf": [schema.any_call(kind)]}
            calls[name].append(made.node(params, schema, f"any_{kind}_params"))
    lines = [
        "// Generated from the official schemas by tests/schema-tools/generate.py: edit",
        "// nothing here. Schemas: tests/data/schema, with their licence.",
        "",
        "//! What `params` of each client's method may hold, per revision.",
        "",
    ]
    used = "".join(made.statics.values())
    kinds = sorted(kind for kind in {*KINDS.values(), "TOKEN"} if re.search(rf"\b{kind}\b", used))
    lines += [
        f"use super::node::{{{', '.join(kinds)}}};",
        "use super::node::{Node, Params, optional, required};",
        "",
    ]
    lines += [f"static {name}: Node = {text};" for name, text in sorted(made.statics.items())]
    lines += ["", "/// By method; a node for each revision that has it, in date order."]
    lines += ["pub(super) static METHODS: &[(&str, Params)] = &["]
    for method, nodes in sorted(methods.items()):
        of = ", ".join(f"Some({node})" if node else "None" for node in nodes)
        lines.append(f"    ({quoted(method)}, [{of}]),")
    lines += ["];", ""]
    for name, nodes in calls.items():
        kind = name.split("_")[1].lower()
        lines.append(f"/// Of a {kind} that no revision describes.")
        of = ", ".join(f"Some({node})" for node in nodes)
        lines.append(f"pub(super) static {name}: Params = [{of}];")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    check = parser.parse_args().check
    text = table()
    if TABLE.exists() and TABLE.read_text(encoding="utf-8") == text:
        return 0
    if check:
        print(f"{TABLE.name} is not what the schemas say", file=sys.stderr)
        print("run tests/schema-tools/generate.py and commit what it writes", file=sys.stderr)
        return 1
    TABLE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
