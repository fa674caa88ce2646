#!/bin/sh
# unraced.sh FIRST... prints what to give go test so that it runs the tests that skip under the race
# detector, and no others: those that ask score.RaceDetector or call extracttest.Measured. Packages
# FIRST, which have such tests too, come before the others.
set -eu
cd "$(dirname "$0")/.."
asks='RaceDetector|extracttest\.Measured\('
files=$(git grep -lE "$asks" -- '*_test.go' ':!bench' ':!browser')
names=$(awk -v asks="$asks" '
	/^func / { name = $2; sub(/\(.*/, "", name) }
	$0 ~ asks && name ~ /^Test/ { print name }
	$0 ~ asks && name !~ /^Test/ { print FILENAME ": " name " asks for the race detector and is no test" > "/dev/stderr"; exit 1 }
' $files | sort -u | paste -sd '|' -)
printf '%s\n' "-run=^($names)\$"
printf '%s\n' "$@"
for file in $files; do dirname "./$file"; done | sort -u
