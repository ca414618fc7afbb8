#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries that parse executables of others are linked with ctprof-jemalloc only, and not with ctprof.
#
#   libraries.sh CTPROF ALLOWED
#
# ALLOWED is "libelf" where the static library of libbpf needs it, or "none".
set -eu
[ $# -eq 2 ] || { echo "Usage: libraries.sh CTPROF ALLOWED" >&2; exit 2; }
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
needed=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)[.]so.*/\1/p')
[ -n "$needed" ] || { echo "$1: needs no library at all"; exit 1; }
for library in libelf libdw libunicorn; do
    if [ "$library" != "$2" ] && printf '%s\n' "$needed" | grep -qx "$library"; then
        echo "$1: linked with $library"
        exit 1
    fi
done
