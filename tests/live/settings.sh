#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# settings.sh CTPROF SETTINGS_DEF: the settings of a snapshot against sysctl(8); a sysctl that is set between two snapshots, and in a
# window; and files that are not to be opened. SETTINGS_DEF is registry/settings.def. Sets vm.swappiness and sets it back.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
rows=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd sysctl

scratch=$(mktemp -d)
sleeper='' made=''
before=$(sysctl -n vm.swappiness)
clean_up() {
    [ "$(id -u)" != 0 ] || sysctl -qw vm.swappiness="$before" || true
    [ -z "$sleeper" ] || kill "$sleeper" 2>/dev/null || true
    [ -z "$sleeper" ] || wait "$sleeper" 2>/dev/null || true
    [ -z "$made" ] || rmdir "$made" || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# sysctls FILE: "name = value" of all sysctls in a snapshot, with blanks between the parts of a value.
sysctls() {
    zstd -qdc "$1" | jq -r '.settings.values | to_entries[] | select(.key | test("^[a-z0-9]+[.]"))
        | "\(.key) = \(.value | gsub("[ \t\n]+"; " "))"' | sort
}

# The output of sysctl(8), without the names that the registry leaves out. It has a line for each line of a value; those of
# several lines are not compared. Interfaces are left out but for "all" and "default".
skipped=$(sed -n 's#^SETTINGS_SKIP([A-Z]*, *"/proc/sys/\([^"]*\)".*#\1#p' "$rows" | tr / . | grep -v '^kernel.\(host\|domain\)name$')
shown() {
    sysctl -a --deprecated 2>/dev/null | sed 's/[[:blank:]]\{1,\}/ /g; s/ *$//' | awk -v skipped="$skipped" '
        BEGIN { n = split(skipped, names, "\n"); for (i = 1; i <= n; i++) skip[names[i]] = 1 }
        { name = $1; path = ""; left_out = 0
          m = split(name, parts, ".")
          for (i = 1; i <= m; i++) {
              path = path (i > 1 ? "." : "") parts[i]
              left_out = left_out || path in skip
          } }
        name ~ /^net[.]ipv[46][.](conf|neigh)[.]/ && name !~ /^net[.]ipv[46][.](conf[.](all|default)|neigh[.]default)[.]/ { left_out = 1 }
        name ~ /[.]stable_secret$/ { left_out = 1 }
        !left_out' | sort
}
"$CTPROF" capture -q -o a.zst
shown >known
sysctls a.zst >captured
# A sysctl without a value ends with "=" in the one and with "= " in the other.
sed -i 's/ *$//' known captured
cut -d ' ' -f 1 known | uniq -d >several
[ ! -s several ] || sed -i "$(sed 's/[.]/[.]/g; s/.*/\/^& = \/d/' several)" known captured
same "sysctls that are not those of sysctl -a" "x" "$(comm -3 known captured | head -5)x"
between "sysctls" 100 "$(wc -l <captured)" 100000
same "settings left out" "0" "$(zstd -qdc a.zst | jq .settings.left_out)"

# Two readings at rest are the same.
"$CTPROF" capture -q -o b.zst
same "settings that differ at rest" "x" "$("$CTPROF" compare --settings '*' -f csv a.zst b.zst | tail -n +2)x"

# Not opened by any name: secrets, triggers and what is mounted below.
if command -v strace >/dev/null; then
    strace -f -qq -e trace=open,openat,openat2 -o opens "$CTPROF" capture -q -o c.zst || true
    if [ -s opens ]; then
        same "opens of what may not be opened" "0" \
            "$(grep -cE '"[^"]*(stable_secret|tcp_fastopen_key|netdev_rss_key|stat_refresh|drop_caches|compact_memory|binfmt_misc)"' opens || true)"
        between "opens of settings" 100 "$(grep -c openat2 opens)" 100000
    fi
fi

# A user other than root is denied some.
if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    setpriv --reuid 65534 --regid 65534 --clear-groups "$CTPROF" capture -q -o - >c.zst || true
    private=$(find /proc/sys/vm /proc/sys/kernel /proc/sys/net/core -type f -perm 0600 -user root | sed -n '1s#^/proc/sys/##p' | tr / .)
    [ -z "$private" ] || same "$private as nobody" "true" \
        "$(zstd -qdc c.zst | jq --arg name "$private" '.settings.denied | index($name) != null')"
    same "drop_caches as nobody" "false" "$(zstd -qdc c.zst | jq '.settings.denied | index("vm.drop_caches") != null')"

    # A kernel under lockdown lists the scheduler's files in debugfs, and lets nobody read them. They are denied, not absent.
    if unshare --mount sh -c 'mount -t debugfs debugfs /sys/kernel/debug && [ -d /sys/kernel/debug/sched ]' 2>/dev/null; then
        # shellcheck disable=SC2016 # The inner shell expands them.
        unshare --mount sh -c 'mount -t debugfs debugfs /sys/kernel/debug
            "$0" capture -q -o - >debugfs.zst
            for file in /sys/kernel/debug/sched/*; do
                [ -f "$file" ] && [ "${file##*/}" != debug ] || continue
                if cat "$file" >/dev/null 2>&1; then echo "$file value"; else echo "$file denied"; fi
            done | sort >debugfs.known' "$CTPROF"
        between "knobs of the scheduler" 3 "$(wc -l <debugfs.known)" 1000
        same "knobs of the scheduler" "$(cat debugfs.known)" "$(zstd -qdc debugfs.zst | jq -r '.settings |
            (.values | keys[] | . + " value"), (.denied[] | . + " denied") | select(test("^/sys/kernel/debug/sched/[^/]*$"))' | sort)"
    fi

    # One that is set.
    sysctl -qw vm.swappiness=$(((before + 7) % 100))
    "$CTPROF" capture -q -o d.zst
    same "the sysctl that was set" "vm.swappiness $before $(((before + 7) % 100))" \
        "$("$CTPROF" compare --settings '*' -f ndjson a.zst d.zst | jq -r '"\(.metric) \(.baseline) \(.candidate)"')"

    same "the first thing on the screen" "set: vm.swappiness $before → $(((before + 7) % 100))" \
        "$("$CTPROF" compare --no-pager a.zst d.zst | sed -n 3p)"

    # In a window.
    "$CTPROF" capture -q --window 2s -o w.zst &
    await_between $!
    sysctl -qw vm.swappiness="$before"
    wait $!
    same "a sysctl that was set in the window" "$(((before + 7) % 100)) $before" \
        "$(zstd -qdc w.zst | jq -r '.settings | "\(.before["vm.swappiness"]) \(.values["vm.swappiness"])"')"
fi

# The weight of a cgroup, and the nice value of a process in it.
cpu=$(mounted cgroup cpu)
[ -n "$cpu" ] || cpu=$(mounted cgroup2 rw)
file=cpu.shares
[ -e "$cpu/cpu.shares" ] || file=cpu.weight
if [ "$(id -u)" = 0 ] && mkdir "$cpu/ctprof-test-$$" 2>/dev/null; then
    made=$cpu/ctprof-test-$$
    if [ -e "$made/$file" ]; then
        # A name that no other process has.
        name=$(unique_prefix)sleeper
        cp "$(command -v sleep)" "$name"
        "./$name" 300 &
        sleeper=$!
        await_sleep "$sleeper"
        echo $sleeper >"$made/cgroup.procs"
        echo 200 >"$made/$file"
        "$CTPROF" capture -q -o e.zst
        echo 300 >"$made/$file"
        "$CTPROF" capture -q -o f.zst
        same "the weight of a cgroup" "/ctprof-test-$$: $file 200 → 300" \
            "$("$CTPROF" compare --no-pager e.zst f.zst | sed -n '3s/^set: \(v1:\)\{0,1\}//p')"
        renice -n 5 $sleeper >/dev/null
        "$CTPROF" capture -q -o g.zst
        # Other tests may change groups of theirs at the same time.
        same "the nice value of a process" "1" \
            "$("$CTPROF" compare --no-pager --limit 0 -g comm-exact,cgroup f.zst g.zst | grep -c "^set: .*$name.*nice 0 → 5")"
    fi
fi
echo "$checks checks passed"
