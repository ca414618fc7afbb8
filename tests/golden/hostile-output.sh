#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# hostile-output.sh CTPROF: threads may call themselves anything. Whatever is printed for them holds no control
# character but the newline, is UTF-8, keeps different names apart, and the snapshot has every byte of them.
set -euo pipefail

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF FIXTURES=$here/../fixtures
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TREES=$scratch/trees
cd "$scratch"

fail() {
    echo "hostile-output.sh: $*"
    exit 1
}

# lines WHAT FILE: what was printed is lines of text.
lines() {
    local rest

    [ -s "$2" ] || fail "$1 printed nothing"
    rest=$(LC_ALL=C tr -d '\012\040-\377' <"$2" | wc -c)
    [ "$rest" -eq 0 ] || fail "$1 printed $rest control characters"
    iconv -f UTF-8 -t UTF-8 <"$2" >/dev/null || fail "$1 printed something that is not UTF-8"
    checks=$((checks + 1))
}

# printed WHAT FILE: it is also safe on a terminal.
printed() {
    lines "$1" "$2"
    if LC_ALL=C grep -qa $'\x7f' "$2"; then
        fail "$1 printed DEL"
    fi
    # C1 controls; marks that turn the direction of text or take no place.
    if LC_ALL=C grep -aP '\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]' "$2"; then
        fail "$1 printed a character that moves others about"
    fi
    # Characters that are invisible by Unicode, from another program's tables.
    if command -v perl >/dev/null; then
        perl -CS -ne 'if (/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Variation_Selector}\p{Zl}\p{Zp}]/
                || /[\x{fff9}-\x{fffb}\x{2800}]/ || /(^|[^\P{M}])\p{M}{9}/ || /^\p{M}/) { print; exit 1 }' "$2" ||
            fail "$1 printed a character that cannot be seen"
    fi
}
checks=0

capture_fixture hostile-names -o hostile.zst
zstd -dc hostile.zst >hostile.json

# A second side in which every counter has moved and one hostile name is new.
# shellcheck disable=SC2016 # The dollars are jq's.
edit '.threads |= map(.voluntary_csw += 7 | .rchar += 4096)
    | .threads += [.threads[0] | .tid = 999 | .comm = "new\u001b[2J\u007f" | .comm_hex = "6e65771b5b324a7fff"
        | .pcomm = .comm | .pcomm_hex = .comm_hex | .cgroup = "/new\n" | .cgroup_hex = "2f6e65770aff"]
    | .host.boot_id = "other"
    | .threads[0] as $thread
    | .threads += [["a\u00adb", "a\u034fb", "a\u180eb", "a\u2064b", "a\u3164b", "a\u115fb", "a\uffa0b", "a\ufff9b\ufffac\ufffb",
            "a\ufe0fb", "a\udb40\udc01b", "a\udb40\udc41\udb40\udc7f", "a\udb40\uddefb", "a\u2800b", "ab", "\u0301b",
            "b\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301"] +
            ["=cmd|'"'"' /C calc'"'"'!A0", "+1", "-1-1", "-bash", "@SUM(A1)", " =1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201",
            "x;=1", "x,-y", "x|+y", "\t=1", "\r=1"] | to_entries[]
        | .value as $name | $thread + {tid: (1000 + .key), comm: $name, pcomm: $name, cgroup: ("/" + $name)}
        | del(.comm_hex, .pcomm_hex, .cgroup_hex)]' hostile.zst >later.zst
# The same, with a hostile host.
edit '.host.hostname = "h\u001b[31m\u0085\u202e" | .host.kernel_release = "6\u007f\n1"
    | .host.kernel_cmdline = "\u0001"' later.zst >host.zst
path=$'p\e[31m\n\x7f\xc2\x9b\xff.zst'
cp host.zst "$path"

metrics=thread_count,state,voluntary_csw,rchar,nr_wakeups,cpu_affinity,cpu_efficiency
for group in pcomm comm comm-exact cgroup; do
    for format in table csv json; do
        for names in --no-thread-normalize --color=never; do
            options=(--group-by "$group" --format "$format" "$names" --metrics "$metrics")
            "$CTPROF" show --limit 0 "${options[@]}" hostile.zst >out
            printed "show ${options[*]}" out
            "$CTPROF" compare --limit 0 --unchanged "${options[@]}" hostile.zst later.zst >out 2>err
            printed "compare ${options[*]}" out
            "$CTPROF" show --limit 0 "${options[@]}" "$path" >out
            printed "show ${options[*]} of a hostile path and host" out
            [ ! -s err ] || printed "stderr of compare ${options[*]}" err
        done
    done
done
# The overview has names, paths and the host as well.
for group in pcomm comm cgroup; do
    for format in table markdown; do
        for width in 40 500; do
            options=(--group-by "$group" --format "$format" --limit 0 --verbose)
            COLUMNS=$width "$CTPROF" show "${options[@]}" "$path" >out
            printed "show ${options[*]}" out
            COLUMNS=$width "$CTPROF" compare "${options[@]}" hostile.zst "$path" >out
            printed "compare ${options[*]}" out
        done
    done
done
"$CTPROF" show "$path.missing" 2>err && fail "a missing file was shown"
printed "an error about a hostile path" err
[ "$(wc -l <err)" -eq 1 ] || fail "an error about a hostile path takes more than a line"
"$CTPROF" show --group-by "$path" "$path" 2>err && fail "an unknown key was taken"
printed "an error about a hostile option" err

# Sections that are not about threads have names and texts of others as well.
old=$here/snapshots/v1-facts-hostile.ctprof.zst
new=$here/snapshots/v1-facts-hostile-later.ctprof.zst
for group in pcomm cgroup; do
    for format in table csv json; do
        options=(--long --group-by "$group" --format "$format" --limit 0)
        "$CTPROF" show "${options[@]}" "$old" >out
        printed "show ${options[*]} of hostile cgroups" out
        "$CTPROF" compare "${options[@]}" "$old" "$new" >out 2>err
        printed "compare ${options[*]} of hostile cgroups" out
        if [ "$group" = cgroup ]; then
            for word in key event io_rbytes Key state v1:; do
                grep -q "$word" out || fail "compare ${options[*]} has no $word"
            done
        fi
    done
done

# Different names have different labels, in each format the same.
for key in pcomm comm cgroup; do
    group=$key
    [ "$key" != comm ] || group=comm-exact
    want=$(jq --arg key "$key" '[.threads[] | .[$key + "_hex"] // .[$key]] | unique | length' hostile.json)
    options=(--no-thread-normalize --group-by "$group" --metrics thread_count)
    "$CTPROF" show "${options[@]}" --format json hostile.zst | jq -r '.rows[].group' >labels
    [ "$(sort -u labels | wc -l)" -eq "$want" ] || fail "$want names of $key, other labels: $(cat labels)"
    # A table and CSV have one line for each, whatever the name: no name breaks out of its line.
    count=$("$CTPROF" show "${options[@]}" --format csv hostile.zst | tail -n +2 | wc -l)
    [ "$count" -eq "$want" ] || fail "CSV has $count lines for $want names of $key"
    count=$("$CTPROF" show "${options[@]}" --limit 0 hostile.zst | sed '1,/^$/d; /^$/,$d' | tail -n +2 | wc -l)
    [ "$count" -eq "$want" ] || fail "the table has $count lines for $want names of $key"
done

# CSV has nothing that a spreadsheet would run, whichever separator it knows; numbers are numbers.
if command -v python3 >/dev/null; then
    "$CTPROF" show --no-thread-normalize --group-by comm-exact,cgroup --format csv later.zst >cells.csv
    "$CTPROF" show --no-thread-normalize --group-by comm-exact,cgroup --format csv --csv-raw later.zst >raw.csv
    python3 - cells.csv raw.csv <<'END' || fail "CSV has a formula"
import csv, re, sys
formula = re.compile(r"[ ]*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]")
number = re.compile(r"-?[0-9.e+-]+([.][.]-?[0-9]+)?")
def formulas(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [cell for row in rows for text in row for cell in re.split(r"[,;|\t\n]", text)
            if formula.match(cell) and not number.fullmatch(text)]
have, raw = formulas(sys.argv[1]), formulas(sys.argv[2])
print("formulas:", have[:5], "raw:", len(raw)) if have or len(raw) < 12 else None
sys.exit(bool(have) or len(raw) < 12)
END
    checks=$((checks + 1))
fi

# The bytes in the snapshot are those of the thread's stat, between the first "(" and the last ")".
if command -v perl >/dev/null; then
    perl -e 'local $/; for my $path (@ARGV) { open(my $file, "<", $path) or die; my $stat = <$file>;
        print $1, " ", unpack("H*", $2), "\n" if $stat =~ /^(\d+) \((.*)\)/s }' \
        "$FIXTURES"/hostile-names/proc/[0-9]*/task/*/stat | sort >want
    jq -j '.threads[] | "\(.tid)\u0000\(.comm_hex // "")\u0000\(.comm)\u0000"' hostile.json |
        perl -e '$/ = "\0"; while (my $tid = <STDIN>) { my $hex = <STDIN>; my $comm = <STDIN>; chomp($tid, $hex, $comm);
            print $tid, " ", $hex ne "" ? $hex : unpack("H*", $comm), "\n" }' | sort >have
    [ "$(wc -l <want)" -ge 25 ] || fail "the tree has lost its threads"
    diff want have || fail "threads have other names in stat (<) than in the snapshot (>)"
    checks=$((checks + $(wc -l <have)))
else
    echo "note: no perl, so the bytes of the names were not compared"
fi

# A name that looks like a line of sched is not one: thread 99 is called "x\nnr_wakeups:9\n".
want=$(awk '/^-----/ { body = 1 } body && $1 == "nr_wakeups" { print $3 }' \
    "$FIXTURES/hostile-names/proc/94/task/99/sched")
have=$(jq '.threads[] | select(.tid == 99) | .nr_wakeups' hostile.json)
if [ -z "$want" ] || [ "$have" != "$want" ]; then
    fail "nr_wakeups is '$have', not '$want'"
fi
echo "$checks outputs and names are as they should be"
