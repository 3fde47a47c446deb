"""Makes a server go by the body alone.

A server that was written before `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`
pays them no heed. The SDK does compare them, so this puts headers before it
that always agree with the body: whatever a client sends in them has no effect.
"""

import json

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
MIRRORS = (b"mcp-method", b"mcp-name")
PARAMETER = b"mcp-param-"


def plain(value):
    """Whether a header can carry this as it is."""
    return isinstance(value, str) and value.isascii() and value.isprintable()


class Trusting:
    """An ASGI application around another one."""

    def __init__(self, app, schemas):
        self.app = app
        # Which argument of which tool has a header of its own.
        self.mirrored = {
            tool: {
                name: schema["x-mcp-header"]
                for name, schema in tree.get("properties", {}).items()
                if "x-mcp-header" in schema
            }
            for tool, tree in schemas.items()
        }

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            part = await receive()
            if part["type"] != "http.request":
                return None
            body += part.get("body", b"")
            more = part.get("more_body", False)

        given = False

        async def again():
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        headers = [
            (name, value) for name, value in scope["headers"] if name not in MIRRORS and not name.startswith(PARAMETER)
        ]
        headers += self.of_body(body)
        return await self.app({**scope, "headers": headers}, again, send)

    def of_body(self, body):
        """The headers that agree with this body."""
        try:
            message = json.loads(body)
        except ValueError:
            return []
        method = message.get("method") if isinstance(message, dict) else None
        if not plain(method):
            return []
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        made = [(b"mcp-method", method.encode())]
        name = params.get(NAMED.get(method))
        if plain(name):
            made.append((b"mcp-name", name.encode()))
        arguments = params.get("arguments")
        if method == "tools/call" and isinstance(arguments, dict):
            for argument, header in self.mirrored.get(name, {}).items():
                if plain(arguments.get(argument)):
                    made.append((PARAMETER + header.lower().encode(), arguments[argument].encode()))
        return made
