#!/bin/sh
# Fails when a module linked into the binary, on any system that it is built for, carries no
# licence text, or one that is not permissive. Prints a line for each module; with the word
# texts it prints the licences and notices themselves, those of Go's own library first.
set -eu
what=${1-}

# kind FILE: the name of a licence.
kind() {
	case $(tr -s ' \n\t' ' ' <"$1") in
	# either licence, as the user chooses
	*'SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0'*) echo BSD ;;
	*'GNU GENERAL PUBLIC'* | *'GNU LESSER'* | *'GNU AFFERO'*) echo copyleft ;;
	*'Apache License'*) echo Apache-2.0 ;;
	*'Mozilla Public License'*) echo MPL-2.0 ;;
	*'ermission is hereby granted, free of charge'* | *'ERMISSION is hereby granted, free of charge'*) echo MIT ;;
	*'Redistribution and use in source and binary forms'*) echo BSD ;;
	*'Permission to use, copy, modify, and'*) echo ISC ;;
	*'public domain'*) echo public-domain ;;
	*) echo unknown ;;
	esac
}

# papers DIR NAME...: the files of a folder whose names begin so, whatever their case.
papers() {
	dir=$1 names=$2
	find "$dir" -maxdepth 1 -type f -iregex ".*/\\($names\\)[^/]*" ! -name '*.go' | LC_ALL=C sort
}

# show NAME FILE...: the texts of a part.
show() {
	printf '\n%s\n%s\n' "================================ $1" ''
	shift
	cat "$@"
}

modules=$(for system in linux darwin windows; do
	CGO_ENABLED=0 GOOS=$system go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/citewell || exit
done)
if [ "$what" = texts ]; then
	echo "What is linked into Citewell's binaries, and its licences."
	show "Go's library" "$(go env GOROOT)/LICENSE"
fi
echo "$modules" | LC_ALL=C sort -u | while read -r path dir; do
	file=$(papers "$dir" 'licen[sc]e\|copying\|unlicense' | head -n 1)
	[ -n "$file" ] || { echo "$path: no licence file" >&2; exit 1; }
	kind=$(kind "$file")
	case $kind in copyleft | unknown) echo "$path: $kind" >&2; exit 1 ;; esac
	if [ "$what" = texts ]; then
		# shellcheck disable=SC2046 # no path of the module cache has a blank
		show "$path: $kind" $(papers "$dir" 'licen[sc]e\|copying\|unlicense\|notice\|patents')
	else
		echo "$path: $kind"
	fi
done
