#!/usr/bin/env python3
"""Takes of CustomResourceDefinitions what tests hold objects against: each version's schema, without prose.

    trim.py FILE...      # writes crds.json beside this script

Unknown members are forbidden in what is written, but where a resource says that it keeps them.
"""

import json
import sys
from pathlib import Path

import yaml

KINDS = [
    "WasmPlugin",
    "TrafficExtension",
    "EnvoyFilter",
    "EnvoyExtensionPolicy",
    "ClientTrafficPolicy",
    "BackendTrafficPolicy",
    "EnvoyProxy",
]
# Prose, and rules in a language of Kubernetes' own.
LEFT_OUT = ("description", "x-kubernetes-validations", "default", "example")


def strict(schema):
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for key, value in schema.items():
        if key == "properties":
            kept[key] = {name: strict(one) for name, one in value.items()}
        elif key not in LEFT_OUT:
            kept[key] = strict(value)
    if kept.pop("x-kubernetes-int-or-string", False):
        kept.pop("type", None)
        kept["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    open_ended = kept.pop("x-kubernetes-preserve-unknown-fields", False)
    if "properties" in kept and not open_ended:
        kept.setdefault("additionalProperties", False)
    return {key: value for key, value in kept.items() if not key.startswith("x-kubernetes-")}


def main(files):
    schemas = {}
    for file in files:
        for document in yaml.safe_load_all(Path(file).read_text()):
            if not document or document["spec"]["names"]["kind"] not in KINDS:
                continue
            for version in document["spec"]["versions"]:
                name = f"{document['spec']['group']}/{version['name']} {document['spec']['names']['kind']}"
                schema = strict(version["schema"]["openAPIV3Schema"])
                for member in ("apiVersion", "kind", "metadata"):
                    schema["properties"][member] = {}
                schemas[name] = schema
    lines = [f"{json.dumps(name)}: {json.dumps(schemas[name], separators=(',', ':'))}" for name in sorted(schemas)]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("crds.json").write_text(text)


main(sys.argv[1:])
