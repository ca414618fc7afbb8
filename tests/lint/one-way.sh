#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Small things that every file needs are written once: units of time (clock.h), what an errno means (error.h and
# outcome_of_error()), numbers that do not go round (macro.h) and arrays that grow (mem.h). Rights that the user has not are raised in
# few places (rights.h).
#
#   one-way.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: one-way.sh ROOT" >&2; exit 2; }
cd "$1"

files=$(find src include -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "one-way.sh: no sources in $1" >&2; exit 1; }

# One object of a length of its own is no array. The files left out allocate for libraries, or keep what they allocated.
# shellcheck disable=SC2086 # The names have no blanks.
awk '
function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}

FNR == 1 { overflow = denied = -9 }

# A suffix of numbers is no unit of time.
FILENAME != "src/base/clock.h" && !/WHERE_ANY_KIND/ &&
    /(^|[^0-9a-zA-Z_])(1000000000[uUlL]*|1e9)([^0-9a-zA-Z_]|$)|(#define +|enum .*|^\t)[NMU]S_PER_[A-Z]+( *=| +[^ ]*[0-9])/ {
    complain("a unit of time; src/base/clock.h has them all")
}

FILENAME != "src/base/error.h" {
    if (/(case|==) *-?(EMFILE|ENFILE)/)
        complain("error_is_own() of src/base/error.h says so")
    if (/case (EACCES|EPERM):/ && FNR - denied == 1)
        complain("error_is_denied() of src/base/error.h says so")
    if (/== *-?(EACCES|EPERM).*\|\|.*== *-?(EACCES|EPERM)/)
        complain("error_is_denied() of src/base/error.h says so")
}

FILENAME != "src/metric/outcome.c" {
    if (/case (EACCES|EPERM):/)
        denied = FNR
    if (/OUTCOME_denied/ && FNR - denied <= 2)
        complain("outcome_of_error() of src/metric/outcome.h says what an errno means")
}

FILENAME != "include/ctprof/base/macro.h" {
    if (/__builtin_(add|mul)_overflow\(/)
        overflow = FNR
    if (/(\?|[^=!]=) *U?INT(64|32)_MAX( *:|;)/ && FNR - overflow <= 2)
        complain("include/ctprof/base/macro.h has arithmetic that stays at the largest number")
}

FILENAME !~ /^src\/(base\/(mem|keyed-values)|json\/json-tree|bpf\/bpf-memory)[.]c$|^src\/base\/mem[.]h$/ &&
    /(^|[^a-z_])(mem_)?realloc\(/ && !/mem_realloc\([A-Za-z_>-]*, 1, / {
    complain("array_add() and array_reserve() of src/base/mem.h are the arrays that grow")
}

FILENAME !~ /^src\/(base\/rights|capture\/capture|doctor\/doctor-probe|job\/job-(run|ends))[.]c$|^src\/base\/rights[.]h$/ && /rights_raise\(/ {
    complain("rights are raised for reading processes, and for nothing else")
}

# Helper processes get some, and give others up.
FILENAME !~ /^src\/(base\/(rights|helper)|jemalloc\/helper-[a-z]+)[.]c$/ && /SYS_capset|set(fs|e|re|res)?[ug]id\(/ {
    complain("src/base/rights.h changes the rights of the process")
}

# Rows of recordings have paths and triggers that the user wrote.
FILENAME != "src/recorder/recording-rows.c" && /csv_print_text\(.*, (false|true)\)/ {
    complain("the user decides with --csv-raw how texts are in CSV")
}

END { exit failed }
' $files
