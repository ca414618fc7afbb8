# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of the benchmarks. Sourced with the build directory as "$1"; sets build, ctprof, measure, runs, tmp and told.
#
# RUNS (5) in the environment is how often each command runs. TARGETS is a file that the lines of target() are added to.

bench_begin() {
    build=$(cd "$1" && pwd)
    runs=${RUNS:-5}
    ninja -C "$build" bench >&2
    # shellcheck disable=SC2034 # Scripts that source this have them.
    ctprof=$build/src/ctprof measure=$build/bench/measure
    # Files are written to memory where that is possible, so that no disk is measured.
    tmp=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
    helper=
    raised=
    trap clean_up EXIT
    trap 'exit 1' INT TERM HUP
}

clean_up() {
    if [ -n "$helper" ]; then
        exec 3>&-
        kill "$helper" 2>/dev/null || true
        wait "$helper" 2>/dev/null || true
    fi
    lower_limits
    rm -rf "$tmp"
}

heading() {
    printf '\n%s\n' "$1"
}

columns() {
    printf '%-42s %8s %17s %8s %17s %8s %17s %8s\n' "median (minimum..maximum) of $runs runs" \
        'wall ms' '' 'user ms' '' 'sys ms' '' 'peak MiB'
}

# measured LABEL COMMAND...
measured() {
    "$measure" "$runs" "$@"
}

size_of() {
    stat -c %s "$1"
}

describe_host() {
    printf '%s, Linux %s, %s CPUs (%s), %s MiB of memory, %s\n' "$(uname -m)" "$(uname -r)" "$(nproc)" \
        "$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)" \
        "$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)" "$("$build/src/ctprof" --version)"
}

# target WHAT VALUE RELATION LIMIT UNIT: whether a figure is what was aimed at. RELATION is one of <=, < and >=; a VALUE
# that is no number was not measured.
target() {
    awk -v what="$1" -v value="$2" -v relation="$3" -v limit="$4" -v unit="$5" 'BEGIN {
        none = value !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/
        met = relation == "<=" ? value + 0 <= limit + 0 : relation == "<" ? value + 0 < limit + 0 : value + 0 >= limit + 0
        printf "%-66s %10s %-2s %8s %-9s %s\n", what, none ? "-" : sprintf("%.2f", value), relation,
            limit ~ /[.]...$/ ? sprintf("%.2f", limit) : limit, unit, none ? "not measured" : met ? "met" : "NOT MET"
    }' | tee -a "${TARGETS:-/dev/null}"
}

# median_of LABEL COLUMN FILE: from what measure -o wrote (2 wall, 3 user, 4 system, 5 peak, and "cpu"), or "-".
median_of() {
    awk -F'\t' -v label="$1" -v column="$2" '$1 == label { value = column == "cpu" ? $3 + $4 : $column }
        END { print value == "" ? "-" : value }' "$3" 2>/dev/null || echo -
}

# calculate EXPRESSION VALUE...: with a, b and c as the values; "-" where one of them was not measured.
calculate() {
    expression=$1
    shift
    for value in "$@"; do
        [ "$value" != - ] || { echo -; return; }
    done
    awk -v a="$1" -v b="${2:-0}" -v c="${3:-0}" "BEGIN { print $expression }"
}

# exponent: of lines "SIZE VALUE" on standard input, the slope of the line through their logarithms.
exponent() {
    awk '$2 > 0 { x = log($1); y = log($2); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
        END { if (n < 3) print "-"; else printf "%.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx) }'
}

# at_least SYSCTL NUMBER: whether it is so, after raising it where that is permitted.
at_least() {
    file=/proc/sys/$1
    was=$(cat "$file")
    [ "$was" -lt "$2" ] || return 0
    # shellcheck disable=SC2320 # What counts is whether it was written.
    if ! (echo "$2" >"$file") 2>/dev/null; then
        return 1
    fi
    echo "($1 is raised from $was to $2 meanwhile)"
    case $raised in *"$1="*) ;; *) raised="$raised $1=$was" ;; esac
}

lower_limits() {
    for limit in $raised; do
        if (echo "${limit#*=}" >"/proc/sys/${limit%=*}") 2>/dev/null; then
            echo "(${limit%=*} is ${limit#*=} again)"
        fi
    done
    raised=
}

threads_now() {
    find /proc/[0-9]*/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l
}

# room_for THREADS: whether this host can have so many more; else says why not.
room_for() {
    wanted=$(($(threads_now) + $1 + 2000))
    # Each has a stack in the kernel and one page or two of its own.
    need=$(($1 * 45 / 1024))
    free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
    if [ "$free" -lt "$need" ]; then
        echo "$1 threads: skipped, they need some $need MiB of memory and $free are available"
    elif ! at_least kernel/pid_max "$wanted"; then
        echo "$1 threads: skipped, kernel.pid_max is $(cat /proc/sys/kernel/pid_max)"
    elif ! at_least kernel/threads-max "$wanted"; then
        echo "$1 threads: skipped, kernel.threads-max is $(cat /proc/sys/kernel/threads-max)"
    else
        return 0
    fi
    return 1
}

# start_threads PROCESSES THREADS_OF_EACH [BUSY]: real ones; until stop_threads.
start_threads() {
    rm -f "$tmp/hold" "$tmp/ready"
    mkfifo "$tmp/hold"
    "$build/bench/threads" "$@" <"$tmp/hold" >"$tmp/ready" &
    helper=$!
    exec 3>"$tmp/hold"
    while ! grep -q READY "$tmp/ready"; do
        if ! kill -0 "$helper" 2>/dev/null; then
            exec 3>&-
            wait "$helper" || true
            helper=
            echo "bench: not enough threads" >&2
            return 1
        fi
        sleep 0.1
    done
}

stop_threads() {
    exec 3>&-
    wait "$helper" || true
    helper=
}

# rows_of FILE: how many threads a snapshot has. Names may have commas, and what stands behind them has none.
rows_of() {
    "$ctprof" show --group-by cgroup --metrics thread_count --columns value --limit 0 --format csv "$1" |
        awk -F, 'NR > 1 { n += $NF } END { print n }'
}

sizes() {
    command -v zstd >/dev/null || { echo "$2: size not measured, there is no zstd"; return; }
    rows=$(rows_of "$1")
    bytes=$(size_of "$1")
    json=$(zstd -dc "$1" | wc -c)
    printf '%-42s %d threads: %d bytes, %d a thread; as JSON %d, %d a thread\n' "$2" "$rows" \
        "$bytes" "$((bytes / rows))" "$json" "$((json / rows))"
}
