#!/bin/sh
# manuals.sh DIR unpacks the manuals that testdata/bench/manuals asks about into DIR/NAME/docs, one folder
# each, from Debian's packages and from the Go installation. Nothing is installed, and what is there stays.
# Needs man and col (Debian's man-db, groff and bsdextrautils).
set -eu
[ $# = 1 ] || { echo "usage: manuals.sh DIR" >&2; exit 2; }
mkdir -p "$1/packages"
cd "$1"

# unpack PACKAGE... leaves the files of each in packages/PACKAGE.
unpack() {
	for package; do
		[ -d "packages/$package" ] && continue
		(cd packages && apt-get download -qq "$package" 2>/dev/null && dpkg-deb -x "$package"_*.deb "$package.part" &&
			rm "$package"_*.deb && mv "$package.part" "$package")
	done
}

# pages NAME PACKAGE FOLDER... copies the HTML pages of a package's folders.
pages() {
	name=$1 package=$2
	shift 2
	[ -d "$name/docs" ] && return
	unpack "$package"
	for folder; do
		(cd "packages/$package/usr/share/$folder" && find . -name '*.html' -type f ! -name 'genindex*' -print0 | tar -c --null -T -) |
			(mkdir -p "$name/part/$(basename "$folder")" && tar -x -C "$name/part/$(basename "$folder")")
	done
	mv "$name/part" "$name/docs"
}

pages python python3.11-doc doc/python3.11/html
pages postgresql postgresql-doc-15 doc/postgresql-doc-15/html
pages sqlite sqlite3-doc doc/sqlite3
pages gimp gimp-help-en gimp/2.0/help/en
pages gnucash gnucash-docs doc/gnucash-docs/gnucash-guide-en doc/gnucash-docs/gnucash-help-en
pages handbook debian-handbook doc/debian-handbook/html/en-US

if [ ! -d man/docs ]; then
	set -- bash coreutils cron curl findutils git-man grep manpages openssh-client openssh-server rsync sed systemd tar util-linux
	unpack "$@"
	mkdir -p man/part
	for package; do
		find "packages/$package/usr/share/man" -path '*/man/man[1578]/*.gz' -type f | while read -r page; do
			MANWIDTH=100 man -l -Tutf8 "$page" 2>/dev/null | col -bx >"man/part/$(basename "$page" .gz).txt" || true
		done
	done
	find man/part -size -200c -delete # a page that only names another
	mv man/part man/docs
fi

if [ ! -d go/docs ]; then
	mkdir -p go/part
	cp "$(go env GOROOT)"/doc/*.html "$(go env GOROOT)"/doc/*.md go/part
	for package in archive/zip bufio bytes compress/gzip container/heap context crypto/rand database/sql encoding/csv \
		encoding/json errors flag fmt io io/fs log/slog maps math math/big math/rand/v2 net net/http net/url os os/exec \
		os/signal path/filepath reflect regexp runtime slices sort strconv strings sync sync/atomic testing text/template \
		time unicode/utf8; do
		go doc -all "$package" >"go/part/$(echo "$package" | tr / -).txt"
	done
	mv go/part go/docs
fi
rm -r packages
