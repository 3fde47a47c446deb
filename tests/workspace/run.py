"""A workspace whose agents reach their MCP servers through the boundary only.

Starts three servers and a fourth of the oldest kind, one Envoy before them, and
checks each claim of `docs/workspace.md`, with clients of the Python SDK wherever
these can send what it is about. The policy is switched while everything runs,
and the claims are checked again. `PYTHONPATH` has to name
`tests/conformance`, whose `boundary.py` starts what runs.

    run.py [--output FOLDER]
"""

import argparse
import asyncio
import inspect
import logging
import os
import pathlib
import shutil
import socket
import sys
import time
import traceback

import claims
from boundary import Process
from gateway import Gateway
from people import Issuer

HERE = pathlib.Path(__file__).parent
START = 60.0
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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        if process.process.poll() is not None:
            raise RuntimeError(f"a server ended; see {process.log_path}")
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"a server does not listen; see {process.log_path}")


class Workspace:
    """Everything that runs; what claims are checked against."""

    def __init__(self, output):
        self.output = output
        self.calls_path = output / "calls"
        self.calls_path.touch()
        self.policy = (HERE / "policy.yaml").read_text()
        self.issuer = Issuer()
        self.running = []
        self.ports = {name: free_port() for name in ("gateway", "files", "mail", "notes", "old")}

    def start(self):
        env = {**os.environ, "CALLS": str(self.calls_path.resolve())}
        public = f"http://127.0.0.1:{self.ports['gateway']}"
        python = [sys.executable, "-W", "ignore", HERE / "servers.py"]
        bridge = pathlib.Path(os.environ["MCP_BRIDGE"])
        for name in ("files", "mail", "old", "notes"):
            command = [*python, name, "--port", self.ports[name], "--public", public]
            if name == "notes":
                inner = " ".join(str(part) for part in [*python, "notes"])
                command = [bridge, "--pass-environment", "--port", self.ports[name], "--named-server", "notes", inner]
            self.running.append(Process(command, self.output / f"{name}.log", env))
        for name, process in zip(("files", "mail", "old", "notes"), self.running, strict=True):
            wait_for(self.ports[name], process)
        places = {name: self.direct(name) for name in ("files", "mail", "old", "notes")}
        self.gateway = Gateway(
            self.policy, self.ports["gateway"], self.issuer.keys, ROUTES, places, self.output,
            self.output / "envoy.log",
        )  # fmt: skip
        self.running.append(self.gateway)

    def direct(self, name):
        return f"127.0.0.1:{self.ports[name]}"

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
    page = prose((HERE / "../../docs/workspace.md").read_text())
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/workspace"))
    arguments = parser.parse_args()
    shutil.rmtree(arguments.output, ignore_errors=True)
    arguments.output.mkdir(parents=True)
    # What the SDK logs about refusals that a claim expects.
    logging.disable(logging.CRITICAL)
    workspace = Workspace(arguments.output)
    try:
        workspace.start()
        held, broken = asyncio.run(check(workspace))
    finally:
        workspace.stop()
    print(f"\nworkspace: {held} claims hold, {len(broken)} do not")
    return 0 if held and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
