#!/usr/bin/env bash
# Puts the pinned pydantic into .cache/readers, in a Python environment of its
# own, and prints the path of that Python. Does nothing else when it is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$here/../../.cache/readers"
cache=$(cd "$here/../../.cache/readers" && pwd)

python3 -c 'import venv, ensurepip' 2>/dev/null ||
    { echo "missing prerequisite: python3 with venv and pip (Debian: apt-get install python3-venv)" >&2; exit 1; }

# Complete only when this file says for which pins.
pins=$(cat "$here/requirements-readers.txt")
if [[ $(cat "$cache/pins" 2>/dev/null) != "$pins" ]]; then
    rm -f "$cache/pins"
    python3 -m venv --clear "$cache/venv"
    "$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        --requirement "$here/requirements-readers.txt" >&2
    echo "$pins" >"$cache/pins"
fi
echo "$cache/venv/bin/python"
