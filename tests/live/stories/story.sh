#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# story.sh CTPROF STORY NAME: sets up the work of the story NAME once and asks ctprof, with no options, what happened: of two
# snapshots, and of two windows. The cause must be in the first three rows, which are within the first seven lines of a screen
# of 80 columns; where it is a setting, that is above them, whatever else the host does. The rows need a host whose other
# work has less than $limit % of the CPUs, running or waiting, and less than 1 MiB/s of storage. The story waits for it. It
# is told up to three times where others had more, and then skipped.
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
cgroup='' watcher=''
pids=()
end() {
    [ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    wait 2>/dev/null || true
    pids=() watcher=''
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
limit=10
cpus=$(nproc --all)

# start NAME WORK...: a process called NAME; its id is in pid.
start() {
    "$STORY" "$@" &
    pid=$!
    pids+=("$pid")
    echo "$pid" >>own
}

# The state before the first snapshot or window, the change behind it, the group whose row shows it, and the setting that causes it.
before=: change=: cause=$name setting=
case $name in
hog) change='start hog spin 1' ;;
writer) change='start writer write "$file"' ;;
leak) before='start leak duty 1' change='start leak leak' ;;
slow) before='start slow duty 32' change='kill -USR1 $pid' ;;
convoy) change='start convoy convoy 8' ;;
squeeze)
    [ "$cpus" -gt 1 ] || { echo "skipped: one CPU"; exit 77; }
    before='start squeeze spin 2'
    change='taskset -a -p -c 0 $pid >/dev/null'
    setting='squeeze: cpu_affinity .* → 1 cpu \(0\)'
    ;;
renice)
    # In one session and one cgroup, on one CPU: elsewhere autogroups and cgroups make nice ineffective.
    before='start favoured spin 1; taskset -a -p -c 0 $pid >/dev/null; start niced spin 1; taskset -a -p -c 0 $pid >/dev/null'
    change='renice -n 19 -p $pid >/dev/null'
    cause='niced|favoured'
    setting='niced: nice 0 → 19'
    ;;
throttle)
    before='start throttle spin 2; in_cgroup'
    change='echo "$tenth" >"$cgroup/$quota"'
    setting="ctprof-story-$$: cpu[.](max|cfs_quota_us) (max|-1).* → 10000"
    ;;
*) fail "no story is called $name" ;;
esac

# in_cgroup: puts the process into a cgroup of whichever version has the controller. It is throttled to a tenth of a CPU by
# $tenth in its file $quota.
in_cgroup() {
    local root

    if root=$(mounted cgroup2 rw) && [ -n "$root" ] && grep -qw cpu "$root/cgroup.subtree_control" 2>/dev/null; then
        quota=cpu.max tenth='10000 100000'
    elif root=$(mounted cgroup cpu) && [ -n "$root" ]; then
        # shellcheck disable=SC2034 # The change has it.
        quota=cpu.cfs_quota_us tenth=10000
    else
        echo "skipped: no cgroup with the cpu controller"
        exit 77
    fi
    cgroup=$root/ctprof-story-$$
    mkdir "$cgroup"
    [ -e "$cgroup/$quota" ] || { echo "skipped: no bandwidth control"; exit 77; }
    echo "$pid" >"$cgroup/cgroup.procs"
}

# watch_others: prints, ten times a second, how many threads run or wait for a CPU that are none of the story, of ctprof or of
# this loop.
watch_others() {
    local running own state file

    # Nothing is ever written to this pipe: reading it is a sleep that starts no process.
    exec 3<> <(:)
    while :; do
        read -r _ _ _ running _ </proc/loadavg
        own=1
        while read -r pid; do
            for file in "/proc/$pid/task"/*/stat; do
                read -r _ _ state _ 2>/dev/null <"$file" || continue
                [ "$state" != R ] || own=$((own + 1))
            done
        done <own
        echo $((${running%/*} - own))
        read -r -t 0.1 -u 3 || true
    done 2>/dev/null
}

# storage_kib: what others have read from storage and written to it since boot, the story's processes left out.
storage_kib() {
    local files=() pid

    for pid in "${pids[@]}"; do files+=("/proc/$pid/io"); done
    awk '/^pgpg(in|out) / { kib += $2 } /^(read|write)_bytes:/ { kib -= $2 / 1024 } END { printf "%d\n", kib }' \
        /proc/vmstat "${files[@]}"
}

# others_of SECONDS KIB FILE: what others had, in percent of the CPUs, and whether that, or their KIB, is too much.
others_of() {
    awk -v seconds="$1" -v kib="$2" -v cpus="$cpus" -v limit="$limit" '
        { sum += $1 }
        END {
            percent = NR ? 100 * sum / NR / cpus : 0
            verdict = (percent > limit || kib > 1024 * seconds) ? "noisy" : "quiet"
            printf "%s %.0f %% of the CPUs and %.1f MiB/s of storage\n", verdict, percent, kib / 1024 / seconds
        }' "$3"
}

# look COMMAND...: runs it, and sets others to what other work there was meanwhile.
look() {
    local kib begin

    : >own
    watch_others >watched &
    watcher=$!
    kib=$(storage_kib)
    begin=${EPOCHREALTIME/[^0-9]/}
    "$@"
    others=$(others_of "$(awk -v us=$((${EPOCHREALTIME/[^0-9]/} - begin)) 'BEGIN { print us / 1000000 }')" \
        $(($(storage_kib) - kib)) watched)
    end
}

# capture OPTION...
capture() {
    "$CTPROF" capture --quiet "$@" &
    echo $! >>own
    wait $!
}

# tell: one set-up for both: a window and a snapshot before the change, a window and a snapshot behind it.
tell() {
    eval "$before"
    sleep 0.5
    capture --window 2s -o window-a.zst
    capture -o snapshots-a.zst
    eval "$change"
    sleep 0.5
    capture --window 2s -o window-b.zst
    capture -o snapshots-b.zst
}

# has_row: whether the cause is in the first three rows of the screen.
has_row() {
    sed -n '1,/^pcomm /d; p' screen | head -n 3 | grep -qE "^($cause) " &&
        head -n $((7 + $(grep -c '^set: ' screen))) screen | grep -qE "^($cause) "
}

# has_setting: whether the setting is above the table. If other people's settings fill the four lines, nothing is known.
has_setting() {
    [ -z "$setting" ] || head -n 6 screen | grep -qE "^set: .*$setting" || grep -q '^set: and ' screen
}

# Others' work may be over soon.
for ((i = 0; i < 10; i++)); do
    look sleep 1
    [ "${others%% *}" != quiet ] || break
done
declare -A told=()
for ((i = 0; i < 3 && SECONDS < 90; i++)); do
    look tell
    for way in snapshots window; do
        "$CTPROF" compare $way-a.zst $way-b.zst >screen
        while IFS= read -r line; do
            [ ${#line} -le 80 ] || fail "a line is wider than 80 columns: $line"
        done <screen
        has_setting || fail "$name is not among the settings of two of $way: $(cat screen)"
        if has_row; then
            [ -n "${told[$way]-}" ] || { echo "two of $way:"; head -n 12 screen; }
            told[$way]=1
        elif [ "${others%% *}" = quiet ]; then
            fail "$name is not in the first three rows of two of $way, beside ${others#* } of others: $(cat screen)"
        fi
    done
    [ ${#told[@]} -lt 2 ] || break
done
echo "others had ${others#* }"
if [ ${#told[@]} -lt 2 ] && [ -z "$setting" ]; then
    echo "skipped: other work has ${others#* }"
    exit 77
fi
