# ibperf: build, test, compare. `make help` lists the targets.

GO      ?= go
OUT     ?= out
FUZZ    ?= 30000x
MINUTES ?= 60
SEED    ?= 0
# Programs tell the revision that they are built from where git knows it, whatever GOFLAGS says.
VCS     := $(shell git rev-parse -q --verify HEAD >/dev/null 2>&1 && echo auto || echo false)

.PHONY: help packages build release man check test trials soak guest-test guest-shell mutations compare bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

packages:
	@test/packages build || [ -z "$$CI" ] # the compiler tells what it really lacks

build: packages ## build all programs into bin/
	$(GO) build -buildvcs=$(VCS) -o bin/ ./cmd/...

release: packages ## programs for hosts with glibc 2.28 or later, into $(OUT)/release/
	test/release $(OUT)/release

man: ## man pages of the benchmark programs into $(OUT)/man/
	$(GO) build -buildvcs=$(VCS) -o $(OUT)/manpages ./internal/manpages # go run would leave out the revision
	$(OUT)/manpages $(OUT)/man

check: packages ## formatting, vet, staticcheck, builds without cgo and for arm64
	test/check

# Packages run one after another: their loops spin on every core.
test: check ## all tests: with the race detector, and on a real RDMA device in a guest
	@test/packages browser || [ -z "$$CI" ] # without it reports/browser is skipped
	$(GO) test -race -p 1 -timeout 20m ./...
	$(GO) test -run 'DoNotAllocate|InjectedDelay|Controls|MemoryIsFlat' ./harness # which the race detector would slow or make allocate
	test/fuzz $(FUZZ)
	test/release $(OUT)/release || [ -z "$$CI" ] # which downloads the C library of Debian 11
	test/arm64
	test/guest/tests

trials: packages ## what takes long: a device compared with itself, all command lines of perftest, a third of them beside it in the guest (25 minutes)
	$(GO) test -tags trials -p 1 -run Trial -v -timeout 30m ./harness ./test/e2e
	GUEST_TIMEOUT=960 test/guest/tests trials

soak: ## mixed load on the embedded device, peers killed and stopped; nothing may grow (MINUTES=60); SEED=N repeats one
	$(GO) test ./test/soak -count=1 -v -timeout 0 -minutes $(MINUTES) -seed $(SEED)

guest-test: packages ## the tests in the guest only; GUEST_SUITE=trixie for those of Debian 13
	test/guest/tests

guest-shell: ## a command line in the guest: make guest-shell CMD='rdma link; uname -a'
	@test/guest/run sh -c "$$CMD"

mutations: packages ## a sample of small faults in the embedded device; the tests must notice most (30 minutes)
	$(GO) run ./test/mutations

compare: build ## ib_compare on the RDMA device, or the embedded one if there is none: verdict, results, plots and page in out/ (2 minutes)
	test/compare $(OUT)

bench: build ## everything beside its reference, with goals, into out/bench/ (20 minutes); RUN='send_lat, 8,' for some lines
	test/bench $(OUT)/bench $(if $(RUN),--run '$(RUN)')

clean: ## remove what was built and measured
	rm -rf bin $(OUT)
