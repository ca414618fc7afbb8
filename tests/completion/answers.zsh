#!/bin/zsh -f
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the words that zsh would offer for each line of standard input: the line, a tab, and whole words with '|' between them. An
# inner zsh completes for real, on a terminal of its own, with a compadd that prints its arguments. Its errors are on standard error.
#
#   answers.zsh SCRIPT
zmodload zsh/zpty || exit 77
script=$1

inner() {
    print -r -- "PROMPT= RPROMPT= LISTMAX=100000; setopt no_beep no_list_beep; unsetopt zle_bracketed_paste
zstyle ':completion:*' use-cache no
autoload -Uz compinit && compinit -D -u
source ${(q)script}
compadd() {
    local -a hits flags=(\"\$@\")
    local -i i
    local before=
    if [[ \${@[1,(i)(-|--)]} == *-[a-zA-Z]#[OAD][a-zA-Z]#(|\ *) ]]; then
        builtin compadd \"\$@\"
        return
    fi
    for ((i = 1; i <= \$#; i++)); do
        [[ \$flags[i] == (-|--) ]] && break
        [[ \$flags[i] == -P ]] && before=\$flags[i+1]
        [[ \$flags[i] == -*p ]] && before+=\$flags[i+1]
    done
    builtin compadd -A hits \"\$@\"
    (( \$#hits )) && offered+=(\"\$IPREFIX\$before\"\$^hits)
    builtin compadd \"\$@\"
}
setopt extended_glob
tell() {
    local -a offered
    zle complete-word-plain 2>>${(q)errors}
    print -r -- \"<<\${(j:|:)\${(@ou)\${(@Q)\${(@)offered%=}}}}>>\"
    BUFFER=
}
zle -C complete-word-plain list-choices main-complete
main-complete() { _main_complete; compstate[insert]= compstate[list]= }
zle -N tell
bindkey '^I' tell
bindkey -r '^[^I'
print -r READY"
}

init=$(mktemp) && errors=$(mktemp) || exit 1
trap 'rm -f "$init" "$errors"' EXIT
inner >$init
export TERM=dumb
zpty shell zsh -f -i
zpty -w shell "source ${(q)init}"
zpty -r -m shell heard '*READY*' || exit 1
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\t'
    zpty -r -m shell heard '*<<*>>*' || exit 1
    heard=${heard##*<<}
    printf '%s\t%s\n' "$line" "${heard%%>>*}"
    [[ ! -s $errors ]] || { print -ru2 -- "$line: $(<$errors)"; : >$errors }
done
zpty -d shell
