#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroups.sh CTPROF: cgroups of this system, with names that nobody would choose, against cat. In mount and cgroup
# namespaces of our own: a part of the hierarchy mounted as in a container or over all of it, paths from outside of the
# namespace, and nothing mounted. Makes cgroups and removes them.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd unshare mount umount

unified=$(mounted cgroup2 rw)
pids=$(mounted cgroup pids)
cpuacct=$(mounted cgroup cpuacct)
memory=$(mounted cgroup memory)
parent=ctprof-test-$$
if [ -z "$unified" ] || ! mkdir "$unified/$parent" 2>/dev/null; then
    echo "skipped: no cgroup2 hierarchy here in which this user may make cgroups"
    exit 77
fi

scratch=$(mktemp -d)
sleepers=()
made=()
clean_up() {
    for pid in "${sleepers[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do
        for _ in 1 2 3 4 5; do
            rmdir "${made[i]}" 2>/dev/null && break
            sleep 0.1
        done
    done
    rmdir "$unified/$parent" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# make MOUNT NAME: a cgroup with a thread in it.
make() {
    mkdir -p "$1/$parent"
    mkdir "$1/$parent/$2"
    made+=("$1/$parent" "$1/$parent/$2")
    sleep 600 &
    sleepers+=($!)
    echo $! >"$1/$parent/$2/cgroup.procs"
}

capture() {
    rm -f a.zst
    "$@" capture -q -o a.zst
    zstd -qdc a.zst >a.json
}
# value OBJECT PATH KEY...: of a cgroup in the snapshot.
value() {
    jq -r --arg path "$2" --args '.[$ARGS.positional[0]][$path] | getpath($ARGS.positional[1:])' "$1" "${@:3}" <a.json
}
summary() {
    jq ".parse_summary.$1" a.json
}

names=('a:b::c' ' blanks in it ' 'kept (deleted)' $'\e[31mred' '0::' '..dots' '*' 'caf'$'\xc3\xa9')
for name in "${names[@]}"; do
    make "$unified" "$name"
done
make "$unified" $'broken\xff'
for mount in "$pids" "$cpuacct" "$memory"; do
    [ -z "$mount" ] || make "$mount" 'of: version 1 '
done

# And one beside all of these.
mkdir "$unified/$parent-beside"
made+=("$unified/$parent-beside")
sleep 600 &
sleepers+=($!)
echo $! >"$unified/$parent-beside/cgroup.procs"

# A cgroup that was removed under a zombie, whose parent does not ask for it.
mkdir "$unified/$parent/removed"
# shellcheck disable=SC2016 # The inner shells expand it.
bash -c 'bash -c "echo \$\$ >\"\$1\"; echo joined" - "$1" >joined & exec sleep 600' - \
    "$unified/$parent/removed/cgroup.procs" &
sleepers+=($!)
await joined joined
for ((i = 0; i < 6000; i++)); do
    rmdir "$unified/$parent/removed" 2>/dev/null && break
    sleep 0.01
done
[ ! -e "$unified/$parent/removed" ] || fail "the cgroup of a zombie cannot be removed"

await_sleep "${sleepers[@]}"
before=0
[ -z "$cpuacct" ] || before=$(cat "$cpuacct/cpuacct.usage")
capture "$CTPROF"
after=0
[ -z "$cpuacct" ] || after=$(cat "$cpuacct/cpuacct.usage")

for name in "${names[@]}"; do
    at="/$parent/$name"
    if [ -r "$unified/$parent/$name/cpu.stat" ]; then
        same "usage_usec of '$name'" "$(awk '$1 == "usage_usec" { print $2 }' "$unified/$parent/$name/cpu.stat")" \
            "$(value cgroup_stats "$at" cpu usage_usec)"
    else
        same "'$name'" true "$(jq --arg path "$at" '.cgroup_stats | has($path)' a.json)"
    fi
    if [ -r "$unified/$parent/$name/pids.current" ]; then
        same "pids.current of '$name'" 1 "$(value cgroup_stats "$at" pids current)"
    fi
    # psi stands still while nobody stalls there.
    if pressure=$(cat "$unified/$parent/$name/memory.pressure" 2>/dev/null); then
        same "memory.pressure of '$name'" "$(sed -n 's/^some .*total=//p' <<<"$pressure")" \
            "$(value cgroup_stats "$at" psi memory some total_usec)"
    fi
done
same "a name that is not UTF-8" 1 \
    "$(jq --arg path "/$parent/broken" '[.cgroup_stats | keys[] | select(startswith($path))] | length' a.json)"
same "paths of threads that have no cgroup in the snapshot, removed or elsewhere" "$(summary cgroups_gone)" \
    "$(jq '[.cgroup_stats as $have | .threads[].cgroup | select(. != null) | select($have[.] == null)] | unique | length' a.json)"
between "removed cgroups" 1 "$(summary cgroups_gone)" 100
same "the thread in it" 1 \
    "$(jq --arg path "/$parent/removed (deleted)" '[.threads[] | select(.cgroup == $path)] | length' a.json)"
same "cgroups outside" 0 "$(summary cgroups_outside)"

v1="/$parent/of: version 1 "
[ -z "$pids" ] || same "pids.current of version 1" 1 "$(value cgroup_v1_stats "$v1" pids current)"
# The kernel charges in batches of 64 pages for each CPU, and gives back what was not used some time later.
if [ -n "$memory" ]; then
    usage=$(cat "$memory$v1/memory.usage_in_bytes")
    batches=$((64 * 4096 * $(nproc)))
    between "memory.usage_in_bytes" "$((usage > batches ? usage - batches : 0))" \
        "$(value cgroup_v1_stats "$v1" memory usage_bytes)" "$((usage + batches))"
fi
if [ -n "$cpuacct" ]; then
    same "cpuacct.usage" "$(cat "$cpuacct$v1/cpuacct.usage")" "$(value cgroup_v1_stats "$v1" cpuacct usage_ns)"
    between "cpuacct.usage of the root" "$before" "$(value cgroup_v1_stats / cpuacct usage_ns)" "$after"
    # The tables have both parts, in clock ticks; the thread does nothing but wait.
    for part in user system; do
        same "cpuacct.stat $part" "$(awk -v part="$part" '$1 == part { print $2 }' "$cpuacct$v1/cpuacct.stat")" \
            "$(value cgroup_v1_stats "$v1" cpuacct "${part}_clock_ticks")"
    done
    "$CTPROF" show -g cgroup --sections cgroup-stats --color never a.zst >stats.txt
    grep -q 'cpuacct_stat_user *cpuacct_stat_system' stats.txt || fail "no columns of cpuacct.stat: $(head -n 3 stats.txt)"
fi
if [ -n "$pids$cpuacct$memory" ]; then
    same "mode" hybrid "$(jq -r .host.cgroup_mode a.json)"
fi

# Nothing of it may be said by somebody else than the tool.
"$CTPROF" capture -o a.zst 2>err
! grep -v '^ctprof: ' err || fail "something else than ctprof wrote to standard error"

# Some files of a cgroup are another user's.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all)
chmod 755 "$scratch"
cp "$CTPROF" nobodys
chmod 755 nobodys
if [ -r "$unified/$parent/*/cpu.stat" ] && "${as_nobody[@]}" ./nobodys --version >/dev/null 2>&1; then
    "${as_nobody[@]}" ./nobodys capture -o - 2>err | zstd -qd >a.json
    same "denied cgroups" 0 "$(summary cgroups_denied)"
    chmod 000 "$unified/$parent/*/cpu.stat"
    "${as_nobody[@]}" ./nobodys capture -o - 2>err | zstd -qd >a.json
    chmod 444 "$unified/$parent/*/cpu.stat"
    same "denied cgroups with one file denied" 1 "$(summary cgroups_denied)"
    same "what is said of it" 1 "$(grep -c '^ctprof: 1 cgroup denies' err)"
fi

# A container without a cgroup namespace: the mount shows a part, and paths name the whole.
inside="$parent/a:b::c"
cat >contained.sh <<'INNER'
set -eu
unmount_cgroups
mount -t tmpfs none /sys/fs/cgroup
mkdir /sys/fs/cgroup/here /sys/fs/cgroup/all
mount -t cgroup2 none /sys/fs/cgroup/all
mount --bind "/sys/fs/cgroup/all/$2" /sys/fs/cgroup/here
umount /sys/fs/cgroup/all
grep -q cgroup2 /proc/self/mountinfo
exec "$3" capture -q -o a.zst
INNER
with_own_mounts bash contained.sh "$unified" "$inside" "$CTPROF"
zstd -qdc a.zst >a.json
same "the mounts of a container" v2 "$(jq -r .host.cgroup_mode a.json)"
same "what a container sees" "[\"/$inside\"]" "$(jq -c '.cgroup_stats | keys' a.json)"
between "what is outside of it" "${#names[@]}" "$(summary cgroups_outside)" 100000
same "controllers of a part, which are not the root's" false "$(jq '.host | has("cgroup2_controllers")' a.json)"

# A part mounted over all of it: what is below is hidden, although it is of the same device.
cat >covered.sh <<'INNER'
set -eu
unmount_cgroups "$1"
mount --bind "$1/$2" "$1"
exec "$3" capture -q -o a.zst
INNER
with_own_mounts bash covered.sh "$unified" "$parent" "$CTPROF"
zstd -qdc a.zst >a.json
same "cgroups below a part that hides the rest" "$((${#names[@]} + 1))" \
    "$(jq --arg path "/$parent/" '[.cgroup_stats | keys[] | select(startswith($path))] | length' a.json)"
same "cgroups that are hidden" 0 \
    "$(jq --arg path "/$parent" '[.cgroup_stats | keys[] | select(startswith($path) | not)] | length' a.json)"
same "the cgroup beside, which is hidden" false \
    "$(jq --arg path "/$parent-beside" '.cgroup_stats | has($path)' a.json)"
same "controllers of a part over all of it" false "$(jq '.host | has("cgroup2_controllers")' a.json)"
if [ -n "$pids" ]; then
    with_own_mounts bash covered.sh "$pids" "$parent" "$CTPROF"
    zstd -qdc a.zst >a.json
    same "pids.current of a part of version 1" 1 "$(value cgroup_v1_stats "$v1" pids current)"
    same "pids.current of the root, which is hidden" null "$(value cgroup_v1_stats / pids current)"
fi
# The other way round all of it can be seen.
# shellcheck disable=SC2016 # The inner shell expands it.
with_own_mounts bash -c 'unmount_cgroups "$1"
    mount --bind "$1" /sys/kernel && mount --bind "$1/$2" "$1" && mount --move /sys/kernel "$1" &&
        exec "$3" capture -q -o a.zst' - \
    "$unified" "$parent" "$CTPROF"
zstd -qdc a.zst >a.json
same "the cgroup beside, which is on top" true \
    "$(jq --arg path "/$parent-beside" '.cgroup_stats | has($path)' a.json)"

# A cgroup mounted over another one below: under that name stands what is not its own.
cat >over.sh <<'INNER'
set -eu
unmount_cgroups "$1"
mount --bind "$1/$2" "$1/$3"
exec "$4" capture -q -o a.zst
INNER
with_own_mounts bash over.sh "$unified" "$parent-beside" "$inside" "$CTPROF"
zstd -qdc a.zst >a.json
same "a cgroup with another one over it" false "$(jq --arg path "/$inside" '.cgroup_stats | has($path)' a.json)"
same "the one that is over it" true "$(jq --arg path "/$parent-beside" '.cgroup_stats | has($path)' a.json)"

# In a cgroup namespace, with the mounts of the one around it: what they name as we do, and what is below our own
# cgroup, whose name from there has to be found.
cat >namespace.sh <<'INNER'
set -eu
echo $$ >"$1/cgroup.procs"
if [ "$3" = mount ]; then
    with_own_mounts unshare --cgroup bash -c \
        'unmount_cgroups; mount -t cgroup2 none /sys/fs/cgroup; exec "$1" capture -q -o a.zst' - "$2"
    exit
fi
exec unshare --cgroup "$2" capture -q -o a.zst
INNER
bash namespace.sh "$unified/$parent" "$CTPROF" keep
zstd -qdc a.zst >a.json
same "cgroups around ours" '["/..","/../'"$parent"'-beside"]' \
    "$(jq -c --arg parent "$parent" '.cgroup_stats | [keys[] | select(. == "/.." or contains($parent))]' a.json)"
same "our own cgroup" true "$(jq '.cgroup_stats | has("/")' a.json)"
for name in "${names[@]}"; do
    same "'$name' below our own" true "$(jq --arg path "/$name" '.cgroup_stats | has($path)' a.json)"
done
if pressure=$(cat "$unified/$parent/a:b::c/memory.pressure" 2>/dev/null); then
    same "memory.pressure of a cgroup below our own" "$(sed -n 's/^some .*total=//p' <<<"$pressure")" \
        "$(value cgroup_stats '/a:b::c' psi memory some total_usec)"
fi
same "cgroups outside of the mount around ours" 0 "$(summary cgroups_outside)"
bash namespace.sh "$unified/$inside" "$CTPROF" mount
zstd -qdc a.zst >a.json
same "with a mount of our own" '["/"]' "$(jq -c '.cgroup_stats | keys' a.json)"
between "what is outside of the namespace" "${#names[@]}" "$(summary cgroups_outside)" 100000

# Nothing mounted, then no mountinfo either: libcgroup alone, and it cannot start.
# shellcheck disable=SC2016 # The inner shell expands it.
with_own_mounts bash -c 'unmount_cgroups; exec "$1" capture -q -o a.zst' - "$CTPROF"
zstd -qdc a.zst >a.json
if ! grep -q cgroup <(with_own_mounts bash -c 'unmount_cgroups; cat /proc/self/mountinfo'); then
    same "nothing mounted" none "$(jq -r .host.cgroup_mode a.json)"
    same "cgroups without a mount" 0 "$(summary cgroups)"
    between "cgroups out of reach" 1 "$(summary cgroups_outside)" 100000
fi
echo "$checks checks passed"
