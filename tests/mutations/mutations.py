"""Edits of the sources that a test must notice, by what they take away."""

from families import basics, conditions, gate, logs, paths, policies, rewrites, schema, uris

FAMILIES = [basics, paths, uris, conditions, rewrites, policies, schema, logs, gate]

MUTATIONS = [mutation for family in FAMILIES for mutation in family.MUTATIONS]
