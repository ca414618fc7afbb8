#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup-v1-keys.sh CTPROF: a process whose cgroup of version 1 is another than that of version 2, grouped by both, as
# /proc and as BPF read it, in a snapshot and in a window in which it exits. Makes a cgroup and removes it.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd

controller=cpu
mount=$(mounted cgroup $controller)
if [ -z "$mount" ]; then
    echo "skipped: no hierarchy of version 1 with the controller $controller"
    exit 77
fi
group=ctprof-test-v1-$$
if ! mkdir "$mount/$group" 2>/dev/null; then
    echo "skipped: this user may make no cgroups in '$mount'"
    exit 77
fi
scratch=$(mktemp -d)
pids=()
clean_up() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for _ in 1 2 3 4 5; do
        rmdir "$mount/$group" 2>/dev/null && break
        sleep 0.1
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# Sleeps until it is killed, in the cgroup.
sleep 600 &
pid=$!
pids+=("$pid")
# The path of a process in the hierarchy whose line is matched by a pattern, as the kernel has it now.
path_of() {
    sed -n "s/^[0-9]*:$2:\(.*\)/\1/p" "/proc/$1/cgroup"
}
list="\([^:]*,\)\?$controller\(,[^:]*\)\?"
before=$(path_of "$pid" '')
echo "$pid" >"$mount/$group/cgroup.procs"
same "the path of version 2 stays" "[$before]" "[$(path_of "$pid" '')]"
same "the kernel has it moved" "/$group" "$(sed -n "s/^[0-9]*:$list:\(.*\)/\3/p" "/proc/$pid/cgroup")"

# A zombie that was in the cgroup, for which the kernel says "/". Its parent does not wait for it.
# shellcheck disable=SC2016 # The inner shell expands it.
bash -c 'echo $$ >"$1/cgroup.procs"; sleep 0 & echo $! >zombie; exec sleep 600' - "$mount/$group" &
pids+=($!)
end=$((SECONDS + 60)) zombie=
until [ -n "$zombie" ] && grep -q '^State:.Z' "/proc/$zombie/status"; do
    [ "$SECONDS" -lt "$end" ] || fail "there is no zombie"
    sleep 0.01
    zombie=$(cat zombie 2>/dev/null || true)
done
same "the kernel's path of a zombie" / "$(sed -n "s/^[0-9]*:$list:\(.*\)/\3/p" "/proc/$zombie/cgroup")"

# name FILE KEY PID: the name of the group that the process is in under a key, beside the one by thread.
name() {
    "$CTPROF" show --group-by "thread,$2" --no-cg-normalize --format json --metrics thread_count "$1" |
        jq -r --arg pid "$3 " --arg key "${2//[:=]/_}" '[.rows[] | select(.thread | startswith($pid)) | .[$key]] | .[0]'
}
for source in procfs bpf; do
    if ! "$CTPROF" capture -q --source $source -o $source.zst 2>$source.err; then
        [ $source = bpf ] || fail "capture --source $source: $(cat $source.err)"
        echo "no BPF here: $(head -n 1 $source.err)"
        continue
    fi
    same "$source: by $controller" "v1:/$group" "$(name $source.zst cgroup:v1:$controller "$pid")"
    same "$source: this shell" "v1:$(sed -n "s/^[0-9]*:$list:\(.*\)/\3/p" /proc/$$/cgroup)" \
        "$(name $source.zst cgroup:v1:$controller $$)"
    [ -z "$before" ] || same "$source: by version 2" "$before" "$(name $source.zst cgroup "$pid")"
    same "$source: the group has two threads" 2 "$(
        "$CTPROF" show --group-by cgroup:v1:$controller --no-cg-normalize --format json --metrics thread_count $source.zst |
            jq -r --arg group "v1:/$group" '[.rows[] | select(.group == $group) | .value] | add'
    )"
    # Every hierarchy, against the kernel's text of the shell: those without values and named ones as well.
    expected=$(sed -n 's/^[1-9][0-9]*:\([^:]*\):\(.*\)/\1 \2/p' /proc/$$/cgroup |
        while read -r names path; do for word in ${names//,/ }; do echo "$word $path"; done; done | sort)
    have=$(zstd -qdc $source.zst | jq -r --argjson pid $$ '.threads[] | select(.tid == $pid) | .cgroups_v1 | split("\n")[] | select(. != "") |
        capture("^(?<list>[^:]*):(?<path>.*)$") | .path as $path | .list | split(",")[] | "\(.) \($path)"' | sort)
    same "$source: all hierarchies of this shell" "$expected" "$have"

    while read -r word path; do
        [ "$("$CTPROF" metric-list --format json | jq --arg key "cgroup:v1:$word" '[.group_keys[] | select(.name == $key)] | length')" = 1 ] ||
            continue
        same "$source: this shell by $word" "v1:$path" "$(name $source.zst "cgroup:v1:$word" $$)"
    done <<<"$expected"
    same "$source: a hierarchy that this kernel does not have" "(no cgroup of nosuch)" \
        "$("$CTPROF" show --group-by cgroup:v1:nosuch --format json --metrics thread_count $source.zst | jq -r '[.rows[].group] | unique | join(" ")')"
    # The file is like one of a version that did not read them.
    zstd -qdc $source.zst | jq -c 'del(.host.cgroup_v1_hierarchies) | del(.threads[].cgroups_v1)' | zstd -q -f -o old.zst
    same "$source: a file without these keys" "(cgroup of $controller not read)" \
        "$("$CTPROF" show --group-by cgroup:v1:$controller --format json --metrics thread_count old.zst | jq -r '[.rows[].group] | unique | join(" ")')"

    same "$source: a zombie" "(cgroup of $controller not read)" \
        "$(name $source.zst cgroup:v1:$controller "$zombie")"

    # One that exits in a window is where the first reading saw it.
    sleep 600 &
    ending=$!
    pids+=("$ending")
    echo "$ending" >"$mount/$group/cgroup.procs"
    "$CTPROF" capture -q --source $source --window 60s -o $source-window.zst &
    window=$!
    pids+=("$window")
    await_between $window
    kill "$ending"
    wait "$ending" 2>/dev/null || true
    kill -INT $window
    wait $window || fail "capture --source $source --window"
    part=$(zstd -qdc $source-window.zst |
        jq -r --argjson pid "$ending" '.threads[] | select(.tid == $pid) | .window_part')
    if [ "$part" = exited ]; then
        same "$source: exited in the window" "v1:/$group" \
            "$(name $source-window.zst cgroup:v1:$controller "$ending")"
    else
        echo "$source: the window has no exit record of process $ending ('$part')"
    fi
    passed=$(zstd -qdc $source-window.zst | jq -r 'first(.threads[] | select(.window_part == "passed" and .tid == .tgid and
        (has("cgroups_v1") | not)) | .tid) // empty')
    [ -z "$passed" ] || same "$source: born and ended in the window" "(cgroup of $controller not read)" \
        "$(name $source-window.zst cgroup:v1:$controller "$passed")"
    same "$source: alive in the window" "v1:/$group" "$(name $source-window.zst cgroup:v1:$controller "$pid")"
done
echo "$checks checks passed"
