"""Reads one URI a line; prints what pydantic makes of it, a list of its text
(null if it fails) and of further forms that a server could act on.
"""

import json
import posixpath
import sys
from urllib.parse import quote, unquote, urljoin, urlparse, urlsplit, urlunparse, urlunsplit

from pydantic import AnyUrl, TypeAdapter, ValidationError

READER = TypeAdapter(AnyUrl)


def repaired(uri):
    try:
        return str(READER.validate_python(uri))
    except ValidationError:
        return None


def forms(uri):
    yield urlunparse(urlparse(uri))
    yield urlunsplit(urlsplit(uri))
    yield urljoin(uri, uri)
    for levels in range(4):
        parts = urlparse(uri)
        host = parts.hostname or ""
        # Without user information, port, parameters, query and fragment.
        before = f"{parts.scheme}://{host}" if "://" in uri else f"{parts.scheme}:"
        yield f"{before}{parts.path}"
        yield f"{before}{unquote(parts.path)}"
        yield f"{before}{posixpath.normpath(parts.path or '/')}"
        yield f"{before}{quote(unquote(parts.path))}"
        yield repaired(uri)
        yield urlsplit(uri).geturl()
        uri = unquote(uri)


for line in sys.stdin:
    uri = line.rstrip("\n")
    made = [repaired(uri)]
    try:
        made.extend(forms(uri))
    except ValueError:
        pass  # `urlsplit` refuses some hosts: so would a server
    print(json.dumps(made))
