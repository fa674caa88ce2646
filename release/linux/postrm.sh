#!/bin/sh
# What Citewell has kept stays in /var/lib/citewell until somebody deletes it.
set -e
if [ -z "${DPKG_ROOT-}" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
