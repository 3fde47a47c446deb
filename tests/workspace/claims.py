"""What `docs/workspace.md` says, each as a check. They run in this order."""

import asyncio
import contextlib
import json
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.sse import sse_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from .gateway import DRAIN
from .locked import closed, locked, without_other_doors
from .people import DENIED, PATIENCE, TOKEN, call, plain, request, session

ORDER = {}
BOTH_ERAS = ("legacy", "2026-07-28")
# What administrators may do while they act: a server, its tool, the arguments.
WRITING = ("files", "write_file", {"path": "a", "text": "b"})
SENDING = ("mail", "send_mail", {"to": "x", "text": "y"})


def claim(words):
    def mark(function):
        function.claim = words
        return function

    return mark


def same(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"


async def ask(method, url, headers, body=None):
    """One request without an SDK; gives status, reason and the whole answer."""
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        answer = await http.request(method, url, headers=headers, json=body)
    reason = None
    with contextlib.suppress(ValueError, KeyError, TypeError):
        reason = answer.json()["error"]["data"]["reason"]
    return answer.status_code, reason, answer


@claim("without the workspace's token, or with one that somebody else signed, nothing below /servers answers")
async def no_token(workspace):
    forged = type(workspace.issuer)().token("admin", "act")
    for token in (None, forged, "nonsense"):
        status, _, answer = await ask("POST", workspace.url("files"), plain(token), request("read_file"))
        same((status, answer.headers.get("www-authenticate", "")[:6]), (401, "Bearer"))
    same(workspace.calls(), [])


@claim("ordinary users call what is listed, and are refused everything else, known to the server or not")
async def users(workspace, unwritten="tool_not_allowed"):
    for mode in BOTH_ERAS:
        async with session(workspace.url("files"), workspace.token("user"), mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            # Listing is the server's answer, and not judged.
            assert {"read_file", "write_file", "delete_file"} <= names, names
            same(await call(client, "read_file", path="a"), "done")
            same(await call(client, "list_files"), "done")
            same(await call(client, "write_file", path="a", text="b"), unwritten)
            for tool in ("mystery", "Read_File"):
                same(await call(client, tool), "tool_not_allowed")
        same(workspace.calls(), ["files read_file path=a", "files list_files"])


@claim("administrators call everything that is not disabled")
async def admins(workspace, written="done"):
    for mode in BOTH_ERAS:
        async with session(workspace.url("files"), workspace.token("admin"), mode) as client:
            same(await call(client, "write_file", path="a", text="b"), written)
            same(await call(client, "read_file", path="a"), "done")
            # Unknown to the server as well, and its business to say so.
            assert (await call(client, "mystery")) not in ("done", "tool_not_allowed", "tool_denied")
        wrote = ["files write_file path=a"] if written == "done" else []
        same(workspace.calls(), [*wrote, "files read_file path=a"])


@claim("a disabled tool is refused at the call, for administrators too and in any spelling, though it is listed")
async def disabled(workspace):
    for role in ("user", "admin"):
        for mode in BOTH_ERAS:
            async with session(workspace.url("files"), workspace.token(role), mode) as client:
                assert "delete_file" in {tool.name for tool in (await client.list_tools()).tools}
                for tool in ("delete_file", "DELETE_FILE"):
                    same(await call(client, tool, path="a"), "tool_denied")
    same(workspace.calls(), [])


@claim("each server has disabled tools of its own: another that has a tool of the same name still runs it")
async def disabled_elsewhere(workspace):
    for server, deleted, exported in (("files", "tool_denied", "done"), ("mail", "done", "tool_denied")):
        for mode in BOTH_ERAS:
            auth = consent(workspace, server)
            async with session(workspace.url(server), workspace.token("admin"), mode, auth=auth) as client:
                assert {"delete_file", "export_all"} <= {tool.name for tool in (await client.list_tools()).tools}
                same(await call(client, "delete_file", path="a"), deleted)
                same(await call(client, "export_all"), exported)
            same(workspace.calls(), [f"{server} export_all" if exported == "done" else f"{server} delete_file path=a"])


@claim("in plan mode an administrator's agent reads and nothing else; unknown tools are refused")
async def planning(workspace, unwritten="tool_not_allowed"):
    for mode in BOTH_ERAS:
        async with session(workspace.url("files"), workspace.token("admin", "plan"), mode) as client:
            same(await call(client, "read_file", path="a"), "done")
            same(await call(client, "write_file", path="a", text="b"), unwritten)
            same(await call(client, "mystery"), "tool_not_allowed")
            same(await call(client, "delete_file", path="a"), "tool_denied")
        same(workspace.calls(), ["files read_file path=a"])


@claim("the mode comes from the token of each request: what a client says about itself changes nothing")
async def claims_of_clients(workspace, acting=WRITING):
    server, tool, arguments = acting
    url = workspace.url(server)
    said = {"mode": "act", "role": "admin"}
    headers = {**said, "x-workspace-mode": "act", "x-workspace-role": "admin"}
    for mode in BOTH_ERAS:
        # One client, whose requests carry the token of their turn.
        turn = ("admin", "plan")
        auth = consent(workspace, server)
        async with session(url, lambda: workspace.token(*turn), mode, headers, auth) as client:
            for turn, becomes in (
                (("admin", "plan"), "tool_not_allowed"),
                (("admin", "act"), "done"),
                (("admin", "plan"), "tool_not_allowed"),
                (("user", "act"), "tool_not_allowed"),
                (("user", "plan"), "tool_not_allowed"),
            ):
                same((turn, await call(client, tool, **arguments, **said)), (turn, becomes))
        same([line.split()[:2] for line in workspace.calls()], [[server, tool]])
    # Two tokens in one request: jwt_authn refuses, or takes none for more than it is.
    pair = [(TOKEN, workspace.token("user")), (TOKEN, workspace.token("admin"))]
    status, reason, _ = await ask("POST", url, [*plain().items(), *pair], request(tool))
    assert status in (400, 401) or reason == "tool_not_allowed", (status, reason)
    same(workspace.calls(), [])


@claim("ownership that a caller supplies is refused, in any spelling; the same call without it is not")
async def ownership(workspace):
    for role in ("user", "admin"):
        for mode in BOTH_ERAS:
            async with session(workspace.url("files"), workspace.token(role), mode) as client:
                for name in ("_owner", "_Owner", "_session"):
                    same(await call(client, "read_file", path="a", **{name: "somebody"}), "argument_forbidden")
                same(await call(client, "read_file", path="a"), "done")
            same(workspace.calls(), ["files read_file path=a"])


@claim("calls from other sites' pages are refused, those of the workspace's page and of programs are not")
async def other_sites(workspace, servers=("files", "notes")):
    token = workspace.token("user")
    body = request(method="tools/list")
    for origin in (
        "https://evil.example",
        "null",
        "https://workspace.example.evil.example",
        "http://workspace.example",
    ):
        status, reason, _ = await ask("POST", workspace.url("files"), plain(token, origin=origin), body)
        same((status, reason), (403, "origin_not_allowed"))
    # A browser asks first whether it may. It may not: no answer says so.
    asking = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    status, _, answer = await ask("OPTIONS", workspace.url("files"), asking | {TOKEN: token})
    assert status in (403, 405), status
    assert "access-control-allow-origin" not in answer.headers
    calls = {"files": ("read_file", {"path": "a"}), "notes": ("search_notes", {"words": "x"})}
    for server in servers:
        tool, arguments = calls[server]
        for headers in (None, {"origin": "https://workspace.example"}):
            async with session(workspace.url(server), token, headers=headers) as client:
                same(await call(client, tool, **arguments), "done")
            same([line.split()[:2] for line in workspace.calls()], [[server, tool]])


@claim("a server on standard input and output is guarded like the others, behind a bridge")
async def bridged(workspace, disabled=None):
    """`disabled` is why every call is refused, where the server is disabled as a whole."""
    async with session(workspace.url("notes"), workspace.token("user")) as client:
        same(await call(client, "search_notes", words="x"), disabled or "done")
        same(await call(client, "add_note", text="x"), disabled or "tool_not_allowed")
    async with session(workspace.url("notes"), workspace.token("admin")) as client:
        same(await call(client, "add_note", text="x"), disabled or "done")
    async with session(workspace.url("notes"), workspace.token("admin", "plan")) as client:
        same(await call(client, "add_note", text="x"), disabled or "tool_not_allowed")
    same(workspace.calls(), [] if disabled else ["notes search_notes words=x", "notes add_note"])


@claim("the bridge's other doors are shut: its older transport, its second spelling of the path, its status page")
async def other_doors(workspace):
    token = workspace.token("admin")
    base = f"{workspace.gateway.url}/servers/notes"
    # They do exist.
    same((await ask("GET", f"http://{workspace.direct('notes')}/status", {}))[0], 200)
    for revision in (None, "2025-11-25"):
        headers = plain(token, revision)
        status, reason, _ = await ask("GET", f"{base}/sse", headers)
        assert status in (400, 405) and reason, (status, reason)
        for path in ("/messages/?session_id=1", "/messages?session_id=1", "/mcp/", "//mcp"):
            status, reason, _ = await ask("POST", base + path, headers, request("add_note", arguments={"text": "x"}))
            assert status in (400, 403, 404) and reason, (path, status, reason)
    same((await ask("GET", f"{workspace.gateway.url}/status", plain(token)))[:2], (403, "no_endpoint"))
    same(workspace.calls(), [])


class Consent:
    """The user of the OAuth flow: agrees to what the URL asks, or only remembers it."""

    def __init__(self, agree):
        self.agree, self.url, self.answer, self.tokens, self.client = agree, None, {}, None, None

    async def redirect(self, url):
        self.url = url
        if not self.agree:
            raise NeedsAuth(url)
        async with httpx2.AsyncClient(trust_env=False) as browser:
            answer = await browser.get(url)
        self.answer = parse_qs(urlsplit(answer.headers["location"]).query)

    async def callback(self):
        one = {name: values[0] for name, values in self.answer.items()}
        return AuthorizationCodeResult(code=one["code"], state=one.get("state"), iss=one.get("iss"))

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client

    def provider(self, url):
        metadata = OAuthClientMetadata(client_name="workspace", redirect_uris=["http://127.0.0.1:1/callback"])
        return OAuthClientProvider(
            server_url=url,
            client_metadata=metadata,
            storage=self,
            redirect_handler=self.redirect,
            callback_handler=self.callback,
        )


class NeedsAuth(Exception):
    """Somebody has to go to this URL first."""


def consent(workspace, server):
    """What a client needs beside the workspace's token: the mail server wants OAuth, the others nothing."""
    return Consent(agree=True).provider(workspace.url(server)) if server == "mail" else None


def within(error, kind):
    """Whether an exception is of this kind, or a group with one in it."""
    return isinstance(error, kind) or any(within(one, kind) for one in getattr(error, "exceptions", []))


@claim("a server that wants OAuth says so through the boundary as it does directly, and its metadata passes")
async def oauth_challenge(workspace):
    token = workspace.token("user")
    answers = []
    for base in (f"http://{workspace.direct('mail')}", workspace.gateway.url):
        status, _, answer = await ask("POST", f"{base}/servers/mail/mcp", plain(token), request(method="tools/list"))
        answers.append((status, answer.headers["www-authenticate"], answer.content))
        for path in (
            "/.well-known/oauth-protected-resource/servers/mail/mcp",
            "/.well-known/oauth-authorization-server",
        ):
            status, _, answer = await ask("GET", base + path, {})
            answers.append((status, answer.headers["content-type"], answer.content))
    same(answers[:3], answers[3:])
    same([status for status, *_ in answers[:3]], [401, 200, 200])
    assert f"{workspace.gateway.url}/.well-known/oauth-protected-resource" in answers[0][1], answers[0]


@claim("a client without consent gets the URL where it is given; with it, it connects, and the rules hold as before")
async def oauth_flow(workspace):
    url, token = workspace.url("mail"), workspace.token("user")
    for mode in BOTH_ERAS:
        absent, listed = Consent(agree=False), None
        try:
            async with session(url, token, mode, auth=absent.provider(url)) as client:
                # Where the revision is agreed beforehand, this is the first request.
                listed = await client.list_tools()
        except Exception as error:
            if not within(error, NeedsAuth):
                raise
        assert listed is None, "connected without consent"
        same(absent.url.partition("?")[0], f"{workspace.gateway.url}/authorize")
        same(workspace.calls(), [])

        async with session(url, token, mode, auth=consent(workspace, "mail")) as client:
            same(await call(client, "read_mail", id="1"), "done")
            same(await call(client, "send_mail", to="x", text="y"), "tool_not_allowed")
        same(workspace.calls(), ["mail read_mail id=1"])
    # Refused without a server's token as well: the rules come first.
    status, reason, _ = await ask("POST", url, plain(token), request("send_mail"))
    same((status, reason), (200, "tool_not_allowed"))


@claim("a health check passes where no endpoint is, and is refused below an endpoint")
async def health(workspace):
    same((await ask("GET", f"{workspace.gateway.url}/healthz", {}))[0], 200)
    headers = {TOKEN: workspace.token("admin")}
    status, reason, _ = await ask("GET", f"{workspace.gateway.url}/servers/files/healthz", headers)
    assert status in (400, 405) and reason, (status, reason)


async def use_old(workspace):
    """What a client of the two-endpoint transport gets done: names of what arrived, or why it did not connect."""
    url = f"{workspace.gateway.url}/servers/old/sse"
    headers = {TOKEN: workspace.token("user")}
    try:
        async with asyncio.timeout(PATIENCE):
            async with Client(sse_client(url, headers=headers), mode="legacy", read_timeout_seconds=5) as client:
                await call(client, "look_up", word="x")
                await call(client, "erase", word="x")
    except TimeoutError:
        return "no answer in time"
    except BaseException as error:
        if within(error, httpx2.HTTPStatusError):
            return "refused"
        raise
    return workspace.calls()


@claim("a server of the two-endpoint transport cannot be reached: its client is refused at once")
async def old_transport(workspace):
    same(await use_old(workspace), "refused")
    same(workspace.calls(), [])


@claim("a connection that is open during a switch carries at most one more request under the old policy")
async def draining(workspace):
    headers = plain(workspace.token("admin"))
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE, headers=headers) as http:

        async def write():
            # The server refuses it for want of a session; the boundary comes first.
            answer = await http.post(workspace.url("files"), json=request("write_file"))
            return answer.json()["error"]["code"] == DENIED

        same(await write(), False)
        workspace.gateway.switch(locked(workspace.policy))
        after = [await write() for _ in range(4)]
        same(after[1:], [True] * 3)
    workspace.gateway.switch(workspace.policy)


@claim("a session that was open before a switch is under the new policy after it")
async def switched(workspace):
    token = workspace.token("admin")
    async with contextlib.AsyncExitStack() as stack:
        files = await stack.enter_async_context(session(workspace.url("files"), token))
        notes = await stack.enter_async_context(session(workspace.url("notes"), token))
        same(await call(files, "write_file", path="a", text="b"), "done")
        same(await call(notes, "search_notes", words="x"), "done")
        workspace.gateway.switch(locked(workspace.policy))
        # By then the connections of before are closed, the streams among them too.
        await asyncio.sleep(DRAIN + 1)
        workspace.calls()
        same(await call(files, "write_file", path="a", text="b"), "tool_denied")
        same(await call(notes, "search_notes", words="x"), "tool_denied")
        same(await call(files, "read_file", path="a"), "done")
        same(workspace.calls(), ["files read_file path=a"])


@claim("after the switch everything else is as it was before")
async def still(workspace):
    await no_token(workspace)
    await users(workspace, unwritten="tool_denied")
    await admins(workspace, written="tool_denied")
    await disabled(workspace)
    await disabled_elsewhere(workspace)
    await planning(workspace, unwritten="tool_denied")
    # Writing files is disabled for everyone, sending mail is not.
    await claims_of_clients(workspace, SENDING)
    await ownership(workspace)
    await other_sites(workspace, servers=["files"])
    await bridged(workspace, disabled="tool_denied")
    await other_doors(workspace)
    await oauth_challenge(workspace)
    await oauth_flow(workspace)
    await health(workspace)
    await old_transport(workspace)


@claim("the switch back lets administrators write again")
async def switched_back(workspace):
    workspace.gateway.switch(workspace.policy)
    await admins(workspace)
    await bridged(workspace)


@claim("with `unmatched: pass` and no endpoint over them, other doors are open: the older transports run unseen")
async def open_doors(workspace):
    workspace.gateway.switch(without_other_doors(workspace.policy))
    same(await use_old(workspace), ["old look_up word=x", "old erase word=x"])
    # The bridge's as well: the stream opens, though its rules are not asked.
    headers = plain(workspace.token("user"), None)
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        async with http.stream("GET", f"{workspace.gateway.url}/servers/notes/sse", headers=headers) as answer:
            same((answer.status_code, answer.headers["content-type"].partition(";")[0]), (200, "text/event-stream"))
    same((await ask("GET", f"{workspace.gateway.url}/servers/files/healthz", headers))[0], 200)
    same((await ask("GET", f"{workspace.gateway.url}/nothing", {}))[0], 404)
    # Spellings of a guarded path stay shut.
    status, reason, _ = await ask("POST", workspace.url("notes") + "/", headers, request("add_note"))
    same((status, reason), (403, "no_endpoint"))


@claim("with `unmatched: deny` everything but MCP is refused: health checks, OAuth's metadata, older transports")
async def closed_doors(workspace):
    workspace.gateway.switch(closed(workspace.policy))
    token = {TOKEN: workspace.token("admin")}
    paths = ["/healthz", "/.well-known/oauth-protected-resource/servers/mail/mcp", "/authorize", "/nothing"]
    paths += ["/servers/files/healthz", "/servers/notes/mcp/", "/servers/notes/sse", "/servers/old/messages/"]
    for path in paths:
        status, reason, answer = await ask("GET", workspace.gateway.url + path, token)
        same((status, reason, answer.json()["error"]["code"]), (403, "no_endpoint", DENIED))
    same(await use_old(workspace), "refused")
    async with session(workspace.url("files"), workspace.token("user")) as client:
        same(await call(client, "read_file", path="a"), "done")


@claim("the logs name who asked, and which rule refused what; no argument and no token is in them")
async def logged(workspace):
    envoy = workspace.gateway.envoy
    entries, log = envoy.accesses(), envoy.log()
    assert {"a-user", "a-admin"} <= {entry["who"] for entry in entries}
    assert any(entry["who"] == "a-user" and entry["rule"] == "disabled-tools" for entry in entries)
    rules = {line.get("rule") for line in envoy.decisions()}
    assert {"disabled-tools", "disabled-mail-tools", "disabled-server"} <= rules, rules
    assert "somebody" not in log
    assert workspace.token("user").split(".")[1] not in log
