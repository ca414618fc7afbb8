# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for the live tests: workloads that are started and continued, and readings of /proc that are made
# without ctprof. Sourced with CTPROF and WORKLOAD set, in a scratch directory.

# Leaks that are a library's own; of interest to a build with sanitizers only.
# shellcheck disable=SC2154 # The script that sources this has it.
export LSAN_OPTIONS="suppressions=$here/lsan.supp:print_suppressions=0"

checks=0
fail() {
    echo "FAILED: $*"
    exit 1
}

# with_default_signals SCRIPT ARGUMENT...: starts the script again with no signal ignored, since a shell cannot trap a signal that was
# ignored when it started, as HUP is below nohup(1).
with_default_signals() {
    [ -n "${signals_are_default:-}" ] || exec env --default-signal signals_are_default=yes "$@"
}

# needs PROGRAM...: skips the test where one of them is not installed.
needs() {
    local program

    for program in "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "skipped: no $program"
            exit 77
        fi
    done
}

# needs_jemalloc: skips the test where ctprof is built without jemalloc.
needs_jemalloc() {
    [ -x "$CTPROF-jemalloc" ] || { echo "skipped: this ctprof is built without jemalloc"; exit 77; }
}

# copy_ctprof FILE: a copy of ctprof under another name, and of the program that it starts beside it.
copy_ctprof() {
    cp "$CTPROF" "$1"
    [ ! -x "$CTPROF-jemalloc" ] || cp "$CTPROF-jemalloc" "$(dirname "$1")/ctprof-jemalloc"
}

# mounted TYPE OPTION: prints where a hierarchy of cgroups is mounted, of the mounts that show all of it.
mounted() {
    awk -v type="$1" -v option="$2" '
        { for (i = 6; $i != "-"; i++); n = split($(i + 3), options, ",") }
        $(i + 1) == type && $4 == "/" { for (j = 1; j <= n; j++) if (options[j] == option) { print $5; exit } }' \
        /proc/self/mountinfo
}

# threads: "tgid/tid" of all that have not begun to exit, and "tgid/tid ended" of the others that are in /proc still.
# The field behind the five numbers that follow the state has the flags; 4 is PF_EXITING.
threads() {
    local files=(/proc/[0-9]*/task/[0-9]*/stat)

    # Names may have any byte.
    { grep -asH '' "${files[@]}" || true; } |
        LC_ALL=C sed -n 's#^/proc/\([0-9]*\)/task/\([0-9]*\)/stat:.*) \(.\) \([-0-9]* \)\{5\}\([0-9]*\) [-0-9 ]*$#\1/\2 \3 \5#p' |
        awk '{ print $1 ($2 ~ /[ZX]/ || int($3 / 4) % 2 ? " ended" : "") }' | sort
}

# same WHAT WANT HAVE
same() {
    if [ -z "$2" ] || [ "$2" != "$3" ]; then
        fail "$1: '$3', not '$2'"
    fi
    checks=$((checks + 1))
}

# between WHAT LOW HAVE HIGH: integers
between() {
    [[ $3 =~ ^-?[0-9]+$ ]] || fail "$1: '$3' is no integer"
    if [ "$3" -lt "$2" ] || [ "$3" -gt "$4" ]; then
        fail "$1: $3 is not from $2 to $4"
    fi
    checks=$((checks + 1))
}

# Four letters of no meaning, so that nobody else's threads have these names. None is a hexadecimal digit.
unique_prefix() {
    head -c 400 /dev/urandom | LC_ALL=C tr -dc g-z | cut -c1-4
}

# now_ms: of the clock on the wall, for what is measured in one test.
now_ms() {
    local now=${EPOCHREALTIME/[^0-9]/}

    echo $((now / 1000))
}

declare -A pid_of input_of

# await FILE WORD: until a workload has said it. Limits like this one are for what hangs: a busy machine is waited for.
await() {
    local end=$((SECONDS + 120))

    until grep -q "$2" "$1" 2>/dev/null; do
        [ "$SECONDS" -lt "$end" ] || fail "$1 does not say $2"
        sleep 0.01
    done
}

# start NAME MODE ARGUMENT...: a workload that waits for its first line.
start() {
    local name=$1 fd

    mkfifo "$name.in"
    "$WORKLOAD" "$@" <"$name.in" >"$name.out" &
    pid_of[$name]=$!
    exec {fd}>"$name.in"
    input_of[$name]=$fd
    await "$name.out" READY
}

# proceed NAME: its next line, of three bytes.
proceed() {
    printf 'go\n' >&"${input_of[$1]}"
}

# await_between PID: until a capture waits between the two readings of its window: its first thread has been in one and the
# same ppoll(2) for 0.1 s. During a reading it sleeps as well, in other calls, until other threads and helpers have read.
# If the kernel does not show the call that it sleeps in, it has slept for 0.4 s without a break.
await_between() {
    local state call switches now before='' still=0 end=$((SECONDS + 120))
    local dir=/proc/$1/task/$1

    while [ "$still" -lt 4 ]; do
        [ "$SECONDS" -lt "$end" ] || fail "the window of $1 has not begun within two minutes"
        state=$(sed 's/.*) \(.\).*/\1/' "$dir/stat" 2>/dev/null) || return 0
        switches=$(sed -n 's/^voluntary_ctxt_switches:[[:blank:]]*//p' "$dir/status" 2>/dev/null) || return 0
        call=$(cut -d ' ' -f 1 "$dir/syscall" 2>/dev/null) || call=unknown
        now="$state $call $switches"
        [ "$state" != Z ] || return 0
        if [ "$state" = S ] && [ "$now" = "$before" ]; then still=$((still + 1)); else still=0; fi
        case $call in
        271 | 73 | 281 | 302) [ "$still" -eq 0 ] || return 0 ;; # ppoll on x86-64, arm64, ppc64le and s390x
        [0-9]* | running) still=0 ;;
        esac
        before=$now
        sleep 0.1
    done
}

# await_sleep PID...: until each of them is in nanosleep(2), as sleep(1) is once it has been loaded.
await_sleep() {
    local pid end=$((SECONDS + 120))

    for pid in "$@"; do
        until grep -qs nanosleep "/proc/$pid/wchan"; do
            [ "$SECONDS" -lt "$end" ] || fail "process $pid is not in nanosleep: $(cat "/proc/$pid/wchan" 2>&1)"
            sleep 0.02
        done
    done
}

# window_length FILE ARGUMENT...: prints how long a window of 1 s is, in ns: the shortest of up to five, for other work on the
# CPUs makes some longer.
window_length() {
    local file=$1 length least=

    shift
    for ((try = 0; try < 5; try++)); do
        "$CTPROF" capture -q --window 1s "$@" -o "$file" 2>/dev/null || fail "a window $* ended with status $?"
        length=$(zstd -dc "$file" | jq .window.length_ns)
        [ -n "$least" ] && [ "$length" -ge "$least" ] || least=$length
        [ "$least" -gt 1050000000 ] || break
    done
    echo "$least"
}

finish() {
    local fd=${input_of[$1]}

    proceed "$1"
    exec {fd}>&-
    wait "${pid_of[$1]}" || fail "$1 failed"
    unset "pid_of[$1]"
}

# Ends what a failed test leaves running.
stop_all() {
    local name

    for name in "${!pid_of[@]}"; do
        kill "${pid_of[$name]}" 2>/dev/null || true
    done
}

# mounts CONDITION: where the mounts are of which awk says so, the last one first.
mounts() {
    local point

    awk '{ for (i = 7; $i != "-"; i++); type = $(i + 1) } '"$1"' { print $5 }' /proc/self/mountinfo | tac |
        while read -r point; do
            printf '%b\n' "${point//\\/\\0}"
        done
}
# with_own_mounts COMMAND...: what it mounts upon a mount is seen by nobody else. In a chroot / is none of the mounts, so
# that nothing may be mounted upon a directory of it, and they are made private one by one, but for what others hide.
with_own_mounts() {
    # shellcheck disable=SC2016 # The inner shell expands them.
    unshare --mount --propagation unchanged bash -euc '
        while read -r point; do mount --make-private "$point" 2>/dev/null || true; done < <(mounts "\$7 ~ /^shared:/")
        exec "$@"' - "$@"
}
# unmount_cgroups [POINT]: with mounts of our own, every hierarchy, wherever it is mounted, but for the one at POINT. A
# host may show its hierarchies in more places than one: in the roots of containers, in chroots.
unmount_cgroups() {
    local point

    mounts 'type ~ /^cgroup2?$/' | while read -r point; do [ "$point" = "${1-}" ] || umount -l "$point" || true; done
}
export -f mounts with_own_mounts unmount_cgroups

# readings PID...: "tid metric value" for every thread, from the files of /proc by way of awk.
readings() {
    local pid

    for pid in "$@"; do
        awk '
            FNR == 1 { n = split(FILENAME, path, "/"); tid = path[n - 1]; file = path[n] }
            function say(metric, value) { print tid, metric, value }
            file == "stat" {
                sub(/^.*[)] /, "")
                say("state", $1); say("minflt", $8); say("majflt", $10); say("utime_clock_ticks", $12)
                say("stime_clock_ticks", $13); say("priority", $16); say("nice", $17); say("threads", $18)
                say("start_time_clock_ticks", $20); say("processor", $37); say("rt_priority", $38); say("policy", $39)
            }
            file == "schedstat" { say("run_time_ns", $1); say("wait_time_ns", $2); say("timeslices", $3) }
            file == "io" { sub(":", "", $1); say($1, $2) }
            file == "status" && $1 ~ /^(non)?voluntary_ctxt_switches:$/ {
                say($1 ~ /^non/ ? "nonvoluntary_csw" : "voluntary_csw", $2)
            }
            file == "sched" && /^se[.]nr_migrations / { say("nr_migrations", $3) }
            file == "sched" && /^(wait_count|nr_wakeups|nr_wakeups_local) / { say($1, $3) }
            file == "sched" && /^(wait_sum|sum_block_runtime) / {
                gsub("[.]", "", $3); sub(/^0+/, "", $3)
                say($1 == "wait_sum" ? $1 : "block_sum", $3 == "" ? 0 : $3)
            }' "/proc/$pid/task/"*/{stat,schedstat,io,status,sched} 2>/dev/null
    done
}

# captured FILE PID...: the same lines for the same metrics out of a snapshot.
captured() {
    local file=$1 pids

    shift
    pids=$(printf '%s,' "$@")
    zstd -dc "$file" | jq -r --argjson pids "[${pids%,}]" '
        .threads[] | select(.tgid | IN($pids[])) | .tid as $tid | to_entries[]
        | select(.value | type == "number" or type == "string") | "\($tid) \(.key) \(.value)"'
}

# bracketed WHAT BEFORE CAPTURED AFTER: every counter is between its two readings, for every thread that was
# there before and after.
bracketed() {
    awk -v what="$1" '
        BEGIN { split("minflt majflt utime_clock_ticks stime_clock_ticks run_time_ns wait_time_ns timeslices " \
            "rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes voluntary_csw nonvoluntary_csw " \
            "nr_migrations wait_count nr_wakeups nr_wakeups_local wait_sum block_sum start_time_clock_ticks", list)
            for (i in list) is_counter[list[i]] = 1 }
        { key = $1 " " $2 }
        FNR == 1 { file++ }
        file == 1 && $2 in is_counter { low[key] = $3 }
        file == 2 { value[key] = $3 }
        file == 3 && key in low {
            if (!(key in value)) { print what ": thread " key " was not captured"; bad = 1 }
            else if (value[key] < low[key] || value[key] > $3) {
                print what ": thread " key ": " value[key] " is not from " low[key] " to " $3; bad = 1 }
            count++
        }
        END { if (bad) exit 1
            if (count < 10) { print what ": only " count + 0 " values to compare"; exit 1 }
            print what ": " count " values are between the readings before and after" }' "$2" "$3" "$4" ||
        fail "$1"
    checks=$((checks + 1))
}

# A job as this user, and as nobody: the functions of run.sh and duct.sh. "mode" says as whom.

# job_scene FILE...: a scratch directory with a copy of ctprof and these files of the tests, in which nobody can run them; the
# current directory is a place in it that all can write. Sets scratch, python and started, the pids that are killed at the end.
job_scene() {
    local program

    # Nobody must be able to run it.
    python=
    for program in /usr/bin/python3 "$(command -v python3 || true)"; do
        if [ -x "$program" ]; then
            python=$program
            break
        fi
    done
    [ -n "$python" ] || { echo "skipped: no python3"; exit 77; }
    scratch=$(mktemp -d)
    started=()
    trap job_clean_up EXIT
    chmod 755 "$scratch"
    copy_ctprof "$scratch/ctprof"
    cp "$@" "$scratch"
    chmod 755 "$scratch/ctprof" "$scratch"/*.py
    job_user user
}
job_clean_up() {
    local pid path

    for pid in "${started[@]}"; do
        kill -9 "$pid" 2>/dev/null || true
    done
    # The leaves of a ctprof that was killed.
    if [ -f "$scratch/killed" ]; then
        sleep .3
        while read -r pid; do
            for path in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/memory /sys/fs/cgroup/cpuacct; do
                find "$path" -type d -name "ctprof-run-$pid-*" -exec rmdir {} + 2>/dev/null || true
            done
        done <"$scratch/killed"
    fi
    rm -rf "$scratch"
}

# job_user MODE: goes on as "user", this one, or as "nobody", in an empty place.
job_user() {
    mode=$1
    cd /
    rm -rf "$scratch/place"
    mkdir -m 1777 "$scratch/place"
    cd "$scratch/place" || exit
}
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all)
# can_be_nobody: as nobody, python can be run.
can_be_nobody() {
    [ "$(id -u)" -eq 0 ] && "${as_nobody[@]}" "$python" -c '' 2>/dev/null
}
as() {
    if [ "$mode" = nobody ]; then
        "${as_nobody[@]}" "$@"
    else
        "$@"
    fi
}
# exec_as COMMAND...: takes the place of the shell, so that its pid is that of the command.
exec_as() {
    if [ "$mode" = nobody ]; then
        exec "${as_nobody[@]}" "$@"
    else
        exec "$@"
    fi
}

# near WHAT HAVE WANT SLACK: within 1 % and a fixed amount.
near() {
    awk -v have="$2" -v want="$3" -v slack="$4" 'BEGIN {
        off = have - want; if (off < 0) off = -off
        exit !(have != "null" && off <= want / 100 + slack) }' || fail "$mode: $1: $2, not $3"
    checks=$((checks + 1))
}

# await_file FILE: until something is in it.
await_file() {
    local i

    for ((i = 0; i < 300; i++)); do
        [ ! -s "$1" ] || return 0
        sleep .1
    done
    fail "$mode: no $1"
}
