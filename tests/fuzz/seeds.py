"""Writes seeds for the fuzz targets into a folder: bodies of the corpus,
example policies, and the fields of golden blobs."""

import base64
import hashlib
import json
import pathlib
import sys

HEADER = 48  # the target writes the blob's header itself

out = pathlib.Path(sys.argv[1])
tests = pathlib.Path(__file__).resolve().parent.parent
compiler = tests.parent / "policy-compiler" / "tests"


def seed(target, data):
    folder = out / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


for path in sorted((tests / "corpus").rglob("*.json")):
    case = json.loads(path.read_text())
    body = case.get("body")
    data = base64.b64decode(case["body_base64"]) if "body_base64" in case else (body or "").encode()
    if 0 < len(data) <= 4096:
        seed("strict_json", data)
        seed("decide", data)
for path in sorted(compiler.rglob("*.yaml")):
    if path.stat().st_size <= 4096:
        seed("yaml", path.read_bytes())
for path in sorted(compiler.rglob("*.mcpb")):
    seed("policy_blob", path.read_bytes()[HEADER:])
