#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures capture, compare and show on this host and prints tables of medians, and at the end every figure that is
# aimed at, with whether it was met. It takes some fifteen minutes, and judges nothing: its status is 0 in any case.
#
#   bench/run.sh BUILD_DIR [THREADS...]
#
# THREADS are the sizes of the hosts for capture.sh. RUNS (5) in the environment is how often each command runs. Each part
# is a program of its own as well: capture.sh, small-hosts.sh, files.sh, compare.sh, host.sh.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/run.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
here=$(dirname "$0")
TARGETS=$(mktemp)
export TARGETS
trap 'rm -f "$TARGETS"' EXIT
trap 'exit 1' INT TERM HUP
build=$1

# part SCRIPT ARGUMENT...: one that fails does not keep the others from running.
part() {
    script=$1
    shift
    "$here/$script" "$@" || echo "$script: ended with status $?"
}

ninja -C "$build" bench >&2
# shellcheck source=/dev/null
(. "$here/lib.sh" && build=$build describe_host)
part capture.sh "$@"
for script in small-hosts.sh files.sh compare.sh host.sh; do
    part "$script" "$build"
done

printf '\nAll that is aimed at\n'
cat "$TARGETS"
awk '/NOT MET$/ { missed++; next } / met$/ { met++; next } { unknown++ }
END { printf "%d met, %d not met, %d not measured\n", met, missed, unknown }' "$TARGETS"
