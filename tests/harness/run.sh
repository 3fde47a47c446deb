#!/usr/bin/env bash
# Runs a suite in Python with what it has pinned: `run.sh clients|conformance|workspace [OPTION...]`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

suite=${1:-}
harness/install.sh "$suite" >/dev/null
shift
exec ../.cache/python/mcp-2.3.0/bin/python -B -m "$suite.run" "$@"
