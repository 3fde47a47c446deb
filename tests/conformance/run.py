"""The official conformance suite with the boundary in between, and without it.

Every scenario is run twice, against the same server or with the same client:
directly, and through Envoy with the filter. What the suite says must be the
same both times, check by check. The differences that are wanted are listed in
`explained.json`, each with its reason; any other one fails the run, and so does
a listed one that does not occur.

    run.sh conformance [--only server|client] [--scenario NAME] [--accept]

A whole run writes its results into docs/conformance.md. What ran stays in
build/conformance.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import shutil
import sys
import time
from urllib.parse import urlsplit

import yaml

from harness import pages, places
from harness.envoy import Envoy, bootstrap
from harness.process import Server

from . import proxied
from .suite import Suite, green

HERE = places.TESTS / "conformance"
OUTPUT = places.BUILD / "conformance"
REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

# The scenarios that a server fails which goes by the body alone.
HEADERS = ["http-header-validation", "http-custom-header-server-validation"]

# A scenario that such a server fails as a whole, and that must be green through the boundary.
GREEN = ("trusting", HEADERS[0])

# The suite's own client offers 2025-11-25 even where an older revision is asked for.
SPOKEN = {"2025-06-18": ["2025-06-18", "2025-11-25"]}

# How often a scenario is run again, both ways, before a difference counts. Some
# scenarios measure time, and a busy machine fails them with and without a
# boundary; a difference that is one stays. So many in all: where everything
# differs, repeating it tells nothing.
AGAIN = 2
AGAIN_IN_ALL = 12

# Envoy writes its log a moment later.
LOGGED = 5.0

# Python clients side by side: starting one is mostly waiting and importing.
WORKERS = max(2, (os.cpu_count() or 2) // 2)

# One scenario in one setting: what came of it directly, and through the boundary.
Outcome = collections.namedtuple("Outcome", "subject revision scenario direct through")


def changed(outcome):
    """The checks that end differently, as `{name: [directly, through]}`."""
    ways = (outcome.direct, outcome.through)
    names = {(id, name) for way in ways for id, name, _ in way}
    found = {}
    for id, name in sorted(names):
        ends = [
            sorted(s for (i, n, s), count in way.items() if (i, n) == (id, name) for _ in range(count)) for way in ways
        ]
        if ends[0] != ends[1]:
            found[name] = [" ".join(end) or "none" for end in ends]
    return found


def narrowed(policy, revision):
    """The policy with only that permitted which a revision's scenarios are run with."""
    document = yaml.safe_load(policy)
    for endpoint in document["endpoints"]:
        endpoint["versions"] = SPOKEN.get(revision, [revision])
    return yaml.safe_dump(document, sort_keys=False)


def unseen(servers, accesses):
    """Of the servers' URLs by name, those that no MCP message in Envoy's access log was for."""
    seen = {entry["host"] for entry in accesses if entry.get("mcp_methods")}
    return sorted(name for name, url in servers.items() if urlsplit(url).netloc not in seen)


class Run:
    def __init__(self, arguments):
        self.suite = Suite(
            places.node("conformance"),
            places.package("conformance", "@modelcontextprotocol/conformance/dist/index.js"),
        )
        self.python = places.python("mcp-2.3.0")
        self.scenario = arguments.scenario
        self.repeats = 0
        self.folders = itertools.count(1)

    def folder(self):
        return OUTPUT / str(next(self.folders))

    def wanted(self, names):
        return [name for name in names if self.scenario in (None, name)]

    def again(self, outcome, once):
        """Runs a scenario again while its two results differ in a way that is not explained."""
        for _ in range(AGAIN):
            if not changed(outcome) or explanation(outcome) or self.repeats >= AGAIN_IN_ALL:
                break
            self.repeats += 1
            print(f"again: {outcome.subject} {outcome.revision} {outcome.scenario}, {changed(outcome)}", flush=True)
            outcome = once()
        return outcome

    def fixture(self, *options):
        """The server that has what the scenarios ask for."""
        return [self.python, "-W", "ignore", HERE / "everything.py", *options]

    def reference(self):
        """The official everything server."""
        return places.everything("conformance", self.suite.node)

    def server_side(self, subject, command, revisions, only=None):
        with Server(command, OUTPUT / f"{subject}.log") as server:
            for revision in revisions:
                policy = OUTPUT / f"policy-{revision}.yaml"
                policy.write_text(narrowed((HERE / "policy.yaml").read_text(), revision))
                with Envoy.before(server.place, policy, OUTPUT / f"{subject}-{revision}-envoy.log") as envoy:
                    urls = [server.url, f"http://{envoy.place}/mcp"]
                    yield from self.server_revision(subject, urls, revision, only)

    def server_revision(self, subject, urls, revision, only):
        dated, extra = self.suite.scenarios("server", revision)
        alone = self.wanted(only or extra)
        found = [{}, {}]
        if only is None and self.scenario is None:
            found = [self.suite.server(url, revision, self.folder()) for url in urls]
        elif only is None:
            alone += self.wanted(dated)
        missing = set(dated).symmetric_difference(found[0]) if found[0] else set()
        if missing:
            raise SystemExit(f"{revision}: the suite did not run what it lists: {sorted(missing)}")
        for scenario in sorted(found[0]) + alone:

            def once(scenario=scenario):
                ways = [
                    self.suite.server(url, revision, self.folder(), scenario).get(scenario, collections.Counter())
                    for url in urls
                ]
                return Outcome(subject, revision, scenario, *ways)

            if scenario in found[0]:
                outcome = Outcome(
                    subject, revision, scenario, *(way.get(scenario, collections.Counter()) for way in found)
                )
            else:
                outcome = once()
            yield self.again(outcome, once)

    def client_side(self):
        command = f"{self.python} -W ignore {HERE / 'client.py'}"
        # The upstream is written over; any place will do.
        config = bootstrap(HERE / "client-policy.yaml", "127.0.0.1:1", OUTPUT / "client-envoy.yaml")
        with Envoy(proxied.as_proxy(config), OUTPUT / "client-envoy.log") as envoy:
            # The suite keeps what its client prints: the server's URL, different for every run.
            through = f"env BOUNDARY_PROXY=http://{envoy.place} sh -c 'echo $0; exec {command} $0'"
            servers = {}

            def run(revision, scenario):
                def once():
                    folders = [self.folder(), self.folder()]
                    ways = [
                        self.suite.client(one, revision, folder, scenario).get(scenario, collections.Counter())
                        for one, folder in zip((command, through), folders, strict=True)
                    ]
                    for printed in folders[1].rglob("stdout.txt"):
                        servers[f"{revision} {scenario}, {printed}"] = printed.read_text().partition("\n")[0]
                    return Outcome("client", revision, scenario, *ways)

                return self.again(once(), once)

            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                jobs = [
                    pool.submit(run, revision, scenario)
                    for revision in REVISIONS
                    for scenario in self.wanted(sum(self.suite.scenarios("client", revision), []))
                ]
                for job in jobs:
                    yield job.result()
            # A client that went around the boundary would differ in nothing.
            deadline = time.monotonic() + LOGGED
            while (missing := unseen(servers, envoy.accesses())) and time.monotonic() < deadline:
                time.sleep(0.1)
            seen = len(envoy.accesses())
            print(f"client scenarios: the boundary saw {seen} requests, to {len(servers) - len(missing)} servers")
            if missing:
                raise SystemExit(f"clients did not go through the boundary: {missing}")


# Stands in the page only if it was written with `--accept`.
UNEXPLAINED = "**Not explained**, so a defect until it is shown to be wanted."
MARKERS = ("<!-- results: written by make conformance -->", "<!-- end of results -->")
EXPLAINED = json.loads((HERE / "explained.json").read_text())


def explanation(outcome):
    """The entry of the data file that says exactly this difference."""
    for entry in EXPLAINED:
        same = (entry["subject"], entry["scenario"]) == (outcome.subject, outcome.scenario)
        if same and outcome.revision in entry["revisions"] and entry["checks"] == changed(outcome):
            return entry
    return None


SUBJECTS = {
    "server": "server",
    "trusting": "server that goes by the body alone",
    "reference": "official everything server",
    "client": "client",
}


def table(outcomes):
    """The counts, as the table of the documentation."""
    lines = [
        "| under test | revision | scenarios | green directly | green through the boundary | different "
        "| of these explained |",
        "|---|---|---|---|---|---|---|",
    ]
    groups = collections.defaultdict(list)
    for outcome in outcomes:
        groups[outcome.subject, outcome.revision].append(outcome)
    for (subject, revision), group in groups.items():
        different = [one for one in group if changed(one)]
        counts = [
            len(group),
            sum(green(one.direct) for one in group),
            sum(green(one.through) for one in group),
            len(different),
            sum(explanation(one) is not None for one in different),
        ]
        lines.append(f"| {SUBJECTS[subject]} | {revision} | " + " | ".join(map(str, counts)) + " |")
    total = sum(sum(one.direct.values()) for one in outcomes)
    lines += [
        "",
        f"{total} checks directly, {sum(sum(one.through.values()) for one in outcomes)} through the boundary.",
    ]
    return lines


def listing(outcomes):
    """What differs and why, and what fails on both sides."""
    lines = []
    different = [(one, explanation(one)) for one in outcomes if changed(one)]
    if different:
        lines += ["", "| different | directly, through | why |", "|---|---|---|"]
        for one, entry in different:
            why = entry["why"] if entry else UNEXPLAINED
            ends = collections.Counter(tuple(end) for end in changed(one).values())
            how = "; ".join(f"{count} × {before} → {after}" for (before, after), count in sorted(ends.items()))
            lines.append(f"| `{one.scenario}` ({SUBJECTS[one.subject]}, {one.revision}) | {how} | {why} |")
    alike = collections.defaultdict(list)
    for one in outcomes:
        if not changed(one) and not green(one.direct):
            alike[one.subject, one.revision].append(one.scenario)
    if alike:
        lines += [
            "",
            "Not green, and the same both ways, since the server or client used here lacks what they ask for:",
            "",
        ]
        lines += [
            f"- {SUBJECTS[subject]}, {revision}: " + ", ".join(f"`{name}`" for name in names)
            for (subject, revision), names in alike.items()
        ]
    return lines


def judge(outcomes, complete):
    """What is wrong with this run, in words."""
    wrong, used = [], set()
    for one in outcomes:
        entry = explanation(one)
        if entry:
            used.add(id(entry))
        elif changed(one):
            wrong.append(f"{one.subject} {one.revision} {one.scenario}: {changed(one)}")
        if not one.direct and not one.through:
            wrong.append(f"{one.subject} {one.revision} {one.scenario}: nothing was checked")
        if (one.subject, one.scenario) == GREEN and not green(one.through):
            wrong.append(f"{one.subject} {one.revision} {one.scenario}: not green through the boundary")
    if complete:
        wrong += [
            f"explained, but it does not occur: {entry['subject']} {entry['scenario']}"
            for entry in EXPLAINED
            if id(entry) not in used
        ]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=["server", "client"])
    parser.add_argument("--scenario")
    parser.add_argument("--accept", action="store_true", help="write the page although something differs; still fails")
    arguments = parser.parse_args()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)

    run = Run(arguments)
    outcomes = []

    def collect(some):
        for one in some:
            mark = "=" if not changed(one) else "explained" if explanation(one) else "DIFFERENT"
            print(f"{one.subject:10}{one.revision}  {mark:10}{one.scenario}", flush=True)
            outcomes.append(one)

    if arguments.only != "client":
        collect(run.server_side("server", run.fixture(), REVISIONS))
        collect(run.server_side("trusting", run.fixture("--trusting"), ["2026-07-28"], HEADERS))
        collect(run.server_side("reference", run.reference(), REVISIONS[:3]))
    if arguments.only != "server":
        collect(run.client_side())
    if not outcomes:
        raise SystemExit("no scenario was run")

    complete = arguments.only is None and arguments.scenario is None
    lines = [f"Suite {run.suite.version()}.", "", *table(outcomes), *listing(outcomes)]
    print("\n" + "\n".join(lines))
    if run.repeats:
        print(f"\n{run.repeats} repetitions of scenarios that differed at first")
    wrong = judge(outcomes, complete)
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    if complete and (arguments.accept or not wrong):
        pages.replace(places.DOCS / "conformance.md", *MARKERS, "\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
