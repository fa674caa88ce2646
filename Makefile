# make test is the test command: it installs what the tests need, checks the
# form of the code, and runs every test with the race detector.

GO      ?= go
TOOL     = $(GO) tool -modfile=$(CURDIR)/go.tool.mod
# The product, what compares it with peers, what tries its page in a browser, programs outside
# that use it, what packs it, and what starts it on many machines.
MODULES  = . bench browser examples release deploy
FUZZTIME ?= 1m
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -X main.version=$(VERSION)

# The race detector sees our code and what it calls, but not what reads and writes for one caller
# alone and is slow when every access is looked at: the database's engine, which is C put into Go
# and locks as SQLite does, and what reads patterns, stems, HTML and deflate (doc/bench.md). In a
# package that it does not see, an inlined atomic orders nothing for it: what fills a map under a
# sync.Once, as regexp/syntax and golang.org/x/text do, would look like a race and stays seen.
# -race is for all packages; what is said for one package comes after it and holds.
ENGINE = modernc.org/libc modernc.org/memory modernc.org/sqlite/lib
ALONE  = compress/flate regexp unicode github.com/blevesearch/snowballstem/... golang.org/x/net/html
RACE   = -race $(patsubst %,-gcflags=%=-race=false,$(ENGINE) $(ALONE))
# A process under the detector would sleep for a second before it ends; tests start thousands.
export GORACE = atexit_sleep_ms=0

# Packages whose tests take longest are named first, so that none is left to run alone at the end.
LONGEST = ./store/sqlite ./internal/cli ./search/provider ./extract

.PHONY: build quick test check cross unit slow fuzz faults bench dist dist-test picture pictures compare-pictures mutate release-check clean

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/citewell ./cmd/citewell

# The loop while one writes: form, vet and the short tests. It installs nothing, and what
# has not changed is not tested again. The tests' own run vets with all of vet's checks: one
# that vets before it would compile everything for itself first. It has no use for a C
# compiler, without which a test links in some three quarters of the time. Few cores try four
# packages at once: tests that wait leave a core to others.
quick: FEW = $(shell [ "$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 4)" -lt 4 ] && echo -p 4)
# What is built and written for the tests alone stays in memory where there is room: make test has
# them on a disk.
quick: ROOM = $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4 + 0 }')" -gt 4000000 ] && \
	! grep -q ' /dev/shm .*noexec' /proc/mounts && [ -w /dev/shm ] && echo TMPDIR=/dev/shm GOTMPDIR=/dev/shm)
quick:
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "gofmt would change: $$files"; exit 1; fi
	CGO_ENABLED=0 $(ROOM) $(GO) test $(FEW) -short -vet=all $(LONGEST) ./...

test: setup check cross unit

# Debian packages that tests use for real; without the right to install them the
# tests that need them skip and say so (under CI=true they fail).
.PHONY: setup
setup:
	sh scripts/test-setup.sh

# Vet's checks are left to the runs of the tests, which have compiled what it reads; those of
# release/ run elsewhere. What is not for the race detector is compiled without C, here and in
# unit: once for all of it.
check: export CGO_ENABLED = 0
check:
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "gofmt would change: $$files"; exit 1; fi
	@for module in $(MODULES); do \
		(set -ex; cd $$module; $(GO) mod tidy -diff; $(TOOL) staticcheck ./...) || exit; \
	done
	cd release && $(GO) vet ./...

# The shipped binary needs no C compiler on any system. It is linked as it is shipped, without what
# a debugger reads, and has at most MOST bytes: what makes it larger is worth a line in doc/decision/0072-what-ships.md.
MOST = 58000000
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -ldflags '-s -w' -o /dev/null ./cmd/citewell
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -ldflags '-s -w' -o /dev/null ./cmd/citewell
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 $(GO) build -ldflags '-s -w' -o bin/size ./cmd/citewell
	@size=$$(wc -c <bin/size); rm bin/size; \
	if [ "$$size" -gt $(MOST) ]; then echo "the binary has $$size bytes; at most $(MOST) are allowed"; exit 1; fi

# Tests of quality, of bounds in time, of long hostile texts and of hundreds of damaged
# stores say nothing under the race detector and skip there; they, and no others, run without it.
# The program of bench/ is tried without the race detector, under which the peers take seconds to start.
unit:
	$(GO) test -vet=all $(RACE) -timeout 30m $(LONGEST) ./...
	cd bench && $(GO) test -vet=all $(RACE) -timeout 30m ./measure && CGO_ENABLED=0 $(GO) test -vet=all .
	cd browser && $(GO) test -vet=all $(RACE) -timeout 30m ./...
	cd examples && $(GO) test -vet=all $(RACE) ./...
	cd deploy && CGO_ENABLED=0 $(GO) test -vet=all ./...
	CGO_ENABLED=0 $(GO) test -vet=off -timeout 30m $$(sh scripts/unraced.sh $(LONGEST))

# Tests with a real chat model: what they show takes minutes of its own.
slow: setup
	CITEWELL_SLOW=1 $(GO) test $(RACE) -timeout 30m -run SmallModel ./internal/agent ./llm ./internal/testing/smallmodel ./internal/cli

# Several processes on one PostgreSQL: servers are started on sockets of their own, workers are
# killed under RUNS runs KILLS times, servers, disks, clocks and connections fail (doc/faults.md),
# and nothing is left behind.
RUNS  ?= 60
KILLS ?= 12
.PHONY: test-cluster
test-cluster: setup
	CITEWELL_CLUSTER_RUNS=$(RUNS) CITEWELL_CLUSTER_KILLS=$(KILLS) $(GO) test -count=1 -timeout 30m -v -run 'TestCluster|OnPostgreSQL' ./internal/cli
	$(GO) test -count=1 -timeout 30m ./internal/testing/pgtest ./store/postgres

# QUESTIONS questions of four processes that share a store, SQLite and then PostgreSQL, and what
# stand-ins of the services without keys saw of them: doc/bench.md.
QUESTIONS ?= 1000
.PHONY: test-manners
test-manners: setup
	CITEWELL_MANNERS_QUESTIONS=$(QUESTIONS) $(GO) test -count=1 -timeout 30m -v -run TestProcessesKeepManners ./internal/cli

# Many machines on one, before one's eyes: a PostgreSQL, two workers and a server over the demo
# web, and a worker that is killed at its work.
.PHONY: demo-cluster
demo-cluster: setup build
	sh scripts/demo-cluster.sh

# The figures of doc/scaling.md: runs by the number of workers and readers of events, which the
# simulation of bench/scaling is held against, and what claims, events and contents cost PostgreSQL.
.PHONY: scaling
scaling: setup
	CITEWELL_SCALING=$(CURDIR)/bench/scaling/testdata/measured.json $(GO) test -count=1 -timeout 30m -v -run 'TestScaling$$' ./internal/cli
	$(GO) test -timeout 30m -run '^$$' -bench Scaling -benchtime 2000x ./store/postgres
	cd bench && $(GO) run ./scaling

# The figures of doc/bench.md at 10,000, 100,000 and a million: texts and vectors in PostgreSQL beside
# the embedded store's, and what both find. The vectors of a million are short, so that all ends within
# half an hour on two cores with little else to do. It wants 10 GB of disk, and 8 GB of memory.
SIZES ?= 10000 100000 1000000
.PHONY: bench-scale
bench-scale: setup
	CITEWELL_SCALE="$(SIZES)" $(GO) test -count=1 -timeout 2h -v -run 'TestScaleTexts$$' ./store/postgres
	CITEWELL_SCALE="$(filter-out 1000000,$(SIZES))" $(GO) test -count=1 -timeout 2h -v -run 'TestScaleVectors$$' ./store/postgres
	CITEWELL_SCALE="$(filter 1000000,$(SIZES))" CITEWELL_SCALE_DIMENSION=96 $(GO) test -count=1 -timeout 2h -v -run 'TestScaleVectors$$' ./store/postgres

# Every fuzz target in turn, FUZZTIME each.
fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

# Every test of doc/faults.md COUNT times, and a soak of SOAK minutes; each must have passed.
COUNT ?= 2
SOAK  ?= 5
faults: setup
	sh scripts/faults.sh $(COUNT) $(SOAK)

# The figures of doc/bench.md: a server for many beside sgr-agent-core where that can be
# installed, parts beside their peers and their limit, answers from documents and labelled claims on the
# data in SHARED/data (a set that is not there is named and passed over), then the Go
# benchmarks.
SHARED := $(abspath $(or $(CITEWELL_SHARED),../shared))
ROUNDS ?= 5
ARTICLES := $(wildcard $(SHARED)/data/extraction-articles-dev)
bench: export CITEWELL_SHARED = $(SHARED)
bench: $(if $(ARTICLES),bin/halves/half1.bin)
	sh scripts/test-setup.sh bench
	cd bench && CGO_ENABLED=0 $(GO) build -trimpath -o ../bin/bench .
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/citewell ./cmd/citewell
	@for set in extraction/extraction-articles-dev extraction/extraction-webtypes-dev retrieval/retrieval-scifact claims/retrieval-scifact claims/demo-web claims/answers-squad claims//usr/share/man answers/answers-squad; do \
		part=$${set%%/*} data=$(SHARED)/data/$${set#*/} run="bin/bench --rounds $(ROUNDS)" more=; \
		case $$set in claims//*) data=$${set#claims/} ;; answers/*) run='bin/citewell bench' ;; esac; \
		if [ ! -d "$$data" ]; then echo "== $$part: passed over, $$data is not there"; continue; fi; \
		if [ $$part = extraction ] && [ -f bin/halves/half1.bin ]; then more='--halves bin/halves'; fi; \
		echo; echo "== $$run $$part $$more $$data"; \
		$$run $$part $$more "$$data" || exit; \
	done; \
	for data in $(SHARED)/data/claims-scifact/claims.jsonl.gz $(SHARED)/data/claims-people/claims.jsonl.gz testdata/bench/claims-made/claims.jsonl testdata/bench/claims-own/claims.jsonl; do \
		if [ ! -f "$$data" ]; then echo "== claims: passed over, $$data is not there"; continue; fi; \
		echo; echo "== bin/citewell bench claims --texts $(SHARED)/data $$data"; \
		bin/citewell bench claims --texts $(SHARED)/data "$$data" || exit; \
	done; \
	for part in search fetch; do echo; echo "== bin/bench $$part"; bin/bench $$part --rounds $(ROUNDS) || exit; done
	@echo; echo "== embeddings: SciFact by words, by meaning and by both; 100,000 vectors"
	CITEWELL_HYBRID=all $(GO) test ./store/sqlite -run 'HybridSciFact|ManyVectors' -v -count=1 -timeout 90m
	$(GO) test -timeout 30m -run '^$$' -bench . -benchmem ./...

# Forests grown from one half of the marked pages each: what reads the other half
# without having seen it. Two to four minutes; grown anew when the shipped ones are.
bin/halves/half1.bin: extract/internal/content/forest.bin
	@mkdir -p bin/halves && rm -f bin/halves/*.bin
	CITEWELL_SHARED=$(SHARED) CITEWELL_HALVES=$(CURDIR)/bin/halves CITEWELL_HALVES_ONLY=1 $(GO) test ./extract/internal/content -run TestGrow -grow -timeout 60m

# What users install, for every system, in dist/: doc/release.md. It wants a tree without
# changes, or VERSION=0.1.0 for a try; IMAGE=REGISTRY/NAME puts the image into server.json.
dist:
	cd release && CGO_ENABLED=0 $(GO) run -trimpath . $(if $(filter command line environment,$(origin VERSION)),-version $(VERSION)) $(if $(IMAGE),-image $(IMAGE))

# The same for this machine's system, installed in each way and tried out.
dist-test: setup
	cd release && CGO_ENABLED=0 $(GO) test -trimpath -timeout 10m ./...

# The pictures in README.md, of the page.
pictures:
	cd browser && CITEWELL_README_PICTURES=$(CURDIR)/doc $(GO) test -count=1 -run TestReadmePictures .

# Which pages look other than in the build of BASE, over one store: in how many points, and the
# pictures of those in CITEWELL_SCREENSHOTS, where that is set.
BASE ?= main
compare-pictures:
	base=$$(mktemp -d) && trap 'git worktree remove --force "$$base/tree"; rm -rf "$$base"' EXIT && \
	git worktree add --detach "$$base/tree" $(BASE) && \
	(cd "$$base/tree" && CGO_ENABLED=0 $(GO) build -trimpath -o "$$base/citewell" ./cmd/citewell) && \
	cd browser && CITEWELL_BASE_BINARY="$$base/citewell" $(GO) test -count=1 -v -timeout 30m -run TestPicturesOfBuilds .

# The picture in README.md, of what the demo says.
picture:
	cd release && CGO_ENABLED=0 $(GO) run -trimpath ./picture ../doc/demo.svg

# What no test of a package holds: one change of its code at a time, 60 of them (doc/mutation.md).
PACKAGE ?= ./cite
SEED ?= 1
mutate:
	$(GO) run ./scripts/mutate -seed $(SEED) $(if $(FIRST),-first '$(FIRST)') $(PACKAGE) -- $(MUTATEFLAGS)

# Before a release: known vulnerabilities, the licence of everything that is linked in, and
# what breaks programs that were written against the last tag.
# The vulnerability database is asked over the network, or where that is shut, is the
# folder VULNDB that scripts/vulndb.go made of a clone of golang/vulndb.
VULNDB ?=
release-check:
	$(TOOL) govulncheck $(if $(VULNDB),-db file://$(abspath $(VULNDB))) ./...
	sh scripts/licences.sh
	sh scripts/apidiff.sh

clean:
	rm -rf bin dist
