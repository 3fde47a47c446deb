#!/usr/bin/env bash
# The compose file with its containers: the demonstration's calls, a policy that
# changes, a server that goes and comes, an Envoy that is killed, and Prometheus'
# page. Where there is no Docker, and as root on Debian, one is installed and
# started that nobody else uses (engine.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# In a pipeline, a test that cannot run has failed, unless it is told otherwise.
skip() {
    echo "test-compose: skipped, $1" >&2
    exit 0
}

work=$PWD/target/docker
if ! docker info >/dev/null 2>&1; then
    if command -v docker >/dev/null && [[ $(id -u) -ne 0 ]]; then
        echo "test-compose: Docker is here, but not for this user; add yourself to its group, or run this as root" >&2
        exit 1
    fi
    [[ $(uname -s) == Linux && $(id -u) -eq 0 ]] || skip "no Docker here (https://docs.docker.com/engine/install)"
    tests/compose/engine.sh start "$work" || skip "no Docker here, and none can be started"
    trap 'tests/compose/engine.sh stop "$work"' EXIT
    export DOCKER_HOST=unix://$work/docker.sock
    # The image is this machine's Debian, so that what is built for it runs there.
    cargo build --quiet --bins
    export SAMPLE_SERVER=${CARGO_TARGET_DIR:-target}/debug/sample-server
fi
if docker compose version >/dev/null 2>&1; then
    compose=(docker compose)
elif command -v docker-compose >/dev/null; then
    compose=(docker-compose)
else
    skip "Docker is here without Compose (Debian: apt-get install docker-compose)"
fi

# Free, so that a gateway of `make run` stays.
PORT=${PORT:-$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')}
export PORT
compose+=(--project-name mcp-boundary-test --file envoy/docker-compose.yaml)
end() {
    "${compose[@]}" down --timeout 5 >/dev/null 2>&1 || true
    [[ -z ${DOCKER_HOST:-} || $DOCKER_HOST != unix://$work/* ]] || tests/compose/engine.sh stop "$work"
}
trap end EXIT

# Whatever files of ours are like, containers must be able to read these.
(umask 077 && make --no-print-directory compose-files >/dev/null)
"${compose[@]}" up -d >/dev/null

call() {
    python3 - "$PORT" "$1" <<'P'
import json, sys, urllib.request
body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
body["params"] = {"name": sys.argv[2], "arguments": {"city": "Oslo", "repo": "main"}}
headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
headers["mcp-protocol-version"] = "2025-11-25"
url = f"http://127.0.0.1:{sys.argv[1]}/mcp"
request = urllib.request.Request(url, json.dumps(body).encode(), headers)
try:
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read().decode()
        print("denied" if "refused by the gateway" in text else "served" if "content" in text else text)
except urllib.error.HTTPError as error:
    print(error.code)
except OSError as error:
    print("nobody")
P
}
# Waits for a call to come to this.
expect() {
    local got tries
    for ((tries = 0; tries < 120; tries++)); do
        got=$(call "$1")
        [[ $got != "$2" ]] || { echo "test-compose: $3: $1 is $2"; return; }
        sleep 0.5
    done
    echo "test-compose: $3: $1 is $got, not $2" >&2
    "${compose[@]}" logs --tail 40 >&2
    exit 1
}

expect get_weather served "once all is up"
cargo run --quiet --bin demo -- --gateway "127.0.0.1:$PORT"

sed 's/get_weather/get_forecast/g' envoy/policy.yaml >build/compose/other.yaml
tests/compose/policy.sh build/compose/other.yaml build/compose/mcp
expect get_weather denied "under another policy"
tests/compose/policy.sh envoy/policy.yaml build/compose/mcp
expect get_weather served "under the first one again"

"${compose[@]}" stop --timeout 2 mcp-server >/dev/null 2>&1
expect get_weather 503 "without a server"
expect delete_repo denied "without a server"
"${compose[@]}" start mcp-server >/dev/null 2>&1
expect get_weather served "with the server back"

"${compose[@]}" kill envoy >/dev/null 2>&1
expect get_weather nobody "without Envoy"
"${compose[@]}" up -d >/dev/null 2>&1
expect get_weather served "with Envoy back"
expect delete_repo denied "with Envoy back"

page=$("${compose[@]}" exec -T envoy bash -c \
    "exec 3<>/dev/tcp/127.0.0.1/9901 && printf 'GET /stats/prometheus HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n' >&3 && cat <&3")
grep -q '^mcp_boundary_requests_total{' <<<"$page" || {
    echo "test-compose: Prometheus' page has no counter of the boundary" >&2
    head -5 <<<"$page" >&2
    exit 1
}
echo "test-compose: Prometheus' page has the boundary's counters"
echo "test-compose: all is as the policy says"
