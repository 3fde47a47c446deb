#!/usr/bin/env bash
# Builds the modules and their images from two clones in two folders: they must
# be the same, byte for byte. What is not committed is not in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d "${TMPDIR:-/tmp}/mcp-boundary.XXXXXX")
trap 'rm -rf "$work"' EXIT
for clone in a "some where/else"; do
    mkdir -p "$work/$clone"
    git clone --quiet --local . "$work/$clone/clone"
    (
        cd "$work/$clone/clone"
        modules=$(.ci/modules)
        for module in $modules; do
            .ci/image "$module" "target/images/$(basename "$module" .wasm)"
        done
        cksum target/modules/wasm32-wasip1/wasm/*.wasm
    ) >"$work/$clone/said"
done
diff "$work/a/said" "$work/some where/else/said"
cat "$work/a/said"
echo "reproducible: two clones, the same modules and images"
