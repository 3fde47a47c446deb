#!/usr/bin/env bash
# Installs what a suite has pinned into .cache, and prints where each set is:
#
#     install.sh clients|conformance|workspace|readers
#
# A set is `python/NAME` (an environment of its own), `npm/NAME` (a tree of
# packages) or `rust/NAME` (built programs); pins/ says what is in the first two.
# One that is there is left alone; one whose pins changed is installed anew.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
pins=$root/tests/harness/pins

sets_of() {
    case $1 in
        clients)
            echo npm/clients
            echo python/mcp-1.9.4 python/mcp-1.30.0 python/mcp-2.3.0
            echo python/fastmcp-2.10.6 python/fastmcp-2.14.7 python/fastmcp-4.2.3
            echo rust/clients
            ;;
        conformance) echo npm/conformance python/mcp-2.3.0 ;;
        workspace) echo python/mcp-2.3.0 python/mcp-proxy-0.13.0 ;;
        readers) echo python/pydantic-2.14.4 ;;
        *)
            echo "no suite \`$1\`; there are clients, conformance, workspace, readers" >&2
            return 2
            ;;
    esac
}

missing() {
    echo "missing prerequisite: $1" >&2
    exit 1
}

install_python() {
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing "python3 with venv and pip (Debian: apt-get install python3-venv)"
    [[ $1 == pydantic-* ]] || python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        missing "python3, 3.11 or later; this is $(python3 --version)"
    python3 -m venv --clear "$2"
    # The pins are complete, and some clients are older than what they are pinned with.
    "$2/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --requirement "$pins/python/$1.txt" >&2
}

install_npm() {
    [[ $(uname -sm) == "Linux x86_64" ]] || missing "Linux on x86-64, which the pinned Node is for"
    command -v npm >/dev/null || missing "node 20 or later with npm (Debian: apt-get install npm)"
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
        missing "node 20 or later; this is $(node --version)"
    mkdir -p "$2"
    cp "$pins/npm/$1/package.json" "$pins/npm/$1/package-lock.json" "$2/"
    # Not `npm ci`: the lock file leaves out what is for other systems only. No
    # scripts of packages are run: none of these needs one.
    npm install --prefix "$2" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2
}

# Cargo knows by itself what is there.
install_rust() {
    CARGO_TARGET_DIR=$2 cargo build --quiet --locked --manifest-path "$root/tests/$1/rust/Cargo.toml" >&2
}

# What a set is made from; nothing of what Cargo builds.
pins_of() {
    case $1 in
        python/*) cat "$pins/$1.txt" ;;
        npm/*) cat "$pins/$1/package.json" "$pins/$1/package-lock.json" ;;
    esac
}

install() {
    local folder=$root/.cache/$1 wanted
    wanted=$(pins_of "$1")
    if [[ -z $wanted ]]; then
        "install_${1%%/*}" "${1#*/}" "$folder"
    elif [[ $(cat "$folder/.pins" 2>/dev/null) != "$wanted" ]]; then
        echo "installing $1" >&2
        rm -rf "$folder"
        "install_${1%%/*}" "${1#*/}" "$folder"
        # Complete only when this file says for which pins.
        echo "$wanted" >"$folder/.pins"
    fi
    echo "$folder"
}

[[ $# -eq 1 ]] || { sed -n 's/^#     //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
sets=$(sets_of "$1")
for set in $sets; do
    install "$set"
done
