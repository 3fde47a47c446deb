#!/usr/bin/env python3
"""The modules' images: the same bytes each time, and a registry gives back what Istio reads.

A real registry (Debian's docker-registry) and a real client (skopeo); what is read back is read by the rules of Istio's
agent: one layer `tar+gzip` with `plugin.wasm`, or two layers of which one is the module.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request

from harness import places
from harness.process import LOOPBACK, Process, free_port

WORK = places.BUILD / "image"
NAMES = {"mcp-boundary": "filter", "mcp-boundary-gate": "gate"}
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
NEEDED = ["docker-registry", "skopeo"]


def layout(module, folder):
    """Writes a layout; its images' digests by name."""
    made = subprocess.run([places.ROOT / ".ci/image", module, folder], check=True, stdout=subprocess.PIPE, text=True)
    return dict(line.split() for line in made.stdout.splitlines())


def same(one, other):
    """Whether two folders hold the same files."""
    files = [sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file()) for folder in (one, other)]
    return files[0] == files[1] and all((one / name).read_bytes() == (other / name).read_bytes() for name in files[0])


def by_istios_rules(fetch, name, reference):
    """The module that an agent takes out of an image."""
    manifest = json.loads(fetch(f"{name}/manifests/{reference}"))
    layers = manifest["layers"]
    kinds = [layer["mediaType"] for layer in layers]
    if kinds == ["application/vnd.oci.image.layer.v1.tar+gzip"]:
        blob = gzip.decompress(fetch(f"{name}/blobs/{layers[0]['digest']}"))
        with tarfile.open(fileobj=io.BytesIO(blob)) as archive:
            return archive.extractfile("plugin.wasm").read()
    if len(layers) == 2:
        wasm = "application/vnd.module.wasm.content.layer.v1+wasm"
        [layer] = [layer for layer in layers if layer["mediaType"] == wasm]
        return fetch(f"{name}/blobs/{layer['digest']}")
    raise SystemExit(f"neither form: {kinds}")


def registry(port):
    """The registry's configuration."""
    return f"""version: 0.1
storage: {{ filesystem: {{ rootdirectory: {WORK}/registry }} }}
http: {{ addr: {LOOPBACK}:{port} }}
"""


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        said = f"test-image: no {' and no '.join(missing)} here (Debian: apt-get install {' '.join(missing)})"
        if os.environ.get("CI"):
            raise SystemExit(said)
        print(f"SKIPPED {said}", file=sys.stderr)
        return
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    port = free_port()
    config = WORK / "registry.yaml"
    config.write_text(registry(port))

    def fetch(path):
        request = urllib.request.Request(f"http://{LOOPBACK}:{port}/v2/{path}", headers={"accept": MANIFEST})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()

    read = 0
    with Process(["docker-registry", "serve", config], WORK / "registry.log") as running:
        running.wait_for(port)
        for name, module in NAMES.items():
            module = places.built(f"modules/wasm32-wasip1/wasm/mcp_boundary_{module}.wasm")
            digests = layout(module, WORK / name)
            again = layout(module, WORK / "elsewhere" / name)
            assert digests == again and same(WORK / name, WORK / "elsewhere" / name), f"{name}: two runs differ"
            for form, digest in digests.items():
                place = f"docker://{LOOPBACK}:{port}/{name}:{form}"
                subprocess.run(
                    ["skopeo", "copy", "--quiet", "--preserve-digests", "--dest-tls-verify=false"]
                    + [f"oci:{WORK / name}:{form}", place],
                    check=True,
                )
                for reference in (form, digest):
                    got = by_istios_rules(fetch, name, reference)
                    assert got == module.read_bytes(), f"{name}:{reference} is another module"
                    read += 1
                manifest = fetch(f"{name}/manifests/{form}")
                assert f"sha256:{hashlib.sha256(manifest).hexdigest()}" == digest, f"{name}:{form}: another digest"
                print(f"oci://{name}@{digest} ({form})")
    print(f"test-image: {read} modules read back from a registry, byte for byte")


main()
