#!/bin/sh
# Makes the user and the folders of the units. Nothing is enabled or started; units that run
# are restarted, so that they are the new version.
set -e
root=${DPKG_ROOT:-/}
if command -v systemd-sysusers >/dev/null 2>&1; then systemd-sysusers --root="$root" citewell.conf; fi
if command -v systemd-tmpfiles >/dev/null 2>&1; then systemd-tmpfiles --root="$root" --create citewell.conf; fi
if [ "$root" = / ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	systemctl try-restart citewell.service citewell-worker.service 'citewell-worker@*.service' || true
fi
