#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor.sh CTPROF: every verdict against a look at the host that is made without ctprof, as root and as a user
# without rights.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
checks=0
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zcat setpriv
scratch=$(mktemp -d)
restore=
undo() {
    [ -z "$restore" ] || echo "$restore" >/proc/sys/kernel/task_delayacct
    rm -rf "$scratch"
}
trap undo EXIT
chmod 755 "$scratch"
cp "$1" "$scratch/ctprof"
chmod 755 "$scratch/ctprof"
cd "$scratch"

{ zcat /proc/config.gz || cat "/boot/config-$(uname -r)"; } >config 2>/dev/null || true
major=$(uname -r | cut -d. -f1)
minor=$(uname -r | cut -d. -f2 | tr -dc 0-9)

# built OPTION: y, n, or ? where the configuration cannot be read.
built() {
    if [ ! -s config ]; then
        echo '?'
    elif grep -q "^CONFIG_$1=[ym]" config; then
        echo y
    else
        echo n
    fi
}

# state FILE FAMILY, and other fields
field() {
    jq -r --arg name "$2" --arg field "$3" '.families[] | select(.name == $name) | .[$field] // ""' "$1"
}

# lacks FILE OPTION FAMILY...: what the kernel was built without is not there, and the reason says so.
lacks() {
    local file=$1 option=$2 family

    shift 2
    [ "$(built "$option")" = n ] || return 0
    for family in "$@"; do
        same "$family without CONFIG_$option" not "$(field "$file" "$family" state)"
        [[ $(field "$file" "$family" reason) =~ (CONFIG_|needs\ Linux) ]] ||
            fail "$family: the reason is $(field "$file" "$family" reason)"
        same "$family: the fix" kernel "$(field "$file" "$family" fix_kind)"
    done
}

# The lines of a user: what depends on the kernel only, and on nobody's rights.
check_host() {
    local file=$1 status=$2 family

    for family in stat switches affinity kernel-config; do
        [ "$family" != kernel-config ] || [ -s config ] || continue
        same "$family" available "$(field "$file" "$family" state)"
    done
    lacks "$file" SCHEDSTATS schedstats core-sched
    lacks "$file" SCHED_CORE core-sched
    lacks "$file" SCHED_CLASS_EXT sched-ext sched-ext-thread
    lacks "$file" IRQ_TIME_ACCOUNTING delay-irq
    lacks "$file" TASKSTATS delay-cpu delays memory-peaks
    lacks "$file" PSI psi-host psi-cgroups
    if [ "$(built SCHEDSTATS)" = n ] && [ "$major" -ge 6 ]; then
        same "the reason" "the kernel was built without CONFIG_SCHEDSTATS" "$(field "$file" schedstats reason)"
    fi
    if [ "$(built SCHED_CLASS_EXT)" = n ] && [ "$major" -ge 6 ] && [ "$minor" -ge 12 ]; then
        same "the reason" "the kernel was built without CONFIG_SCHED_CLASS_EXT" "$(field "$file" sched-ext reason)"
    fi
    if [ -e /proc/sys/kernel/sched_schedstats ]; then
        if [ "$(cat /proc/sys/kernel/sched_schedstats)" = 0 ]; then
            same "schedstats" "sudo sysctl kernel.sched_schedstats=1" "$(field "$file" schedstats fix)"
        else
            same "schedstats" available "$(field "$file" schedstats state)"
        fi
    fi
    if cat /proc/pressure/cpu >/dev/null 2>&1; then
        same "psi-host" available "$(field "$file" psi-host state)"
    else
        same "psi-host" not "$(field "$file" psi-host state)"
    fi
    same "sched-ext" "$([ -d /sys/kernel/sched_ext ] && echo available || echo not)" "$(field "$file" sched-ext state)"
    if [ -r /proc/cgroups ] && [ "$(awk '$1 == "memory" { print $2 }' /proc/cgroups)" -gt 0 ] 2>/dev/null; then
        same "cgroup2-memory" not "$(field "$file" cgroup2-memory state)"
        [[ $(field "$file" cgroup2-memory reason) = *"version 1"* ]] || fail "cgroup2-memory"
    fi
    # The exit status is that of the lines.
    same "status" "$(jq 'if [.families[] | select(.counts and .state != "available")] == [] then 0 else 3 end' "$file")" "$status"
    same "lines without a reason" 0 "$(jq '[.families[] | select(.state != "available" and .reason == null)] | length' "$file")"
    # Counted by hand: a family more is a decision.
    same "families" 31 "$(jq '.families | length' "$file")"
}

# A file of every process that is not ours: "all", "some" or "none" can be read.
readable() {
    local file=$1 process read=0 denied=0

    shift
    for process in $(printf '%s\n' /proc/[0-9]* | sort -V); do
        # Doctor tries 64.
        [ $((read + denied)) -lt 64 ] || break
        [ "$(stat -c %u "$process" 2>/dev/null)" != "${skip_uid:-none}" ] || continue
        # Kernel threads and what has exited say nothing of rights.
        if [ -z "$(tr -d '\0' 2>/dev/null <"$process/cmdline")" ]; then continue; fi
        if "$@" cat "$process/$file" >/dev/null 2>&1; then
            read=$((read + 1))
        elif [ -e "$process/stat" ]; then
            denied=$((denied + 1))
        fi
    done
    word "$read" "$denied"
}

# word READ DENIED
word() {
    if [ "$2" -eq 0 ]; then echo all; elif [ "$1" -gt 0 ]; then echo some; else echo none; fi
}

# lookable UID [COMMAND...]: the memory of processes, in the same words, by COMMAND: to open it takes what to look into it
# takes. UID is the user whose processes count as one's own. The number of these, and of the others, is the one that doctor tries.
lookable() {
    local uid=$1 owner process own=0 others=0 read=0 denied=0

    shift
    while read -r owner process; do
        if [ -z "$(tr -d '\0' 2>/dev/null <"$process/cmdline")" ]; then continue; fi
        if [ "$owner" = "$uid" ]; then
            own=$((own + 1))
            [ "$own" -le 64 ] || continue
        else
            others=$((others + 1))
            [ "$others" -le 64 ] || continue
        fi
        # shellcheck disable=SC2016 # the inner shell's
        if "$@" sh -c 'exec 3<"$1"' sh "$process/mem" 2>/dev/null; then
            read=$((read + 1))
        elif [ -e "$process/stat" ]; then
            denied=$((denied + 1))
        fi
    done < <(stat -c '%u %n' /proc/[0-9]* 2>/dev/null | sort -V -k 2)
    word "$read" "$denied"
}

nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" -eq 0 ]; then
    status=0
    ./ctprof doctor --format json >root.json || status=$?
    check_host root.json "$status"
    capabilities=$(awk '$1 == "CapEff:" { print $2 }' /proc/self/status)
    if ((0x$capabilities >> 12 & 1)) && [ "$(built TASKSTATS)" = y ] && [ "$(built TASK_DELAY_ACCT)" = y ] &&
        [ "$(readlink /proc/self/ns/user)" = "user:[4026531837]" ]; then
        same "delay-cpu as root" available "$(field root.json delay-cpu state)"
        same "memory-peaks as root" available "$(field root.json memory-peaks state)"
        if [ -e /proc/sys/kernel/task_delayacct ] && [ "$(cat /proc/sys/kernel/task_delayacct)" = 0 ]; then
            same "delays" not "$(field root.json delays state)"
            same "the fix" "sudo sysctl kernel.task_delayacct=1" "$(field root.json delays fix)"
        fi
    fi
    case $(readable io) in
    all) same "io-others" available "$(field root.json io-others state)" ;;
    some) same "io-others" partly "$(field root.json io-others state)" ;;
    none) same "io-others" not "$(field root.json io-others state)" ;;
    esac

    case $(lookable nobody) in
    all) same "jemalloc" available "$(field root.json jemalloc state)" ;;
    some) same "jemalloc" partly "$(field root.json jemalloc state)" ;;
    none) same "jemalloc" not "$(field root.json jemalloc state)" ;;
    esac

    # --enable does what it says, and no more; the fix of the table, and the undoing, are commands that work.
    toggle=/proc/sys/kernel/task_delayacct
    if [ -w "$toggle" ] && [ "$(cat "$toggle")" = 0 ]; then
        same "the switch without --enable" 0 "$(cat "$toggle")"
        restore=0
        status=0
        ./ctprof doctor --enable --format json >enabled.json || status=$?
        same "status" 3 "$status"
        same "the switch" 1 "$(cat "$toggle")"
        same "the result" '"switched on"' "$(jq '.toggles[] | select(.name == "kernel.task_delayacct") | .result' enabled.json)"
        same "to undo" '"sudo sysctl kernel.task_delayacct=0"' "$(jq '.toggles[] | select(.name == "kernel.task_delayacct") | .undo' enabled.json)"
        if ! tr ' ' '\n' </proc/cmdline | grep -qx delayacct && [ "$(field root.json delay-cpu state)" = available ]; then
            same "delays" partly "$(field enabled.json delays state)"
            [[ $(field enabled.json delays reason) = "threads born before"* ]] || fail "delays: no warning"
        fi
        ./ctprof doctor --enable >again || true
        grep -qx "kernel.task_delayacct: is on already" again || fail "a switch that is on"

        # A report that cannot be printed does not lose the undo commands.
        echo 0 >"$toggle"
        status=0
        ./ctprof doctor --enable >/dev/full 2>full.err || status=$?
        same "status with a full disk" 1 "$status"
        same "the switch with a full disk" 1 "$(cat "$toggle")"
        grep -qx "ctprof: kernel.task_delayacct: switched on; to undo: sudo sysctl kernel.task_delayacct=0" full.err ||
            fail "no undoing with a full disk: $(cat full.err)"
        echo 0 >"$toggle"
        mkfifo gone
        { :; } <gone &
        exec 5>gone
        wait $!
        ./ctprof doctor --enable >&5 2>gone.err || true
        exec 5>&-
        grep -q "to undo: sudo sysctl kernel.task_delayacct=0" gone.err || fail "no undoing without a reader"
        echo 0 >"$toggle"
        restore=
    fi
    if ! "${nobody[@]}" --bounding-set=+all true 2>/dev/null; then
        echo "skipped: root cannot become somebody else here"
        exit 77
    fi
else
    nobody=(env)
fi

# A user without rights is told which capabilities are missing, with the path of this very program.
status=0
"${nobody[@]}" ./ctprof doctor --format json >nobody.json || status=$?
check_host nobody.json "$status"
# shellcheck disable=SC2016 # awk's fields
capabilities=$("${nobody[@]}" awk '$1 == "CapEff:" { print $2 }' /proc/self/status)
same "capabilities" 0 "$((0x$capabilities))"
setcap="sudo setcap cap_net_admin,cap_sys_ptrace,cap_dac_read_search+ep $scratch/ctprof"
plain=y # whether setcap could work
if ((0x$(awk '$1 == "CapBnd:" { print $2 }' /proc/self/status) >> 12 & 1)) &&
    [ "$(awk '$1 == "NoNewPrivs:" { print $2 }' /proc/self/status)" = 0 ] &&
    [ "$(readlink /proc/self/ns/user)" = "user:[4026531837]" ] &&
    ! findmnt -nT "$scratch" -o OPTIONS | tr , '\n' | grep -qx nosuid; then
    :
else
    plain=n
fi
if [ "$(built TASKSTATS)" = y ]; then
    for family in delay-cpu delays memory-peaks; do
        same "$family of nobody" not "$(field nobody.json "$family" state)"
        [[ $(field nobody.json "$family" reason) = *CAP_NET_ADMIN* ]] || fail "$family names no capability"
        [ "$plain" = n ] || same "$family: the fix" "$setcap" "$(field nobody.json "$family" fix)"
    done
fi
skip_uid=65534
[ "$(id -u)" -eq 0 ] || skip_uid=$(id -u)
# Processes come and go on a busy host, and with them what there is to look at. The result of doctor is checked against two
# readings that agree, one before it and one after it.
# steady READING...: $reading is the word of both, and nobody.json doctor's result in between.
steady() {
    for _ in 1 2 3 4 5 6; do
        reading=$("$@")
        "${nobody[@]}" ./ctprof doctor --format json >nobody.json || true
        [ "$reading" != "$("$@")" ] || return 0
    done
    echo "skipped: six times others came and went between two readings of $2"
    return 1
}
if cat /proc/1/stat >/dev/null 2>&1 && steady readable io "${nobody[@]}" && [ "$reading" = none ]; then
    same "io-others of nobody" not "$(field nobody.json io-others state)"
    [[ $(field nobody.json io-others reason) = *CAP_SYS_PTRACE*CAP_DAC_READ_SEARCH* ]] || fail "io-others names no capability"
fi
if steady lookable "$skip_uid" "${nobody[@]}"; then
    case $reading in
    none) same "jemalloc of nobody" not "$(field nobody.json jemalloc state)" ;;
    # One's own, and nobody else's.
    some) same "jemalloc of nobody" partly "$(field nobody.json jemalloc state)" ;;
    esac
    if [ "$reading" != all ]; then
        [[ $(field nobody.json jemalloc reason) = *CAP_SYS_PTRACE* ]] || fail "jemalloc names no capability"
        [ "$plain" = n ] || same "jemalloc: the fix" "$setcap" "$(field nobody.json jemalloc fix)"
    fi
fi
if [ "$(id -u)" -eq 0 ] && [ -e /proc/sys/kernel/task_delayacct ] && [ "$(cat /proc/sys/kernel/task_delayacct)" = 0 ]; then
    status=0
    "${nobody[@]}" ./ctprof doctor --enable >/dev/null 2>err || status=$?
    same "--enable of nobody" 1 "$status"
    same "the switch" 0 "$(cat /proc/sys/kernel/task_delayacct)"
    grep -q "kernel.task_delayacct cannot be switched on" err || fail "--enable of nobody: $(cat err)"
fi

# The command of the table works: with it, nobody gets what root gets.
if [ "$(id -u)" -eq 0 ] && [ "$plain" = y ] && command -v setcap >/dev/null; then
    command=$(field nobody.json delay-cpu fix)
    if eval "${command#sudo }" 2>/dev/null; then
        "${nobody[@]}" ./ctprof doctor --format json >capable.json || true
        for family in delay-cpu memory-peaks io-others smaps-rollup process-totals jemalloc; do
            same "$family with capabilities" "$(field root.json "$family" state)" "$(field capable.json "$family" state)"
        done
    fi
fi

# A /proc that hides processes, in a mount namespace of its own.
if [ "$(id -u)" -eq 0 ] && unshare -m mount -o hidepid=2 -t proc proc /proc 2>/dev/null; then
    cp ctprof plain # without its capabilities
    chmod 755 plain
    unshare -m sh -c 'mount -o hidepid=2 -t proc proc /proc && exec "$@"' sh \
        "${nobody[@]}" ./plain doctor --format json >hidden.json || true
    same "processes with hidepid" not "$(field hidden.json processes state)"
    [[ $(field hidden.json processes reason) = *hidepid=2* ]] || fail "the reason is not hidepid"
fi

# A pid namespace with the /proc of another: doctor says what a capture does there. The files are read all the same.
private=(unshare --mount --propagation private)
foreign="/proc is of another pid namespace"
if [ "$(built TASKSTATS)" != y ] || ! command -v zstd >/dev/null; then
    echo "not tried: a pid namespace, without CONFIG_TASKSTATS or zstd"
elif ! "${private[@]}" --pid --fork true 2>/dev/null; then
    echo "not tried: a pid namespace, which cannot be made here"
else
    "${private[@]}" --pid --fork ./ctprof doctor --format json >pid.json || true
    "${private[@]}" --pid --fork ./ctprof capture -o pid.zst 2>/dev/null
    zstd -dc pid.zst >pid-capture.json
    same "taskstats of a capture" skipped "$(jq -r .sources.taskstats.rule pid-capture.json)"
    for family in delay-cpu memory-peaks; do
        same "$family with another /proc" not "$(field pid.json "$family" state)"
        same "$family: the reason" "$foreign" "$(field pid.json "$family" reason)"
        [[ $(field pid.json "$family" fix) = *"sudo unshare --mount-proc $scratch/ctprof" ]] || fail "$family: the fix"
        same "$family: what was seen" 0 "$(jq --arg name "$family" \
            '.families[] | select(.name == $name) | .seen | length' pid.json)"
    done
    same "process-totals with another /proc" partly "$(field pid.json process-totals state)"
    same "process-totals: the reason" "$foreign (for delays, run and wait time)" "$(field pid.json process-totals reason)"
    same "affinity of a capture" true "$(jq '[.threads[] | has("cpu_affinity")] | all' pid-capture.json)"
    same "affinity with another /proc" available "$(field pid.json affinity state)"
    # The fix works.
    "${private[@]}" --pid --fork unshare --mount-proc ./ctprof doctor --format json >pid.json || true
    if [ "$(id -u)" -eq 0 ]; then
        same "delay-cpu with its own /proc" "$(field root.json delay-cpu state)" "$(field pid.json delay-cpu state)"
    fi
    # A /proc in which we are not: its namespace lives below ours.
    # shellcheck disable=SC2016 # the inner shell's
    "${private[@]}" sh -c 'unshare --pid --fork sh -c "mount -t proc proc /proc" && exec "$@"' sh \
        ./ctprof doctor --format json >outside.json || true
    same "stat with a /proc without us" not "$(field outside.json stat state)"
    same "stat: the reason" "$foreign" "$(field outside.json stat reason)"
fi

# A /proc without its switches.
if ! "${private[@]}" mount -t tmpfs none /proc/sys 2>/dev/null; then
    echo "not tried: a hidden /proc/sys, which cannot be made here"
elif [ "$(id -u)" -eq 0 ] && [ "$(field root.json delay-cpu state)" = available ] &&
    [ -e /proc/sys/kernel/task_delayacct ]; then
    # shellcheck disable=SC2016 # the inner shell's
    "${private[@]}" sh -c 'mount -t tmpfs none /proc/sys && exec "$@"' sh ./ctprof doctor --format json >switches.json || true
    for family in delays delay-extremes; do
        [[ $(field switches.json "$family" reason) =~ ^needs|without ]] ||
            same "$family without /proc/sys" "cannot tell whether kernel.task_delayacct is on" \
                "$(field switches.json "$family" reason)"
        same "$family is not as it should be" true \
            "$(jq --arg name "$family" '.families[] | select(.name == $name) | .state != "available"' switches.json)"
    done
    same "delay-cpu without /proc/sys" available "$(field switches.json delay-cpu state)"
    same "the value" null "$(jq '.toggles[] | select(.name == "kernel.task_delayacct") | .value' switches.json)"
fi

# One screen, and a table for people.
"${nobody[@]}" ./ctprof doctor >table || true
between "lines" 32 "$(wc -l <table)" 40
echo "$checks checks"
