#!/bin/sh
# Fails when a module linked into the binary carries no licence text, or one that
# is not permissive. Prints a line for each module.
set -eu
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/citewell | sort -u |
while read -r path dir; do
	file=$(find "$dir" -maxdepth 1 -iregex '.*/\(licen[sc]e\|copying\|unlicense\)[^/]*' | sort | head -n 1)
	[ -n "$file" ] || { echo "$path: no licence file"; exit 1; }
	text=$(tr -s ' \n\t' ' ' <"$file")
	case $text in
	# either licence, as the user chooses
	*'SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0'*) kind=BSD ;;
	*'GNU GENERAL PUBLIC'* | *'GNU LESSER'* | *'GNU AFFERO'*) kind=copyleft ;;
	*'Apache License'*) kind=Apache-2.0 ;;
	*'Mozilla Public License'*) kind=MPL-2.0 ;;
	*'ermission is hereby granted, free of charge'* | *'ERMISSION is hereby granted, free of charge'*) kind=MIT ;;
	*'Redistribution and use in source and binary forms'*) kind=BSD ;;
	*'Permission to use, copy, modify, and'*) kind=ISC ;;
	*'public domain'*) kind=public-domain ;;
	*) kind=unknown ;;
	esac
	echo "$path: $kind"
	case $kind in copyleft | unknown) exit 1 ;; esac
done
