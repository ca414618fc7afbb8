#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares --help with the man pages, to the letter and both ways: the options of each command, the
# commands themselves in ctprof(1), and, where its page is given, every metric in ctprof-metrics(7).
#
#   options.sh ROOT CTPROF [METRICS_PAGE]
set -eu
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "Usage: options.sh ROOT CTPROF [METRICS_PAGE]" >&2; exit 2; }
man=$1/man
ctprof=$2
page=${3:-}
status=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

fail() {
    echo "$1"
    status=1
}

# "-o, --output FILE" or "-e, --explain GROUP[:M]", one a line, of a command's help.
help_options() {
    sed -n 's/^  *\(-.*\)/\1/p' "$1" | sed 's/^\(\(-[^ ]*, \)\{0,1\}--[^ ]*\( [A-Z][]A-Z:=[]*\)\{0,1\}\) .*/\1/' | sort
}

# The same of a man page: terms of the section OPTIONS, without their markup.
page_options() {
    awk '/^# / { inside = $0 == "# OPTIONS" } inside && /^[*]-/' "$1" | tr -d '*_' | sort
}

commands=$("$ctprof" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || { echo "ctprof --help lists no command"; exit 1; }
for command in $commands; do
    grep -q "^\*$command\*" "$man/ctprof.1.scd" || fail "ctprof.1.scd: no paragraph for $command"
    "$ctprof" "$command" --help >"$tmp/help"
    help_options "$tmp/help" >"$tmp/of-help"
    [ -s "$tmp/of-help" ] || fail "ctprof $command --help: no options found"
    page_file=$man/ctprof-$command.1.scd
    # A page with a part from the registry.
    [ -f "$page_file" ] || page_file=$page_file.in
    if [ ! -f "$page_file" ]; then
        fail "ctprof-$command.1.scd is missing"
        continue
    fi
    page_options "$page_file" >"$tmp/of-page"
    comm -23 "$tmp/of-help" "$tmp/of-page" >"$tmp/missing"
    comm -13 "$tmp/of-help" "$tmp/of-page" >"$tmp/extra"
    while IFS= read -r option; do
        fail "ctprof-$command.1.scd does not document: $option"
    done <"$tmp/missing"
    while IFS= read -r option; do
        fail "ctprof $command --help does not list: $option"
    done <"$tmp/extra"
done

# Pages of commands that are gone.
for file in "$man"/ctprof-*.1.scd "$man"/ctprof-*.1.scd.in; do
    [ -f "$file" ] || continue
    name=${file##*/ctprof-}
    name=${name%%.1.scd*}
    case " $(printf '%s' "$commands" | tr '\n' ' ') " in
    *" $name "*) ;;
    *) fail "${file##*/}: there is no command $name" ;;
    esac
done

if [ -n "$page" ]; then
    "$ctprof" metric-list | awk '/^## / { inside = /^## (Metrics|Derived metrics)$/; heading = 1; next }
        inside && NF { if (!heading) print $1; heading = 0 }' >"$tmp/metrics"
    [ -s "$tmp/metrics" ] || fail "ctprof metric-list: no metrics found"
    # Without troff's changes of font, and its backslashes before special characters.
    sed 's/\\f.//g; s/\\//g' <"$page" | tr -c 'A-Za-z0-9_' '\n' | sort -u >"$tmp/words"
    while IFS= read -r metric; do
        grep -qx "$metric" "$tmp/words" || fail "${page##*/} does not name the metric $metric"
    done <"$tmp/metrics"
fi
exit $status
