#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh CTPROF IDS [PROCESSES]: jobs of known work. The numbers are those that the kernel gives another program for the same processes;
# exit codes are those of the bare command; signals arrive once; whatever happens to ctprof or to its files, the command goes its
# way. Everything is done as this user, and as nobody if this user is root. PROCESSES is the number of short ones (2000).
# shellcheck disable=SC2016 # The shells of the work expand what is in single quotes.
set -euo pipefail

ctprof=$(realpath "$1")
ids=$(realpath "$2")
short=${3:-2000}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
with_default_signals "$0" "$@"
needs jq setsid xargs gzip zstd

export CTPROF=$ctprof
mode='' scratch='' python='' # job_scene sets them
job_scene "$here"/run-*.py "$here/duct-check.py" "$ids"

run() {
    as "$scratch/ctprof" run "$@"
}
value() {
    jq -r ".runs[0].values.$1" job.json
}

# measure [OPTION...] -- COMMAND: a job that is also measured from inside. The slack has the work of python behind its own reading.
measure() {
    local options=()

    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    rm -f reference.json job.json
    run --format json --summary "$PWD/job.json" "${options[@]}" -- "$python" "$scratch/run-reference.py" "$PWD/reference.json" "$@" \
        >/dev/null
    near cpu_time "$(value cpu_time)" "$(jq .cpu_time reference.json)" .03
    if [ "$(jq -r '.runs[0].container' job.json)" = cgroup ] && [ "$(jq .cpu_stat reference.json)" != null ]; then
        near "cpu_time by cpu.stat" "$(value cpu_time)" "$(jq .cpu_stat reference.json)" .02
    fi
    near minor_faults "$(value minor_faults)" "$(jq .minor_faults reference.json)" 300
    near switches "$(value 'voluntary_switches + .runs[0].values.involuntary_switches')" "$(jq .switches reference.json)" 30
}
# I/O of orphans is for root.
io_is_equal() {
    local key

    for key in rchar wchar read_bytes write_bytes; do
        near "$key" "$(value $key)" "$(jq .$key reference.json)" 20000
    done
}

# processes_of NAME: those that are counted in the group of this name.
processes_of() {
    jq --arg name "$1" '[.runs[0].groups[] | select(.name == $name).processes] | add' job.json
}
# A process is one with its last name, whichever of its threads executes a program. Processes of one id are as many as there were, also
# where several were born in one clock tick.
identities() {
    run --format json --summary "$PWD/job.json" -- "$python" -c '
import os, threading
thread = threading.Thread(target=os.execv, args=("/bin/sleep", ["sleep", "0.05"]))
thread.start()
thread.join()'
    [ "$(value processes)" != null ] || return 0
    same "$mode: one that a thread executed" 1 "$(value processes)"
    same "$mode: its name" 1 "$(processes_of sleep)"
    printf '\n\n' | run --format json --summary "$PWD/job.json" -- "$scratch/ids" twin processes 12 0 >printed
    if grep -q UNABLE printed; then
        echo "$mode: the kernel does not let this user choose ids"
    else
        same "$mode: processes of one id" 13 "$(value processes)"
        same "$mode: the last one" 1 "$(processes_of twinl)"
    fi
}

numbers() {
    # Like a build: two at a time, each a pipe of processes, with files.
    measure -- sh -c 'seq 24 | xargs -P 2 -n 1 sh -c "head -c 6000000 /dev/zero | gzip >out.\$0; head -c 200000 /dev/zero >out.\$0"; sync; rm -f out.*'
    io_is_equal
    between "$mode: peak of RSS" 1000000 "$(value peak_rss)" 1000000000
    same "$mode: exit code" 0 "$(value exit_code)"

    # A build of C.
    if command -v make >/dev/null && command -v cc >/dev/null; then
        as mkdir -p build
        for ((i = 0; i < 8; i++)); do
            printf '#include <stdio.h>\nint f%d(int x) { return printf("%%d", x); }\n' "$i" >"build/f$i.c"
        done
        chmod -R a+rwX build
        printf 'all: f0.o f1.o f2.o f3.o f4.o f5.o f6.o f7.o\n' >build/Makefile
        measure -- env CCACHE_DISABLE=1 make -s -j2 -C build CC=cc CFLAGS=-O2
        io_is_equal
        same "$mode: objects" 8 "$(find build -name '*.o' | wc -l)"
    fi

    # Killed in the middle of its work, by itself and by another one.
    measure -- sh -c 'sh -c "i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done; kill -9 \$\$"; timeout -s KILL .5 sh -c "while :; do :; done"; exit 0'
    io_is_equal

    # Short ones.
    measure -- sh -c "i=0; while [ \$i -lt $short ]; do /bin/true; i=\$((i + 1)); done"
    io_is_equal
    if [ "$(value processes)" != null ]; then
        same "$mode: processes" "$((short + 2))" "$(value processes)"
        same "$mode: true" "$short" "$(jq '.runs[0].groups[] | select(.name == "true").processes' job.json)"
    else
        echo "$mode: the number of processes is not known"
    fi

    # The copy of ctprof that becomes the command is neither in the sum nor in a group. The clocks of both may differ once.
    if [ "$(value processes)" != null ]; then
        apart=
        for _ in $(seq 10); do
            measure -- /bin/true
            apart=$(jq '.runs[0] | (.values.cpu_time - ([.groups[].cpu_time] | add)) * 1e6 | fabs | floor' job.json)
            [ "$apart" -gt 20 ] || break
        done
        [ "$apart" -le 20 ] || fail "$mode: the groups have $apart us more or less than the sum"
    fi

    identities

    # In sessions of their own, with parents that are gone.
    measure --wait-all -- sh -c '(setsid sh -c "(setsid timeout .3 sh -c \"while :; do :; done\" &) ; exit 0" &) ; exit 0'
    same "$mode: left" 0 "$(value processes_left)"
    # Without a reading from inside: the job ends with the command, and counts what goes on until then.
    run --format json --summary "$PWD/job.json" -- \
        sh -c '(setsid sh -c "while :; do :; done" >/dev/null 2>&1 & echo $! >spinner); while [ "$(ps -o cputimes= -p "$(cat spinner)" | tr -d " ")" -lt 1 ]; do sleep .1; done'
    started+=("$(cat spinner)")
    same "$mode: goes on" 1 "$(value processes_left)"
    same "$mode: its pid" "$(cat spinner)" "$(jq '.runs[0].left[0].pid' job.json)"
    between "$mode: its CPU time in ms" 950 "$(value 'cpu_time * 1000 | floor')" 20000
    kill -0 "$(cat spinner)" || fail "what went on was ended"
    same "$mode: cgroup of what goes on" "$(cat /proc/self/cgroup)" "$(cat "/proc/$(cat spinner)/cgroup")"
    kill -9 "$(cat spinner)"
    rm -f spinner

    if [ "$mode" = user ] && unshare -pf true 2>/dev/null; then
        for option in -pf '-pfm --mount-proc' '-Cpfmnu --mount-proc'; do
            # shellcheck disable=SC2086 # Words of their own.
            unshare $option true 2>/dev/null || continue
            # shellcheck disable=SC2086
            measure -- unshare $option sh -c 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done; head -c 20000000 /dev/zero | gzip >/dev/null'
            io_is_equal
        done
    fi
}

# Processes that end while those that go on are listed are counted once.
ending() {
    local spread=$1

    run --format json --summary "$PWD/job.json" --wait-all -- "$python" "$scratch/run-ending.py" 60 "$spread" 2>/dev/null
    cp job.json whole.json
    run --format json --summary "$PWD/job.json" -- "$python" "$scratch/run-ending.py" 60 "$spread" 2>/dev/null
    near "$mode: faults within $spread ms of the end" "$(value minor_faults)" "$(jq .runs[0].values.minor_faults whole.json)" 500
    [ "$(value processes)" != null ] || return 0
    same "$mode: processes within $spread ms of the end" 61 "$(value processes)"
    same "$mode: threads within $spread ms of the end" 61 "$(value threads)"
    near "$mode: bytes within $spread ms of the end" "$(value rchar)" "$(jq .runs[0].values.rchar whole.json)" 20000
}

endings() {
    local i

    for i in 1 2 3; do
        ending 20
        ending 100
    done
    run --format json --summary "$PWD/job.json" -- "$python" "$scratch/run-ending.py" 30 0 60 >stays
    started+=("$(cat stays)")
    same "$mode: one goes on" 1 "$(value processes_left)"
    if [ "$(value processes)" != null ]; then
        between "$mode: bytes of it and of those that nobody waited for" 31000000 "$(value rchar)" 31500000
    fi
    kill -9 "$(cat stays)"
    rm -f stays whole.json
}

# A process whose parent ignores SIGCHLD is in no sum of wait4(2), so that these are not known. Others may have it.
unwaited() {
    local key

    run --format json --summary "$PWD/job.json" -- "$python" -c 'import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    while time.process_time() < .4: pass
    os._exit(0)
try: os.wait()
except ChildProcessError: pass'
    if [ "$(jq -r '.runs[0].container' job.json)" = cgroup ]; then
        between "$mode: CPU time in ms without a wait" 400 "$(value 'cpu_time * 1000 | floor')" 20000
    else
        same "$mode: CPU time without a wait" null "$(value cpu_time)"
    fi
    [ "$(value processes)" = null ] || return 0
    for key in minor_faults voluntary_switches rchar write_bytes; do
        same "$mode: $key without a wait" null "$(value $key)"
    done
    jq -r '.runs[0].reason' job.json | grep -q 'nobody waited for' || fail "$mode: no reason without a wait"
}

# The series of a run: its files obey con-duct's rules, its records add up to the summary, and plot and list read them.
series() {
    local status=0

    run --records series/ --sample 100ms --report 300ms --format json --summary "$PWD/job.json" -- \
        sh -c 'dd if=/dev/zero of=stored bs=1M count=20 conv=fsync 2>errors; timeout .5 sh -c "while :; do :; done"; rm stored; sleep .5; exit 3' || status=$?
    same "$mode: status with records" 3 "$status"
    "$python" "$scratch/duct-check.py" series/ || fail "$mode: the records"
    same "$mode: files of records" "info.json usage.jsonl" "$(find series -type f -printf '%f\n' | sort | tr '\n' ' ' | sed 's/ $//')"
    near "CPU time of the description" "$(jq .execution_summary.ctprof_cpu_time series/info.json)" "$(value cpu_time)" 0
    near "CPU time of the records" "$(jq -s 'map(.ctprof_cpu_seconds) | add' series/usage.jsonl)" "$(value cpu_time)" .001
    near "storage of the records" "$(jq -s 'map(.ctprof_write_bytes) | add' series/usage.jsonl)" "$(value write_bytes)" 0
    between "$mode: records" 4 "$(wc -l <series/usage.jsonl)" 20
    same "$mode: list" "series/,3" "$("$scratch/ctprof" list -f csv -F exit_code series/ | sed -n 2p)"
    "$scratch/ctprof" plot series/ | grep -q '^storage ' || fail "$mode: plot draws no storage"
    # A command that cannot be started empties nothing; a place that cannot be written does not hold up the command.
    run -q --records series/ -- no-such-command-at-all 2>errors && fail "$mode: no such command"
    [ -s series/usage.jsonl ] || fail "$mode: the records are gone"
    status=0
    run -q --records /proc/none/ -- sh -c 'exit 6' 2>errors || status=$?
    same "$mode: status without a place" 6 "$status"
    grep -q '^ctprof: /proc/none: ' errors || fail "$mode: nothing was said of the place"
    status=0
    run -q --records series/ -r 2 -- true 2>errors || status=$?
    same "$mode: records of repeats" 125 "$status"
    rm -rf series
}

# bare CODE and run CODE are those of the same words.
compare_code() {
    local bare=0 ours=0

    as env -- "$@" >/dev/null 2>&1 || bare=$?
    run -q -- "$@" >/dev/null 2>&1 || ours=$?
    same "$mode: exit code of $*" "$bare" "$ours"
}

# leave DIRECTORY LOOPS [WORD...]: a child works inside of the leaf, moves itself to DIRECTORY and ends at once.
leave() {
    local directory=$1 loops=$2

    shift 2
    rm -f moved
    run --format json --summary "$PWD/job.json" -- "$@" sh -c 'sh -c "$3" sh "$1" "$2"; exit 0' sh "$directory" "$loops" \
        'i=0; while [ $i -lt $2 ]; do i=$((i + 1)); read x </proc/uptime; done; echo $$ >"$1/cgroup.procs" && : >moved'
    [ -e moved ] && [ "$(jq -r '.runs[0].container' job.json)" = cgroup ]
}
# No sample sees it outside. Its ends are not those of the job, and nobody takes the rest for the whole.
leaving() {
    local directory=$1

    leave "$directory" 0 || return 0
    same "$mode: processes of which a small one left" null "$(value processes)"
    leave "$directory" 10000
    same "$mode: processes of which a large one left" null "$(value processes)"
    same "$mode: source of the bytes" wait "$(jq -r '.runs[0].sources.rchar' job.json)"
    between "$mode: calls of read by one that left" 10000 "$(value syscr)" 1000000
    between "$mode: milliseconds of CPU time of one that left" 20 "$(value 'cpu_time * 1000 | floor')" 60000
    jq -r '.runs[0].reason' job.json | grep -q 'left it, so CPU time is that of wait4' || fail "$mode: the reason of one that left"
    leave "$directory" 10000 "$python" -c 'import signal, subprocess, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); subprocess.call(sys.argv[1:])'
    same "$mode: CPU time of one that left, and nobody waited" null "$(value cpu_time)"
    same "$mode: calls of read by one that left, and nobody waited" null "$(value syscr)"
}

# A command that leaves its cgroups takes its memory and its CPU time with it: neither is that of the small rest.
elsewhere() {
    local directory

    if [ "$(id -u)" -ne 0 ] || [ "$mode" != user ]; then
        return
    fi
    for directory in /sys/fs/cgroup/memory /sys/fs/cgroup/unified /sys/fs/cgroup; do
        if [ ! -w "$directory/cgroup.procs" ]; then
            continue
        fi
        # Only a directory of version 2 has this file.
        [ ! -e "$directory/cgroup.controllers" ] || leaving "$directory"
        rm -f moved
        run --format json --summary "$PWD/job.json" -- sh -c 'echo $$ >"$1/cgroup.procs" && : >moved; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' sh "$directory"
        if [ -e moved ] && [ "$(jq -r '.runs[0].container' job.json)" = cgroup ] && [ "$(jq -r '.runs[0].cgroup' job.json)" != null ]; then
            between "milliseconds of CPU time outside of the leaf, $directory" 50 "$(value 'cpu_time * 1000 | floor')" 60000
            if [ "$directory" != /sys/fs/cgroup/unified ]; then
                same "peak of memory outside of $directory" null "$(value peak_memory)"
            fi
        fi
    done
}

codes() {
    local code signal

    for code in 0 1 2 3 42 124 125 126 127 128 130 254 255; do
        compare_code sh -c "exit $code"
    done
    for signal in HUP INT QUIT ILL ABRT FPE KILL SEGV PIPE ALRM TERM USR1 USR2; do
        compare_code sh -c "ulimit -c 0; kill -$signal \$\$"
    done
    compare_code no-such-command-at-all
    compare_code ./no-such-file
    compare_code /etc/passwd
    compare_code /
    compare_code /etc/passwd/x
    printf '#!/no/such/interpreter\n' >bad-interpreter
    printf 'exit 5\n' >no-interpreter
    chmod 755 bad-interpreter no-interpreter
    compare_code ./bad-interpreter
    compare_code ./no-interpreter
    rm -f bad-interpreter no-interpreter
    # A parent that ignores SIGCHLD and SIGPIPE: so does the command.
    same "$mode: signals" "$(trap '' CHLD PIPE; as grep SigIgn /proc/self/status)" \
        "$(trap '' CHLD PIPE; run -q -- grep SigIgn /proc/self/status)"
    local usage=0
    run --no-such-option -- true 2>/dev/null || usage=$?
    same "$mode: wrong call" 125 "$usage"
    same "$mode: standard input" hello "$(echo hello | run -q -- cat)"
}

# start SCRIPT: a command that writes its pid to the file "pid"; sets "runner".
start() {
    rm -f pid
    exec_as "$scratch/ctprof" run --summary-format '{exit_code}' --summary "$PWD/summary" -- sh -c "$1" &
    runner=$!
    started+=("$runner")
    await_file pid
}

signals() {
    local status signal

    # Sent to ctprof: passed on, once.
    for signal in TERM HUP INT USR1; do
        start "trap 'echo x >>seen; exit 7' $signal; echo \$\$ >pid; while :; do sleep .05; done"
        kill "-$signal" "$runner"
        status=0
        wait "$runner" || status=$?
        same "$mode: status behind $signal" 7 "$status"
        same "$mode: $signal arrived" 1 "$(wc -l <seen)"
        same "$mode: summary behind $signal" 7 "$(cat summary)"
        rm -f seen
    done
    start 'echo $$ >pid; while :; do sleep .05; done'
    kill -9 "$(cat pid)"
    status=0
    wait "$runner" || status=$?
    same "$mode: the command was killed" 137 "$status"
    # Ctrl-C at the terminal reaches the command, and not twice.
    as "$python" "$scratch/run-terminal.py" 03 "$scratch/ctprof" run -- \
        bash -c 'trap "echo interrupted; n=\$((n + 1))" INT; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep .1; done; exit $((10 + n))' >typed
    grep -qx 'status 11' typed || { cat typed; fail "$mode: Ctrl-C"; }
    same "$mode: Ctrl-C arrived" 1 "$(grep -c '^[^a-z]*interrupted$' typed)"
    grep -q ': .* exit 11$' typed || { cat typed; fail "$mode: no summary behind Ctrl-C"; }
    # A terminal that is lost ends the command: the kernel tells the leader of the session alone, which is ctprof.
    as "$python" "$scratch/run-terminal.py" hangup "$scratch/ctprof" run -- sh -c 'echo ready; exec sleep 30' >typed
    grep -qx 'status 129' typed || { cat typed; fail "$mode: the terminal was lost"; }
    # ctprof itself is killed: the command goes on.
    start 'echo $$ >pid; while :; do sleep .05; done'
    echo "$runner" >>"$scratch/killed"
    kill -9 "$runner"
    wait "$runner" 2>/dev/null || true
    sleep .3
    kill -0 "$(cat pid)" || fail "$mode: the command ended with ctprof"
    kill -9 "$(cat pid)"
    checks=$((checks + 2))
}

files() {
    local status=0

    run --summary /dev/full -- sh -c 'exit 6' 2>errors || status=$?
    same "$mode: status with a full disk" 6 "$status"
    grep -q '^ctprof: /dev/full: ' errors || fail "$mode: nothing was said of the full disk"
    # Nobody reads the summary.
    (sleep .2; run -- sh -c 'exit 6' || echo "$?" >unread) 2>&1 >/dev/null | true
    await_file unread
    same "$mode: status without a reader" 6 "$(cat unread)"
    rm -f unread
    status=0
    run -q -o /no/such/directory/file -- sh -c 'echo it ran; exit 6' >printed 2>errors || status=$?
    same "$mode: status without a directory" 6 "$status"
    same "$mode: the command" "it ran" "$(cat printed)"
    same "$mode: lines of errors" 1 "$(wc -l <errors)"
    status=0
    run -q -o /dev/full -- sh -c 'echo it ran; exit 6' >printed 2>errors || status=$?
    same "$mode: status of a window on a full disk" 6 "$status"
    grep -q '^ctprof: /dev/full: ' errors || fail "$mode: nothing was said of the window"
    # A window has the job.
    run -o window.zst --format json --summary "$PWD/job.json" -- sh -c 'timeout .2 sh -c "while :; do :; done"; exit 3' || status=$?
    same "$mode: status with a window" 3 "$status"
    same "$mode: kind" window "$(zstd -dcq window.zst | jq -r .kind)"
    if [ "$(value processes)" != null ]; then
        near "CPU time of the job in the window" \
            "$(zstd -dcq window.zst | jq --arg leaf "$(jq -r '.runs[0].cgroup' job.json)" \
                '[.threads[] | select((.cgroup // "") | startswith($leaf)).run_time_ns] | add / 1e9')" \
            "$(value cpu_time)" .01
    fi
    rm -f window.zst
}

# The ids of a /proc of another pid namespace are those of other processes: they are not read, and no process is waited for by them.
foreign() {
    local status=0

    unshare --pid --fork true 2>/dev/null || return 0
    timeout 60 unshare --pid --fork "$CTPROF" run --format json --summary "$PWD/job.json" -- \
        sh -c 'head -c 5000000 /dev/zero >zeros; exit 4' || status=$?
    same "status with a /proc of another pid namespace" 4 "$status"
    same "its bytes written" null "$(value wchar)"
    same "its reason" true "$(jq '.runs[0].reason | startswith("/proc is of another pid namespace")' job.json)"
    timeout 60 unshare --pid --fork sh -c '"$@"; sleep 1' - "$CTPROF" run --format json --summary "$PWD/job.json" -- sh -c 'sleep 0.7 & exit 0'
    same "faults of what goes on there" null "$(value minor_faults)"
    same "processes that go on there" false "$(jq '.runs[0].values.processes_left == 0' job.json)"
}

# A signal that comes while the cgroup is made: no cgroup is left, which the end of this test looks for.
early() {
    local status

    if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
        return 0
    fi
    for nth in 1 2; do
        status=0
        { ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e trace=mkdir,mkdirat -e "inject=mkdir,mkdirat:signal=SIGTERM:when=$nth" \
            "$CTPROF" run -q -- true; } 2>/dev/null || status=$?
        [ "$(grep -c mkdir calls)" -lt "$nth" ] || same "status of a run that a signal ends before it begins" 143 "$status"
    done
}

all() {
    codes
    numbers
    endings
    unwaited
    series
    signals
    files
    elsewhere
    foreign
    early
}

echo "container: $(run --summary-format '{container}' -- true 2>&1)"
all
if can_be_nobody; then
    job_user nobody
    echo "container of nobody: $(run --summary-format '{container}' -- true 2>&1)"
    all
fi
left=$(find /sys/fs/cgroup -type d -name "ctprof-run-*" 2>/dev/null | wc -l)
[ "$left" -eq 0 ] || [ -s "$scratch/killed" ] || fail "$left cgroups are left"
echo "$checks checks passed"
