"""The conformance suite as a program: which scenarios there are, and running them."""

import collections
import json
import pathlib
import re
import subprocess

# Of the scenarios outside the revisions' timeline, those whose subject passes a
# boundary: methods of the tasks extension, and OAuth without a user.
EXTENSIONS = {"server": r"tasks-", "client": r"auth/client-credentials-"}
EXTENDED = {"server": ["2026-07-28"], "client": ["2025-11-25", "2026-07-28"]}

# What the suite writes down beside its checks, for reading.
NO_CHECK = "INFO"

STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")


class Suite:
    def __init__(self, node, program):
        self.node = node
        self.command = [str(node), str(program)]

    def _run(self, *arguments, timeout):
        command = [*self.command, *(str(part) for part in arguments)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    def version(self):
        return self._run("--version", timeout=60).stdout.strip()

    def _listed(self, *arguments):
        names = re.findall(r"^  - (\S+) \[(.*)\]$", self._run("list", *arguments, timeout=60).stdout, re.MULTILINE)
        if not names:
            raise SystemExit(f"the suite lists no scenarios for {arguments}")
        return names

    def scenarios(self, side, revision):
        """Names of the scenarios of a revision; those of extensions last, by themselves."""
        dated = [name for name, _ in self._listed(f"--{side}", "--spec-version", revision)]
        extra = []
        if revision in EXTENDED[side]:
            extra = [
                name
                for name, tags in self._listed(f"--{side}")
                if tags == "extension" and re.match(EXTENSIONS[side], name)
            ]
        return dated, extra

    def server(self, url, revision, folder, scenario=None):
        """Runs all dated scenarios, or one, against a server. Gives their checks by name."""
        which = ["--scenario", scenario] if scenario else ["--suite", "all"]
        # An extension's scenario belongs to no revision, and is run at one all the same.
        self._run("server", "--url", url, *which, "--spec-version", revision, "--force", "-o", folder, timeout=600)
        return checks(folder, "server-")

    def client(self, command, revision, folder, scenario):
        """Runs one scenario against a client."""
        self._run(
            "client", "--command", command, "--scenario", scenario, "--spec-version", revision,
            "--force", "--timeout", 60000, "-o", folder, timeout=120,
        )  # fmt: skip
        return checks(folder, "")


def checks(folder, prefix):
    """What came of each scenario: how often each check ended in which way."""
    found = {}
    folder = pathlib.Path(folder)
    for file in folder.rglob("checks.json"):
        name = STAMP.sub("", str(file.parent.relative_to(folder))).removeprefix(prefix)
        rows = [check for check in json.loads(file.read_text()) if check["status"] != NO_CHECK]
        found[name] = collections.Counter((row["id"], row["name"], row["status"]) for row in rows)
    return found


def green(result):
    """Whether a scenario passed: something was checked, and nothing failed."""
    return bool(result) and not any(status == "FAILURE" for _, _, status in result)
