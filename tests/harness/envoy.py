"""Envoy with the boundary in it, in front of a server."""

import json
import re
import subprocess
import urllib.request
from contextlib import suppress
from pathlib import Path

from . import places
from .process import LOOPBACK, Process

ANY = f"{LOOPBACK}:0"


def bootstrap(policy, upstream, output):
    """Has `mcp-policy` write Envoy's configuration for a policy in front of `upstream`, `host:port`; returns its text."""
    command = [places.program("mcp-policy"), "bootstrap", policy, "--module", places.module()]
    command += ["--listen", ANY, "--admin", ANY, "--upstream", upstream, "--output", output]
    made = subprocess.run(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    if made.returncode:
        raise RuntimeError(f"no configuration for {policy}:\n{made.stderr}")
    return Path(output).read_text()


class Envoy(Process):
    """A running Envoy, with `config`, the text of a configuration. What it was started with stays beside its log."""

    def __init__(self, config, log, concurrency=1, options=()):
        log = Path(log)
        source, admin = log.with_suffix(".yaml"), log.with_suffix(".admin")
        source.write_text(config)
        admin.unlink(missing_ok=True)
        command = [places.envoy(), "--config-path", source, "--admin-address-path", admin, "--use-dynamic-base-id"]
        command += ["--concurrency", concurrency, "--log-level", "warning", "--component-log-level", "wasm:info"]
        super().__init__([*command, "--file-flush-interval-msec", 50, *options], log)
        self._admin = admin
        try:
            self.places = self.wait_until(self._listening, "is not ready")
        except BaseException:
            self.close()
            raise

    @classmethod
    def before(cls, upstream, policy, log, **more):
        """One with nothing but a policy in front of a server."""
        return cls(bootstrap(policy, upstream, Path(log).with_suffix(".yaml")), log, **more)

    def _listening(self):
        """Where each listener listens; nothing while Envoy is not ready."""
        try:
            self.ask("/ready")
            statuses = json.loads(self.ask("/listeners?format=json")).get("listener_statuses", [])
        except OSError:
            return {}
        sockets = {status["name"]: status["local_address"]["socket_address"] for status in statuses}
        return {name: f"{socket['address']}:{socket['port_value']}" for name, socket in sockets.items()}

    @property
    def place(self):
        """Where the listener `mcp` listens, as `host:port`."""
        return self.places["mcp"]

    def ask(self, path):
        """What the admin interface answers."""
        with urllib.request.urlopen(f"http://{self._admin.read_text().strip()}{path}", timeout=5) as answer:
            return answer.read().decode()

    def stat(self, name):
        """A counter, by a regular expression for its name; 0 if there is none yet."""
        text = self.ask(f"/stats?filter=^{name}$")
        return int(text.rpartition(":")[2]) if text.strip() else 0

    def accesses(self):
        """The access log: an object for each request."""
        return list(objects(self.log(), r'^\{"'))

    def decisions(self):
        """The filter's own log: an object for each line that it wrote."""
        return list(objects(self.log(), r'\{"mcp_boundary":'))


def objects(log, start):
    """The JSON object of each line in which one begins so. The last line may be half written."""
    for line in log.splitlines():
        if found := re.search(start, line):
            with suppress(ValueError):
                yield json.JSONDecoder().raw_decode(line, found.start())[0]
