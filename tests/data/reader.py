"""Reads one body a line, in base64; prints what Python's json sees in it:
a list with [method, name, uri, id] for each message."""

import base64
import json
import sys


def member(value, name):
    return value.get(name) if isinstance(value, dict) else None


def seen(message):
    params = member(message, "params")
    return [member(message, "method"), member(params, "name"), member(params, "uri"), member(message, "id")]


for line in sys.stdin:
    body = json.loads(base64.b64decode(line))
    messages = body if isinstance(body, list) else [body]
    print(json.dumps([seen(message) for message in messages]))
