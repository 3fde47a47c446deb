#!/usr/bin/env bash
# Puts the pinned Python SDK and the pinned bridge into .cache/workspace, each
# with a Python environment of its own: the bridge needs an older SDK. Does
# nothing when they are there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$here/../../.cache/workspace"
cache=$(cd "$here/../../.cache/workspace" && pwd)

python3 -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { echo "missing prerequisite: python3, 3.11 or later, with venv (Debian: apt-get install python3-venv)" >&2; exit 1; }

# Complete only when this file says for which pins.
pins=$(cat "$here/requirements.txt" "$here/requirements-bridge.txt")
[[ $(cat "$cache/pins" 2>/dev/null) == "$pins" ]] && exit 0

rm -f "$cache/pins"
environment() {
    python3 -m venv --clear "$cache/$1"
    "$cache/$1/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        --requirement "$here/$2" >&2
}
environment venv requirements.txt
environment bridge requirements-bridge.txt
echo "$pins" >"$cache/pins"
