"""An Envoy with the boundary in it, started in front of a server.

Made of the same parts as everywhere else: `mcp-policy bootstrap`
fills `envoy/bootstrap.yaml`, the filter is the built module. Which programs those
are, the environment says (`make` sets it):

    ENVOY               the Envoy binary
    MCP_POLICY          the policy compiler
    FILTER_MODULE       the filter
"""

import collections
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import urllib.request

# Compiling the module takes a second or two on a slow machine.
START = 60.0


def program(name):
    try:
        return os.environ[name]
    except KeyError:
        raise SystemExit(f"`{name}` is not set; run this through make") from None


def render(policy, upstream, folder):
    """Envoy's configuration for a policy in front of `upstream`, on free ports."""
    rendered = pathlib.Path(folder) / "envoy.yaml"
    command = [program("MCP_POLICY"), "bootstrap", policy, "--module", program("FILTER_MODULE")]
    command += ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--upstream", upstream, "--output", rendered]
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.PIPE)
    return rendered


class Process:
    """A running program; ended by `close` or at the end of a `with`."""

    def __init__(self, command, log, env=None, output=None):
        self.log_path = pathlib.Path(log)
        with open(self.log_path, "ab") as errors:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output or errors,
                stderr=errors,
                env=env,
                text=True,
            )

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Boundary(Process):
    """A running Envoy."""

    def __init__(self, policy=None, upstream=None, config=None, log=None, options=()):
        """In front of `upstream`, given as `host:port`, or with a `config` of one's own."""
        self.folder = tempfile.TemporaryDirectory(prefix="mcp-boundary-")
        place = pathlib.Path(self.folder.name)
        config = config or render(policy, upstream, place)
        admin = place / "admin"
        command = [program("ENVOY"), "--config-path", config, "--admin-address-path", admin]
        command += ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"]
        command += ["--component-log-level", "wasm:info", "--file-flush-interval-msec", "50", *options]
        super().__init__(command, log or place / "envoy.log")
        try:
            self.admin, self.places = self._wait(admin)
        except BaseException:
            self.close()
            raise

    def _wait(self, admin):
        deadline = time.monotonic() + START
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"envoy ended with {self.process.returncode}; its log:\n{self.tail()}")
            places = listening(admin)
            if places:
                return admin.read_text().strip(), places
            time.sleep(0.05)
        raise RuntimeError(f"envoy is not ready after {START:.0f} s; its log:\n{self.tail()}")

    @property
    def place(self):
        """Where the listener `mcp` listens, as `host:port`."""
        return self.places["mcp"]

    def log(self):
        return self.log_path.read_text(errors="replace")

    def tail(self):
        return "\n".join(self.log().splitlines()[-30:])

    def close(self):
        super().close()
        self.folder.cleanup()


def listening(admin):
    """Where each listener listens; nothing while Envoy is not ready."""
    try:
        place = admin.read_text().strip()
        ask(place, "/ready")
        statuses = json.loads(ask(place, "/listeners?format=json")).get("listener_statuses", [])
    except OSError:
        return {}
    sockets = {status["name"]: status["local_address"]["socket_address"] for status in statuses}
    return {name: f"{socket['address']}:{socket['port_value']}" for name, socket in sockets.items()}


def ask(place, path, method="GET"):
    request = urllib.request.Request(f"http://{place}{path}", method=method)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


class Server(Process):
    """A server program that prints its URL on a line of its own."""

    def __init__(self, command, log):
        super().__init__(command, log, output=subprocess.PIPE)
        lines = map(str.strip, self.process.stdout)
        self.url = next((line for line in lines if line.startswith("http://")), None)
        if self.url is None:
            self.close()
            raise RuntimeError(f"{command[-1]} did not start; see {self.log_path}")
        # Nobody reads what else it says, and a full pipe would stop it.
        threading.Thread(target=collections.deque, args=(lines, 0), daemon=True).start()

    @property
    def place(self):
        return self.url.removeprefix("http://").partition("/")[0]
