#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The number inside a typed value (".v") may be touched only where values are made, folded and computed. All
# other code keeps the type, so that the compiler can refuse to mix kinds.
#
#   value-escape.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: value-escape.sh ROOT" >&2; exit 2; }
cd "$1"

# Places that need it although they are none of those, and why.
#   src/procfs/affinity.c      the kernel fills the mask in place
#   src/capture/thread-read.c  asks whether a sum of ticks is zero
#   src/procfs/stat.c             whether a leader without memory leaves threads behind
#   src/bpf/task-record-sample.c  both of it
#   src/window/window-add.c    takes one run time from another, which is a bare number of a lost thread
exceptions="src/procfs/stat.c src/window/window-add.c src/procfs/affinity.c src/capture/thread-read.c src/bpf/task-record-sample.c"

hits=$(grep -rnE '(\.|->)v\b' --include='*.[ch]' src include || true)
[ -n "$hits" ] || { echo "value-escape.sh: no use at all in $1, not even the legal ones" >&2; exit 1; }
printf '%s\n' "$hits" | awk -F: -v exceptions="$exceptions" '
    BEGIN {
        n = split(exceptions, names, " ")
        for (i = 1; i <= n; i++)
            unused[names[i]] = 1
    }
    $1 ~ /^(src|include\/ctprof)\/metric\// || $1 == "src/measure/derive.c" { next }
    index(" " exceptions " ", " " $1 " ") { delete unused[$1]; next }
    { print $0; print $1 ":" $2 ": takes a value out of its type"; failed = 1 }
    END {
        for (name in unused) {
            print name ": is an exception of value-escape.sh but has no use of .v any more"
            failed = 1
        }
        exit failed
    }'
