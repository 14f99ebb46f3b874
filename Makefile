# Everything a contributor runs. "make" alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# What to test or lint; narrow it with PKG=./render/...
PKG ?= ./...
# How long each fuzz target runs; FUZZ=regexp picks some of them.
FUZZTIME ?= 30s
# Which scenarios of test/bench to measure, with commas between; all of them if empty.
BENCH ?=
# Where "make redis" listens.
REDIS_PORT ?= 6379

TOOLS := .tools/bin

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install what the tests need: redis-server, Chromium, a C compiler, Python, Node
	@scripts/setup.sh

.PHONY: build
build: ## build bin/askbridge
	CGO_ENABLED=0 go build -trimpath -o bin/askbridge ./cmd/askbridge

.PHONY: sim
sim: ## open the simulator page with a sample agent
	go run ./cmd/askbridge sim

.PHONY: picture
picture: setup ## make docs/picture.png from the simulator
	@go test -count=1 -run TestQuickStartInBrowser ./chatsim/page -args -picture $(abspath docs/picture.png)

.PHONY: gallery
gallery: setup ## make the pictures of docs/gallery.md from the golden cards
	@go test -count=1 -run TestGalleryPicturesShowTheGoldenCards ./chatsim/page -args -pictures

# Where "make shots" puts its pictures.
SHOTS ?= shots

.PHONY: shots
shots: setup ## take a picture of every golden card and of every view of the simulator's page, at three widths, in light and dark, into SHOTS
	@mkdir -p $(SHOTS)
	@go test -count=1 -run 'TestEveryViewAtThreeWidths|TestEveryMomentOfATeam|TestQuickStartInBrowser' ./chatsim/page -args -shots $(abspath $(SHOTS))

.PHONY: test
test: setup ## set up, then run every test with the race detector; a skipped test fails
	@go run ./scripts/gotest -race -timeout 15m $(PKG)

.PHONY: race
race: setup ## run every test again, uncached and in random order, with the race detector
	@go run ./scripts/gotest -race -count=1 -shuffle=on -timeout 15m $(PKG)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (30s); FUZZ=regexp picks some
	@FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

.PHONY: faults
faults: setup ## inject faults into the whole program and check what people and agents see
	@go run ./scripts/gotest -race -count=1 -tags faults -timeout 15m -parallel 8 ./test/faults

# Which part of the mutants or of the agent hosts; all of them unless told.
PART ?= 1/1

.PHONY: mutants
mutants: setup ## break one promise at a time and check that a test fails; PART=2/3 runs the second third
	@go run ./scripts/gotest -count=1 -tags mutants -timeout 45m -parallel 2 ./test/mutants -part $(PART)

.PHONY: peers
peers: setup ## run correct and broken bots of Bolt, discord.js and the Chat SDK against the doubles
	@go run ./scripts/gotest -count=1 -tags peers -parallel 6 -timeout 5m ./test/peers

.PHONY: hosts
hosts: ## install real agent hosts and run them against askbridge; PART=2/3 runs the second third, and Claude Code always
	@scripts/setup.sh hosts
	@go run ./scripts/gotest -count=1 -tags hosts -parallel 2 -timeout 40m ./test/hosts -part $(PART)

.PHONY: newcomer
newcomer: ## follow the README as a newcomer in a bare environment; WARM=1 compiles less
	@WARM=$(WARM) scripts/newcomer.sh

.PHONY: hosts-latest
hosts-latest: ## run the newest version of each agent host instead of the pinned one, and print what differs
	@scripts/setup.sh hosts
	@go test -count=1 -v -tags hosts -parallel 2 -timeout 40m ./test/hosts -latest -part $(PART)

# How many lives the storm has.
N ?= 400

.PHONY: storm
storm: setup ## run N (400) questions from start to end while everything fails, and check the outcome
	go test -race -count=1 -tags faults -timeout 60m -v -run '^TestStorm$$' ./test/chaos -lives $(N)

.PHONY: bench
bench: setup ## compare speed and memory with the floor program, into docs/performance.md; BENCH=latency,waiting picks some
	go run ./test/bench/measure $(if $(BENCH),-only $(BENCH))

.PHONY: cover
cover: setup ## measure coverage over all packages and write cover.out
	@go test -coverprofile cover.out -coverpkg ./... $(PKG) >/dev/null
	@go tool cover -func cover.out | tail -n 1
	@echo "lines: go tool cover -html cover.out"

.PHONY: golden
golden: ## rewrite the golden files; then read the diff
	@go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... \
	  | awk '/test\/golden/ && $$1 !~ /test\/golden$$/ { print $$1 }' \
	  | xargs -r go test -count=1 -update
	@git status --short -- '*/testdata/*' 'docs/*'

.PHONY: fmt
fmt: $(TOOLS)/golangci-lint ## format all Go files
	@$(TOOLS)/golangci-lint fmt

.PHONY: lint
lint: $(TOOLS)/golangci-lint ## run the linters and show unformatted files
	@$(TOOLS)/golangci-lint run $(PKG)
	@$(TOOLS)/golangci-lint fmt --diff
	@$(MAKE) fmt-check

.PHONY: fix
fix: $(TOOLS)/golangci-lint ## let the linters fix what they can
	@$(TOOLS)/golangci-lint run --fix $(PKG)

.PHONY: fmt-check
fmt-check: $(TOOLS)/golangci-lint ## fail if gofmt or gofumpt would change a file
	@unformatted=$$($(TOOLS)/gofumpt -l .); \
	  if [[ -n $$unformatted ]]; then printf 'run "make fmt": %s\n' $$unformatted; exit 1; fi

.PHONY: vet
vet: ## run go vet
	go vet ./...

.PHONY: tidy-check
tidy-check: ## fail if go.mod or go.sum is not tidy or a module was altered
	go mod tidy -diff
	go mod verify

.PHONY: docs
docs: setup ## check the documents: links, snippets, word counts, plain English, listings, pictures
	@go run ./scripts/repocheck links words readme
	@go test -run 'TestDocs' ./cmd/askbridge
	@go test -run 'TestPagesArePlainEnglish|TestOldWords' ./internal/arch
	@go test -run 'TestGalleryPicturesShowTheGoldenCards|TestQuickStartInBrowser' ./chatsim/page
	@go test -run 'TestWorkflows|TestRelease|TestIssue|TestInstallLinks|TestArtifactHub|TestServerJSON|TestVersions|TestTunnel' ./test/listings

.PHONY: commits
commits: ## fail if the subject of a new commit is not "area: imperative summary" in 72 characters
	@go run ./scripts/repocheck commits

.PHONY: hooks
hooks: ## check commit subjects in a git hook
	@git config core.hooksPath scripts/hooks
	@echo "git runs scripts/hooks/commit-msg before each commit; undo it with: git config --unset core.hooksPath"

.PHONY: size
size: ## fail if a source file is too long to read
	@go run ./scripts/repocheck size

# The whole bridge with mock platforms that the SDKs are tested against.
SDKBRIDGE := $(CURDIR)/bin/sdkbridge

.PHONY: sdk
sdk: sdk-ts sdk-py ## check the OpenAPI document and test both SDKs against the whole program

.PHONY: sdk-bridge
sdk-bridge:
	@CGO_ENABLED=0 go build -trimpath -o bin/ ./test/sdkbridge ./cmd/askbridge

.PHONY: sdk-ts
sdk-ts: setup sdk-bridge ## lint the OpenAPI document, check the types generated from it, and test the TypeScript SDK
	@cd sdk/typescript && node scripts/lint-api.mjs && node scripts/types.mjs --check && SDKBRIDGE=$(SDKBRIDGE) ASKBRIDGE=$(CURDIR)/bin/askbridge npm test

.PHONY: sdk-py
sdk-py: setup sdk-bridge ## check the types of the Python SDK and test it
	@cd sdk/python && python=$$(../../scripts/python.sh) && $$python -m mypy && SDKBRIDGE=$(SDKBRIDGE) ASKBRIDGE=$(CURDIR)/bin/askbridge $$python -m pytest

.PHONY: sdk-types
sdk-types: setup ## write the TypeScript types from docs/reference/openapi.json
	@cd sdk/typescript && node scripts/types.mjs

SECURITY := .tools/security

.PHONY: security
security: $(SECURITY)/licences ## check licences, and look for secrets in the history and known vulnerabilities
	@scripts/security.sh

.PHONY: licences
licences: $(SECURITY)/licences ## write docs/reference/licences.md
	@$(SECURITY)/licences -write docs/reference/licences.md

$(SECURITY)/licences: tools/security/go.mod tools/security/go.sum $(wildcard tools/security/licences/*.go)
	@mkdir -p $(SECURITY)
	@go -C tools/security build -o ../../$(SECURITY)/ ./licences tool && touch $(SECURITY)/*

RELEASE := .tools/release

.PHONY: packages
packages: $(RELEASE)/helm ## build a release without a network, and test its packages, unit, chart and manual
	@scripts/setup.sh packages
	@go run ./scripts/gotest -count=1 -tags packages -timeout 30m ./test/packages

.PHONY: packaging
packaging: setup ## the part of "make packages" without goreleaser and Helm: reproducible build, unit, compose file
	@scripts/setup.sh packaging
	@go run ./scripts/gotest -count=1 -tags packages -timeout 10m -run '^(TestReproducibleBuild|TestUnitIsValid|TestComposeReferencesExist|TestComposeSecretsAreIgnored|TestGuideMatchesPackageAndUnit|TestCommandsReadServiceSecrets|TestGuideMatchesCompose|TestProxies)$$' ./test/packages

$(RELEASE)/helm: tools/release/go.mod tools/release/go.sum
	@mkdir -p $(RELEASE)
	@echo "building goreleaser and helm; this takes minutes, once"
	@go -C tools/release build -o ../../$(RELEASE)/ tool && touch $(RELEASE)/*

.PHONY: redis
redis: setup ## run a Redis for development on REDIS_PORT (6379), with the settings that askbridge needs
	redis-server --port $(REDIS_PORT) --dir "$$(mktemp -d)" --appendonly yes --maxmemory-policy noeviction

.PHONY: check
check: ## everything CI does
	@bash .ci/run

# The tools are a module of their own, so their versions and sums are pinned
# without entering ours. Built once, then again when that module changes.
$(TOOLS)/golangci-lint: tools/go.mod tools/go.sum
	@mkdir -p $(TOOLS)
	@echo "building golangci-lint and gofumpt; this takes minutes, once"
	@started=$$SECONDS; go -C tools build -o ../$(TOOLS)/ tool && touch $(TOOLS)/*; \
	  echo "built in $$((SECONDS - started)) s"
