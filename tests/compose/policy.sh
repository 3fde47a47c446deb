#!/usr/bin/env bash
# Puts a policy in force: `policy.sh POLICY FOLDER`. Envoy sees each file whole.
set -euo pipefail
umask 022
for role in recheck admit; do
    cargo run --quiet --bin mcp-policy -- envoy "$1" --role "$role" --module /etc/envoy/mcp_boundary.wasm \
        --resource >"$2/next"
    mv "$2/next" "$2/$role.yaml"
done
