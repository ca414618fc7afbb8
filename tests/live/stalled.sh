#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stalled.sh CTPROF HANGING_MOUNT: a process that executes a program while a close-on-exec descriptor points to a FUSE mount that does
# not answer holds up whoever reads its files in /proc. Captures by both sources, windows and doctor end in time, have everything else, and
# say what is missing; a window answers SIGTERM. Recorders lose no thread in each window, and get back those that they lost. A job with
# such a process ends with its command and passes signals on. While it runs, ps(1) waits.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd unshare python3
if [ "$(id -u)" -ne 0 ] || [ ! -c /dev/fuse ]; then
    echo "skipped: this takes root and /dev/fuse"
    exit 77
fi
CTPROF=$(realpath "$1")
server=$(realpath "$2")
if [ -z "${WITH_OWN_MOUNTS-}" ]; then
    export WITH_OWN_MOUNTS=1
    with_own_mounts "$0" "$CTPROF" "$server"
    exit
fi
scratch=$(mktemp -d)
started=()
# Processes that wait for the server end with it. The guard does the same if this script is killed.
stop_started() {
    [ ${#started[@]} -eq 0 ] || kill -KILL "${started[@]}" 2>/dev/null || true
    started=()
    sleep 0.2
    umount -l "$scratch/point" 2>/dev/null || true
}
trap 'stop_started; rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir point
: >ready

"$server" point "$(command -v sleep)" >ready 2>error &
server_pid=$!
disown
started+=("$server_pid")
# shellcheck disable=SC2016 # The inner shell expands them.
bash -c 'for ((i = 0; i < 300; i++)); do kill -0 "$1" || break; sleep 1; done; kill -KILL "$2"' - $$ "$server_pid" 2>/dev/null &
started+=($!)
disown
until grep -q READY ready || ! kill -0 "$server_pid" 2>/dev/null; do
    sleep 0.01
done
if ! grep -q READY ready; then
    echo "skipped: FUSE cannot be mounted here: $(cat error)"
    exit 77
fi

mkfifo go
python3 -c '
import os, sys
held = os.open("point/program", os.O_RDONLY | os.O_CLOEXEC)
open("held", "w").close()
open("go").read()
os.execv("/bin/sleep", ["sleep", "60"])' &
stalled=$!
disown
started+=("$stalled")
until [ -e held ] || ! kill -0 "$stalled" 2>/dev/null; do
    sleep 0.01
done
"$CTPROF" capture -q -o before.zst
usual=$(zstd -dc before.zst | jq .cost.wall_ns)
most_ms=$((usual * 3 / 1000000 + 4000))
usual_length=$(window_length before.zst)
echo "usually a capture takes $((usual / 1000000)) ms, and a window of 1 s is $((usual_length / 1000000)) ms long"
kill -USR1 "$server_pid"
sleep 0.2
echo >go
# It stalls from the moment on in which it is in the exec.
for ((i = 0; i < 10; i++)); do
    timeout -s KILL 0.3 cat "/proc/$stalled/io" >/dev/null 2>&1 || { [ $? -eq 137 ] && break; }
done
if [ "$i" -eq 10 ]; then
    echo "skipped: this kernel lets others read a process that is in an exec"
    exit 77
fi

# timed FILE ARGUMENT...: captures; another process's values are all there, and the stalled one is counted. Up to three times
# where other work on the CPUs may have made it longer.
timed() {
    local file=$1 begin took

    shift
    for ((try = 0; try < 3; try++)); do
        begin=$(now_ms)
        timeout -s KILL 60 "$CTPROF" capture "$@" -o "$file" 2>"$file.err" || fail "$*: status $?"
        took=$(($(now_ms) - begin))
        [ "$took" -gt "$most_ms" ] || break
    done
    between "$*: ms" 0 "$took" "$most_ms"
    zstd -dc "$file" >"$file.json"
    between "$*: processes that stalled" 1 "$(jq .parse_summary.processes_stalled "$file.json")" 3
    grep -q "stalled for" "$file.err" || fail "$*: says nothing of it: $(cat "$file.err")"
    jq -e --argjson tid $$ '.threads[] | select(.tid == $tid) | .rchar != null and .exe != null' "$file.json" >/dev/null ||
        fail "$*: the values of another process are missing"
    checks=$((checks + 1))
    "$CTPROF" show -l "$file" >"$file.shown"
    grep -q "stalled: " "$file.shown" || fail "$*: show does not say what stalled"
}
# The stalled process has a row where its identity could be read.
missing() {
    jq -r --argjson tid "$stalled" '[.threads[] | select(.tid == $tid) | .missing[$source]] | first // "no row"' --arg source "$2" "$1"
}

timed procfs.zst --source procfs
[[ $(missing procfs.zst.json io) =~ ^(stalled|no row)$ ]] || fail "procfs: io of the stalled process: $(missing procfs.zst.json io)"
if "$CTPROF" capture -q --source bpf -o /dev/null 2>/dev/null; then
    timed bpf.zst --source bpf
    same "bpf: its executable" stalled "$(missing bpf.zst.json exe)"
    same "bpf: its smaps" stalled "$(missing bpf.zst.json smaps_rollup)"
    timed waits.zst --source bpf --waits
    same "bpf: where it waits" stalled "$(missing waits.zst.json wchan)"
    same "bpf: its system call" stalled "$(missing waits.zst.json syscall)"
fi
for source in procfs auto; do
    for ((i = 0; i < 4; i++)); do
        timed window.zst --window 1s --source "$source"
        length=$(jq .window.length_ns window.zst.json)
        [ "$length" -gt $((usual_length + 50000000)) ] || break
    done
    between "$source: ns of a window of 1 s" 1000000000 "$length" $((usual_length + 50000000))
done

begun=$(now_ms)
"$CTPROF" capture -q --window 60s -o ended.zst &
window=$!
await_between "$window"
begin=$(now_ms)
kill -TERM "$window"
wait "$window" || fail "a window that was ended: status $?"
between "ms until a window ends behind SIGTERM" 0 $(($(now_ms) - begin)) "$most_ms"
between "ms of that window" 1 $(($(zstd -dc ended.zst | jq .window.length_ns) / 1000000)) $(($(now_ms) - begun))

begin=$(now_ms)
status=0
timeout -s KILL 60 "$CTPROF" doctor >doctor.out 2>&1 || status=$?
[[ $status =~ ^[03]$ ]] || fail "doctor: status $status"
between "doctor: ms" 0 $(($(now_ms) - begin)) "$most_ms"
grep -Eq "process(es)? held up the reading" doctor.out || fail "doctor does not say that a process stalls: $(cat doctor.out)"
checks=$((checks + 1))

# recorded SOURCE: a line for each window that is recorded so far: processes that stalled, threads that were left out.
recorded() {
    { zstd -dcq "record-$1"/*.zst 2>/dev/null || true; } |
        jq -c '.parse_summary | [.processes_stalled // 0, .threads_unreadable // 0]'
}
# until_windows SOURCE COUNT
until_windows() {
    local end=$((SECONDS + 120))

    until [ "$(recorded "$1" | wc -l)" -ge "$2" ]; do
        [ "$SECONDS" -lt "$end" ] || fail "record --source $1: no $2 windows in two minutes: $(cat "record-$1.err")"
        sleep 0.1
    done
}
# walkers PID: threads that read in a recorder: the fewest in half a second, since a reading has some.
walkers() {
    for ((i = 0; i < 25; i++)); do
        cat /proc/"$1"/task/*/comm 2>/dev/null | grep -c '^ctprof-walk' || true
        sleep 0.02
    done | sort -n | head -n 1
}
declare -A recorder_of
sources=(procfs)
[ ! -e bpf.zst ] || sources+=(bpf)
for source in "${sources[@]}"; do
    "$CTPROF" record --every 200ms --source "$source" "record-$source" 2>"record-$source.err" &
    recorder_of[$source]=$!
    started+=($!)
    until_windows "$source" 20
    same "record --source $source: windows without the stalled process" 0 "$(recorded "$source" | grep -vc '^\[[1-3],')"
    between "record --source $source: threads held up behind 20 windows" 1 "$(walkers $!)" 4
    between "record --source $source: most threads left out of a window" 0 "$(recorded "$source" | tr -d '[]' | cut -d, -f2 | sort -n | tail -n 1)" 3
done

kill -KILL "$server_pid"
for source in "${sources[@]}"; do
    end=$((SECONDS + 60))
    until [ "$(walkers "${recorder_of[$source]}")" -eq 0 ]; do
        [ "$SECONDS" -lt "$end" ] || fail "record --source $source: threads are held up when nothing stalls any more"
    done
    until_windows "$source" $(($(recorded "$source" | wc -l) + 4))
    same "record --source $source: a process that stalls no more" 0 "$(recorded "$source" | tail -n 1 | tr -d '[' | cut -d, -f1)"
    kill -TERM "${recorder_of[$source]}"
    wait "${recorder_of[$source]}" || fail "record --source $source: status $?"
done

cat >job.py <<'END'
# job.py POINT SERVER_PID WAITS: leaves a child that stalls behind. Ends with 7 after a second, or waits for a signal.
import os, signal, sys, time
held, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    file = os.open(sys.argv[1] + "/program", os.O_RDONLY | os.O_CLOEXEC)
    os.write(held[1], b"x")
    os.read(go[0], 1)
    os.execv("/bin/sleep", ["sleep", "60"])
os.read(held[0], 1)
os.kill(int(sys.argv[2]), signal.SIGUSR1)
time.sleep(0.2)
os.write(go[1], b"x")
time.sleep(1)
open("runner", "w").write(str(os.getppid()))
open("child", "w").write(str(child))
time.sleep(60 if sys.argv[3] == "yes" else 0)
sys.exit(7)
END
# job WAITS COMMAND...: the job below COMMAND, in the background, with a server of its own; sets job_pid and job_server.
job() {
    local waits=$1

    shift
    rm -f child
    : >ready
    "$server" job-point "$(command -v sleep)" >ready 2>error &
    job_server=$!
    disown
    started+=("$job_server")
    await ready READY
    timeout -s KILL 60 "$@" python3 job.py job-point "$job_server" "$waits" &
    job_pid=$!
}
# job_ended WHAT STATUS: the child has stalled all the time.
job_ended() {
    local status=0

    wait "$job_pid" || status=$?
    same "$1: status" "$2" "$status"
    started+=("$(cat child)")
    kill -KILL "$job_server"
    umount -l job-point
}
mkdir job-point
job no "$CTPROF" run --smaps all --report 100ms --sample 100ms --format json --summary run.json --
job_ended run 7
value() { jq -r ".runs[0].values.$1" run.json; }
same "run: processes that stalled" 1 "$(value processes_stalled)"
same "run: processes that go on" "$(cat child)" "$(jq '.runs[0].left[].pid' run.json)"
between "run: readings of memory" 5 "$(value num_samples)" 1000
between "run: ms of the command" 1200 "$(value 'wall_clock_time * 1000 | floor')" 30000
job no "$CTPROF" run --records records --report 100ms --sample 100ms --quiet --
job_ended "run --records" 7
between "run --records: records" 3 "$(wc -l <recordsusage.jsonl)" 1000
job no "$CTPROF" run -o job.zst --quiet --
job_ended "run -o" 7
between "run -o: processes that stalled" 1 "$(zstd -dc job.zst | jq .parse_summary.processes_stalled)" 3
job yes "$CTPROF" run --smaps all --report 100ms --sample 100ms --summary ended.txt --
until [ -s child ]; do
    sleep 0.01
done
kill -TERM "$(cat runner)"
job_ended "run that gets SIGTERM" 143
grep -q "stalled  1 process," ended.txt || fail "run does not say that a process stalls: $(cat ended.txt)"
job no "$CTPROF" duct -p duct- --fail-time 0 --sample-interval 0.1 --report-interval 0.2 -- 2>duct.err
job_ended duct 7
between "duct: records" 3 "$(wc -l <duct-usage.jsonl)" 1000
grep -q "stalled for 1 process" duct.err || fail "duct does not say that a process stalls: $(cat duct.err)"
checks=$((checks + 2))

stop_started
"$CTPROF" capture -q -o after.zst
same "processes that stall afterwards" 0 "$(zstd -dc after.zst | jq '.parse_summary.processes_stalled // 0')"
echo "$checks checks passed"
