"""Edits of the sources that a test must notice, by what they take away."""

from families import basics, conditions, logs, paths, policies, rewrites, schema, uris

FAMILIES = [basics, paths, uris, conditions, rewrites, policies, schema, logs]

MUTATIONS = [mutation for family in FAMILIES for mutation in family.MUTATIONS]
