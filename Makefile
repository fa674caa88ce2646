# make test is the test command: it installs what the tests need, checks the
# form of the code, and runs every test with the race detector.

GO      ?= go
TOOL     = $(GO) tool -modfile=go.tool.mod
FUZZTIME ?= 1m
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -X main.version=$(VERSION)

.PHONY: build test check cross unit slow fuzz bench release-check clean

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/citewell ./cmd/citewell

test: setup check cross unit

# Debian packages that tests use for real; without the right to install them the
# tests that need them skip and say so (under CI=true they fail).
.PHONY: setup
setup:
	sh scripts/test-setup.sh

check:
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "gofmt would change: $$files"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) vet -tags peers ./internal/app
	$(TOOL) staticcheck ./...

# The shipped binary needs no C compiler on any system.
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/citewell
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/citewell

# Tests of quality, of bounds in time and of hundreds of damaged stores say nothing
# under the race detector and skip there; they run without it. The longest packages are
# named first, so that none of them is left to run alone at the end.
unit:
	$(GO) test -race -timeout 30m ./store/sqlite ./internal/cli ./extract ./...
	$(GO) test -timeout 30m ./extract ./rank ./cite ./store/sqlite ./internal/realpages

# Tests with a real chat model: what they show takes minutes of its own.
slow: setup
	CITEWELL_SLOW=1 $(GO) test -race -timeout 30m -run SmallModel ./agent ./llm ./internal/smallmodel ./internal/cli

# Every fuzz target in turn, FUZZTIME each.
fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

# The figures of doc/bench.md: a server for many beside sgr-agent-core where that can be
# installed, and parts beside their peers and their limit on the data in
# SHARED/data (a set that is not there is named and passed over), then the Go
# benchmarks. The peers are linked in by a tag, never into the shipped binary.
SHARED := $(abspath $(or $(CITEWELL_SHARED),../shared))
ROUNDS ?= 5
ARTICLES := $(wildcard $(SHARED)/data/extraction-articles-dev)
bench: export CITEWELL_SHARED = $(SHARED)
bench: $(if $(ARTICLES),bin/halves/half1.bin)
	sh scripts/test-setup.sh bench
	CGO_ENABLED=0 $(GO) build -trimpath -tags peers -o bin/citewell-peers ./cmd/citewell
	@for set in extraction/extraction-articles-dev extraction/extraction-webtypes-dev retrieval/retrieval-scifact claims/claims-scifact claims/retrieval-scifact claims/demo-web claims/answers-squad claims//usr/share/man claims/$(CURDIR)/testdata/bench/claims-made answers/answers-squad; do \
		part=$${set%%/*} data=$(SHARED)/data/$${set#*/} more=; \
		case $$set in claims//*) data=$${set#claims/} more='--texts $(SHARED)/data' ;; esac; \
		if [ ! -d "$$data" ]; then echo "== bench $$part: passed over, $$data is not there"; continue; fi; \
		if [ $$part = extraction ] && [ -f bin/halves/half1.bin ]; then more='--halves bin/halves'; fi; \
		echo; echo "== citewell bench $$part $$more $$data"; \
		bin/citewell-peers bench $$part --rounds $(ROUNDS) $$more "$$data" || exit; \
	done; \
	for part in search fetch; do echo; echo "== citewell bench $$part"; bin/citewell-peers bench $$part --rounds $(ROUNDS) || exit; done
	@echo; echo "== embeddings: SciFact by words, by meaning and by both; 100,000 vectors"
	CITEWELL_HYBRID=all $(GO) test ./store/sqlite -run 'HybridSciFact|ManyVectors' -v -count=1 -timeout 90m
	$(GO) test -timeout 30m -run '^$$' -bench . -benchmem ./...

# Forests grown from one half of the marked pages each: what reads the other half
# without having seen it. Two to four minutes; grown anew when the shipped ones are.
bin/halves/half1.bin: extract/forest.bin
	@mkdir -p bin/halves && rm -f bin/halves/*.bin
	CITEWELL_SHARED=$(SHARED) CITEWELL_HALVES=$(CURDIR)/bin/halves CITEWELL_HALVES_ONLY=1 $(GO) test ./extract -run TestGrow -grow -timeout 60m

# Before a release: known vulnerabilities (asks the vulnerability database over
# the network) and the licence of everything that is linked in.
release-check:
	$(TOOL) govulncheck ./...
	sh scripts/licences.sh

clean:
	rm -rf bin
