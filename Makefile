# ibperf: build, test, compare. `make help` lists the targets.

GO      ?= go
OUT     ?= out
FUZZ    ?= 30000x
MINUTES ?= 60
TIME    ?= 10m
SEED    ?= 0
ATTACK  ?=
# Programs print the revision that they are built from if git knows it, even with other GOFLAGS.
export VCS := $(shell git rev-parse -q --verify HEAD >/dev/null 2>&1 && echo auto || echo false)

.PHONY: help packages build release deb rpm man check test long words fuzz attack trials cluster-table soak guest-test guest-shell mutations compare bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

packages:
	@test/packages build || [ -z "$$CI" ] # without CI the compiler names what is missing

build: packages ## build all programs into bin/
	$(GO) build -buildvcs=$(VCS) -o bin/ ./cmd/ib_...

release: ## write archives, Debian and RPM packages for amd64 and arm64 with checksums into out/release/
	packaging/release $(OUT)/release archive deb rpm

deb: ## write only the Debian packages
	packaging/release $(OUT)/release deb

rpm: ## write only the RPM packages
	packaging/release $(OUT)/release rpm

man: build ## write the man pages of all programs into out/man/, from their --help
	$(GO) run ./cmd/internal/manpages bin $(OUT)/man

check: packages ## check formatting, vet, staticcheck, builds without cgo, for arm64 and for macOS
	test/check

# Packages whose loops spin on every core run one after another (-p 1).
SPINNING := /(harness|verbs/shm|verbs/ibv|cmd/internal/cli|internal/testdevice|oob|test/e2e|test/attack|test/faults|test/soak|test/browser)$$
# Tests of one goroutine that draw, print or simulate hundreds of cases, which the race detector only makes ten times as long,
# and one of the CPU time of many connections.
UNRACED  := NoTextLiesOnALine|FiguresForPapers|TimeIsLinear|NoSentenceContradicts|BriefsHaveTwelveLines|HeatMap|ManyAgents|ManyOutliers
# What make test leaves to make long: test/long.txt.
LONG     := ^($(shell awk '/^[^#]/ { print $$2 }' test/long.txt | paste -sd '|' -))$$
LONG_IN   = $(addprefix ./,$(shell awk '/^[^#]/ && (/^test/ ? "test" : ".") == "$(1)" { sub("^test/", ""); print $$1 }' test/long.txt | sort -u))

test: check ## run the tests of both modules with the race detector, and a sample in a guest with an RDMA device (20 minutes)
	@test/packages groff leaks || [ -z "$$CI" ] # without them tests of man pages and leaks are skipped
	$(GO) test -race -vet=off -skip '$(UNRACED)|$(LONG)' $$($(GO) list ./... | grep -vE '$(SPINNING)')
	$(GO) test -race -vet=off -p 1 -timeout 45m -skip '$(LONG)' $$($(GO) list ./... | grep -E '$(SPINNING)')
	$(GO) test -vet=off -run '$(UNRACED)' ./reports/... ./cmd/ib_report ./cmd/internal/cluster/heatmap ./cmd/internal/cluster/coordinator ./cmd/internal/cluster/simulation
	$(GO) test -vet=off -timeout 45m -run 'DoNotAllocate|MemoryIsFlat' ./harness # the race detector allocates
	$(GO) test -vet=off -tags interleave ./verbs/shm/internal/... # all orders of their steps
	cd test && $(GO) test -race -vet=off $$($(GO) list ./... | grep -vE '$(SPINNING)')
	cd test && $(GO) test -race -vet=off -p 1 -timeout 45m -skip '$(LONG)' $$($(GO) list ./... | grep -E '$(SPINNING)')
	test/guest/tests sample
	@echo 'test: ok; not run, see make long: the tests of test/long.txt, new inputs of fuzz targets, arm64, programs on Debian 11, most of the guest'

long: packages ## run what make test leaves out: long tests, the order of locks, fuzz targets, arm64, programs on Debian 11, the whole guest (40 minutes)
	@test/packages browser || [ -z "$$CI" ] # without it test/browser is skipped
	$(GO) test -race -vet=off -p 1 -timeout 45m -run '$(LONG)' $(call LONG_IN,.)
	$(GO) test -vet=off -run 'InjectedDelay|Controls' ./harness # the race detector slows these
	$(GO) test -vet=off -tags lockorder -skip Allocate ./verbs/shm ./verbs/shm/internal/lockorder
	cd test && $(GO) test -race -vet=off -p 1 -timeout 45m -run '$(LONG)' $(call LONG_IN,test)
	test/fuzz $(FUZZ)
	packaging/tree $(OUT)/tree $(shell $(GO) env GOHOSTARCH) || [ -z "$$CI" ] # needs a download: the C library of Debian 11
	test/arm64
	test/guest/tests

words: ## find retired words and names; FOLDER=oob in one folder
	@$(GO) -C test build -o $(abspath $(OUT))/words ./words && $(OUT)/words $(FOLDER)

fuzz: packages ## fuzz all targets for TIME=10m, half of it with edited sessions, and print the inputs of each
	test/fuzz $(TIME)

attack: build ## attack the programs over loopback: what held, peak memory, longest time (30 minutes); ATTACK=regexp for some
	$(GO) -C test run ./attack -bin ../bin -run '$(ATTACK)'

trials: attack ## run the longest tests: attacks, faults, controls, simulated clusters, the packages, and all command lines of perftest, a third of them in the guest (two hours or more)
	$(GO) test -tags trials -run Trial -v -timeout 30m ./harness
	@test/packages launchers || [ -z "$$CI" ] # without them some trials are skipped
	$(GO) -C test test -tags trials -run Trial -v -timeout 60m ./e2e
	$(GO) -C test test -tags trials -count=1 -v -timeout 120m ./faults
	$(GO) test -count=1 -run TestKilledPeersLeaveAllReceives -v ./verbs/shm -kills 100
	$(GO) test -tags trials -run Trial -v -timeout 60m ./cmd/internal/cluster/coordinator ./cmd/internal/cluster/simulation
	@test/packages packaging || [ -z "$$CI" ] # without them some trials are skipped
	$(GO) -C test test -tags trials -run Trial -count=1 -v -timeout 30m ./packaging
	GUEST_TIMEOUT=3600 test/guest/tests trials

cluster-table: ## simulate clusters of up to 10,000 nodes and write the table of docs/CLUSTER.md (10 minutes)
	$(GO) test -tags trials -run Trial -v -timeout 60m ./cmd/internal/cluster/simulation -table ../../../../docs/CLUSTER.md

soak: ## load the embedded device and kill its peers; nothing may grow; MINUTES=60, SEED=N repeats a run
	$(GO) -C test test ./soak -count=1 -v -timeout 0 -minutes $(MINUTES) -seed $(SEED)

guest-test: packages ## run only the tests in the guest; GUEST_SUITE=trixie for Debian 13
	test/guest/tests

guest-shell: ## run a command in the guest: make guest-shell CMD='rdma link; uname -a'
	@test/guest/run sh -c "$$CMD"

mutations: packages ## run the tests of the embedded device with small faults in it; they must find most (30 minutes)
	$(GO) -C test run ./mutations

compare: build ## run ib_compare on the RDMA device or the embedded one: verdict, results, plots and page in out/ (3 minutes)
	test/compare $(OUT)

bench: build ## measure ibperf and its references: ratios, goals and JSON in out/bench/ (20 minutes); RUN='send_lat, 8,' for some lines
	test/bench/run $(OUT)/bench $(if $(RUN),--run '$(RUN)')

clean: ## remove bin/ and out/
	rm -rf bin $(OUT)
