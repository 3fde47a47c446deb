#!/usr/bin/env bash
# Puts the pinned conformance suite, its Node and the Python SDK into
# .cache/conformance. Does nothing when they are there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$here/../../.cache/conformance
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

command -v npm >/dev/null || { echo "missing prerequisite: npm, to fetch the conformance suite (Debian: apt-get install npm)" >&2; exit 1; }
python3 -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { echo "missing prerequisite: python3, 3.11 or later, with venv (Debian: apt-get install python3-venv)" >&2; exit 1; }

# Complete only when this file says for which pins.
pins=$(cat "$here/package-lock.json" "$here/requirements.txt")
[[ $(cat "$cache/pins" 2>/dev/null) == "$pins" ]] && exit 0

rm -f "$cache/pins"
cp "$here/package.json" "$here/package-lock.json" "$cache/"
# No scripts of packages are run: none of these needs one.
npm ci --prefix "$cache" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
python3 -m venv --clear "$cache/venv"
"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    --requirement "$here/requirements.txt" >&2
echo "$pins" >"$cache/pins"
