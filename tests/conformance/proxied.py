"""Envoy's configuration for the client scenarios.

Each scenario starts a server of its own, on a port of its own, so that the
upstream cannot be written down beforehand. Envoy is therefore asked as a proxy,
and connects to whatever host and port the request names. Everything else is
the shipped configuration.
"""

import yaml

DNS = {
    "name": "loopback",
    "dns_lookup_family": "V4_ONLY",
}
EXTENSION = "type.googleapis.com/envoy.extensions"


def as_proxy(rendered):
    """The rendered configuration, with its cluster turned into one for any host."""
    root = yaml.safe_load(rendered)
    resources = root["static_resources"]
    [listener] = resources["listeners"]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    forwarding = {
        "name": "envoy.filters.http.dynamic_forward_proxy",
        "typed_config": {
            "@type": f"{EXTENSION}.filters.http.dynamic_forward_proxy.v3.FilterConfig",
            "dns_cache_config": DNS,
        },
    }
    # Between admit and recheck, where whatever changes requests stands.
    manager["http_filters"].insert(1, forwarding)
    [cluster] = resources["clusters"]
    for key in ("type", "dns_lookup_family", "load_assignment"):
        cluster.pop(key)
    cluster["lb_policy"] = "CLUSTER_PROVIDED"
    cluster["cluster_type"] = {
        "name": "envoy.clusters.dynamic_forward_proxy",
        "typed_config": {
            "@type": f"{EXTENSION}.clusters.dynamic_forward_proxy.v3.ClusterConfig",
            "dns_cache_config": DNS,
            # That is, without TLS; the scenarios' servers are on loopback.
            "allow_insecure_cluster_options": True,
        },
    }
    return yaml.safe_dump(root, sort_keys=False)
