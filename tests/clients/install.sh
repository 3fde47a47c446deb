#!/usr/bin/env bash
# Installs the pinned clients and servers of the matrix into .cache/clients.
# What is there already is left alone; a changed pin is installed anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing() {
    echo "missing prerequisite: $1" >&2
    exit 1
}
[[ $(uname -sm) == "Linux x86_64" ]] || missing "Linux on x86-64, which the pinned clients are for"
command -v npm >/dev/null || missing "node 20 or later with npm, for the Node clients (Debian: apt-get install npm)"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || missing "node 20 or later; this is $(node --version)"
python3 -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    missing "python3, 3.11 or later, with venv, for the Python clients (Debian: apt-get install python3-venv)"

cache=$(cd ../.. && pwd)/.cache/clients
mkdir -p "$cache"

# Says whether FOLDER was installed from exactly these files before; if not, it
# is emptied.
installed() {
    local folder=$cache/$1 pins
    shift
    pins=$(cat "$@")
    [[ -f $folder/.pins && $(<"$folder/.pins") == "$pins" ]] && return
    rm -rf "$folder"
    return 1
}
done_with() {
    local folder=$cache/$1
    shift
    cat "$@" >"$folder/.pins"
}

if ! installed node node/package.json node/package-lock.json; then
    echo "installing the Node clients"
    mkdir -p "$cache/node"
    cp node/package.json node/package-lock.json "$cache/node/"
    # Not `npm ci`: the lock file leaves out what is for other systems only.
    npm install --prefix "$cache/node" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
    done_with node node/package.json node/package-lock.json
fi

for pins in python/*.txt; do
    name=$(basename "$pins" .txt)
    if ! installed "$name" "$pins"; then
        echo "installing $name"
        python3 -m venv "$cache/$name"
        "$cache/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
            --only-binary :all: --requirement "$pins"
        done_with "$name" "$pins"
    fi
done
