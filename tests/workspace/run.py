"""A workspace whose agents reach their MCP servers through the boundary only.

Starts three servers and a fourth of the oldest kind, one Envoy before them, and
checks each claim of `docs/workspace.md`, with clients of the Python SDK wherever
these can send what it is about. The policy is switched while everything runs,
and the claims are checked again. What ran stays in build/workspace.

    run.sh workspace
"""

import asyncio
import inspect
import logging
import shutil
import sys
import traceback

from harness import places
from harness.process import LOOPBACK, Process, free_port

from . import claims
from .gateway import Gateway
from .people import Issuer

HERE = places.TESTS / "workspace"
OUTPUT = places.BUILD / "workspace"
SERVERS = ("files", "mail", "old", "notes")
ROUTES = [
    ("/servers/files", "files"),
    ("/servers/mail", "mail"),
    ("/servers/notes", "notes"),
    ("/servers/old", "old"),
    # OAuth of the mail server: what it is protected by, and its own authorization server.
    ("/.well-known/oauth-protected-resource/servers/mail", "mail"),
    ("/.well-known/oauth-authorization-server", "mail"),
    ("/authorize", "mail"),
    ("/token", "mail"),
    ("/register", "mail"),
    ("/healthz", "files"),
]


class Workspace:
    """Everything that runs; what claims are checked against."""

    def __init__(self):
        self.calls_path = OUTPUT / "calls"
        self.calls_path.touch()
        self.policy = (HERE / "policy.yaml").read_text()
        self.issuer = Issuer()
        self.running = []
        self.ports = {name: free_port() for name in ("gateway", *SERVERS)}

    def start(self):
        env = {"CALLS": str(self.calls_path)}
        public = f"http://{LOOPBACK}:{self.ports['gateway']}"
        python = [sys.executable, "-W", "ignore", HERE / "servers.py"]
        bridge = places.installed("python/mcp-proxy-0.13.0/bin/mcp-proxy")
        for name in SERVERS:
            command = [*python, name, "--port", self.ports[name], "--public", public]
            if name == "notes":
                inner = " ".join(str(part) for part in [*python, "notes"])
                command = [bridge, "--pass-environment", "--port", self.ports[name], "--named-server", "notes", inner]
            self.running.append(Process(command, OUTPUT / f"{name}.log", env))
        for name, process in zip(SERVERS, self.running, strict=True):
            process.wait_for(self.ports[name])
        upstreams = {name: self.direct(name) for name in SERVERS}
        self.gateway = Gateway(self.policy, self.ports["gateway"], self.issuer.keys, ROUTES, upstreams, OUTPUT)
        self.running.append(self.gateway)

    def direct(self, name):
        return f"{LOOPBACK}:{self.ports[name]}"

    def url(self, name):
        return f"{self.gateway.url}/servers/{name}/mcp"

    def token(self, role, mode="act"):
        return self.issuer.token(role, mode)

    def calls(self):
        """What arrived at the servers since this was asked last."""
        lines = self.calls_path.read_text().splitlines()
        self.calls_path.write_text("")
        return lines

    def stop(self):
        for process in reversed(self.running):
            process.close()


def causes(error):
    """What was raised in the first place: clients run in groups of tasks, and their errors come in groups."""
    inner = getattr(error, "exceptions", None)
    return [cause for one in inner for cause in causes(one)] if inner else [error]


def prose(text):
    """The words alone, without marks and line breaks."""
    return " ".join(text.replace("*", "").replace("`", "").lower().split())


async def check(workspace):
    """Runs every claim in the order of its definition; gives how many hold and which do not."""
    page = prose((places.DOCS / "workspace.md").read_text())
    held, broken = 0, []
    for name, claim in inspect.getmembers(claims, inspect.iscoroutinefunction):
        if not hasattr(claim, "claim"):
            continue
        claims.ORDER[claim] = (claim.__code__.co_firstlineno, name)
    for claim in sorted(claims.ORDER, key=claims.ORDER.get):
        workspace.calls()
        try:
            if prose(claim.claim) not in page:
                raise AssertionError("docs/workspace.md does not say so; it and the claims go together")
            await asyncio.wait_for(claim(workspace), 180)
        except Exception as error:
            broken.append(claim.claim)
            print(f"BROKEN  {claim.claim}", flush=True)
            for cause in causes(error):
                print("        " + "".join(traceback.format_exception(cause)[-2:]).strip().replace("\n", "\n        "))
        else:
            held += 1
            print(f"holds   {claim.claim}", flush=True)
    return held, broken


def main():
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    # What the SDK logs about refusals that a claim expects.
    logging.disable(logging.CRITICAL)
    workspace = Workspace()
    try:
        workspace.start()
        held, broken = asyncio.run(check(workspace))
    finally:
        workspace.stop()
    print(f"\nworkspace: {held} claims hold, {len(broken)} do not")
    return 0 if held and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
