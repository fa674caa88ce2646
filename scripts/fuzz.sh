#!/bin/sh
# Runs every fuzz target for the time given, one after the other. One that finds something
# fails, and so does one that ran fewer inputs than the second argument says: it tested
# nothing. A failing seed is not made smaller for long, which would take all the time.
set -eu
time=${1:-1m}
least=${2:-1000}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

fuzz() { # DIR TARGET
	go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 20x >"$said" 2>&1
}

failed=0 targets=0
for file in $(grep -rlE '^func Fuzz' --include='*_test.go' . | sort); do
	dir=$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		targets=$((targets + 1))
		ok=0
		fuzz "$dir" "$target" || ok=$?
		# Go may end a run that found nothing with an error of its own clock.
		if [ $ok -ne 0 ] && grep -q 'context deadline exceeded' "$said" && ! grep -q 'Failing input' "$said"; then
			ok=0
			fuzz "$dir" "$target" || ok=$?
		fi
		inputs=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$said" | tail -1)
		echo "$dir $target: ${inputs:-0} inputs"
		if [ $ok -ne 0 ]; then
			cat "$said"
			failed=$((failed + 1))
		elif [ "${inputs:-0}" -lt "$least" ]; then
			echo "$dir $target: fewer than $least inputs in $time: it tested nothing" >&2
			failed=$((failed + 1))
		fi
	done
done
if [ $targets -eq 0 ]; then
	echo "no fuzz target is here" >&2
	exit 1
fi
if [ $failed -gt 0 ]; then
	echo "$failed of $targets targets failed" >&2
	exit 1
fi
