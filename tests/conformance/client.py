"""The client that the conformance suite's client scenarios drive: the Python SDK.

    client.py URL

The suite sets MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION and
MCP_CONFORMANCE_CONTEXT. With BOUNDARY_PROXY set to a URL, whatever is meant for
the server's own origin goes through that proxy. The URL itself stays as it is:
OAuth compares it with what the server's metadata says, and a rewritten one
would fail there with or without a boundary in between.
"""

import asyncio
import contextlib
import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from mcp.shared.exceptions import MCPError

SCENARIO = os.environ["MCP_CONFORMANCE_SCENARIO"]
REVISION = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"]
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
CALLBACK = "http://127.0.0.1:3030/callback"
METADATA = "https://conformance-test.local/client-metadata.json"


class Memory:
    """Where the OAuth client keeps what it learns."""

    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Headless:
    """A user who agrees to everything: follows the authorization URL by itself."""

    def __init__(self):
        self.answer = {}

    async def redirect(self, url):
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(url)
        self.answer = parse_qs(urlsplit(answer.headers["location"]).query)

    async def callback(self):
        def one(name):
            return self.answer.get(name, [None])[0]

        return AuthorizationCodeResult(code=one("code") or "", state=one("state"), iss=one("iss"))


def credentials(url):
    """The OAuth client for this scenario."""
    memory, user = Memory(), Headless()
    id, secret, issuer = (CONTEXT.get(name) for name in ("client_id", "client_secret", "issuer"))
    if SCENARIO == "auth/client-credentials-basic":
        return ClientCredentialsOAuthProvider(
            server_url=url, storage=memory, client_id=id, client_secret=secret, issuer=issuer
        )
    if SCENARIO == "auth/client-credentials-jwt":
        parameters = SignedJWTParameters(
            issuer=id,
            subject=id,
            signing_key=CONTEXT["private_key_pem"],
            signing_algorithm=CONTEXT["signing_algorithm"],
        )
        return PrivateKeyJWTOAuthProvider(
            server_url=url,
            storage=memory,
            client_id=id,
            assertion_provider=parameters.create_assertion_provider(),
            issuer=issuer,
        )
    if id and secret:
        memory.client = OAuthClientInformationFull(
            client_id=id,
            client_secret=secret,
            redirect_uris=[CALLBACK],
            token_endpoint_auth_method="client_secret_basic",
            **({"issuer": issuer} if issuer else {}),
        )
    return OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(client_name="conformance", redirect_uris=[CALLBACK]),
        storage=memory,
        redirect_handler=user.redirect,
        callback_handler=user.callback,
        client_metadata_url=METADATA,
    )


async def elicit(_context, params):
    """Accepts, with the default of each field, or yes."""
    properties = params.requested_schema.get("properties", {})
    content = {name: schema.get("default", True) for name, schema in properties.items()}
    return types.ElicitResult(action="accept", content=content)


@contextlib.asynccontextmanager
async def connected(url):
    parts = urlsplit(url)
    mounts = None
    if proxy := os.environ.get("BOUNDARY_PROXY"):
        origin = f"{parts.scheme}://{parts.netloc}"
        mounts = {origin: httpx2.AsyncHTTPTransport(proxy=httpx2.Proxy(proxy))}
    auth = credentials(url) if SCENARIO.startswith("auth/") else None
    mode = "legacy" if REVISION < "2026" else "auto"
    async with httpx2.AsyncClient(mounts=mounts, auth=auth, timeout=20, trust_env=False) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=elicit) as client:
            yield client


def sample(schema):
    """Arguments that fit a simple schema."""
    kinds = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    properties = schema.get("properties", {})
    return {name: kinds.get(properties[name].get("type"), "x") for name in schema.get("required", properties)}


async def call_all(client):
    for tool in (await client.list_tools()).tools:
        with contextlib.suppress(MCPError):
            await client.call_tool(tool.name, sample(tool.input_schema))


async def call_numbers(client):
    await client.list_tools()
    await client.call_tool("add_numbers", {"a": 5, "b": 3})


async def standard_headers(client):
    await call_all(client)
    for resource in (await client.list_resources()).resources:
        await client.read_resource(str(resource.uri))
    for prompt in (await client.list_prompts()).prompts:
        await client.get_prompt(prompt.name, {one.name: "x" for one in prompt.arguments or []})


async def custom_headers(client):
    await client.list_tools()
    for call in CONTEXT["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


async def rounds(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    # Side by side: what one call is asked must not end up in the other.
    await asyncio.gather(*(client.call_tool(name, {}) for name in names))


async def echo_schema(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    schema = tools["json_schema_2020_12_tool"].input_schema
    await client.call_tool("json_schema_echo", {"schema": schema})


STEPS = {
    "tools_call": call_numbers,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "sep-2322-client-request-state": rounds,
    "json-schema-2020-12-preservation": echo_schema,
}


async def main(url):
    async with connected(url) as client:
        await STEPS.get(SCENARIO, call_all)(client)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
