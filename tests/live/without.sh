#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# without.sh CTPROF REFUSE: a capture succeeds without netlink, without cgroups mounted, without /sys, without PSI, and
# says what it did without.
set -euo pipefail

CTPROF=$(realpath "$1")
refuse=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
checks=0
source=procfs
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd unshare mount umount
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# captured_by COMMAND...: what it captures is whole; its JSON is in a.json.
captured_by() {
    rm -f a.zst a.json
    "$@" capture --source "$source" -o a.zst 2>err || fail "$*: status $?: $(cat err)"
    zstd -tq a.zst || fail "$*: the snapshot is damaged"
    zstd -dc a.zst >a.json
    [ "$(jq '.threads | length' a.json)" -gt 1 ] || fail "$*: no threads"
    [ "$(jq '[.threads[] | select(has("utime_clock_ticks"))] | length' a.json)" -gt 1 ] || fail "$*: no CPU time"
    checks=$((checks + 1))
}
rule() {
    jq -r --arg source "$1" '.sources[$source].rule' a.json
}
no_taskstats() {
    same "$1: taskstats" "$2" "$(rule taskstats)"
    same "$1: values of taskstats" 0 \
        "$(jq '[.threads[] | select(has("cpu_delay_count") or has("hiwater_rss_bytes"))] | length' a.json)"
}
# number NAME: of an error.
number() {
    case $1 in
    EPERM) echo 1 ;;
    EIO) echo 5 ;;
    EINTR) echo 4 ;;
    EAGAIN) echo 11 ;;
    EACCES) echo 13 ;;
    ENOSYS) echo 38 ;;
    EPROTONOSUPPORT) echo 93 ;;
    EAFNOSUPPORT) echo 97 ;;
    ENOBUFS) echo 105 ;;
    esac
}

captured_by "$CTPROF"
with=$(rule taskstats)
echo "taskstats are $with here"

if [ "$("$refuse" socket 1 true; echo $?)" -eq 77 ]; then
    echo "note: this kernel has no seccomp filters, so no system call was refused"
else
    for error in EPERM EACCES; do
        captured_by "$refuse" socket "$(number "$error")" "$CTPROF"
        no_taskstats "a socket refused with $error" denied
    done
    for error in EAFNOSUPPORT EPROTONOSUPPORT ENOSYS ENOBUFS; do
        captured_by "$refuse" socket "$(number "$error")" "$CTPROF"
        no_taskstats "a socket refused with $error" off
    done
    for call in send receive; do
        for error in EIO ENOBUFS EAGAIN ENOSYS; do
            captured_by "$refuse" "$call" "$(number "$error")" "$CTPROF"
            no_taskstats "$call refused with $error" off
        done
    done
fi

unshared() {
    with_own_mounts bash -c "$1"' && shift && exec "$@"' bash - "${@:2}"
}
if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation unchanged true 2>/dev/null; then
    echo "note: this user makes no namespaces, so nothing was unmounted"
else
    if [ "$with" = read ] && unshare --net true 2>/dev/null; then
        # Taskstats are there in every network namespace, but only for the capabilities of the initial user namespace.
        captured_by unshare --net "$CTPROF"
        same "another network namespace: taskstats" read "$(rule taskstats)"
        if unshare --user --map-root-user true 2>/dev/null; then
            captured_by unshare --user --map-root-user "$CTPROF"
            no_taskstats "another user namespace" denied
        fi
    fi

    empty=$scratch/empty
    mkdir "$empty"
    captured_by unshared "mount --bind $empty /sys/fs/cgroup" "$CTPROF"
    captured_by unshared unmount_cgroups "$CTPROF"
    same "no cgroup mount: the mode" none "$(jq -r .host.cgroup_mode a.json)"
    same "no cgroup mount: cgroups read" 0 "$(jq '(.cgroup_stats | length) + (.cgroup_v1_stats | length)' a.json)"

    captured_by unshared "mount --bind $empty /sys" "$CTPROF"
    same "no /sys: sched_ext" null "$(jq .sched_ext a.json)"
    same "no /sys: CPUs" null "$(jq .host.online_cpus a.json)"

    captured_by unshared "mount --bind $empty /proc/pressure" "$CTPROF"
    same "no /proc/pressure: pressure" '{}' "$(jq -c .psi a.json)"
fi
echo "$checks checks"
