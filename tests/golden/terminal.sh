#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# terminal.sh CTPROF: pipes that close early, colours, and the width of a terminal.
# shellcheck disable=SC2016 # What stands in single quotes is expanded by an inner shell.
set -euo pipefail

if ! command -v zstd >/dev/null; then
    echo "skipped: no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$here/snapshots/v1-baseline.ctprof.zst" a.zst
cp "$here/snapshots/v1-candidate.ctprof.zst" b.zst
export LC_ALL=C.UTF-8 TERM=xterm
unset NO_COLOR

checks=0
fail() {
    echo "terminal.sh: $*"
    exit 1
}
ok() {
    checks=$((checks + 1))
}

# A reader that goes away: not a word, even where the caller ignores SIGPIPE.
for ignored in '' "trap '' PIPE;"; do
    for command in '"$CTPROF" compare --unchanged --limit 0 a.zst b.zst | head -n 1' \
        '"$CTPROF" compare --unchanged --format json a.zst b.zst | head -c 10' \
        '"$CTPROF" show --format csv a.zst | head -n 1' \
        '"$CTPROF" metric-list | head -n 1' \
        '"$CTPROF" capture --quiet -o - | head -c 10' \
        '"$CTPROF" compare --unchanged --limit 0 a.zst b.zst | true'; do
        bash -c "$ignored $command" >out 2>err || fail "$ignored $command: status $?"
        [ ! -s err ] || fail "$ignored $command: $(cat -v err)"
        case $command in
        *head*) [ -s out ] || fail "$ignored $command printed nothing" ;;
        esac
        ok
    done
done

escape=$'\e'
# No colours where nobody looks, unless asked for.
for format in table csv json; do
    "$CTPROF" compare --format "$format" a.zst b.zst >out 2>&1
    if grep -q "$escape" out; then
        fail "colours in a $format that goes to a file"
    fi
    ok
done
"$CTPROF" compare --color always a.zst b.zst >out
grep -q "$escape" out || fail "no colours with --color always"
NO_COLOR=1 "$CTPROF" compare --color always a.zst b.zst >out
grep -q "$escape" out || fail "no colours with --color always and NO_COLOR"

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "skipped: no script(1), so nothing was tried on a terminal; the rest is well"
    exit 77
fi

# terminal COMMAND: its output on a terminal, without the carriage returns.
terminal() {
    script -qec "$1" /dev/null </dev/null | tr -d '\r'
}

terminal '"$CTPROF" compare a.zst b.zst' >out
grep -q "$escape" out || fail "no colours on a terminal"
for quiet in 'NO_COLOR=1 "$CTPROF" compare a.zst b.zst' 'TERM=dumb "$CTPROF" compare a.zst b.zst' \
    '"$CTPROF" compare --color never a.zst b.zst' '"$CTPROF" compare --format csv a.zst b.zst' \
    '"$CTPROF" compare --format json a.zst b.zst' '"$CTPROF" metric-list' '"$CTPROF" --help' \
    '"$CTPROF" compare nowhere.zst b.zst'; do
    terminal "$quiet" >out || true
    [ -s out ] || fail "$quiet printed nothing"
    if grep -q "$escape" out; then
        fail "colours from $quiet"
    fi
    ok
done
terminal 'NO_COLOR= "$CTPROF" compare a.zst b.zst' >out
grep -q "$escape" out || fail "an empty NO_COLOR takes the colours away"

# The text without colours is the same as in a file.
terminal 'stty cols 500; "$CTPROF" compare -l a.zst b.zst' | sed "s/$escape\[[0-9;]*m//g" >colored
"$CTPROF" compare -l a.zst b.zst >plain
diff -u plain colored || fail "the terminal shows other text than a file"
ok

# A table is as wide as the terminal at most: names give way. Nothing of these lives is partial, which a longer line says.
zstd -dc b.zst | sed 's/"pid_namespace":"[^"]*",*//' | zstd -q >c.zst
for group in pcomm cgroup; do
    for columns in 100 90; do
        terminal "stty cols $columns; NO_COLOR=1 \"\$CTPROF\" compare --group-by $group --metrics run_time_ns --limit 0 a.zst c.zst" |
            sed -n '/^$/,/^$/p' >out
        [ "$(wc -l <out)" -gt 3 ] || fail "no table on a terminal of $columns columns"
        while IFS= read -r line; do
            [ "${#line}" -le "$columns" ] || fail "a line of ${#line} columns on a terminal of $columns: $line"
        done <out
        ok
    done
done

# The overview fits any terminal: columns leave it, and no line of it is cut in two. COLUMNS decides where it is set, and 80
# columns are taken where nobody says how many there are.
fits() {
    local line columns=$1
    [ "$(wc -l <out)" -ge 4 ] || fail "no overview in $columns columns: $(cat out)"
    while IFS= read -r line; do
        [ "${#line}" -le "$columns" ] || fail "a line of ${#line} columns in $columns: $line"
    done <out
    ok
}
for columns in 40 80 120 200; do
    for call in show\ a.zst 'compare a.zst b.zst' 'compare -g cgroup a.zst b.zst' 'show -g pcomm,comm b.zst'; do
        terminal "stty cols $columns rows 24; CTPROF_PAGER= NO_COLOR=1 \"\$CTPROF\" $call" >out
        fits "$columns"
        terminal "stty cols 33; COLUMNS=$columns CTPROF_PAGER= NO_COLOR=1 \"\$CTPROF\" $call" >out
        fits "$columns"
    done
done
"$CTPROF" compare a.zst b.zst >out
fits 80
grep -q '→' out || fail "no arrow in UTF-8"
LC_ALL=C "$CTPROF" compare a.zst b.zst >out
fits 80
if grep -q '[^ -~]' out; then
    fail "more than ASCII in the C locale: $(grep '[^ -~]' out)"
fi
ok

# help is man's where that has the page, and else what --help prints.
mkdir man
printf '#!/bin/sh\n[ "$1" != -w ] || { echo found >&2; exec test "$2" = ctprof-show; }\necho "page $*"\nexit 3\n' >man/man
chmod +x man/man
status=0
terminal 'PATH=$PWD/man:$PATH "$CTPROF" help show' >out || status=$?
[ "$status $(cat out)" = '3 page ctprof-show' ] || fail "help on a terminal: status $status, $(cat out)"
for path in '$PWD/man:$PATH' /nonexistent; do
    terminal "PATH=$path \"\$CTPROF\" help capture" >out || fail "help in PATH=$path: status $?"
    "$CTPROF" capture --help | diff -u - out || fail "help without a manual page in PATH=$path"
    ok
done
PATH=$PWD/man:$PATH "$CTPROF" help show | cmp - <("$CTPROF" show --help) || fail "help that is piped starts man"

# man's pager has the rules of ctprof's own.
printf '#!/bin/sh\n[ "$1" = -w ] || echo "${LESSSECURE-} ${LESSSECURE_ALLOW-} ${MANPAGER-} ${PAGER-} ${MANOPT-}"\n' >man/man
printf '#!/bin/sh\n' >man/less
chmod +x man/less
# man_pager SETTINGS EXPECTED
man_pager() {
    terminal "export LESSSECURE_ALLOW=a MANPAGER=m PAGER=p MANOPT=o; unset LESSSECURE CTPROF_PAGERSECURE; $1 PATH=\$PWD/man:\$PATH \"\$CTPROF\" help show" >out
    [ "$(cat out)" = "$2" ] || fail "man with $1 has '$(cat out)', not '$2'"
    ok
}
man_pager CTPROF_PAGERSECURE=0 ' a m p o'
man_pager CTPROF_PAGERSECURE=1 '1  m p o'
man_pager CTPROF_PAGERSECURE=maybe '1  less  '
if [ "$(id -u)" -eq 0 ]; then
    man_pager '' '1  less  '
    man_pager LESSSECURE=0 '1  less  '
fi
if command -v setpriv >/dev/null && [ "$(id -u)" -eq 0 ] && cp "$CTPROF" ctprof && chmod 755 . ctprof man man/* &&
    setpriv --reuid 65534 --regid 65534 --clear-groups ./ctprof --version >/dev/null 2>&1; then
    as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
    given=$CTPROF
    CTPROF=./ctprof
    man_pager "$as_nobody env" ' a m p o'
    man_pager "$as_nobody --inh-caps +net_admin --ambient-caps +net_admin env" '1  less  '
    CTPROF=$given
    rm ctprof
fi

# A snapshot is not for reading.
status=0
terminal '"$CTPROF" capture -o -' >out || status=$?
[ "$status" -eq 2 ] || fail "a snapshot on a terminal: status $status, not 2"
[ "$(grep -c '^ctprof: capture: ' out)" -eq "$(wc -l <out)" ] || fail "a snapshot on a terminal: $(cat -v out)"
ok

# The note about the written file is one line, on a terminal or not, and absent with --quiet.
written='^ctprof: wrote [0-9]+ threads of [0-9]+ processes, [0-9.]+[KMG]?i?B in [0-9.]+m?s; taskstats [0-9a-zEPRMSCH, ]+$'
terminal '"$CTPROF" capture -o new.zst' >out
[ "$(grep -cE "$written" out)" -eq 1 ] || fail "no word about a capture: $(cat -v out)"
terminal '"$CTPROF" capture --quiet -o new.zst' >out
[ ! -s out ] || fail "words from a quiet capture: $(cat -v out)"
"$CTPROF" capture -o new.zst 2>err
[ "$(grep -cE "$written" err)" -eq 1 ] || fail "no word about a capture where no terminal is: $(cat -v err)"
threads=$(zstd -dc new.zst | jq '.threads | length')
grep -q "wrote $threads threads of " err || fail "not the $threads threads of the file: $(cat -v err)"
ok
echo "$checks checks"
