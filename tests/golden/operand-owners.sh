#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# operand-owners.sh CTPROF EXCHANGE_NAMES: root reads what lies in directories where another user may write. That user decides which
# stored file is read, and leads root to nothing else: no device, no FIFO and no file of /proc is opened. Needs root, to
# be two users.
set -euo pipefail

other=65534
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: only root can be two users"
    exit 77
fi
for tool in timeout strace mkfifo; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: no $tool"
        exit 77
    fi
done
if ! strace -o /dev/null true 2>/dev/null; then
    echo "skipped: no program can be traced here"
    exit 77
fi
CTPROF=$(realpath "$1")
exchange=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
racer=
trap '[ -z "$racer" ] || kill "$racer" 2>/dev/null || true; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"
umask 022

checks=0
fail() {
    echo "operand-owners.sh: $*"
    [ ! -s err ] || head -c 2000 err | cat -v
    exit 1
}
ok() {
    checks=$((checks + 1))
}

mkdir stored
"$CTPROF" capture --proc-root "$here/../fixtures/6.12-schedstats/proc" -q -o stored/first.zst
"$here/../fixtures/tree.sh" 6.12-schedstats-later trees/later
"$CTPROF" capture --proc-root trees/later/proc -q -o stored/last.zst
"$CTPROF" window stored/first.zst stored/last.zst -q -o stored/window.zst
echo '{"schema_version": "0.2.2", "hostname": "SECRET"}' >stored/secret
chmod 600 stored/*

# shared MODE OWNER: a directory that others may write, where the other user has laid links and FIFOs.
shared() {
    rm -rf shared
    mkdir shared
    ln -s /dev/kmsg shared/device.zst
    ln -s /proc/kmsg shared/kernel.zst
    ln -s /proc/kmsg shared/kernel_info.json
    ln -s /proc/self shared/process
    ln -s /dev/fd/0 shared/descriptor.zst
    ln -s ../stored/first.zst shared/first.zst
    ln -s ../stored shared/way
    ln -s ../stored/secret shared/secret.zst
    mkfifo -m 666 shared/pipe.zst
    mkdir shared/experiment
    ln -s /proc/kmsg shared/experiment/experiment.json
    chown -hR "$other:$other" shared/*
    chown "$2:$2" shared
    chmod "$1" shared
}
# trace COMMAND...: runs ctprof; opened has what it has opened with more than O_PATH, one name a line. Nobody waits.
trace() {
    status=0
    # LeakSanitizer does not work under strace.
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" timeout 60 \
        strace -f -y -e trace=open,openat,openat2,creat -o trace "$CTPROF" "$@" </dev/null >out 2>err || status=$?
    [ "$status" -ne 124 ] || fail "$*: waits"
    # The arguments and the result of a call may stand in two lines, and the flags are in the first one.
    awk '/<unfinished/ { begun[$1] = $0; next }
        /resumed>/ { line = begun[$1] " " $0; delete begun[$1]; if (line !~ /O_PATH/) print line; next }
        !/O_PATH/' trace >opened
}
# refused REASON COMMAND...: one line, status 1, and nothing of the kernel and no FIFO was opened.
refused() {
    local reason=$1

    shift
    trace "$@"
    [ "$status" -eq 1 ] || fail "$*: status $status, not 1"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line"
    case $(<err) in
    *"$reason"*) ;;
    *) fail "$*: another line" ;;
    esac
    ! grep -E 'kmsg>|/pipe\.zst>' opened || fail "$*: opened"
    ok
}
# reads COMMAND...: it is read.
reads() {
    trace "$@"
    [ "$status" -eq 0 ] || fail "$*: status $status"
    ok
}

link="is a symbolic link of user $other in a directory that others may write, and leads to no plain file; name what it leads to"
sticky="is a symbolic link of user $other in a directory that others may write; name what it leads to"
pipe="'pipe.zst' is a FIFO of user $other in a directory that others may write; open it in the shell, and name /dev/fd/N"

# all PREFIX REASON NAME: every command that reads a snapshot refuses it.
all() {
    refused "$1" show "$2"
    refused "$1" export "$2"
    refused "$1" window -q -o new "$2" stored/last.zst
    refused "$1" compare stored/first.zst "$2"
    refused "merge reads its files twice, and needs regular ones" merge -q -o new "$2"
    # It says that no stream can be drawn, before it opens one.
    trace report -o new "$2"
    [ "$status" -eq 2 ] || fail "report $2: status $status, not 2"
    ! grep -E 'kmsg>|/pipe\.zst>' opened || fail "report $2: opened"
    refused "$1" db add --db facts.db "$2"
    [ ! -e new ] || fail "a file was made"
}

for directory in "0755 $other" "0777 0" "1777 $other"; do
    # shellcheck disable=SC2086
    shared $directory
    all "'device.zst' $link" shared/device.zst
    all "$pipe" shared/pipe.zst
    refused "'kernel.zst' $link" show shared/kernel.zst
    refused "'process' $link" show shared/process/environ
    refused "'descriptor.zst' $link" show shared/descriptor.zst
    refused "'kernel_info.json' $link" list shared
    refused "'kernel_info.json' $link" list shared/kernel
    refused "'kernel_info.json' $link" plot shared/kernel_info.json
    refused "experiment.json: it is no regular file" ab-report shared/experiment
    refused "'kernel.zst' $link" compare "A=shared/kern*.zst" "B=stored/window.zst"

    # Stored files are read, as the kernel has it, and nothing of another file is said.
    reads show shared/first.zst
    reads show shared/way/first.zst
    reads compare shared/first.zst shared/way/last.zst
    refused "not a ctprof snapshot" show shared/secret.zst
    ! grep SECRET err out || fail "a line has what is in a file of root's"
done

# The kernel follows no such link where fs.protected_symlinks is set, which not all systems do.
shared 1777 0
for name in first device secret; do
    refused "'$name.zst' $sticky" show "shared/$name.zst"
done
refused "'way' $sticky" list shared/way
ln -s /proc/self/mounts shared/own.zst
ln -s ../stored/first.zst shared/own-first.zst
reads show shared/own-first.zst
trace show shared/own.zst
[ "$status" -eq 1 ] || fail "a file of /proc is a snapshot"
grep -q 'proc/.*mounts>' opened || fail "a link of one's own is not followed"
ok

# The caller names descriptors, pipes and FIFOs of root, and they are opened.
# same WHAT: the first line has the name of the file.
same() {
    tail -n +2 out | cmp - expected || fail "$1: another snapshot"
    ok
}
"$CTPROF" show - <stored/first.zst | tail -n +2 >expected
[ "$(wc -l <expected)" -gt 3 ] || fail "no rows are shown"
for name in - /dev/stdin /dev/fd/0 /proc/self/fd/0; do
    "$CTPROF" show "$name" <stored/first.zst >out
    same "$name"
    # shellcheck disable=SC2002 # It is about a pipe.
    cat stored/first.zst | "$CTPROF" show "$name" >out
    same "$name, a pipe"
done
"$CTPROF" compare <(cat stored/first.zst) <(cat stored/last.zst) >out
"$CTPROF" compare stored/first.zst stored/last.zst | tail -n +2 >compared
tail -n +2 out | cmp - compared || fail "process substitutions: another result"
ok
mkfifo -m 600 own-pipe shared/own-pipe
for name in own-pipe shared/own-pipe; do
    cat stored/first.zst >"$name" &
    timeout 60 "$CTPROF" show "$name" >out || fail "$name: not read"
    same "$name"
done

# Another user exchanges a file that a pattern matches with links to a FIFO and a device, and with more.
race() {
    local runs=0 end=$((SECONDS + ${RACE_SECONDS:-3}))

    shared 0755 "$other"
    cp stored/window.zst shared/b.zst
    "$exchange" "$other" shared name.zst /dev/kmsg /proc/kmsg pipe.zst ../stored/window.zst &
    racer=$!
    until [ -e shared/name.zst ] || [ -L shared/name.zst ]; do
        kill -0 "$racer" || fail "nobody exchanges names"
    done
    while [ "$SECONDS" -lt "$end" ]; do
        trace "$@"
        [ "$status" -le 1 ] || fail "$*: status $status"
        ! grep -E 'kmsg>|/pipe\.zst>' opened || fail "$*: opened in a race"
        runs=$((runs + 1))
    done
    kill "$racer"
    wait "$racer" 2>/dev/null || true
    racer=
    [ "$runs" -gt 0 ] || fail "$*: never ran"
    echo "$* in a race: $runs runs"
}
race compare "A=shared/nam*.zst" "B=shared/b.zst"
race show shared/name.zst
echo "$checks checks"
