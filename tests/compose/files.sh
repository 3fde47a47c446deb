#!/usr/bin/env bash
# Makes what envoy/docker-compose.yaml mounts: `files.sh FOLDER`, build/compose
# unless told otherwise.
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

for line in $(.ci/modules); do
    case $line in *filter.wasm) install -m 644 "$line" "$folder/mcp_boundary.wasm" ;; esac
done
# Static, whatever the C library of the image; with few optimisations, it is a sample.
RUSTFLAGS='-C target-feature=+crt-static' CARGO_TARGET_DIR=target/programs cargo build --quiet --locked \
    --target "$host" --package mcp-boundary-sample --bin sample-server
install -m 755 "target/programs/$host/debug/sample-server" "$folder/sample-server"

policy() { cargo run --quiet --bin mcp-policy -- "$@"; }
policy bootstrap --listen 0.0.0.0:8080 --upstream mcp-server:8000 --output "$folder/envoy.yaml" --discover /etc/envoy/mcp
tests/compose/policy.sh envoy/policy.yaml "$folder/mcp"
chmod 644 "$folder/envoy.yaml"
ls -l "$folder" "$folder/mcp"
