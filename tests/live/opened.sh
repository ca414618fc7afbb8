#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# opened.sh CTPROF: what root opens because of another user's process. In a mount namespace of its own that user puts a device
# which only root may open, or a FIFO, over the path of a program that runs, or maps a device; a capture must not open
# any of them, other than with O_PATH, which opens nothing. strace says what is opened.
set -euo pipefail

if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: this is about root"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd strace setpriv unshare python3
scratch=$(mktemp -d)
victims=()
stop_victims() {
    local pid

    for pid in "${victims[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
}
trap 'stop_victims; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir -m 777 "$scratch/place"
cd "$scratch/place"

as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}
if ! as_nobody unshare --user --map-root-user --mount true 2>/dev/null; then
    echo "skipped: users may not have mount namespaces of their own here"
    exit 77
fi
device=
for name in loop-control cpu_dma_latency hwrng console; do
    if [ -c "/dev/$name" ]; then
        device=/dev/$name
        break
    fi
done
if [ -z "$device" ]; then
    echo "skipped: no device to put in the way"
    exit 77
fi

# hide NAME WHAT: NAME runs, and WHAT lies over its path then.
hide() {
    cp "$(command -v sleep)" "$1"
    chmod 755 "$1"
    # shellcheck disable=SC2016 # The inner shell expands them.
    as_nobody unshare --user --map-root-user --mount sh -c '
        "$1" 300 &
        until [ "$(cat /proc/$!/comm)" = "${1##*/}" ]; do sleep 0.01; done
        mount --bind "$2" "$1" && echo "READY $!" >"$1.out"
        exec sleep 1' - "$PWD/$1" "$2" &
    await "$1.out" READY
    victims+=("$(cut -d" " -f2 "$1.out")")
}
as_nobody mkfifo fifo
hide "over-device" "$device"
hide "over-fifo" "$PWD/fifo"
as_nobody env PATH=/usr/bin:/bin python3 -c '
import ctypes, os, time
libc = ctypes.CDLL(None)
fd = libc.open(b"/dev/zero", 0)
libc.mmap.restype = ctypes.c_void_p
PROT_READ_EXEC, MAP_PRIVATE = 5, 2
libc.mmap(None, 4096, PROT_READ_EXEC, MAP_PRIVATE, fd, 0)
libc.close(fd)
print("READY", os.getpid(), flush=True)
time.sleep(300)' >zero.out 2>&1 &
await zero.out READY
# The job is a shell that waits for the program.
victims+=("$(cut -d" " -f2 zero.out)")

# opened FILE: opens that succeeded, of anything but files that are ours to open, and not with O_PATH.
opened() {
    grep -E '(open|openat|openat2)\(.* = [0-9]+<' "$1" | grep -v O_PATH |
        grep -E "= [0-9]+<($PWD/|.*<(char|block) )" | grep -vE '= [0-9]+</dev/(null|urandom|random|tty)<char' || true
}
# In the first run the links of /proc to mapped files are closed, as they are without CAP_CHECKPOINT_RESTORE.
for rights in "-checkpoint_restore,-sys_admin" "+all"; do
    for source in procfs auto; do
        # LeakSanitizer does not work under strace.
        ASAN_OPTIONS=detect_leaks=0 setpriv --bounding-set "$rights" strace -f -yy -qq -e trace=open,openat,openat2 -o trace \
            "$CTPROF" capture -q --source "$source" -o "$scratch/a.zst" || fail "a capture ended with status $?"
        between "opens that strace saw" 100 "$(grep -c open trace)" 10000000
        [ "$rights" = "+all" ] && grep -vE "over-(device|fifo)>?[^/]*$" trace >others && mv others trace
        same "what a capture with $rights opened by --source $source" none "$(opened trace | sed -n 1,5p | grep . || echo none)"
        between "processes looked at" 3 "$(zstd -dc "$scratch/a.zst" | jq .probe_summary.tgids_walked)" 1000000
    done
done
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
