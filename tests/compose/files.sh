#!/usr/bin/env bash
# Makes what envoy/docker-compose.yaml mounts: `files.sh FOLDER`, build/compose
# unless told otherwise. SAMPLE_SERVER names a sample server that is built already
# and runs in the container's image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Containers read these as other users, whatever files of ours are like otherwise.
umask 022
folder=${1:-build/compose}
mkdir -p "$folder/mcp"

system=$(uname -s)
[[ $system == Linux ]] || {
    echo "compose-files: the sample server is built here to run in a container, which takes Linux; this is $system. For a server of your own see docs/deploy/compose.md" >&2
    exit 1
}
host=$(rustc -vV | sed -n 's/^host: //p')

target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --profile wasm --package mcp-boundary-filter --package mcp-boundary-gate --target wasm32-wasip1
install -m 644 "$target/wasm32-wasip1/wasm/mcp_boundary_filter.wasm" "$folder/mcp_boundary.wasm"
if [[ -z ${SAMPLE_SERVER:-} ]]; then
    # Static, whatever the C library of the image; with few optimisations, it is a sample.
    RUSTFLAGS='-C target-feature=+crt-static' CARGO_TARGET_DIR=target/programs cargo build --quiet --locked \
        --target "$host" --package mcp-boundary-sample --bin sample-server
    SAMPLE_SERVER=target/programs/$host/debug/sample-server
fi
install -m 755 "$SAMPLE_SERVER" "$folder/sample-server"

policy() { cargo run --quiet --bin mcp-policy -- "$@"; }
policy bootstrap --listen 0.0.0.0:8080 --upstream mcp-server:8000 --output "$folder/envoy.yaml" --discover /etc/envoy/mcp
tests/compose/policy.sh envoy/policy.yaml "$folder/mcp"
chmod 644 "$folder/envoy.yaml"
ls -l "$folder" "$folder/mcp"
