# ibperf: build, test, compare. `make help` lists the targets.

GO      ?= go
OUT     ?= out
FUZZ    ?= 50000x

.PHONY: help build check test compare bench fuzz clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

build: ## build all programs into bin/
	$(GO) build -o bin/ ./cmd/...

check: ## formatting, vet, staticcheck, builds without cgo and for arm64
	test/check

# Packages run one after another: their loops spin on every core.
test: check ## everything that is tested, with the race detector
	$(GO) test -race -p 1 -timeout 10m ./...
	$(GO) test -run DoNotAllocate ./harness # the race detector makes calls allocate
	test/fuzz $(FUZZ)

compare: build ## all three ways side by side on the default device, into out/
	test/compare $(OUT)

bench: ## the loops' own cost and allocations
	$(GO) test -run '^$$' -bench . ./harness ./verbs/shm ./internal/...

clean: ## remove what was built and measured
	rm -rf bin $(OUT)
