#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each tag of the registry has a paragraph in ctprof-snapshot(5), with its description.
#
#   tags.sh PROBE_TAGS_DEF PAGE
set -eu
[ $# -eq 2 ] || { echo "Usage: tags.sh PROBE_TAGS_DEF PAGE" >&2; exit 2; }
command -v man >/dev/null || { echo "skipped: no man"; exit 77; }

text=$(LC_ALL=C.UTF-8 MANWIDTH=1000 MANPAGER=cat man -l "$2" | col -bx)
count=0
while IFS='"' read -r _ name _ description _; do
    printf '%s\n' "$text" | grep -A 1 -x " *$name" | tr -s ' ' | grep -qFx " $description" || {
        echo "FAILED: $2 does not describe the tag $name"
        exit 1
    }
    count=$((count + 1))
done <<END
$(grep '^PROBE_TAG(' "$1")
END
[ "$count" -ge 29 ] || { echo "FAILED: only $count tags in $1"; exit 1; }
echo "$count tags"
