#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# helpers.sh CTPROF HANGING_MOUNT WORKLOAD: programs on file systems that do not answer hold up neither a capture nor a window,
# and leave at most one helper process behind, whatever the file system is. Helpers have no rights and no descriptors that
# they do not need.
set -euo pipefail

for program in jq zstd unshare python3 setpriv; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: no $program"
        exit 77
    fi
done
if [ "$(id -u)" -ne 0 ] || [ ! -c /dev/fuse ]; then
    echo "skipped: this takes root and /dev/fuse"
    exit 77
fi
CTPROF=$(realpath "$1")
server=$(realpath "$2")
WORKLOAD=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${WITH_OWN_MOUNTS-}" ]; then
    # shellcheck source=/dev/null
    source "$here/lib.sh"
    export WITH_OWN_MOUNTS=1
    with_own_mounts "$0" "$CTPROF" "$server" "$WORKLOAD"
    exit
fi
# shellcheck source=/dev/null
source "$here/lib.sh"
needs_jemalloc
scratch=$(mktemp -d)
started=()
# The server first: whoever waits for it can end then.
stop_started() {
    [ -z "${KEEP-}" ] || helpers
    for pid in "${started[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    sleep 0.2
    umount -R -l "$scratch" 2>/dev/null || true
}
trap 'stop_started; rm -rf "$scratch"' EXIT
mount -t tmpfs -o mode=755 none "$scratch"
cd "$scratch"

# helpers: those that live, "pid name", but for those of other builds.
helpers() {
    local status

    for status in /proc/[0-9]*/status; do
        [[ $(readlink "${status%status}exe") == "$CTPROF"* ]] || continue
        awk -v pid="${status//[^0-9]/}" '/^Name:/ { name = $2 } /^State:/ { state = $2 }
            END { if (name ~ /^ctprof-(look|inspect|probe)$/ && state !~ /[ZX]/) print pid, name }' "$status" 2>/dev/null || true
    done
}
# serve NAME: a mount that answers, with a program in it.
serve() {
    mkdir "$1"
    "$server" "$1" "$(command -v sleep)" >"$1.out" 2>"$1.err" &
    server_pid=$!
    started+=("$server_pid")
    while kill -0 "$server_pid" 2>/dev/null; do
        ! grep -q READY "$1.out" 2>/dev/null || return 0
        sleep 0.01
    done
    echo "skipped: FUSE cannot be mounted here: $(cat "$1.err")"
    exit 77
}
# run_program FILE [no]: the server hangs afterwards, but for "no".
run_program() {
    "$1" 300 &
    program_pid=$!
    started+=("$program_pid")
    # Waits until its first pages have been read.
    await_sleep "$program_pid"
    [ -n "${2-}" ] || kill -USR1 "$server_pid"
}
end_all() {
    kill -KILL "$server_pid" "$program_pid"
    wait "$server_pid" "$program_pid" 2>/dev/null || true
    for ((i = 0; i < 3000; i++)); do
        [ -z "$(helpers)" ] && return
        sleep 0.01
    done
    fail "helpers are left: $(helpers)"
}
# took FILE WHAT MOST_MS ARGUMENT...: captures, and sets took to its ms: up to three times where other work on the CPUs may
# have made it longer.
took() {
    local begin file=$1 what=$2 most=$3

    shift 3
    for ((try = 0; try < 3; try++)); do
        begin=$(now_ms)
        timeout 60 "$CTPROF" capture -q "$@" -o "$file" || fail "$what: a capture ended with status $?"
        took=$(($(now_ms) - begin))
        [ "$took" -gt "$most" ] || break
    done
}

# captures WHAT MOST_MS MOST_HELPERS: three in a row.
captures() {
    for n in 1 2 3; do
        took "$n.zst" "$1" "$2"
        between "$1: ms that capture $n took" 0 "$took" "$2"
        # A helper that was told to end needs a moment, and more on a busy machine. One that hangs stays.
        for ((i = 0; i < 200 && $(helpers | wc -l) > $3; i++)); do
            sleep 0.1
        done
        between "$1: helpers behind capture $n" 0 "$(helpers | wc -l)" "$3"
    done
}
tag() {
    zstd -dc "$1" | jq --arg tag "$2" '.probe_summary.processes[$tag] // 0'
}

# of_length: a window of 1 s is as long as one was beside nothing that hangs.
of_length() {
    between "ns of a window of 1 s" 1000000000 "$(window_length window.zst)" $((usual_length + 50000000))
}

"$CTPROF" capture -q -o before.zst
usual=$(zstd -dc before.zst | jq .cost.wall_ns)
most_ms=$((usual * 3 / 1000000 + 2500))
usual_length=$(window_length window.zst)
echo "usually a capture takes $((usual / 1000000)) ms, and a window of 1 s is $((usual_length / 1000000)) ms long"

# Mounted, and its type is known.
serve plain
run_program ./plain/program
captures "FUSE" "$most_ms" 0
for n in 1 2 3; do
    between "processes on FUSE in capture $n" 1 "$(tag "$n.zst" remote-file-system)" 1000
done
"$CTPROF" show -l 1.zst >shown
grep -q remote-file-system shown || fail "show does not say why: $(grep probe shown)"
of_length
# The server does not answer: the helper waits, the capture and a window do not.
took remote.zst --remote-files $((most_ms + 5000)) --remote-files
between "--remote-files: ms that a capture took" 0 "$took" $((most_ms + 5000))
between "--remote-files: helpers behind it" 0 "$(helpers | wc -l)" 1
same "--remote-files: processes that were not looked at for where their files are" 0 "$(tag remote.zst remote-file-system)"
read -r helper name < <(helpers) || true
if [ -n "${helper-}" ]; then
    took again.zst --remote-files "$most_ms" --remote-files
    between "processes that were not looked at for the helper's sake" 1 "$(tag again.zst earlier-helper)" 1000000
    same "the helper" ctprof-look "$name"
    # CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE
    allowed=$((1 << 2 | 1 << 19 | 1 << 40))
    for set in CapInh CapPrm CapEff CapAmb; do
        held=$((16#$(awk -v set="$set:" '$1 == set { print $2 }' "/proc/$helper/status")))
        same "$set of the helper beyond what it needs" 0 $((held & ~allowed))
    done
    same "NoNewPrivs of the helper" 1 "$(awk '$1 == "NoNewPrivs:" { print $2 }' "/proc/$helper/status")"
    same "ids of the helper that are root's" 0 "$(awk '/^[UG]id:/ { for (i = 2; i <= 5; i++) n += $i == 0 } END { print n + 0 }' "/proc/$helper/status")"
    # Beside /dev/null: the socket, the guard, the root of the process, its file, and the socket of the one that parses.
    between "descriptors of the helper" 2 "$(find "/proc/$helper/fd" -type l ! -lname /dev/null | wc -l)" 5
    # A window loses its probes, not its length.
    of_length
fi
end_all
# Afterwards everything is looked at again.
"$CTPROF" capture -q -o after.zst
same "processes that were not looked at afterwards" 0 "$(tag after.zst earlier-helper)"

# The server answers.
serve answering
run_program ./answering/program no
"$CTPROF" capture -q -o answered.zst
between "FUSE that answers: processes that were not looked at" 1 "$(tag answered.zst remote-file-system)" 1000
"$CTPROF" capture -q --remote-files -o answered.zst
same "--remote-files: processes on FUSE that were not looked at" 0 "$(tag answered.zst remote-file-system)"
same "--remote-files: earlier helpers" 0 "$(tag answered.zst earlier-helper)"
end_all

# The directories in which files with debugging information, and the names of containers, are looked for.
own_directory() {
    local made=

    [ -d "$1" ] || { mkdir -p "$1" && made=1; }
    # The server of the other directory has written the same line.
    rm -f own.out
    "$server" "$1" "$(command -v sleep)" >own.out 2>own.err &
    server_pid=$!
    started+=("$server_pid")
    while ! grep -qs READY own.out; do
        kill -0 "$server_pid" || fail "no mount on $1: $(cat own.err)"
        sleep 0.01
    done
    kill -USR1 "$server_pid"
    sleep 300 &
    program_pid=$!
    started+=("$program_pid")
    captures "FUSE on $1" "$most_ms" 0
    same "FUSE on $1: processes that were not looked at for a helper" 0 $(($(tag 3.zst earlier-helper) + $(tag 3.zst worker-panic)))
    end_all
    umount -l "$1"
    [ -z "$made" ] || rmdir "$1"
}
own_directory /usr/lib/debug
own_directory /var/lib/docker

# Unmounted while it is in use: no mount says what it is.
serve gone
run_program ./gone/program
umount -l gone
captures "FUSE, unmounted" "$most_ms" 0
end_all

# Below a file system that is local by all appearances.
serve lower
mkdir empty merged
if mount -t overlay -o lowerdir=empty:lower none merged 2>/dev/null; then
    run_program ./merged/program
    captures "overlay on FUSE" "$most_ms" 0
    for n in 1 2 3; do
        between "processes on an overlay on FUSE in capture $n" 1 "$(tag "$n.zst" remote-file-system)" 1000
    done
    end_all
else
    echo "not tested: no overlay on FUSE here"
fi

# A user's overlay on FUSE, below directories that lie on a local file system in our namespace.
mkdir upon
serve below
# shellcheck disable=SC2016 # The inner shell expands them.
unshare --user --map-root-user --mount sh -c 'mount -t overlay -o lowerdir="$PWD/empty:$PWD/below" none upon &&
    cd upon && exec ./program 300' 2>/dev/null &
program_pid=$!
started+=("$program_pid")
while kill -0 "$program_pid" 2>/dev/null && ! grep -qs nanosleep "/proc/$program_pid/wchan"; do
    sleep 0.02
done
if kill -0 "$program_pid" 2>/dev/null; then
    kill -USR1 "$server_pid"
    captures "a user's overlay on FUSE" "$most_ms" 0
    between "processes on a user's overlay" 1 "$(tag 3.zst remote-file-system)" 1000
else
    echo "not tested: users may not mount an overlay here"
    sleep 300 &
    program_pid=$!
fi
end_all

# An overlay that root has mounted, as for containers.
mkdir layer other united
cp "$(command -v sleep)" layer/program
if mount -t overlay -o "lowerdir=$PWD/other:$PWD/layer" none united 2>/dev/null; then
    ./united/program 300 &
    program_pid=$!
    started+=("$program_pid")
    await_sleep "$program_pid"
    "$CTPROF" capture -q -o united.zst
    same "reason of a process on a local overlay" null "$(zstd -dc united.zst |
        jq --argjson pid "$program_pid" '.threads[] | select(.tgid == $pid) | .missing.jemalloc')"
    kill -KILL "$program_pid"
fi

# A user without a session, as in cron and in services, has no directory below /run.
user=12345
if [ ! -e "/run/user/$user" ]; then
    serve asked
    copy_ctprof ctprof
    as_user() {
        setpriv --reuid="$user" --regid="$user" --clear-groups --inh-caps=-all "$@"
    }
    # Those that have ended wait for a parent that hangs.
    helpers_of_user() {
        grep -lE "^Uid:[[:space:]]${user}[[:space:]]" /proc/[0-9]*/status 2>/dev/null |
            xargs -r grep -LE '^State:[[:space:]][ZX]' 2>/dev/null |
            xargs -r grep -lE '^Name:[[:space:]]ctprof-' 2>/dev/null | wc -l
    }
    setpriv --reuid="$user" --regid="$user" --clear-groups --inh-caps=-all ./asked/program 300 &
    program_pid=$!
    started+=("$program_pid")
    await_sleep "$program_pid"
    kill -USR1 "$server_pid"
    for n in 1 2 3; do
        as_user timeout 60 ./ctprof capture -q --remote-files -o - >"user-$n.zst" || fail "a user's capture ended with status $?"
        for ((i = 0; i < 200 && $(helpers_of_user) > 1; i++)); do
            sleep 0.1
        done
        between "helpers of a user without a session behind capture $n" 0 "$(helpers_of_user)" 1
    done
    between "processes of the user that were not looked at for the helper's sake" 1 "$(tag user-3.zst earlier-helper)" 1000000
    # With nothing to lock, no helper is started. The maps of a process can be read from its own user namespace only.
    # shellcheck disable=SC2016 # The inner shell expands them.
    as_user unshare --user --map-root-user --mount sh -c '
        mount -t tmpfs -o mode=755 none /dev/shm || exit
        sleep 60 &
        ./ctprof capture -q -o -
        status=$?
        kill $!
        exit $status' >none.zst ||
        fail "a capture without /dev/shm ended with status $?"
    between "processes that were not looked at for want of a lock" 1 "$(tag none.zst no-helper-guard)" 1000000
    end_all
    for ((i = 0; i < 3000 && $(helpers_of_user) > 0; i++)); do
        sleep 0.01
    done
    same "helpers of the user afterwards" 0 "$(helpers_of_user)"
fi

# In a container whose process 1 reaps no others' children, a capture and a recorder leave no process behind.
cp "$(command -v sleep)" napper
chown 65534 napper
left_behind() { # COMMAND...: runs it in a new pid namespace, and prints how many processes are there behind it
    unshare --pid --fork --mount-proc python3 -c '
import os, subprocess, sys
napper = subprocess.Popen(["./napper", "60"])
status = subprocess.Popen(sys.argv[1:]).wait()
left = {name for name in os.listdir("/proc") if name.isdigit()} - {str(os.getpid()), str(napper.pid)}
napper.kill()
print(len(left))
sys.exit(status)' "$@" || fail "$2 in a pid namespace ended with status $?"
}
same "processes that a capture leaves to a process 1 that reaps none" 0 "$(left_behind "$CTPROF" capture -q --jemalloc auto -o napped.zst)"
between "programs in files of others that it looked at" 1 "$(tag napped.zst jemalloc-not-found)" 10
mkdir naps
same "processes that a recorder leaves to it" 0 \
    "$(left_behind timeout --preserve-status --signal=INT 3 "$CTPROF" record --every 500ms --jemalloc auto naps 2>/dev/null)"

# A window that could not end in time says so first. The program is stopped between its readings, until the window should
# have been over for long.
"$CTPROF" capture --window 3s -o late.zst 2>late.err &
late=$!
await_between "$late"
kill -STOP "$late"
sleep 4
kill -CONT "$late"
wait "$late" || fail "a window that was stopped ended with status $?"
between "ns of a window that was stopped" 4000000000 "$(zstd -dc late.zst | jq .window.length_ns)" 60000000000
same "ns that were asked for" 3000000000 "$(zstd -dc late.zst | jq .window.asked_length_ns)"
sed -n 1p late.err | grep -q "longer than the 3.000s that were asked for" || fail "the first line is: $(sed -n 1p late.err)"
"$CTPROF" show -l late.zst | grep "^window  " | grep -q "longer than the 3.000s that were asked for" ||
    fail "the head of show is: $("$CTPROF" show -l late.zst | sed -n 1,3p)"
checks=$((checks + 2))

# No capture of another one's is disturbed: both have helpers at the same time. Somebody else's helper that hangs disturbs
# them: up to five times, until there is none.
for ((try = 0; try < 5; try++)); do
    for n in 1 2 3 4; do
        "$CTPROF" capture -q -o "same-$n.zst" &
        pids[n]=$!
    done
    disturbed=0
    for n in 1 2 3 4; do
        wait "${pids[$n]}" || fail "one of four captures ended with status $?"
        disturbed=$((disturbed + $(tag "same-$n.zst" earlier-helper)))
    done
    [ "$disturbed" -gt 0 ] || break
    sleep 2
done
same "earlier helpers among captures at the same time" 0 "$disturbed"
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
