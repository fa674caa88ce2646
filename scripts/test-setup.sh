#!/bin/sh
# Installs the Debian packages that tests use for real. Idempotent; where the
# packages cannot be installed it says which tests will skip.
set -u
missing=
command -v searx-run >/dev/null 2>&1 || missing="$missing searx"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "not installed, and no right to install:$missing; the tests that need them skip"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null
