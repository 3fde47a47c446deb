#!/usr/bin/env bash
# Runs each fuzz target for T seconds (60), from the corpus as seeds.
#
# What is found stays in tests/fuzz/corpus (not committed); an input that fails
# a target is left in tests/fuzz/artifacts and named at the end. Such an input
# becomes a case in tests/corpus, or a test beside the code.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${T:-60}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-../../target/fuzz}

if ! rustup run nightly cargo --version >/dev/null 2>&1; then
    echo "fuzz: needs the nightly toolchain: rustup toolchain install nightly" >&2
    exit 1
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    cargo install --quiet --locked cargo-fuzz
fi
python3 seeds.py corpus

# There is no unsafe code to watch, so no sanitizer: more executions a second.
fuzz() { cargo +nightly fuzz "$1" --fuzz-dir . --sanitizer none "${@:2}"; }
fuzz build
failed=0
for target in strict_json decide policy_blob yaml; do
    log=$(mktemp "${TMPDIR:-/tmp}/fuzz.XXXXXX")
    if ! fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -max_len=4096 -print_final_stats=1 \
        >"$log" 2>&1; then
        failed=1
        tail -n 40 "$log"
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    new=$(sed -n 's/^stat::new_units_added: *//p' "$log")
    cover=$(grep -o 'cov: [0-9]*' "$log" | sed -n '1p;$p' | tr '\n' ' ')
    echo "$target: ${runs:-?} executions, ${new:-?} new inputs, coverage first and last: ${cover:-?}"
    rm -f "$log"
done
if [[ $failed -ne 0 ]]; then
    echo "fuzz: a target failed; the inputs are in tests/fuzz/artifacts" >&2
fi
exit "$failed"
