"""Policies that the workspace is switched to, made of the one in the file."""

import yaml


def locked(policy):
    """Nobody writes, and the notes are disabled altogether."""
    document = yaml.safe_load(policy)
    files, _, notes, _ = document["endpoints"]
    [disabled] = files["deny"]
    disabled["tools"].append("write_*")
    notes["deny"] = [{"id": "disabled-server", "tools": ["*"]}]
    return yaml.safe_dump(document, sort_keys=False)


def without_other_doors(policy):
    """Three paths are guarded, and everything else passes."""
    document = yaml.safe_load(policy)
    document["endpoints"] = [one for one in document["endpoints"] if one["name"] != "other-doors"]
    document["unmatched"] = "pass"
    return yaml.safe_dump(document, sort_keys=False)


def closed(policy):
    """Three paths are guarded, and everything else is refused."""
    document = yaml.safe_load(without_other_doors(policy))
    document["unmatched"] = "deny"
    return yaml.safe_dump(document, sort_keys=False)
