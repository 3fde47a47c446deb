"""Who asks: tokens of the workspace, and MCP clients that carry them."""

import contextlib
import json

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from .gateway import TOKEN

DENIED = -31403
# Long enough for a busy machine, and short enough that a call without an answer shows.
PATIENCE = 20


class Issuer:
    """The workspace: signs who asks and what they may do this turn."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        self.keys = {"keys": [{**public, "kid": "workspace", "alg": "ES256", "use": "sig"}]}

    def token(self, role, mode):
        claims = {"iss": "workspace", "sub": f"a-{role}", "role": role, "mode": mode}
        return jwt.encode(claims, self.key, algorithm="ES256", headers={"kid": "workspace"})


@contextlib.asynccontextmanager
async def session(url, token, mode="legacy", headers=None, auth=None):
    """A connected client of the SDK. `mode` is its: `legacy`, or a revision.

    `token` may be a function: it is asked for the token of each request.
    """
    carried, hooks = {**(headers or {})}, {}
    if callable(token):

        async def carry(request):
            request.headers[TOKEN] = token()

        hooks["request"] = [carry]
    else:
        carried[TOKEN] = token
    async with httpx2.AsyncClient(
        headers=carried, event_hooks=hooks, auth=auth, timeout=PATIENCE, trust_env=False
    ) as http:
        async with Client(
            streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=PATIENCE
        ) as client:
            yield client


async def call(client, tool, **arguments):
    """`done`, or the reason why the boundary refused, or what else became of a call."""
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        data = error.error.data
        if isinstance(data, dict) and "reason" in data:
            return data["reason"]
        return f"error {error.error.code}: {error.error.message}"
    return "tool error" if result.is_error else "done"


def request(tool=None, method=None, arguments=None):
    """A message for those who do not use an SDK."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method or "tools/call"}
    if tool:
        message["params"] = {"name": tool, "arguments": arguments or {}}
    return message


def plain(token=None, revision="2025-11-25", **more):
    """Headers of a request without an SDK."""
    headers = {"accept": "application/json, text/event-stream"}
    if revision:
        headers["mcp-protocol-version"] = revision
    if token:
        headers[TOKEN] = token
    return {**headers, **{name.replace("_", "-"): value for name, value in more.items()}}
