#!/bin/sh
# Runs every fuzz target for the time given, one after the other.
set -eu
time=${1:-1m}
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
	dir=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "== $dir $target"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time"
	done
done
