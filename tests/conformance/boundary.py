"""An Envoy with the boundary in it, started in front of a server.

Made of the same parts as everywhere else: `render-bootstrap` fills
`envoy/bootstrap.yaml`, the filter is the built module. Which programs those
are, the environment says (`make` sets it):

    ENVOY               the Envoy binary
    RENDER_BOOTSTRAP    the program of that name
    MCP_POLICY          the policy compiler
    FILTER_MODULE       the filter
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
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
    command = [program("RENDER_BOOTSTRAP"), "--policy", policy, "--module", program("FILTER_MODULE")]
    command += ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--upstream", upstream, "--output", rendered]
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.PIPE)
    return rendered


class Boundary:
    """A running Envoy; ended by `close` or at the end of a `with`."""

    def __init__(self, policy=None, upstream=None, config=None, log=None):
        """In front of `upstream`, given as `host:port`, or with a `config` of one's own."""
        self.folder = tempfile.TemporaryDirectory(prefix="mcp-boundary-")
        place = pathlib.Path(self.folder.name)
        config = config or render(policy, upstream, place)
        self.log_path = pathlib.Path(log) if log else place / "envoy.log"
        admin = place / "admin"
        command = [program("ENVOY"), "--config-path", config, "--admin-address-path", admin]
        command += ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"]
        command += ["--component-log-level", "wasm:info", "--file-flush-interval-msec", "50"]
        with open(self.log_path, "ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
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
            try:
                place = admin.read_text().strip()
                ask(place, "/ready")
                listening = json.loads(ask(place, "/listeners?format=json"))
            except OSError:
                time.sleep(0.05)
                continue
            places = {}
            for listener in listening.get("listener_statuses", []):
                socket = listener["local_address"]["socket_address"]
                places[listener["name"]] = f"{socket['address']}:{socket['port_value']}"
            if places:
                return place, places
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
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def ask(place, path, method="GET"):
    request = urllib.request.Request(f"http://{place}{path}", method=method)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


class Server:
    """A server program that prints its URL as its first line; ended by `close`."""

    def __init__(self, command, log, env=None):
        self.log_path = pathlib.Path(log)
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(self.log_path, "ab"),
            env=env,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://"):
            self.close()
            raise RuntimeError(f"{command[1]} did not start; see {self.log_path}")

    @property
    def place(self):
        return self.url.removeprefix("http://").partition("/")[0]

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
