#!/bin/sh
# Shows many machines on one: a PostgreSQL of its own, two workers, and a server that executes
# nothing, over the demo web. One worker is killed while it is at work, and another goes on with its
# runs; the page is open all the while. Ctrl-C ends everything and removes what was kept.
# With the word once it ends by itself after the summary.
set -eu
cd "$(dirname "$0")/.."
citewell=$PWD/bin/citewell

say() { printf '%s\n' "$*"; }
fail() {
	say "demo-cluster: $*" >&2
	exit 1
}

[ -x "$citewell" ] || fail "there is no bin/citewell: make demo-cluster builds it first"
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$postgres" ] || postgres=$(pg_config --bindir 2>/dev/null) || fail "there is no PostgreSQL: make setup installs one"
dir=$(mktemp -d /tmp/citewell-demo-cluster-XXXXXX)
as=
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses root
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chown 65534:65534 "$dir"
	chmod 711 "$dir"
fi

all= # processes, the server of the database last
end() {
	trap - EXIT INT TERM
	for pid in $all; do kill "$pid" 2>/dev/null || true; done
	for pid in $all; do wait "$pid" 2>/dev/null || true; done
	[ ! -f "$dir/data/postmaster.pid" ] || $as "$postgres/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 0' INT TERM

# until_said FILE WORDS: waits until a file has words, and shows the line.
until_said() {
	n=0
	until grep -m 1 -- "$2" "$1" 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 600 ] || { cat "$1" >&2; fail "nothing says \"$2\""; }
		sleep 0.1
	done
}

say "PostgreSQL in $dir"
$as "$postgres/initdb" -N -A trust -U citewell -E UTF8 --locale=C.UTF-8 -D "$dir/data" >/dev/null
(cd "$dir" && exec $as "$postgres/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= >"$dir/postgres.log" 2>&1) &
n=0
until $as "$postgres/pg_isready" -q -h "$dir"; do
	n=$((n + 1))
	[ $n -lt 300 ] || { cat "$dir/postgres.log" >&2; fail "PostgreSQL does not start"; }
	sleep 0.1
done

export HOME="$dir/home" XDG_DATA_HOME="$dir/home/data" XDG_CACHE_HOME="$dir/home/cache" XDG_CONFIG_HOME="$dir/home/config"
mkdir -p "$HOME"
"$citewell" demo --serve --json --listen 127.0.0.1:0 --page 127.0.0.1:0 >"$dir/demo.json" 2>"$dir/demo.log" &
all="$all $!"
until_said "$dir/demo.json" '"config"' >/dev/null
cp "$XDG_CACHE_HOME/citewell/demo/citewell.yaml" "$dir/citewell.yaml" # whose store is another's
home=$(sed -n 's/.*"home": *"\([^"]*\)".*/\1/p' "$dir/demo.json")
export CITEWELL__STORE__URL="postgres://citewell@/postgres?host=$dir"

worker() { # NUMBER
	"$citewell" --config "$dir/citewell.yaml" worker --parallel 3 >/dev/null 2>"$dir/worker$1.log" &
	started=$!
	all="$all $started"
	until_said "$dir/worker$1.log" "executing the runs of" >/dev/null
	say "worker $1 is process $started"
}
worker 1
first=$started
worker 2
"$citewell" --config "$dir/citewell.yaml" serve --no-execute --listen 127.0.0.1:0 >/dev/null 2>"$dir/serve.log" &
all="$all $!"
base=$(until_said "$dir/serve.log" "listening on" | sed 's/.*\(http:[^ ]*\).*/\1/')
say
say "The page is at $base/"
say

# One engine hangs, so that a run takes as long as a search may: there is time to kill somebody.
curl -fsS -X POST "${home}_demo/fail?endpoint=duckduckgo&mode=hang" >/dev/null
runs=6
for n in 1 2 3 4 5 6; do
	curl -fsS "$base/v1/runs" -H 'Content-Type: application/json' -d '{"task": "When was Larch 2.0 released?", "agent": "brief"}' >/dev/null
done
say "$runs runs are begun"
until_said "$dir/worker1.log" "taken up" >/dev/null
sleep 1
kill -9 "$first"
say "worker 1 is killed, with these runs under way:"
sed -n 's/^run \(.*\): taken up.*/  \1/p' "$dir/worker1.log"
worker 3
curl -fsS -X POST "${home}_demo/fail?endpoint=duckduckgo&mode=ok" >/dev/null

n=0
while :; do
	"$citewell" --config "$dir/citewell.yaml" runs list --json >"$dir/runs.json" 2>/dev/null
	done=$(grep -o '"state": *"completed"' "$dir/runs.json" | wc -l)
	[ "$done" -lt $runs ] || break
	n=$((n + 1))
	[ $n -lt 120 ] || { cat "$dir/runs.json" >&2; fail "of $runs runs $done ended"; }
	sleep 0.5
done
say
say "All $runs runs have ended; of each, who took it up:"
for id in $(grep -o '"id": *"[^"]*"' "$dir/runs.json" | sed 's/.*"\([^"]*\)"$/\1/'); do
	by=
	for n in 1 2 3; do
		if grep -q "^run $id: taken up" "$dir/worker$n.log"; then by="$by worker $n"; fi
	done
	say "  $id  $by"
done
if [ "${1-}" = once ]; then exit 0; fi
say
say "The page is at $base/ until you press Ctrl-C."
wait
