"""What a mutation is."""

from typing import NamedTuple

ENGINE = "filter/engine/src/"
FORMAT = "filter/format/src/"
COMPILER = "policy-compiler/src/"
FILTER = "filter/src/"
GATE = "filter/gate/src/"


class Mutation(NamedTuple):
    """One edit: in `file`, `find` becomes `put`."""

    name: str
    file: str
    find: str
    put: str
    # Suites of run.py that may notice it, the cheapest first.
    tests: tuple = ("engine", "corpus")
