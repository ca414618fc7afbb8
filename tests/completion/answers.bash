#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Says what bash would offer for each line of standard input: the line, a tab, and whole words with '|' between them.
#
#   answers.bash SCRIPT [BREAKS]
#
# BREAKS are the characters at which readline splits words; those of bash itself where it is not given. Nothing of the
# package bash-completion is needed.
set -u
breaks=${2-$' \t\n"\'><=;|&(:'}
# shellcheck source=/dev/null # it is made by the build
source "$1"

# It works only within readline, so it is noted here.
compopt() {
    [[ $1 == -o ]] || exit 1
    modes+=" $2"
}

# split LINE: as readline does it, into COMP_WORDS; quotes are not looked at.
split() {
    local i char word='' end=
    COMP_WORDS=()
    for ((i = 0; i < ${#1}; i++)); do
        char=${1:i:1}
        if [[ $char == ' ' ]]; then
            [[ $word ]] && COMP_WORDS+=("$word")
            word='' end=
        elif [[ $breaks == *"$char"* ]]; then
            [[ $word && ! $end ]] && COMP_WORDS+=("$word") && word=''
            word+=$char end=1
        else
            [[ $end ]] && COMP_WORDS+=("$word") && word=''
            word+=$char end=
        fi
    done
    COMP_WORDS+=("$word")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    # The word that readline itself takes is empty behind a break.
    replaced=$word
    [[ $end ]] && replaced=''
}

function_name=$(complete -p ctprof | sed 's/.* -F \([^ ]*\) .*/\1/')
while IFS= read -r COMP_LINE; do
    COMP_POINT=${#COMP_LINE} COMPREPLY=() modes=''
    split "$COMP_LINE"
    "$function_name" ctprof "$replaced" ''
    # Without readline's own quotes, what is offered is taken by the shell as it is.
    [[ $modes == *' filenames'* ]] || eval "COMPREPLY=(${COMPREPLY[*]})"
    if ((${#COMPREPLY[@]} == 0)); then
        case $modes in
        *' default'*) mapfile -t COMPREPLY < <(compgen -f -- "$replaced") ;;
        *' dirnames'*) mapfile -t COMPREPLY < <(compgen -d -- "$replaced") ;;
        esac
    fi
    last=${COMP_LINE##* }
    list=$(printf '%s\n' "${COMPREPLY[@]/#/"${last%"$replaced"}"}" | sed 's/=$//' | LC_ALL=C sort | paste -sd '|')
    printf '%s\t%s\n' "$COMP_LINE" "$list"
done
