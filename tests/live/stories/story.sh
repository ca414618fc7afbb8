#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# story.sh CTPROF STORY NAME: sets up the work of the story NAME and asks ctprof, with no options, what happened: of two
# snapshots, and of two windows. The cause must be in the first three rows, which are within the first seven lines of a screen
# of 80 columns. Where others work on the host, a story may be drowned by theirs: it is told up to three times.
# shellcheck disable=SC2016 # What stands in single quotes is expanded when the story is told.
set -euo pipefail

# In a session whose autogroup comes before those of others, which may work on the host as well.
if [ "$(id -u)" -eq 0 ] && [ -w /proc/self/autogroup ]; then
    [ -n "${STORY_SESSION-}" ] || STORY_SESSION=1 exec setsid --wait "$0" "$@"
    echo -20 >/proc/self/autogroup
fi

CTPROF=$(realpath "$1")
STORY=$(realpath "$2")
name=$3
here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
# Direct writes need a file system that has them.
file=/var/tmp/ctprof-story-$$
cgroup=
pids=()
end() {
    [ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    pids=()
    if [ -n "$cgroup" ]; then
        rmdir "$cgroup" 2>/dev/null || true
        cgroup=
    fi
    rm -f "$file"
}
trap 'end; rm -rf "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C.UTF-8 COLUMNS=80
# shellcheck source=/dev/null
source "$here/lib.sh"
needs taskset renice
[ "$(id -u)" -eq 0 ] || { echo "skipped: renice and cgroups are for root"; exit 77; }

# start NAME WORK...: a process called NAME; its id is in pid.
start() {
    "$STORY" "$@" &
    pid=$!
    pids+=("$pid")
}

# What stands before the first snapshot or window, what changes behind it, and whose row says so.
before=: change=: cause=$name
case $name in
hog) change='start hog spin 1' ;;
writer) change='start writer write "$file"' ;;
leak) before='start leak duty 1' change='start leak leak' ;;
slow) before='start slow duty 32' change='kill -USR1 $pid' ;;
convoy) change='start convoy convoy 8' ;;
squeeze)
    before='start squeeze spin 2'
    change='taskset -a -p -c 0 $pid >/dev/null'
    ;;
renice)
    # In one session and one cgroup, on one CPU: elsewhere autogroups and cgroups make nice ineffective.
    before='start favoured spin 1; taskset -a -p -c 0 $pid >/dev/null; start niced spin 1; taskset -a -p -c 0 $pid >/dev/null'
    change='renice -n 19 -p $pid >/dev/null'
    cause='niced|favoured'
    ;;
throttle)
    before='start throttle spin 2'
    change=throttle
    ;;
*) fail "no story is called $name" ;;
esac

# throttle: gives the process a tenth of a CPU, in a cgroup of whichever version has the controller.
throttle() {
    local root

    if root=$(mounted cgroup2 rw) && [ -n "$root" ] && grep -qw cpu "$root/cgroup.subtree_control" 2>/dev/null; then
        cgroup=$root/ctprof-story-$$
        mkdir "$cgroup"
        echo '10000 100000' >"$cgroup/cpu.max"
    elif root=$(mounted cgroup cpu) && [ -n "$root" ]; then
        cgroup=$root/ctprof-story-$$
        mkdir "$cgroup"
        if [ ! -e "$cgroup/cpu.cfs_quota_us" ]; then
            echo "skipped: no bandwidth control"
            exit 77
        fi
        echo 10000 >"$cgroup/cpu.cfs_quota_us"
    else
        echo "skipped: no cgroup with the cpu controller"
        exit 77
    fi
    echo "$pid" >"$cgroup/cgroup.procs"
}

# is_told: whether the cause is in the first three rows of the screen.
is_told() {
    sed -n '1,/^pcomm /d; p' screen | head -n 3 | grep -qE "^($cause) " &&
        head -n 7 screen | grep -qE "^($cause) "
}

snapshots() {
    eval "$before"
    sleep 1
    "$CTPROF" capture --quiet -o a.zst
    eval "$change"
    sleep 3
    "$CTPROF" capture --quiet -o b.zst
    "$CTPROF" compare a.zst b.zst >screen
}

windows() {
    eval "$before"
    sleep 1
    "$CTPROF" capture --quiet --window 3s -o a.zst
    eval "$change"
    sleep 0.5
    "$CTPROF" capture --quiet --window 3s -o b.zst
    "$CTPROF" compare a.zst b.zst >screen
}

for way in snapshots windows; do
    told=
    for _ in 1 2 3; do
        "$way"
        end
        while IFS= read -r line; do
            [ ${#line} -le 80 ] || fail "a line is wider than 80 columns: $line"
        done <screen
        if is_told; then
            told=1
            break
        fi
    done
    [ -n "$told" ] || fail "$name is not in the first three rows of two $way: $(cat screen)"
    checks=$((checks + 1))
    echo "two $way:"
    head -n 7 screen
done
