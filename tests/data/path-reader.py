"""Reads one request target or authority a line, as JSON: `["path", text]` or
`["host", text]`. Prints what Python makes of it: a list of paths, or of hosts."""

import json
import posixpath
import sys
from urllib.parse import unquote, urljoin, urlparse, urlsplit


def attempt(read):
    try:
        return [read()]
    except ValueError:
        return []


def paths(target):
    read = [target.partition("?")[0]]
    read += attempt(lambda: urlparse(target).path)
    read += attempt(lambda: urlsplit(target).path)
    read += attempt(lambda: urlsplit(urljoin("http://base.test/", target)).path)
    decoded = [unquote(path) for path in read]
    return read + decoded + [posixpath.normpath(path) for path in decoded if path]


def hosts(authority):
    return [host for host in attempt(lambda: urlsplit("http://" + authority + "/mcp").hostname) if host]


for line in sys.stdin:
    kind, text = json.loads(line)
    print(json.dumps(hosts(text) if kind == "host" else paths(text)))
