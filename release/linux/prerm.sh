#!/bin/sh
# Stops the units when the package goes; rpm says 0 then, dpkg says remove.
set -e
case ${1-} in 0 | remove) ;; *) exit 0 ;; esac
if [ -z "${DPKG_ROOT-}" ] && [ -d /run/systemd/system ]; then
	systemctl --no-reload disable --now citewell.service citewell-worker.service citewell-worker@.service || true
	systemctl stop 'citewell-worker@*.service' || true
fi
