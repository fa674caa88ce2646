#!/bin/sh
# Runs the tests that doc/faults.md names, COUNT times each, and the soak for SOAK minutes.
# A test that fails, that skips or that is not run fails all of it, and is named.
set -eu
count=${1:-2}
soak=${2:-5}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# PACKAGE TEST, each once: the cases of a test are run with it.
tests=$(grep '^| ' doc/faults.md | grep -o '`[a-z/]* Test[A-Za-z0-9]*' | tr -d '`' | sort -u)
if [ -z "$tests" ]; then
	echo "doc/faults.md names no test" >&2
	exit 1
fi

failed=0 passed=0
run() { # PACKAGE COUNT TESTS...
	package=$1 times=$2
	shift 2
	began=$(date +%s)
	ok=0
	go test "./$package" -run "^($(echo "$*" | tr ' ' '|'))\$" -count "$times" -timeout $((30 + 2 * soak))m -v >"$said" 2>&1 || ok=$?
	for test; do
		if [ "$(grep -c "^--- PASS: $test " "$said")" -eq "$times" ]; then
			passed=$((passed + 1))
			continue
		fi
		failed=$((failed + 1))
		if grep -q "^--- SKIP: $test " "$said"; then
			echo "$package $test: not tried: $(sed -n "/^--- SKIP: $test /{n;s/^ *//;p;q;}" "$said")" >&2
		else
			echo "$package $test: did not pass $times times" >&2
		fi
	done
	if [ $ok -ne 0 ]; then
		cat "$said"
		failed=$((failed + 1))
	fi
	echo "$package: $# tests, $times times, $(($(date +%s) - began)) s"
}

for package in $(echo "$tests" | cut -d' ' -f1 | uniq); do
	# The soak is long by itself.
	names=$(echo "$tests" | sed -n "s,^$package \(.*\),\1,p" | grep -vx TestSoak)
	# shellcheck disable=SC2086 # the names are words
	run "$package" "$count" $names
done
export CITEWELL_SOAK="$soak"
run internal/cli 1 TestSoak
if [ $failed -gt 0 ]; then
	echo "$failed failed" >&2
	exit 1
fi
echo "$passed tests of doc/faults.md passed"
