#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/parity.md: each of its commands ends well and prints something, each row is there or by design, those by design have their sentence
# in DEPARTURES of the manual, and the last table counts them.
#
#   parity-page.sh CTPROF ROOT [ROW]
#
# With ROW, such as 004.12, only the command of this row is run, and its output is printed.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail
CTPROF=$(realpath "$1") root=$(realpath "$2") only=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs zstd
page=$root/docs/parity.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin
ln -s "$CTPROF" bin/ctprof
PATH=$scratch/bin:$PATH
export PATH CTPROF_PAGER='' COLUMNS=100

# Sentences of the page are without the markup of the manual, and on one line.
awk '/^# / { inside = $0 == "# DEPARTURES" } inside' "$root/man/ctprof-metrics.7.scd.in" |
    sed 's/[*_\\]//g' | tr '\n' ' ' | tr -s ' ' >departures

awk '/^```/ { inside = $0 == "```sh"; next } inside' "$page" >files.sh
grep -q ctprof files.sh || fail "the page makes no files"
bash -e files.sh >out 2>&1 || fail "the files of the page: $(tail -n 3 out)"

# Prints the rows; the bars in commands, which have a backslash in front of them, become another byte.
rows() { sed -n 's/\\|/\x01/g; /^| [0-9a-z]*[.][0-9]* |/p' "$page"; }
# Prints a cell without the blanks around it.
cell() { sed 's/^ *//; s/ *$//' <<<"$1"; }
declare -A count
failures=0
wrong() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
seen=
while IFS='|' read -r _ id what state command note _; do
    id=${id// /} state=$(cell "$state") note=$(cell "$note")
    command=$(cell "$command")
    command=${command//$'\x01'/|} command=${command#?} command=${command%?}
    case " $seen " in *" $id "*) fail "$id is there twice" ;; esac
    seen="$seen $id"
    key="${id%%.*} $state"
    count[$key]=$((${count[$key]:-0} + 1))
    case $state in
    yes) [ -z "$note" ] || fail "$id is there, and lacks something: $note" ;;
    'by design') grep -qF -- "${note:-no sentence}" departures || fail "$id: not in DEPARTURES: $note" ;;
    *) fail "$id:$what has the state '$state'" ;;
    esac
    [ -z "$only" ] || [ "$only" = "$id" ] || continue
    status=0
    bash -c "$command" >out 2>&1 </dev/null || status=$?
    [ -z "$only" ] || cat out
    if [ "$status" != 0 ]; then
        wrong "$id: $command: status $status: $(tail -n 3 out)"
        continue
    fi
    # A command that is killed or does nothing has no more than this to show.
    [ -s out ] || case $command in
    *"duct -q"* | *"ctprof record"*) ;;
    *) wrong "$id: $command prints nothing" ;;
    esac
    checks=$((checks + 1))
done < <(rows)

same "rows of the sources" 169 "$(tr ' ' '\n' <<<"$seen" | grep -c '^00[0-4][.]')"
for seed in 000 001 002 003 004 peer; do
    same "numbers of $seed" "| $seed | ${count[$seed yes]:-0} | ${count[$seed by design]:-0} |" \
        "$(grep "^| $seed |" "$page")"
done
[ "$failures" = 0 ] || fail "$failures commands"
echo "$checks checks passed"
