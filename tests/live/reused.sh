#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# reused.sh CTPROF IDS: one tgid for several processes inside a window. Each of them has the CPU time that it has counted
# itself under its own name and nobody else's, by both sources, whatever is listened to. A choice by name has none of the others.
#
# Single quotes hold programs for jq, and lib.sh sets the variables that are not set here.
# shellcheck disable=SC2016,SC2154
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

processes=6
ms=15
letters=(a b c d e f)

# value FILE GROUP METRIC: of a process by its name, in milliseconds; "none" without such a group or value.
value() {
    "$CTPROF" show --format json --group-by pcomm --no-thread-normalize --per total --metrics "$3" "$1" |
        jq -r --arg group "$2" '[.rows[] | select(.group == $group) | .value] | if length > 0 and .[0] != null then .[0] | floor else "none" end'
}

# in_window SOURCE EXITS: the window around a new set of processes.
in_window() {
    local name listener used i
    name=$(unique_prefix)
    start "$name" processes "$processes" "$ms"
    "$CTPROF" capture -q --window 60s --source "$1" --exits "$2" -o w.zst 2>err &
    listener=$!
    await_between "$listener"
    if ! kill -0 "$listener" 2>/dev/null; then
        echo "not checked: --source $1 --exits $2: $(head -c 200 err)"
        wait "$listener" || true
        finish "$name"
        return
    fi
    proceed "$name"
    await "$name.out" "DONE.*[0-9E]$"
    kill -INT "$listener"
    wait "$listener" || fail "a window that is interrupted ends with status $?"
    read -r -a used < <(sed 's/DONE //' "$name.out" | tail -n 1)
    finish "$name"
    if [ "${used[-1]}" = UNABLE ]; then
        echo "skipped: ids cannot be chosen here"
        exit 77
    fi
    exits=$(zstd -dc w.zst | jq -r .window.exits)
    # Its leader has exited, its second thread has not.
    same "executable of $name${letters[processes - 1]}" "$WORKLOAD" \
        "$(zstd -dc w.zst | jq -r --arg name "$name${letters[processes - 1]}" \
            '[.threads[] | select(.pcomm == $name) | .exe] | unique | map(. // "none") | join(" ")')"
    for ((i = 0; i < processes; i++)); do
        check_process "$name${letters[i]}" "$i" $((used[i] / 1000000)) "$exits"
    done
    echo "$1 $2: exits $exits, processes of ${used[-1]} used ${used[*]:0:processes} ns"
}

# check_process GROUP NUMBER MS EXITS
check_process() {
    local run threads
    run=$(value w.zst "$1" run_time_ns)
    threads=$(value w.zst "$1" thread_count)
    [ "$run" = none ] || run=$((run / 1000000))
    if [ "$2" = $((processes - 1)) ]; then
        same "threads of $1" 2 "$threads"
        between "CPU time of $1, which is there at the end, in ms" $(($3 - 1)) "$run" $(($3 + 6))
    elif [ "$4" = completed ]; then
        same "threads of $1" 2 "$threads"
        between "CPU time of $1 in ms" $(($3 - 1)) "$run" $(($3 + 6))
    elif [ "$4" = recorded ]; then
        # A record has the CPU time of long lives only, and that is less than all of it.
        same "threads of $1" 2 "$threads"
        [ "$run" = none ] || between "CPU time of $1 by records, in ms" 0 "$run" $(($3 + 6))
    else
        # The first process has two rows without a value, and nobody saw those between it and the last one.
        if [ "$2" -eq 0 ]; then
            same "threads of $1 without a listener" 2 "$threads"
        else
            same "threads of $1 without a listener" none "$threads"
        fi
        same "CPU time of $1 without a listener" none "$run"
    fi
}

# in_selection EXITS: the window of the first process by its name has none of the others with its id.
in_selection() {
    local name listener
    name=$(unique_prefix)
    start "$name" processes "$processes" "$ms"
    "$CTPROF" capture -q --window 60s --comm "${name}a" --exits "$1" -o w.zst 2>err &
    listener=$!
    await_between "$listener"
    kill -0 "$listener" || fail "a window with a selection ended early: $(head -c 200 err)"
    proceed "$name"
    await "$name.out" "DONE.*[0-9E]$"
    kill -INT "$listener"
    wait "$listener" || fail "a window that is interrupted ends with status $?"
    finish "$name"
    same "processes of --comm ${name}a, --exits $1" "${name}a" \
        "$(zstd -dc w.zst | jq -r '[.threads[].pcomm] | unique | join(" ")')"
}

for exits in auto records off; do
    in_selection "$exits"
done
for source in procfs bpf; do
    for exits in auto records off; do
        in_window "$source" "$exits"
    done
done
[ "$checks" -gt 0 ] || fail "nothing was checked"
echo "$checks checks"
