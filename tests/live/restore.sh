#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restore.sh CTPROF DRIVER [KILLS [ab]]: an experiment that switches a sysctl of this host, a file and a daemon is killed with SIGKILL at
# random moments: its runner, its guardian, both at once, or a command. Whatever was killed, everything is as it was
# afterwards; if runner and guardian died at once, after 'ctprof ab --restore'. The runner is DRIVER, which switches every 15 ms,
# or 'ctprof ab', which captures windows of 50 ms. 200 kills take a minute, of 'ctprof ab' some five, and with the seed in RESTORE_SEED the moments are
# the same again.
set -euo pipefail

CTPROF=$(realpath "$1")
driver=$(realpath "$2")
kills=${3:-18}
by=${4:-driver}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
[ "$(id -u)" = 0 ] || { echo "skipped: needs root"; exit 77; }
scratch=$(mktemp -d)
trap '[ -z "${runner:-}" ] || kill -9 "$runner" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"

sysctl=kernel.printk_ratelimit_burst
file=/proc/sys/kernel/printk_ratelimit_burst
before=$(cat $file)
(echo "$before" >$file) 2>/dev/null || { echo "skipped: $file cannot be written"; exit 77; }
seed=${RESTORE_SEED:-$RANDOM}
RANDOM=$seed
state=$scratch/state
# No other process of this host has this word.
mark="ctprof-restore-$$-$seed"

# pause_ms MILLISECONDS
pause_ms() {
    local pause

    printf -v pause '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
    sleep "$pause"
}

# children PID: sets $guardian and $others.
children() {
    local pid name pids=()

    guardian='' others=()
    read -ra pids <"/proc/$1/task/$1/children" || true
    for pid in "${pids[@]}"; do
        name=
        read -r name <"/proc/$pid/comm" || true
        if [ "$name" = ctprof-guardian ]; then guardian=$pid; else others+=("$pid"); fi
    done
} 2>/dev/null

marked() {
    # The pattern does not match itself.
    grep -lsz "[c]${mark#c}" /proc/[0-9]*/cmdline 2>/dev/null | grep -v "/$$/" || true
}

# as_it_was WHAT
as_it_was() {
    [ "$(cat $file)" = "$before" ] || fail "$1: $sysctl is $(cat $file), not $before; seed $seed"
    [ "$(cat changed)" = no ] || fail "$1: the command was not undone; seed $seed"
    [ ! -e "$state/changes" ] || fail "$1: the journal is still there; seed $seed"
    # The guardian removes the journal, and then it ends.
    for ((i = 0; i < 3000; i++)); do [ -n "$(marked)" ] || break; sleep 0.01; done
    [ -z "$(marked)" ] || fail "$1: processes are left: $(marked); seed $seed"
    checks=$((checks + 1))
}

# await_gone: until the journal has been removed by whoever is to do that.
await_gone() {
    for ((i = 0; i < 3000; i++)); do
        [ -e "$state/changes" ] || return 0
        sleep 0.01
    done
    fail "$1: the journal has not been removed after 30 s; seed $seed"
}

end_of() {
    local status=0

    wait "$runner" 2>/dev/null || status=$?
    runner=
    for want in "${@:2}"; do [ "$status" != "$want" ] || return 0; done
    fail "$1: status $status; seed $seed: $(cat err)"
}

begin() {
    local command="echo yes >$scratch/changed; sleep 0.01" undo="sleep 0.005; echo no >$scratch/changed"
    local daemon="exec sh -c 'while :; do sleep 0.1; done' $mark"

    echo no >changed
    rm -rf experiment
    if [ "$by" = ab ]; then
        STATE_DIRECTORY=$state "$CTPROF" ab --yes --quiet --a "sysctl $sysctl = $((before + 1))" --b "sysctl $sysctl = $((before + 2))" \
            --b "exec $command undo $undo" --b "daemon $daemon" --unit 50ms --settle 20ms --blocks 100 -o experiment >out 2>err &
    else
        "$driver" run "$state" "$sysctl" "$((before + 1))" "$((before + 2))" "$command" "$undo" "$daemon" >out 2>err &
    fi
    runner=$!
}

# await_begun: until the journal is there.
await_begun() {
    for ((i = 0; i < 6000; i++)); do
        if [ -e "$state/changes" ]; then return; fi
        sleep 0.01
    done
    fail "it has not begun: $(cat err)"
}

restore() {
    STATE_DIRECTORY=$state "$CTPROF" ab --restore
}

# knob PATH VALUE [ANOTHER]: the file has the value as the kernel prints it, and then what it had, as has another one that the
# kernel changes along with it. A file that is not there, or that this container may not write, is left out.
knob() {
    local old had='' got

    # A choice is not written as it is read.
    old=$(sed 's/.*\[\(.*\)\].*/\1/' "$1" 2>/dev/null) || return 0
    (echo "$old" >"$1") 2>/dev/null || [ "$1" = "${features-}" ] || return 0
    old=$(cat "$1" ${3+"$3"})
    got=$("$driver" set "$state" "$1" "$2" "cat $1") || fail "$1 = $2"
    had=$(cat "$1" ${3+"$3"})
    [ "$got" != "${old%%$'\n'*}" ] || fail "$1 = $2: it stayed $got"
    [ "$had" = "$old" ] || fail "$1 = $2: it is $had, and was $old"
    [ ! -e "$state/changes" ] || fail "$1 = $2: the journal is still there"
    knobs+=("$1")
}

# another VALUE A B: the one of the two that it is not.
another() {
    if [ "$1" = "$2" ]; then echo "$3"; else echo "$2"; fi
}

knobs=()
vm=/proc/sys/vm
knob $vm/swappiness "$(another "$(cat $vm/swappiness)" 10 11)"
# Setting one of these two sets the other one to 0, and 0 cannot be written to the first.
if [ "$(cat $vm/dirty_bytes)" = 0 ] && [ -w $vm/dirty_bytes ]; then
    had=$(cat $vm/dirty_ratio)
    "$driver" set "$state" $vm/dirty_bytes 1073741824 "cat $vm/dirty_bytes $vm/dirty_ratio" >out || fail "dirty_bytes"
    same "dirty_bytes while it is set" "1073741824 0" "$(tr '\n' ' ' <out | sed 's/ $//')"
    same "dirty_bytes and dirty_ratio afterwards" "0 $had" "$(cat $vm/dirty_bytes) $(cat $vm/dirty_ratio)"
    knobs+=("$vm/dirty_bytes")
fi
knob $vm/dirty_ratio "$(another "$(cat $vm/dirty_ratio)" 30 31)" $vm/dirty_bytes
knob /proc/sys/net/ipv4/tcp_rmem "4096 131071 6291456"
huge=/sys/kernel/mm/transparent_hugepage/enabled
[ ! -e $huge ] || knob $huge "$(grep -q '\[never\]' $huge && echo madvise || echo never)"
features=/sys/kernel/debug/sched/features
[ ! -e $features ] || knob $features "$(grep -q 'NO_HRTICK ' $features && echo HRTICK || echo NO_HRTICK)"
for mount in $(mounted cgroup2 rw) $(mounted cgroup cpu); do
    group=$mount/ctprof-restore-$$
    mkdir "$group" 2>/dev/null || continue
    knob "$group/cpu.max" 50000
    knob "$group/cpu.weight" 50
    knob "$group/cpu.shares" 512
    knob "$group/memory.max" 1G
    if [ -e "$group/io.max" ]; then
        # No limit is an empty file, which cannot be written.
        ! "$driver" set "$state" "$group/io.max" "8:0 rbps=1000000" true 2>err || fail "io.max could not be restored"
        grep -q 'could not be restored' err || fail "io.max: $(cat err)"
    fi
    rmdir "$group"
done
# A value that the kernel refuses, and one that it changes, are errors before anything begins, and leave the old one.
old=$(cat /proc/sys/kernel/pid_max)
! "$driver" set "$state" /proc/sys/kernel/pid_max 1 true 2>err || fail "pid_max = 1 has been accepted"
grep -q 'pid_max = 1: Invalid argument' err || fail "pid_max: $(cat err)"
same "pid_max" "$old" "$(cat /proc/sys/kernel/pid_max)"
! "$driver" set "$state" /proc/sys/kernel/version 1 true 2>err || fail "a file that cannot be written has been accepted"
echo "set and taken back: ${knobs[*]}"

declare -A count=()
# killing WHAT MILLISECONDS
killing() {
    local what=$1

    case $what in
    runner)
        kill -9 "$runner"
        end_of "$what" 137
        await_gone "$what"
        ;;
    ending)
        kill -TERM "$runner"
        pause_ms $((RANDOM % 40))
        kill -9 "$runner" 2>/dev/null || what=ended
        end_of "$what" 137 "$stopped"
        await_gone "$what"
        ;;
    guardian)
        children "$runner"
        [ -n "$guardian" ] && kill -9 "$guardian" || what=none
        pause_ms $((RANDOM % 60))
        kill -TERM "$runner" 2>/dev/null || true
        end_of "$what" "$stopped"
        ;;
    second)
        # The runner starts another guardian, which does what the first one would have done.
        children "$runner"
        first=$guardian
        [ -z "$first" ] || kill -9 "$first"
        for ((i = 0; i < 3000; i++)); do
            children "$runner"
            [ -z "$guardian" ] || [ "$guardian" = "$first" ] || break
            sleep 0.01
        done
        if [ -z "$guardian" ] || [ "$guardian" = "$first" ]; then fail "there is no second guardian; seed $seed"; fi
        pause_ms $((RANDOM % 60))
        kill -9 "$runner"
        end_of "$what" 137
        await_gone "$what"
        ;;
    both)
        children "$runner"
        if [ $((RANDOM % 2)) = 0 ]; then both="$runner $guardian"; else both="$guardian $runner"; fi
        # shellcheck disable=SC2086 # There are two, or one.
        kill -9 $both 2>/dev/null || true
        end_of "$what" 137
        while [ -n "$guardian" ] && kill -0 "$guardian" 2>/dev/null &&
            [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$guardian/stat")" != Z ]; do sleep 0.01; done
        # A guardian that was started in the same moment restores instead.
        for ((i = 0; i < 1000; i++)); do
            [ -e "$state/changes" ] || break
            STATE_DIRECTORY=$state "$CTPROF" metric-list 2>pending >/dev/null
            [ ! -s pending ] || break
            sleep 0.01
        done
        if [ -e "$state/changes" ]; then
            grep -q "ctprof: the experiment .* has left settings .*'ctprof ab --restore'" pending ||
                fail "a command says nothing of it: $(cat pending); seed $seed"
            what="both, pending"
        fi
        restore >/dev/null 2>restore-err || fail "$what: restore: $(cat restore-err); seed $seed"
        ;;
    command)
        for ((i = 0; i < 100; i++)); do
            children "$runner"
            [ "${#others[@]}" = 0 ] || break
        done
        [ "${#others[@]}" = 0 ] && what=none || kill -9 "${others[RANDOM % ${#others[@]}]}" 2>/dev/null || what=none
        pause_ms $((RANDOM % 100))
        kill -TERM "$runner" 2>/dev/null || true
        end_of "$what" "$stopped" 1
        # An undo command that is killed twice is left to --restore.
        [ ! -e "$state/changes" ] || restore >/dev/null
        ;;
    esac
    count[$what]=$((${count[$what]:-0} + 1))
    as_it_was "$what after $2 ms"
}

# The status after SIGTERM.
if [ "$by" = ab ]; then stopped=143; else stopped=0; fi
targets=(runner ending guardian second both command)
for ((n = 0; n < kills; n++)); do
    begin
    # Half of the moments are in the beginning, which takes some 30 ms.
    if [ $((RANDOM % 2)) = 0 ]; then ms=$((RANDOM % 50)); else ms=$((RANDOM % 400)); fi
    target=${targets[n % ${#targets[@]}]}
    if [ "$target" != runner ] && [ "$target" != both ]; then await_begun; fi
    pause_ms $ms
    killing "$target" $ms
done
for what in "${!count[@]}"; do echo "$what: ${count[$what]}"; done | sort
echo "after each of $kills kills everything was as before, seed $seed"
