"""The workspace's MCP servers.

    servers.py files|mail|old --port N [--public URL]     over HTTP
    servers.py notes                                      on standard input and output

Every call that a server gets is a line in the file that CALLS names, so that a
test can tell an answer from a call that never arrived.

`mail` wants OAuth and is its own authorization server. `old` speaks the
transport of 2024-11-05, with one path to listen at and one to send to.
"""

import argparse
import os
import secrets
import time

import uvicorn
from mcp.server.auth.provider import AccessToken, AuthorizationCode, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.auth import OAuthToken
from starlette.responses import PlainTextResponse


def arrived(server, tool, **arguments):
    with open(os.environ["CALLS"], "a") as calls:
        print(server, tool, *(f"{name}={value}" for name, value in arguments.items()), file=calls)
    return f"{server}: {tool} done"


def files():
    server = MCPServer("files")

    @server.tool()
    def list_files() -> str:
        """Names of all files."""
        return arrived("files", "list_files")

    @server.tool()
    def read_file(path: str, context: Context) -> str:
        """A file's content. An argument `_owner`, not in the schema, says whose."""
        owner = context.request_context.params["arguments"].get("_owner")
        return arrived("files", "read_file", path=path, **({"owner": owner} if owner else {}))

    @server.tool()
    def write_file(path: str, text: str) -> str:
        """Writes a file."""
        return arrived("files", "write_file", path=path)

    @server.tool()
    def delete_file(path: str) -> str:
        """Deletes a file."""
        return arrived("files", "delete_file", path=path)

    @server.tool()
    def export_all() -> str:
        """All files in one archive."""
        return arrived("files", "export_all")

    @server.custom_route("/healthz", methods=["GET"])
    @server.custom_route("/servers/files/healthz", methods=["GET"])
    async def healthz(_request):
        return PlainTextResponse("files is well\n")

    return server


class Accounts:
    """The mail server's own authorization server: everyone may have a token."""

    def __init__(self):
        self.clients, self.codes, self.tokens = {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = secrets.token_urlsafe(32)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, _client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        self.codes.pop(authorization_code.code)
        token = secrets.token_urlsafe(32)
        self.tokens[token] = AccessToken(
            token=token,
            client_id=client.client_id,
            scopes=authorization_code.scopes,
            resource=authorization_code.resource,
        )
        return OAuthToken(access_token=token, scope=" ".join(authorization_code.scopes))

    async def load_refresh_token(self, _client, _refresh_token):
        return None

    async def load_access_token(self, token):
        return self.tokens.get(token)

    async def revoke_token(self, token):
        self.tokens.pop(token.token, None)


def mail(public):
    settings = AuthSettings(
        issuer_url=public,
        resource_server_url=f"{public}/servers/mail/mcp",
        client_registration_options=ClientRegistrationOptions(enabled=True),
        validate_token_resource=True,
    )
    server = MCPServer("mail", auth_server_provider=Accounts(), auth=settings)

    @server.tool()
    def read_mail(id: str) -> str:
        """One message."""
        return arrived("mail", "read_mail", id=id)

    @server.tool()
    def send_mail(to: str, text: str) -> str:
        """Sends a message."""
        return arrived("mail", "send_mail", to=to)

    @server.tool()
    def delete_file(path: str) -> str:
        """Deletes an attachment."""
        return arrived("mail", "delete_file", path=path)

    @server.tool()
    def export_all() -> str:
        """All messages in one archive."""
        return arrived("mail", "export_all")

    return server


def notes():
    server = MCPServer("notes")

    @server.tool()
    def search_notes(words: str) -> str:
        """Notes with these words."""
        return arrived("notes", "search_notes", words=words)

    @server.tool()
    def add_note(text: str) -> str:
        """Adds a note."""
        return arrived("notes", "add_note")

    return server


def old():
    server = MCPServer("old")

    @server.tool()
    def look_up(word: str) -> str:
        """Looks a word up."""
        return arrived("old", "look_up", word=word)

    @server.tool()
    def erase(word: str) -> str:
        """Erases a word."""
        return arrived("old", "erase", word=word)

    return server


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["files", "mail", "notes", "old"])
    parser.add_argument("--port", type=int)
    parser.add_argument("--public")
    chosen = parser.parse_args()
    if chosen.name == "notes":
        return notes().run("stdio")
    if chosen.name == "old":
        app = old().sse_app(sse_path="/servers/old/sse", message_path="/servers/old/messages/")
    else:
        server = mail(chosen.public) if chosen.name == "mail" else files()
        # The SDK compares origins as well, and has to know the workspace's page.
        known = TransportSecuritySettings(allowed_hosts=["127.0.0.1:*"], allowed_origins=["https://workspace.example"])
        app = server.streamable_http_app(streamable_http_path=f"/servers/{chosen.name}/mcp", transport_security=known)
    return uvicorn.run(app, host="127.0.0.1", port=chosen.port, log_level="warning")


if __name__ == "__main__":
    main()
