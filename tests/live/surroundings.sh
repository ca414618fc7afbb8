#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# surroundings.sh CTPROF: odd surroundings of the capture itself. In a pid namespace of its own, with the /proc of the
# outer one, ids in /proc are not what system calls take: every thread must be there with its own affinity. Without
# descriptors there is no snapshot, and the one that was there stays.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

echo old >kept
if (ulimit -n 7; "$CTPROF" capture -o kept) 2>err; then
    fail "a capture without descriptors ended well"
fi
same "lines on standard error" 1 "$(wc -l <err)"
grep -q '^ctprof: /proc: ' err || fail "the error is: $(cat err)"
same "the file that was there" old "$(cat kept)"

if ! unshare --pid --fork true 2>/dev/null; then
    echo "skipped: no new pid namespace here; the rest passed"
    exit 77
fi
threads >before
# Affine to one CPU, so that its own affinity cannot be mistaken for another thread's on more than one.
unshare --pid --fork taskset -c 0 "$CTPROF" capture -q -o inner.zst
threads >after
zstd -qdc inner.zst >inner.json
jq -r '.threads[] | "\(.tgid)/\(.tid)"' inner.json | sort >in
comm -12 before after | sed 's/ ended$//' | sort >steady
between "threads that were there all the time" 2 "$(wc -l <steady)" 10000000
same "those of them that are missing" none "$(comm -23 steady in | grep . || echo none)"
same "CPUs that this shell may run on" "$(nproc)" \
    "$(jq --argjson pid $$ '.threads[] | select(.tid == $pid) | .cpu_affinity | length' inner.json)"
echo "$checks checks passed"
