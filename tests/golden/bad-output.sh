#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bad-output.sh CTPROF: snapshots that cannot be written. Each gives one line on stderr and exit status 1; a file
# that was there before is the same afterwards, to the byte, and nothing is left beside it.
# shellcheck disable=SC2016 # What stands in single quotes is expanded by an inner shell.
set -euo pipefail

if ! command -v zstd >/dev/null; then
    echo "skipped: no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF FIXTURES=$here/../fixtures
tree=$FIXTURES/6.1-schedstats/proc
scratch=$(mktemp -d)
many=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch" "$many"' EXIT
cd "$scratch"

checks=0
fail() {
    echo "bad-output.sh: $*"
    [ ! -s err ] || cat -v err
    exit 1
}

# refused WHAT COMMAND...: ends with status 1, one line, nothing on stdout.
refused() {
    local what=$1 status=0

    shift
    "$@" >out 2>err || status=$?
    [ "$status" -eq 1 ] || fail "$what: status $status, not 1"
    [ ! -s out ] || fail "$what: something was printed"
    [ "$(wc -l <err)" -eq 1 ] || fail "$what: not one line on stderr"
    grep -q '^ctprof: .' err || fail "$what: the line does not start with the name"
    checks=$((checks + 1))
}

capture() {
    "$CTPROF" capture --proc-root "$tree" "$@"
}

# fresh: makes the directory "dir" anew, with a file in it; untouched WHAT: it is as it was made.
fresh() {
    rm -rf dir
    mkdir dir
    echo "what was there before" >dir/old.zst
    touch -d '2020-01-01 UTC' dir/old.zst
}
untouched() {
    [ "$(ls -A dir)" = old.zst ] || fail "$1: left behind: $(ls -A dir)"
    [ "$(cat dir/old.zst)" = "what was there before" ] || fail "$1: the old file has changed"
    [ "$(stat -c %Y dir/old.zst)" -eq 1577836800 ] || fail "$1: the old file was written to"
    checks=$((checks + 1))
}

fresh
refused "a missing directory" capture -o dir/none/new.zst
refused "a directory" capture -o dir
refused "a directory with a slash" capture -o dir/
refused "the directory itself" capture -o .
refused "below a file" capture -o dir/old.zst/new.zst
refused "a file name that ends in a slash" capture -o dir/new.zst/
refused "a name of 256 bytes" capture -o "dir/$(printf '%256s' '' | tr ' ' n)"
refused "a link to itself" bash -c 'ln -s loop loop && "$CTPROF" capture --proc-root "$1" -o loop' sh "$tree"
untouched "a name that cannot be"
capture -o "dir/$(printf '%255s' '' | tr ' ' n)" || fail "a name of 255 bytes is not taken"

fresh
refused "no process" "$CTPROF" capture --proc-root dir -o dir/old.zst
refused "no such tree" "$CTPROF" capture --proc-root none -o dir/old.zst
refused "no such /sys" "$CTPROF" capture --proc-root "$tree" --sys-root none -o dir/old.zst
untouched "a capture that fails"

# A file that may not grow as large as the snapshot stands for a full disk where there is no root for one.
# ctprof starts with SIGXFSZ at its default and ignored. The message goes through a pipe, which the limit is not for.
for signal in - ""; do
    for blocks in 0 1; do
        what="a file of $blocks KiB at most, trap '$signal'"
        refused "$what" bash -c 'trap "$3" XFSZ; exec 3>&1
            (ulimit -f "$1" && exec "$CTPROF" capture --proc-root "$2" -o dir/old.zst 2>&1 >&3 3>&-) | cat >&2
            exit "${PIPESTATUS[0]}"' sh "$blocks" "$tree" "$signal"
        grep -q ': File too large$' err || fail "$what: the line does not say why"
        untouched "$what"
    done
done

refused "/dev/full" capture -o /dev/full
refused "standard output on /dev/full" bash -c '"$CTPROF" capture --proc-root "$1" -o - >/dev/full' sh "$tree"
refused "standard output that is closed" bash -c '"$CTPROF" capture --proc-root "$1" -o - >&-' sh "$tree"
for command in "show a.zst" "show --format csv a.zst" "show --format json a.zst" "compare --unchanged a.zst a.zst" \
    "show --format markdown a.zst" "compare --unchanged --format csv a.zst a.zst" \
    "compare --unchanged --format json a.zst a.zst" "compare --unchanged --format ndjson a.zst a.zst" "metric-list" "metric-list --format json" "--help" "--version" "show --help"; do
    cp "$here/snapshots/v1-baseline.ctprof.zst" a.zst
    # shellcheck disable=SC2086
    refused "$command on /dev/full" bash -c 'exec "$CTPROF" "$@" >/dev/full' sh $command
    grep -qx 'ctprof: standard output: No space left on device' err || fail "$command on /dev/full: the line does not say why"
    # shellcheck disable=SC2086
    refused "$command with standard output closed" bash -c 'exec "$CTPROF" "$@" >&-' sh $command
    grep -qx 'ctprof: standard output: Bad file descriptor' err || fail "$command, closed: the line does not say why"
done

# A device, a pipe and a link are written to, not replaced.
capture -o /dev/null || fail "/dev/null is not taken"
[ -c /dev/null ] || fail "/dev/null was replaced"
mkfifo pipe
capture -o pipe &
writer=$!
zstd -dc <pipe | grep -q '"format":"ctprof"' || fail "a pipe does not get the snapshot"
wait "$writer" || fail "writing to a pipe fails"
[ -p pipe ] || fail "a pipe was replaced"

# Killed in the middle: nothing is left. A tree of many threads makes the middle long enough to hit.
if command -v perl >/dev/null; then
    mkdir -p "$many/7/task"
    cp "$tree/1/comm" "$many/7/"
    cp "$tree/1/task/1/stat" "$tree/1/task/1/sched" "$many/"
    (cd "$many" && perl -e 'for my $dir (map { "7/task/$_" } 8 .. 6007) {
            mkdir($dir) && link("stat", "$dir/stat") && link("sched", "$dir/sched") or die $!
        }')
    fresh
    killed=0
    for delay in 0.002 0.005 0.01 0.02; do
        for name in old.zst new.zst; do
            "$CTPROF" capture --proc-root "$many" -o "dir/$name" 2>/dev/null &
            child=$!
            sleep "$delay"
            kill -KILL "$child" 2>/dev/null || true
            status=0
            wait "$child" 2>/dev/null || status=$?
            if [ "$status" -eq 137 ]; then
                killed=$((killed + 1))
                untouched "killed after $delay s"
            else
                fresh
            fi
        done
    done
    [ "$killed" -gt 0 ] || fail "no capture could be killed in the middle"
    # And one that is left alone does finish.
    "$CTPROF" capture --proc-root "$many" -o dir/new.zst || fail "the large tree is not taken"
    zstd -tq dir/new.zst || fail "the large snapshot is damaged"
else
    echo "note: no perl, so no capture was killed in the middle"
fi
echo "$checks checks"
