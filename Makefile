# make test is the test command: it installs what the tests need, checks the
# form of the code, and runs every test with the race detector.

GO      ?= go
TOOL     = $(GO) tool -modfile=go.tool.mod
FUZZTIME ?= 1m
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -X main.version=$(VERSION)

.PHONY: build test check cross unit fuzz bench release-check clean

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
	$(TOOL) staticcheck ./...

# The shipped binary needs no C compiler on any system.
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/citewell
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/citewell

# Tests of extraction quality and of bounds in time say nothing under the race
# detector and skip there; they run without it.
unit:
	$(GO) test -race ./...
	$(GO) test ./extract

# Every fuzz target in turn, FUZZTIME each.
fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Before a release: known vulnerabilities (asks the vulnerability database over
# the network) and the licence of everything that is linked in.
release-check:
	$(TOOL) govulncheck ./...
	sh scripts/licences.sh

clean:
	rm -rf bin
