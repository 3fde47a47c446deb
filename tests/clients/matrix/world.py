"""What runs around the clients: the servers, the router, and Envoy with the filter."""

import asyncio
import json
import os
import re
import socket
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

from .router import Router
from .spoiler import Spoiler

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".cache" / "clients"
WORK = ROOT / "build" / "clients"


def target():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def program(name):
    return str(target() / "debug" / name)


class World:
    """Addresses, as clients see them."""

    def __init__(self, router, envoy_port, spoiler):
        self.router = router
        self.envoy_port = envoy_port
        self.spoiler = spoiler

    def url(self, endpoint, server, run):
        """Through the boundary, but for `direct`; the spoiler also sees what the boundary answers itself."""
        ports = {"direct": self.router.port, "spoiled": self.spoiler.port, "no-streams": self.spoiler.port}
        return f"http://127.0.0.1:{ports.get(endpoint, self.envoy_port)}/{endpoint}/{server}/{run}"

    def log(self):
        """What the filter logged up to now, by reason: one line each."""
        lines = {}
        for name in ("envoy", "undecided"):
            for line in (WORK / f"{name}.log").read_text(errors="replace").splitlines():
                if found := re.search(r'\{"mcp_boundary":.*\}', line):
                    lines.setdefault(json.loads(found.group())["reason"], found.group())
        return lines


@asynccontextmanager
async def started(*command, log, environment=None):
    """A process that is ended by its id, whatever happens."""
    with open(WORK / f"{log}.log", "wb") as sink:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE if environment is not None else sink,
            stderr=sink,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), 5)
            except TimeoutError:
                process.kill()
                await process.wait()


@asynccontextmanager
async def server(name, *command):
    """One that prints its URL."""
    async with started(*command, log=name, environment={}) as process:
        async with asyncio.timeout(30):
            while line := await process.stdout.readline():
                if found := re.search(rb"http://\S+/mcp", line):
                    break
            else:
                raise RuntimeError(f"the server `{name}` ended; see {WORK}/{name}.log")
        # Nobody reads what else it says, and a full pipe would stop it.
        drained = asyncio.create_task(process.stdout.read())
        try:
            yield found.group().decode()
        finally:
            drained.cancel()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@asynccontextmanager
async def envoy(upstream, name="envoy", admit=True):
    """Envoy with admit and recheck under `policy.yaml`; without admit, the recheck can decide nothing."""
    port = free_port()
    config = WORK / f"{name}.yaml"
    module = target() / "wasm32-wasip1" / "wasm" / "mcp_boundary_filter.wasm"
    subprocess.run(
        [program("mcp-policy"), "bootstrap", HERE / "policy.yaml", "--module", module]
        + ["--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--upstream", f"127.0.0.1:{upstream}"]
        + ["--output", config],
        check=True,
    )
    if not admit:
        before, _, after = config.read_text().partition('- name: "mcp_boundary"\n')
        config.write_text(before + after[after.index('- name: "mcp_boundary_recheck"\n') :])
    binary = subprocess.run([ROOT / ".ci/envoy"], check=True, capture_output=True, text=True).stdout.strip()
    command = [binary, "--config-path", config, "--use-dynamic-base-id", "--concurrency", "2"]
    async with started(*command, log=name) as process:
        for _ in range(600):
            if process.returncode is not None:
                raise RuntimeError(f"envoy ended; see {WORK}/{name}.log")
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        else:
            raise RuntimeError(f"envoy does not listen; see {WORK}/{name}.log")
        yield port


@asynccontextmanager
async def world():
    """Everything, up and running."""
    WORK.mkdir(parents=True, exist_ok=True)
    router = Router()
    await router.start()
    everything = CACHE / "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    preload = ["--import", (HERE / "servers/loopback.mjs").as_uri()]
    python = CACHE / "mcp-2.3.0/bin/python"
    async with (
        server("everything", "node", *preload, everything, "streamableHttp") as router.servers["everything"],
        server("dual", python, HERE / "servers/dual.py") as router.servers["dual"],
        server("sample", program("sample-server"), "--sessions") as router.servers["sample"],
        server("tower", target() / "clients/debug/tower-server") as router.servers["tower"],
        envoy(router.port) as port,
        envoy(router.port, "undecided", admit=False) as undecided,
    ):
        spoiler = Spoiler(port, undecided)
        await spoiler.start()
        yield World(router, port, spoiler)
