#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# systemd accepts the units of packaging/systemd, and each installed unit of the recorder is named in its manual page. The recorder can write
# to /run/ctprof, which stays when it ends.
#
#   units.sh SOURCE_ROOT BUILT_UNITS CTPROF
set -eu
[ $# -eq 3 ] || { echo "Usage: units.sh SOURCE_ROOT BUILT_UNITS CTPROF" >&2; exit 2; }
for line in RuntimeDirectory=ctprof RuntimeDirectoryMode=0700 RuntimeDirectoryPreserve=yes; do
    if ! grep -qxF "$line" "$2/ctprof-record.service"; then
        echo "ctprof-record.service: no $line: with ProtectSystem=strict, /run/ctprof is read-only"
        exit 1
    fi
done
if ! command -v systemd-analyze >/dev/null; then
    echo "skipped: no systemd-analyze"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# It wants the program to be there.
for unit in "$2"/*.service "$1"/packaging/systemd/*.timer; do
    sed "s|^ExecStart=[^ ]*/ctprof |ExecStart=$(realpath "$3") |" "$unit" >"$scratch/$(basename "$unit")"
    if ! grep -q "_$(basename "$unit")_" "$1/man/ctprof-record.1.scd"; then
        echo "man/ctprof-record.1.scd: $(basename "$unit") is not described"
        exit 1
    fi
done
if ! systemd-analyze verify --man=no "$scratch"/*.service "$scratch"/*.timer >"$scratch/said" 2>&1 || [ -s "$scratch/said" ]; then
    cat "$scratch/said"
    exit 1
fi
