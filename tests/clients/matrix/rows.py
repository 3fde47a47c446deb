"""The clients: every row of the matrix, and how to start it."""

from dataclasses import dataclass, field

from harness import places

from .driver import Driver, Inspector
from .world import HERE, WORK

V2 = "@modelcontextprotocol/client"


@dataclass(frozen=True)
class Row:
    """One SDK in one mode."""

    id: str
    title: str
    command: tuple
    # How the SDK negotiates: `legacy`, `auto` or `pin`.
    mode: str = "legacy"
    # Whether it ends up in 2026-07-28 with a server that has it.
    modern: bool = False
    inspector: bool = False
    # What has to be known of a scenario that works, by its head in the table.
    notes: dict = field(default_factory=dict, hash=False)

    @property
    def patience(self):
        """Seconds after which a refused operation counts as hanging; the Inspector starts a process first."""
        return 40 if self.inspector else 8

    @property
    def server(self):
        """The one that has something to answer to every scenario."""
        return "dual" if self.modern else "everything"

    def driver(self):
        log = WORK / f"{self.id}.log"
        log.unlink(missing_ok=True)
        if self.inspector:
            home = WORK / "inspector" / self.id
            home.mkdir(parents=True, exist_ok=True)
            return Inspector([str(part) for part in self.command], log, {"HOME": str(home)})
        return Driver([str(part) for part in self.command], log)


def node(name):
    return ("node", HERE / "drivers/node.mjs", places.installed("npm/clients"), name)


def python(environment, driver):
    return (places.python(environment), HERE / "drivers" / driver)


def rust(sdk):
    return (places.installed("rust/clients/debug/client-driver"), sdk)


# `URL` and `MODE` stand for what the driver puts there. The old one is the first that takes an endpoint at any path;
# its command line is a package of its own, which goes without the web pages, and has the SDK of its time.
OLD_INSPECTOR = (
    *("node", places.package("clients", "inspector-0.16.2/build/cli.js")),
    *("--cli", "URL", "--transport", "http"),
)
INSPECTOR = (
    places.node("clients"),
    places.package("clients", "@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
    *("--cli", "--server-url", "URL", "--transport", "http", "--protocol-era", "MODE"),
)

NO_REASON = {"cancel": "if a reason is given; without one it sends `null`, which is refused"}

ROWS = [
    Row("ts-1.12.3", "TypeScript SDK 1.12.3", node("sdk-1.12.3")),
    Row("ts-1.20.2", "TypeScript SDK 1.20.2", node("sdk-1.20.2")),
    Row("ts-1.32.2", "TypeScript SDK 1.32.2", node("sdk-1.32.2")),
    Row("ts-2.4.0-legacy", "TypeScript SDK 2.4.0, `legacy`", node(V2)),
    Row("ts-2.4.0-auto", "TypeScript SDK 2.4.0, `auto`", node(V2), mode="auto", modern=True),
    Row("ts-2.4.0-pin", "TypeScript SDK 2.4.0, pinned", node(V2), mode="pin", modern=True),
    Row("py-1.9.4", "Python SDK 1.9.4", python("mcp-1.9.4", "sdk_v1.py")),
    Row("py-1.30.0", "Python SDK 1.30.0", python("mcp-1.30.0", "sdk_v1.py")),
    Row("py-2.3.0-legacy", "Python SDK 2.3.0, `legacy`", python("mcp-2.3.0", "sdk_v2.py")),
    Row("py-2.3.0-auto", "Python SDK 2.3.0, `auto`", python("mcp-2.3.0", "sdk_v2.py"), mode="auto", modern=True),
    Row("fastmcp-2.10.6", "FastMCP 2.10.6", python("fastmcp-2.10.6", "fast.py")),
    Row("fastmcp-2.14.7", "FastMCP 2.14.7", python("fastmcp-2.14.7", "fast.py")),
    Row("fastmcp-4.2.3", "FastMCP 4.2.3", python("fastmcp-4.2.3", "fast.py"), mode="auto", modern=True),
    Row("rmcp-0.6.0", "rmcp 0.6.0", rust("rmcp-0.6"), notes=NO_REASON),
    Row("rmcp-3.11.0-legacy", "rmcp 3.11.0, `serve`", rust("rmcp-3")),
    Row("rmcp-3.11.0-auto", "rmcp 3.11.0, `Auto`", rust("rmcp-3"), mode="auto", modern=True),
    Row("tower-0.8.0", "tower-mcp 0.8.0", rust("tower-0.8")),
    Row("tower-0.25.0-legacy", "tower-mcp 0.25.0, `initialize`", rust("tower-0.25")),
    Row("tower-0.25.0-pin", "tower-mcp 0.25.0, `discover`", rust("tower-0.25"), mode="pin", modern=True),
    Row("inspector-0.16.2", "Inspector 0.16.2", OLD_INSPECTOR, inspector=True),
    Row("inspector-2.12.0-legacy", "Inspector 2.12.0, `legacy`", INSPECTOR, inspector=True),
    Row("inspector-2.12.0-auto", "Inspector 2.12.0, `auto`", INSPECTOR, mode="auto", modern=True, inspector=True),
]
