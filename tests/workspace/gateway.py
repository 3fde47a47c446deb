"""One Envoy in front of all servers of the workspace.

The shipped configuration with three changes: the workspace's token is verified
above admit, each server has its route and its cluster, and the listener is read
from a file, so that another policy takes force when another file takes its
place.
"""

import copy
import json
import os

import yaml

from harness.envoy import Envoy, bootstrap
from harness.process import LOOPBACK

EXTENSION = "type.googleapis.com/envoy.extensions"
TOKEN = "x-workspace-token"
WHO = "%DYNAMIC_METADATA(envoy.filters.http.jwt_authn:workspace:sub)%"
# After a switch, streams that are open are ended after so many seconds. Other
# connections are told to close with their next answer.
DRAIN = 2


def jwt_authn(keys):
    """Verifies the workspace's token; nothing below /servers is without one."""
    provider = {
        "issuer": "workspace",
        "local_jwks": {"inline_string": json.dumps(keys)},
        "from_headers": [{"name": TOKEN}],
        # The servers have no use for it, and it says who the user is.
        "forward": False,
        "payload_in_metadata": "workspace",
    }
    return {
        "name": "envoy.filters.http.jwt_authn",
        "typed_config": {
            "@type": f"{EXTENSION}.filters.http.jwt_authn.v3.JwtAuthentication",
            "providers": {"workspace": provider},
            "rules": [{"match": {"prefix": "/servers"}, "requires": {"provider_name": "workspace"}}],
        },
    }


def route(prefix, cluster):
    return {"match": {"prefix": prefix}, "route": {"cluster": cluster, "timeout": "0s"}}


class Gateway:
    """The running Envoy; `switch` puts another policy in force."""

    def __init__(self, policy, port, keys, routes, places, folder):
        """`routes` are pairs of a path's beginning and a server; `places` says where each server is."""
        self.folder = folder
        self.port, self.keys, self.routes = port, keys, routes
        self.listeners = self.folder / "listeners.yaml"
        root, listener = self._configuration(policy)
        [shape] = root["static_resources"]["clusters"]
        root["static_resources"] = {"clusters": [self._cluster(shape, name, place) for name, place in places.items()]}
        root["node"] = {"id": "workspace", "cluster": "workspace"}
        root["dynamic_resources"] = {"lds_config": {"path_config_source": {"path": str(self.listeners)}}}
        self._publish(listener)
        options = ["--drain-time-s", DRAIN, "--drain-strategy", "immediate"]
        self.envoy = Envoy(yaml.safe_dump(root, sort_keys=False), self.folder / "envoy.log", options=options)

    def _configuration(self, policy):
        """All of Envoy's configuration for a policy, and the listener in it."""
        source = self.folder / "policy.yaml"
        source.write_text(policy)
        root = yaml.safe_load(bootstrap(source, f"{LOOPBACK}:1", self.folder / "bootstrap.yaml"))
        [listener] = root["static_resources"]["listeners"]
        listener["address"]["socket_address"]["port_value"] = self.port
        manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
        manager["http_filters"].insert(0, jwt_authn(self.keys))
        for log in manager["access_log"]:
            log["typed_config"]["log_format"]["json_format"]["who"] = WHO
        [host] = manager["route_config"]["virtual_hosts"]
        host["routes"] = [route(prefix, server) for prefix, server in self.routes]
        return root, listener

    def _cluster(self, shape, name, place):
        made = copy.deepcopy(shape)
        address, port = place.split(":")
        made["name"] = made["load_assignment"]["cluster_name"] = name
        [endpoint] = made["load_assignment"]["endpoints"][0]["lb_endpoints"]
        endpoint["endpoint"]["address"]["socket_address"] = {"address": address, "port_value": int(port)}
        return made

    def _publish(self, listener):
        """Envoy reads the file when another one is moved into its place."""
        resource = {"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", **listener}
        fresh = self.folder / "listeners.new"
        fresh.write_text(yaml.safe_dump({"resources": [resource]}, sort_keys=False))
        os.replace(fresh, self.listeners)

    def switch(self, policy):
        """Returns when the policy is in force for new connections."""
        name = r"listener_manager\.listener_in_place_updated"
        before = self.envoy.stat(name)
        _, listener = self._configuration(policy)
        self._publish(listener)
        self.envoy.wait_until(lambda: self.envoy.stat(name) != before, "has not switched the policy")

    @property
    def url(self):
        return f"http://{LOOPBACK}:{self.port}"

    def close(self):
        self.envoy.close()
