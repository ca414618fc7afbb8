#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever is offered for an option's argument is accepted, and every option that takes words offers some.
#
#   accepted.sh CTPROF BASH_SCRIPT
set -euo pipefail
ctprof=$(realpath "$1") script=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
values=0

# accepts COMMAND OPTION VALUE: no wrong call; there are no such files, so that nothing is done.
accepts() {
    local arguments=("$2=$3") status=0

    case $1 in
    top) ;; # Without --batch nothing is done.
    show | export | plot | list)
        arguments+=(/nonexistent/a)
        case "$1 $2=$3" in
        "export --format=pcp") arguments+=(--output /nonexistent/p) ;;
        "export --output="*) arguments+=(--format=pcp) ;;
        esac
        ;;
    compare) arguments+=(/nonexistent/a /nonexistent/b) ;;
    ab-report) arguments+=(/nonexistent/a) ;;
    ab) arguments+=(--plan --b 'env X = 1' -- true) ;;
    db) arguments+=(query outliers --db /nonexistent/a) ;;
    merge) arguments+=(--output /nonexistent/m /nonexistent/a) ;;
    window) arguments+=(--output /nonexistent/w /nonexistent/a /nonexistent/b) ;;
    record)
        arguments+=(--every=1s /nonexistent/a/b)
        case $2 in --group-by | --metrics | --top) arguments+=(--serve=127.0.0.1:0) ;; esac
        ;;
    report)
        arguments+=(--output /nonexistent/r /nonexistent/a)
        [ "$2" != --chart ] || arguments+=(--format=svg)
        [ "$2=$3" != --format=svg ] || arguments+=(--chart=states)
        ;;
    duct) arguments+=(--quiet --clobber --output-prefix="$work/duct/" true) ;;
    capture)
        arguments+=(--output /nonexistent/a --quiet)
        [ "$2" = --source ] || arguments+=(--proc-root /nonexistent)
        ;;
    esac
    [ "$1 $2" != "capture --exits" ] || arguments+=(--window=1s)
    "$ctprof" "$1" "${arguments[@]}" >/dev/null 2>errors || status=$?
    if [ "$status" -eq 2 ]; then
        echo "ctprof $1 $2=$3 is offered, and refused: $(cat errors)"
        exit 1
    fi
    values=$((values + 1))
}

for command in $("$ctprof" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    while read -r option argument; do
        offered=$(printf 'ctprof %s %s \n' "$command" "$option" | bash --norc "$here/answers.bash" "$script" | cut -f 2)
        case $argument in
        N | ADDR | SECONDS | DIR | FILE | TEXT | TIME | SIZE | GLOB | EXPR | KEY=VALUE | LABEL | LABELS | LINE | NAME | NAMES | ROWS | SHARE | LIMIT | LIMITS | REGEX | CONDITION | PERCENT | TRIGGER | PATH | IDS | CPUS | 'GROUP[:M]') [ -z "$offered" ] && continue ;;
        esac
        [ -n "$offered" ] || { echo "ctprof $command $option $argument: nothing is offered"; exit 1; }
        IFS='|' read -r -a words <<<"$offered"
        for word in "${words[@]}"; do
            case $option:$word in
            --read-limit:*) word=$word=1 ;;
            --rollup:depth | --rollup:share) word=cwd,$word=1 ;;
            esac
            accepts "$command" "$option" "$word"
            [ "$option" != --sort-by ] || accepts "$command" "$option" "$word:asc"
        done
    done < <("$ctprof" "$command" --help | sed -n 's/^  ... *\(--[a-z-]*\) \([A-Z][^ ]*\) .*/\1 \2/p')
done
[ "$values" -gt 100 ] || { echo "only $values values"; exit 1; }
echo "$values values"
