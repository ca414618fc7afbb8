#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that a shell offers the right words, and nothing else.
#
#   check.sh SHELL SCRIPT CASES ARGUMENT...
#
# CASES ARGUMENT... prints the cases, see cases.sh.
set -euo pipefail
shell=$1 script=$(realpath "$2") cases=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)

for tool in "$shell" jq; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/place/folder" "$work/home"
touch "$work/place/"{a.zst,b.zst,'my own.zst',notes,folder/c.zst}

"$cases" "$@" >"$work/cases"
[ -s "$work/cases" ] || { echo "check.sh: no cases"; exit 1; }
awk -F '\t' -v shell="$shell" '{
    n = split($1, shells, " ")
    for (i = 1; i <= n; i++)
        if (shells[i] == shell || shells[i] == "all")
            print $2 "\t" $3
}' "$work/cases" >"$work/expected"
cut -f 1 "$work/expected" >"$work/lines"

# answers WHAT COMMAND...: what is offered for the lines is what is expected.
answers() {
    local what=$1
    shift
    (cd "$work/place" && env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 TERM=dumb "$@") \
        <"$work/lines" >"$work/answers" 2>"$work/errors" ||
        { echo "$what: status $?"; cat "$work/errors"; exit 1; }
    [ ! -s "$work/errors" ] || { echo "$what:"; cat "$work/errors"; exit 1; }
    diff -u --label expected --label "$what" "$work/expected" "$work/answers" || exit 1
    echo "$what: $(wc -l <"$work/lines") lines"
}

"$shell" -n "$script"
case $shell in
bash)
    ! command -v shellcheck >/dev/null || shellcheck --severity=warning "$script"
    answers bash bash --norc "$here/answers.bash" "$script"
    # Common settings of COMP_WORDBREAKS.
    answers "bash without ':'" bash --norc "$here/answers.bash" "$script" $' \t\n"\'><=;|&('
    answers "bash without ':' and '='" bash --norc "$here/answers.bash" "$script" $' \t\n"\'><;|&('
    ;;
zsh) answers zsh zsh -f "$here/answers.zsh" "$script" ;;
fish) answers fish fish --no-config "$here/answers.fish" "$script" ;;
*) echo "check.sh: unknown shell $shell" && exit 2 ;;
esac
