#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cases for the commands of print-made-up.c, as cases.sh prints those of ctprof.
#
#   cases-made-up.sh PRINT_MADE_UP
set -euo pipefail
export LC_ALL=C

# offer LINE BEFORE WORD...
offer() {
    local line=$1 before=$2 list
    shift 2
    list=$(printf '%s\n' "${@/#/"$before"}" | sort | paste -sd '|')
    printf 'all\t%s\t%s\n' "$line" "$list"
}

mapfile -t words < <("$1" words)
offer 'ctprof ' '' made-up
offer 'ctprof made-up --' '' --one --list --nothing --text --help --version
offer 'ctprof made-up --one ' '' "${words[@]}"
offer 'ctprof made-up --one=' --one= "${words[@]}"
offer 'ctprof made-up -o c' '' cgroup cgroup:service cgroup:slice
offer 'ctprof made-up --one cgroup:' '' cgroup:service cgroup:slice
offer 'ctprof made-up --one cgroup:se' '' cgroup:service
offer 'ctprof made-up --one=cgroup:s' --one= cgroup:service cgroup:slice
offer 'ctprof made-up -ocgroup:s' -o cgroup:service cgroup:slice
offer 'ctprof made-up --one two' '' 'two words'
offer 'ctprof made-up --list cgroup:s' '' cgroup:service cgroup:slice
offer 'ctprof made-up --list cgroup:service,c' cgroup:service, cgroup cgroup:slice comm:exact
offer 'ctprof made-up --list=cgroup,cg' --list=cgroup, cgroup:service cgroup:slice
offer 'ctprof made-up --list cgroup:slice,comm:exact=3,' cgroup:slice,comm:exact=3, \
    cgroup cgroup:service "it's" 'br[ack]et' "back\\slash"
offer 'ctprof made-up -lcgroup:slice,cgroup:' -lcgroup:slice, cgroup:service
offer 'ctprof made-up --text ' ''
offer 'ctprof made-up -t x' ''
