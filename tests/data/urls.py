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
        yield f"{parts.scheme}://{host}{parts.path}"
        yield f"{parts.scheme}://{host}{unquote(parts.path)}"
        yield f"{parts.scheme}:{posixpath.normpath(parts.path)}" if not parts.netloc else (
            f"{parts.scheme}://{host}{posixpath.normpath(parts.path or '/')}"
        )
        yield f"{parts.scheme}://{parts.netloc}{quote(unquote(parts.path))}"
        again = repaired(uri)
        yield again
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
