#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scene.sh CTPROF TESTS DIR: makes the files of one version that live captures give, in DIR. CTPROF is that version,
# TESTS the folder tests of a build, for its workloads. Run as root in the initial namespaces; the kernel needs BPF, and
# delay accounting is switched on for the time. The scene is a few programs with cgroups of their own; trim.py keeps their
# rows and those of some kernel threads, so that the files are small and say nothing about who else was on the host.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
if [ "${4-}" != inside ]; then
    ctprof=$(realpath "$1") tests=$(realpath "$2") dir=$(realpath "$3")
    was=$(cat /proc/sys/kernel/task_delayacct)
    trap 'echo "$was" >/proc/sys/kernel/task_delayacct' EXIT
    echo 1 >/proc/sys/kernel/task_delayacct
    unshare --mount --uts "$0" "$ctprof" "$tests" "$dir" inside
    exit
fi
CTPROF=$1 tests=$2 dir=$3

hostname frozen
scratch=$(mktemp -d)
mount -t tmpfs none /srv
echo "quiet console=ttyS0 psi=1" >"$scratch/cmdline"
mount --bind "$scratch/cmdline" /proc/cmdline
cp "$tests/live/workload" "$tests/live/jemalloc-load-linked" /srv/
for name in ending passing staying; do cp /bin/sleep "/srv/$name"; done
cp "$tests/live/workload" $'/srv/caf\xc3\xa9 \x1b[31m\xff'
chmod 755 /srv /srv/*
cd "$scratch"

# Cgroups: in the hierarchy of version 2, and in those of version 1 that are there.
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
made=()
pids=()
clean_up() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do
        for _ in 1 2 3 4 5; do ! rmdir "${made[i]}" 2>/dev/null || break; sleep 0.1; done
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
group() {
    local point
    while read -r point; do
        for made_one in "$point/frozen.slice" "$point/frozen.slice/$1"; do
            [ ! -d "$made_one" ] || continue
            mkdir "$made_one"
            made+=("$made_one")
        done
        echo "$2" >"$point/frozen.slice/$1/cgroup.procs"
    done < <(echo "$unified"; awk '$3 == "cgroup" && $4 ~ /(^|,)(cpuacct|memory|pids)(,|$)/ { print $2 }' /proc/mounts)
}
# start CGROUP NAME COMMAND...: it waits until "go NAME" writes it a line.
declare -A input
start() {
    local cgroup=$1 name=$2 fd
    shift 2
    mkfifo "in-$name"
    exec {fd}<>"in-$name"
    "$@" <"in-$name" >"out-$name" &
    pids+=($!)
    input[$name]=$fd
    group "$cgroup" $!
    for ((i = 0; i < 1000; i++)); do
        ! grep -q READY "out-$name" || return 0
        sleep 0.02
    done
    exit 1
}
go() {
    printf 'go\n' >&"${input[$1]}"
}

start app@1.service spin /srv/workload spin spin 2 300
start app@2.service sleeper /srv/workload sleeper sleep 200 1000
start io.service writer /srv/workload writer write 200 4000 "$scratch/data"
start io.service pool setpriv --reuid 65534 --regid 65534 --clear-groups /srv/workload pool pool 5
start jemalloc.service heap /srv/jemalloc-load-linked heap 3 2000
start $'na\xffme \x1b[2J' hostile $'/srv/caf\xc3\xa9 \x1b[31m\xff' $'\x1b[1mred' names 1b5b313b33316d 0a6e6c ff80 c3a9c3a9 \
    2d2d68656c70 28657869746564 e280ae666c7570 20
start retire.service retire /srv/workload retire retire 20 5 10
for name in spin sleeper writer heap; do go "$name"; done

capture() {
    local name=$1
    shift
    "$CTPROF" capture -o "$scratch/$name.zst" "$@" 2>>"$scratch/err" || { cat "$scratch/err"; exit 1; }
}
capture lifetime-bpf --source bpf --smaps all --titles --waits --label scene=frozen
capture lifetime-procfs --source procfs --smaps all
go retire
# window NAME OPTION...: with threads that end inside, are born inside and stay, and both.
window() {
    /srv/ending 1.5 &
    capture "$@" --window 3s &
    capturing=$!
    sleep 0.8
    for _ in 1 2 3; do /srv/passing 0.1 & done
    sleep 0.4
    /srv/staying 6 &
    go heap
    wait $capturing
}
window window-bpf --source bpf
go pool
window window-records --source procfs --exits records
capture window-no-exits --source procfs --exits off --window 500ms --smaps off --jemalloc off
capture lifetime-bpf-later --source bpf
capture lifetime-procfs-later --source procfs --anonymous
capture lifetime-anonymous --source bpf --anonymous --smaps off --jemalloc off
chmod 755 "$scratch"
cp "$CTPROF" "$scratch/ctprof"
cp "$CTPROF-jemalloc" "$scratch/ctprof-jemalloc"
setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$scratch/ctprof" capture -q -o - >lifetime-user.zst

for file in *.zst; do
    keep=$(printf '%s,' "${pids[@]}")
    zstd -qdc "$file" | python3 "$here/trim.py" "${keep%,}" ending,passing,staying | zstd -q -19 --check -c >"$dir/$file"
done
for pair in bpf procfs; do
    "$CTPROF" window -q -o "$dir/window-of-$pair.zst" "$dir/lifetime-$pair.zst" "$dir/lifetime-$pair-later.zst"
done
