#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# duct.sh CTPROF: runs with con-duct's command line, and their files: the numbers are those that the kernel gives another program,
# and agree with each other (duct-check.py); con-duct's own readers read them if they are installed; whatever happens to the
# command, to ctprof or to the disk, the files can be read. All of it is done as this user, and as nobody if this user is root.
# shellcheck disable=SC2016 # The shells of the work expand what is in single quotes.
set -euo pipefail

ctprof=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
with_default_signals "$0" "$@"
needs jq setsid

export CTPROF=$ctprof
mode='' scratch='' python='' # job_scene sets them
job_scene "$here"/run-*.py "$here/duct-check.py"
# Settings of this user are not those of the test.
unset "${!DUCT_@}"
export DUCT_CONFIG_PATHS=/dev/null/none

duct() {
    as "$scratch/ctprof" duct "$@"
}
# summary KEY: of the run in o/.
summary() {
    jq -r ".execution_summary.$1" o/info.json
}
new() {
    rm -rf o
}
checked() {
    "$python" "$scratch/duct-check.py" "$1" || fail "$mode: the files $1"
    checks=$((checks + 1))
}

# measure [OPTION...] -- COMMAND: a run that is also measured from inside. The slack has the work of python behind its own reading.
measure() {
    local options=()

    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    new
    rm -f reference.json
    duct -q -p o/ "${options[@]}" -- "$python" "$scratch/run-reference.py" "$PWD/reference.json" "$@"
    checked o/
    near "CPU time" "$(summary ctprof_cpu_time)" "$(jq .cpu_time reference.json)" .03
}

burn='import sys, time
while time.process_time() < float(sys.argv[1]): pass'

scenarios() {
    local container children

    # A burst and then nothing: the CPU time of the burst by the whole time. All of it is in the records of the burst.
    measure --s-i .2 --r-i .5 -- sh -c '"$0" -S -E -c "$1" 1; sleep 2' "$python" "$burn"
    container=$(summary ctprof_container)
    between "$mode: CPU time of the burst in ms" 1000 "$(summary 'ctprof_cpu_time * 1000 | floor')" 1300
    between "$mode: that of the end in ms" 0 "$(tail -n 1 o/usage.jsonl | jq '.ctprof_cpu_seconds * 1000 | floor')" 100
    if [ "$container" = cgroup ]; then
        # No less than the mean of the burst, which takes as long as others let it; 2 s are asleep.
        between "$mode: peak of the burst" "$(jq '.execution_summary | 80 * .ctprof_cpu_time / (.wall_clock_time - 2) | floor' o/info.json)" \
            "$(summary 'peak_pcpu | floor')" 115
    fi

    # 600 short ones, of which samples see a few.
    measure --s-i .2 --r-i 1 -- sh -c 'i=0; while [ $i -lt 600 ]; do /bin/true; i=$((i + 1)); done'
    children=$(summary ctprof_processes)
    if [ "$children" != null ]; then
        same "$mode: processes" 602 "$children"
    fi

    # Two steady workers: each has its own CPU time in the last record that it is in, and both are in the sum.
    measure --s-i .1 --r-i 60 -- sh -c '"$0" -S -E -c "$1" .9 & "$0" -S -E -c "$1" .5; wait' "$python" "$burn"
    between "$mode: CPU time of both in ms" 1400 "$(summary 'ctprof_cpu_time * 1000 | floor')" 1800
    between "$mode: workers with their CPU time" 2 "$(jq -s '[.[-1].processes[] |
        select((.cmd | test("process_time")) and .ctprof_cpu_seconds > 0.2)] | length' o/usage.jsonl)" 3

    # A process in a session of its own, whose parent is gone.
    measure --s-i .1 -- sh -c '(setsid "$0" -S -E -c "$1" .5 &) ; sleep 1.2' "$python" "$burn"
    between "$mode: the session of its own is there" 1 "$(jq -s '[.[].processes[] | select(.cmd | test("process_time"))] | length' \
        o/usage.jsonl)" 9

    # Memory: the kernel's own peak of the largest process is no more than that of the sum.
    measure --s-i .1 -- "$python" -S -E -c 'import time; x = b"x" * 100000000; time.sleep(.4); del x; time.sleep(.4)'
    between "$mode: peak of memory" 100000000 "$(summary peak_rss)" 200000000

    # Storage: 20 MiB in each of the first records, and none in the last one.
    measure --s-i .1 --r-i .5 -- sh -c 'for i in 1 2; do dd if=/dev/zero of=stored bs=1M count=20 conv=fsync 2>errors; sleep .6; done; sleep .6; rm stored'
    near "bytes written" "$(summary ctprof_write_bytes)" "$(jq .write_bytes reference.json)" 8192
    if [ "$(stat -f -c %T .)" != tmpfs ]; then
        between "$mode: written in records" 41943040 "$(jq -s 'map(.ctprof_write_bytes) | add' o/usage.jsonl)" 42100000
        # The rest behind the last whole record may not know them.
        between "$mode: written at the end" 0 "$(jq -s 'map(.ctprof_write_bytes | numbers)[-1]' o/usage.jsonl)" 65536
    fi
    "$scratch/ctprof" plot -f csv -s read,write,threads o/ >drawn.csv
    same "$mode: storage is drawn" "elapsed_s,threads,read,write" "$(head -n 1 drawn.csv)"

    # Too short for any sample.
    new
    duct -q -p o/ true
    checked o/
    same "$mode: code of true" 0 "$(summary exit_code)"
}

# files COUNT: as many are there.
files() {
    same "$mode: files" "$1" "$(find o -type f 2>/dev/null | wc -l)"
}

compare_code() {
    local bare=0 ours=0

    as env -- "$@" >/dev/null 2>&1 </dev/null || bare=$?
    new
    duct -q --fail-time 0 -p o/ -- "$@" >/dev/null 2>&1 </dev/null || ours=$?
    same "$mode: exit code of $*" "$bare" "$ours"
    if [ "$bare" -ne 126 ] && [ "$bare" -ne 127 ]; then
        same "$mode: code in info.json" "$bare" "$(summary exit_code)"
        checked o/
    else
        files 0
    fi
}

codes() {
    local code signal status

    for code in 0 1 3 125 128 255; do
        compare_code sh -c "exit $code"
    done
    for signal in HUP INT QUIT ABRT KILL SEGV PIPE TERM USR1; do
        compare_code sh -c "ulimit -c 0; kill -$signal \$\$"
    done
    compare_code no-such-command-at-all
    compare_code ./no-such-file
    compare_code /etc/passwd
    compare_code /
    # A failure that is soon: the files of this run are removed, and no others.
    new
    status=0
    duct -q -p o/ sh -c 'exit 3' || status=$?
    same "$mode: soon" 3 "$status"
    files 0
    as mkdir -p o
    as sh -c 'echo old >o/stdout'
    status=0
    duct -q --clobber -c none -p o/ sh -c 'exit 3' || status=$?
    same "$mode: with a file of others" old "$(cat o/stdout)"
    files 1
    status=0
    duct -q -p o/ sh -c 'touch ran' || status=$?
    same "$mode: a file is there" 1 "$status"
    [ ! -e ran ] || fail "$mode: the command was run"
    files 1
    status=0
    duct -l NONE -p o/ --no-such-option true 2>/dev/null || status=$?
    same "$mode: wrong call" 2 "$status"
    # A name reaches no terminal as it is.
    new
    duct --fail-time 0 -p $'o/\033[31m' true 2>errors
    same "$mode: escapes" 0 "$(grep -c $'\033' errors || true)"
    status=0
    duct -p /proc/none/ touch ran 2>errors || status=$?
    same "$mode: no directory" 1 "$status"
    [ ! -e ran ] || fail "$mode: the command was run without a directory"
    grep -q '/proc/none: ' errors || fail "$mode: nothing was said of the directory"
}

streams() {
    local words='echo out; echo err >&2'

    new
    duct -q -p o/ sh -c "$words; seq 200000; seq 5 >&2" >out 2>err
    checked o/
    cmp out o/stdout || fail "$mode: stdout"
    cmp err o/stderr || fail "$mode: stderr"
    same "$mode: lines" 200001 "$(wc -l <out)"
    new
    duct -q -p o/ -c stdout -o stderr sh -c "$words" >out 2>err
    same "$mode: captured only" "out:" "$(cat o/stdout):$(cat out)"
    same "$mode: shown only" ":err" "$(cat o/stderr 2>/dev/null):$(cat err)"
    files 3
    new
    duct -q -p o/ -c none -o none sh -c "$words" >out 2>err
    same "$mode: neither" ":" ":$(cat out err)"
    files 2
    same "$mode: standard input" hello "$(new; echo hello | duct -q -p o/ cat)"
    # The reader ends: the command does not.
    new
    duct -q -p o/ sh -c 'seq 200000; sleep .2; echo end' | head -n 1 >out
    same "$mode: without a reader" end "$(tail -n 1 o/stdout)"
    new
    duct -q -p o/ -t system-summary sleep .2
    same "$mode: no records" 0 "$(wc -c <o/usage.jsonl)"
    new
    duct -q -p o/ -t processes-samples sleep .2
    same "$mode: no summary" 0 "$(wc -c <o/info.json)"
    new
    duct -p o/ --summary-format '{exit_code!E} {command} {logs_prefix} {num_reports} {ctprof_container!N}' sleep .2 2>err
    grep -q "\[INFO    \] ctprof: 0 sleep .2 o/ 2 [a-z]*$" err || { cat err; fail "$mode: summary"; }
}

terminal() {
    new
    duct -q -p o/ --pty sh -c 'test -t 1 && test -t 2 && echo out && echo err >&2; seq 100000; exec sleep .1' >out
    same "$mode: both streams in a terminal" "out err" "$(head -n 2 o/stdout | tr '\n' ' ' | sed 's/ $//')"
    same "$mode: lines of a terminal" 100002 "$(wc -l <o/stdout)"
    cmp out o/stdout || fail "$mode: shown of a terminal"
    files 3
    checked o/
    # Its size is that of ctprof's own terminal, which changes.
    new
    as "$python" "$scratch/run-terminal.py" size "$scratch/ctprof" duct -q -p o/ --pty \
        bash -c 'trap "stty size <&1; exit 0" WINCH; echo ready; for i in {1..100}; do sleep .1; done; exit 1' >typed
    same "$mode: the new size" "33 99" "$(tail -n 1 o/stdout)"
    # Its child goes on with the terminal.
    new
    duct -q -p o/ --pty sh -c 'sleep 5 & echo $! >goes-on; echo end'
    same "$mode: end of a terminal" end "$(cat o/stdout)"
    kill "$(cat goes-on)"
}

settings() {
    new
    rm -rf .duct own
    # Others may have moved a file of root's into the place itself.
    as mkdir -m 755 own
    as sh -c 'printf "DUCT_OUTPUT_PREFIX=o/{pid}_\nDUCT_MESSAGE=\"two\nlines\"\nFOR_COMMAND=yes\nDUCT_LOG_LEVEL=none\n" >own/one.env'
    same "$mode: the command's variable" yes "$(DUCT_CONFIG_PATHS=own/one.env duct sh -c 'echo $FOR_COMMAND' 2>errors)"
    if [ "$mode" = user ] || [ "$(stat -c %u own/one.env)" = 65534 ]; then
        same "$mode: message" $'two\nlines' "$(jq -r .message o/*info.json)"
        same "$mode: level" 0 "$(wc -c <errors)"
    fi
    new
    DUCT_CONFIG_PATHS=own/one.env DUCT_MESSAGE=variable duct -p o/ -m option true
    same "$mode: option" option "$(jq -r .message o/info.json)"
    new
    DUCT_CONFIG_PATHS=own/one.env DUCT_MESSAGE=variable duct -p o/ true
    same "$mode: variable" variable "$(jq -r .message o/info.json)"
    same "$mode: batch system" '{"SLURM_JOB_ID": "7"}' \
        "$(new; SLURM_JOB_ID=7 SLURMX=1 duct -q -p o/ true; "$python" -c 'import json; print(json.dumps(json.load(open("o/info.json"))["env"]))')"
    if [ "$(id -u)" -eq 0 ] && [ "$mode" = user ]; then
        chown 65534 own/one.env
        new
        DUCT_CONFIG_PATHS=own/one.env duct -p o/ true 2>errors
        grep -q 'own/one.env: it belongs to user 65534' errors || fail "a file of another user was read"
        same "no message" ":" ":$(jq -r .message o/info.json)"
    fi
    rm -rf own errors
    # A directory that others may write is taken if it is named; nobody has named the default one.
    rm -rf .duct
    as mkdir -p .duct/logs
    as chmod 1777 .duct/logs
    duct -q -p .duct/logs/x_ true
    same "$mode: files below .duct/logs by name" 4 "$(find .duct/logs -name 'x_*' | wc -l)"
    if [ "$mode" = user ] && [ "$(id -u)" -eq 0 ]; then
        same "files below .duct/logs of nobody's choice" 1 "$(duct -q true; echo $?)"
        # Root's own directory is writable for root alone with any umask.
        mkdir -m 755 roots
        same "a default directory with umask 0" 0 "$(umask 0; cd roots; duct -q true; echo $?)"
        same "its rights" 755 "$(stat -c %a roots/.duct/logs)"
        rm -r roots
    fi
    rm -rf .duct
    # The session of ctprof is not all counted, which is said.
    new
    duct -p o/ --mode current-session sh -c 'ps -o sid= -p $$' >session 2>errors
    same "$mode: session of the command" "$(ps -o sid= -p $$)" "$(cat session)"
    grep -q 'not others of the session' errors || fail "$mode: nothing was said of the session"
    rm -f session errors
}

# GPUs: what nvidia-smi prints, as con-duct writes it; nvidia-smi is no process of the job.
gpus() {
    local path=$PWD/bin:$PATH name=${CON_DUCT:-con-duct}

    new
    duct -q -p o/ true
    command -v nvidia-smi >/dev/null || same "$mode: no GPUs" null "$(jq -c .gpu o/info.json)"
    mkdir -p bin
    cat >bin/nvidia-smi <<'E'
#!/bin/sh
echo "index, name, pci.bus_id, driver_version, memory.total [MiB], compute_mode"
echo "0, Tesla T4, 00000000:00:1E.0, 535.1, 15360 MiB, Default"
echo '1, "odd", 00000000:00:1F.0, 535.1, [N/A], Prohibited'
E
    chmod 755 bin bin/nvidia-smi
    new
    PATH=$path duct -q -p o/ sh -c 'sleep .2; true'
    checked o/
    same "$mode: GPUs" '0 15360 MiB|1 [N/A]' "$(jq -r '[.gpu[] | .index + " " + ."memory.total"] | join("|")' o/info.json)"
    same "$mode: processes without nvidia-smi" "2" "$(summary 'ctprof_processes // 2')"
    if command -v "$name" >/dev/null; then
        PATH=$path "$name" run -q -p of-con-duct/ sleep .2
        same "$mode: con-duct's GPUs" "$(jq -c .gpu of-con-duct/info.json)" "$(jq -c .gpu o/info.json)"
        rm -rf of-con-duct
    fi
    # One that fails leaves null, which is unknown, and says so.
    printf '#!/bin/sh\nexit 9\n' >bin/nvidia-smi
    new
    PATH=$path duct -p o/ sleep .2 2>errors
    same "$mode: unknown GPUs" null "$(jq -c .gpu o/info.json)"
    grep -q 'nvidia-smi: status 9; the GPUs are not known' errors || { cat errors; fail "$mode: nothing was said of nvidia-smi"; }
    rm -rf bin errors
}

# start SCRIPT: a command that writes its pid to the file "pid"; sets "runner".
start() {
    new
    rm -f pid seen
    exec_as "$scratch/ctprof" duct -q --fail-time 0 --s-i .1 --r-i .2 -p o/ sh -c "$1" &
    runner=$!
    started+=("$runner")
    await_file pid
}

fourth_interrupt() {
    local status=0 count

    new
    rm -f pid
    setpriv --bounding-set -kill --inh-caps -kill "$scratch/ctprof" duct --fail-time 0 --s-i .1 --r-i .2 -p o/ \
        sh -c 'echo $$ >pid; exec setpriv --reuid 65534 --clear-groups sleep 1000' 2>errors &
    runner=$!
    started+=("$runner")
    await_file pid
    await_file o/usage.jsonl
    until [ "$(ps -o uid= -p "$(cat pid)")" -eq 65534 ]; do sleep .05; done
    for count in 1 2 3 4; do
        kill -INT "$runner"
        until [ "$(grep -c SIGINT errors)" -ge "$count" ]; do sleep .05; done
    done
    wait "$runner" || status=$?
    same "the fourth SIGINT" 1 "$status"
    grep -q 'CRITICAL.*SIGINT again, exiting' errors || { cat errors; fail "nothing was said of the fourth SIGINT"; }
    kill -0 "$(cat pid)" || fail "the command of the fourth SIGINT has ended"
    same "info.json behind the fourth SIGINT" "0.2.3 null" "$(jq -r '"\(.schema_version) \(.execution_summary)"' o/info.json)"
    "$python" -c 'import json; [json.loads(line) for line in open("o/usage.jsonl")]' || fail "records behind the fourth SIGINT"
    echo "$runner" >>"$scratch/killed"
    kill -9 "$(cat pid)"
}

signals() {
    local status signal lines

    for signal in TERM HUP INT USR1; do
        start "trap 'echo x >>seen; exit 7' $signal; echo \$\$ >pid; while :; do sleep .05; done"
        kill "-$signal" "$runner"
        status=0
        wait "$runner" || status=$?
        same "$mode: status behind $signal" 7 "$status"
        same "$mode: $signal arrived" 1 "$(wc -l <seen)"
        same "$mode: info.json behind $signal" 7 "$(summary exit_code)"
        checked o/
    done
    start 'echo $$ >pid; while :; do sleep .05; done'
    kill -9 "$(cat pid)"
    status=0
    wait "$runner" || status=$?
    same "$mode: the command was killed" 137 "$status"
    checked o/
    # The third SIGINT kills.
    start 'trap "echo x >>seen" INT; echo $$ >pid; while :; do sleep .05; done'
    for signal in 1 2 3; do
        kill -INT "$runner"
        sleep .3
    done
    status=0
    wait "$runner" || status=$?
    same "$mode: the third SIGINT" 137 "$status"
    # A fourth one ends ctprof where the command does not end: it is one that ctprof may not kill.
    if [ "$mode" = user ] && [ "$(id -u)" -eq 0 ]; then
        fourth_interrupt
    fi
    # Ctrl-C at the terminal reaches the command, which is not in its foreground, and all in its group.
    new
    as "$python" "$scratch/run-terminal.py" 03 "$scratch/ctprof" duct -q --fail-time 0 -p o/ \
        bash -c 'trap "echo interrupted; n=\$((n + 1))" INT; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep .1; done; exit $((10 + n))' >typed
    grep -qx 'status 11' typed || { cat typed; fail "$mode: Ctrl-C"; }
    same "$mode: Ctrl-C in info.json" 11 "$(summary exit_code)"
    # ctprof itself is killed: the command goes on and prints, and the files are whole up to the last record.
    start 'echo $$ >pid; while :; do echo line; sleep .05; done' >shown
    await_file o/usage.jsonl
    echo "$runner" >>"$scratch/killed"
    kill -9 "$runner"
    wait "$runner" 2>/dev/null || true
    lines=$(wc -l <o/stdout)
    for ((i = 0; i < 300; i++)); do
        [ "$(wc -l <o/stdout)" -le "$((lines + 2))" ] || break
        sleep .1
    done
    kill -0 "$(cat pid)" || fail "$mode: the command ended with ctprof"
    between "$mode: lines behind its end" "$((lines + 2))" "$(wc -l <o/stdout)" 1000000
    kill -9 "$(cat pid)"
    "$python" -c 'import json; [json.loads(line) for line in open("o/usage.jsonl")]' || fail "$mode: records"
    same "$mode: info.json of no end" "0.2.3 null" "$(jq -r '"\(.schema_version) \(.execution_summary)"' o/info.json)"
    checks=$((checks + 2))
}

full_disk() {
    local status=0

    mkdir -p full
    if [ "$mode" != user ] || ! unshare -m mount -t tmpfs -o size=24k none full 2>/dev/null; then
        echo "$mode: no disk to fill"
        return
    fi
    # The command's own output goes elsewhere, and fails or not by itself.
    unshare -m sh -c '
        mount -t tmpfs -o size=24k none full
        "$0" duct --fail-time 0 --s-i .01 --r-i .01 -c none -p full/ sh -c "sleep 1; exit 4" 2>"$1" || echo $? >"$2"
        cp full/usage.jsonl full/info.json .' "$scratch/ctprof" "$PWD/errors" "$PWD/status" || status=$?
    same "status with a full disk" 4 "$(cat status)"
    grep -q 'full/usage.jsonl: No space left on device' errors || { cat errors; fail "nothing was said of the full disk"; }
    "$python" -c 'import json
assert len([json.loads(line) for line in open("usage.jsonl")]) > 2
json.load(open("info.json"))' || fail "files on a full disk"
    rm -f usage.jsonl info.json
    checks=$((checks + 1))
}

# con-duct itself, where it is installed.
readers() {
    local name=${CON_DUCT:-con-duct}

    command -v "$name" >/dev/null || { echo "no con-duct"; return; }
    rm -rf logs
    DUCT_OUTPUT_PREFIX='logs/{pid}_' duct -q -o none --s-i .1 --r-i .3 sh -c 'sleep 1.2; seq 100'
    DUCT_OUTPUT_PREFIX='logs/{pid}_' duct -q sleep .1
    same "$mode: con-duct ls" "sh -c sleep 1.2; seq 100|sleep .1" \
        "$("$name" ls -l NONE -f json logs/*info.json 2>/dev/null | jq -r '[.[].command] | sort | join("|")' || true)"
    for file in logs/*info.json logs/*usage.jsonl; do
        "$name" pp "$file" >/dev/null 2>errors || { cat errors; fail "$mode: con-duct pp $file"; }
        checks=$((checks + 1))
    done
    if "$(dirname "$(readlink -f "$(command -v "$name")")")/python" -c 'import matplotlib' 2>/dev/null; then
        for file in logs/*info.json logs/*usage.jsonl; do
            "$name" plot -o plot.png "$file" >/dev/null 2>errors || { cat errors; fail "$mode: con-duct plot $file"; }
            checks=$((checks + 1))
        done
    fi
}

all() {
    scenarios
    codes
    streams
    terminal
    settings
    gpus
    signals
    full_disk
    readers
}

all
if can_be_nobody; then
    job_user nobody
    all
fi
echo "$checks checks passed"
