"""What runs around the clients: the servers, the router, and Envoy with the filter."""

from contextlib import ExitStack, asynccontextmanager

from harness import places
from harness.envoy import Envoy, bootstrap
from harness.process import LOOPBACK, Server

from .router import Router
from .spoiler import Spoiler

HERE = places.TESTS / "clients"
WORK = places.BUILD / "clients"


class World:
    """Addresses, as clients see them."""

    def __init__(self, router, envoys, spoiler):
        self.router = router
        self.envoys = envoys
        self.spoiler = spoiler

    def url(self, endpoint, server, run):
        """Through the boundary, but for `direct`; the spoiler also sees what the boundary answers itself."""
        relay = {"direct": self.router, "spoiled": self.spoiler, "no-streams": self.spoiler}.get(endpoint)
        place = f"{LOOPBACK}:{relay.port}" if relay else self.envoys[0].place
        return f"http://{place}/{endpoint}/{server}/{run}"

    def log(self):
        """What the filter logged first of each reason."""
        lines = {}
        for line in (line for envoy in self.envoys for line in envoy.decisions()):
            lines.setdefault(line["reason"], line)
        return lines


def without_admit(config):
    """A configuration in which the recheck can decide nothing."""
    before, _, after = config.partition('- name: "mcp_boundary"\n')
    return before + after[after.index('- name: "mcp_boundary_recheck"\n') :]


def servers():
    """The command of each server."""
    return {
        "everything": places.everything("clients", "node"),
        "dual": [places.python("mcp-2.3.0"), HERE / "servers/dual.py"],
        "sample": [places.program("sample-server"), "--sessions"],
        "tower": [places.installed("rust/clients/debug/tower-server")],
    }


@asynccontextmanager
async def world():
    """Everything, up and running."""
    WORK.mkdir(parents=True, exist_ok=True)
    router = Router()
    await router.start()
    with ExitStack() as running:
        for name, command in servers().items():
            router.servers[name] = running.enter_context(Server(command, WORK / f"{name}.log")).url
        config = bootstrap(HERE / "policy.yaml", f"{LOOPBACK}:{router.port}", WORK / "envoy.yaml")
        envoys = [
            running.enter_context(Envoy(text, WORK / f"{name}.log", concurrency=2))
            for name, text in (("envoy", config), ("undecided", without_admit(config)))
        ]
        spoiler = Spoiler(*(envoy.place for envoy in envoys))
        await spoiler.start()
        yield World(router, envoys, spoiler)
