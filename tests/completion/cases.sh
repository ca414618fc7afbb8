#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints what a shell must offer, from what the tool itself says of its commands, options and names: for each line the
# shells that it is about, what is typed, and the words that are offered, with '|' between them.
#
#   cases.sh CTPROF GROUP_KEYS
#
# GROUP_KEYS is the registry's file of them. The files that are completed are those that check.sh makes.
set -euo pipefail
ctprof=$1 group_keys=$2
export LC_ALL=C

# offer SHELLS LINE BEFORE PREFIX: the words of standard input that begin with PREFIX, with BEFORE in front of each.
offer() {
    local shells=$1 line=$2 before=$3 prefix=$4 word list=()

    while IFS= read -r word; do
        [[ $word != "$prefix"* ]] || list+=("$before$word")
    done
    printf '%s\t%s\t%s\n' "$shells" "$line" "$(printf '%s\n' "${list[@]}" | sort | paste -sd '|')"
}

# words WORD...: one a line.
words() {
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

# options COMMAND: as --help has them, short ones as well.
options() {
    "$ctprof" "$1" --help | sed -n 's/^  \(-.,\|   \) \(--[^ ]*\) .*/\1\n\2/p' | tr -d ', ' | grep -e -
}

names() {
    "$ctprof" metric-list --format json | jq -r "$1"
}

commands=$("$ctprof" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
metrics=$(names '(.metrics[], .derived[], .aspects[]).name')
sort_keys=$(names '(.metrics[] | select(.rule != "mode")).name, .derived[].name, (.aspects[] | select(.heading)).name')
sections=$(names '.sections[].name')
keys=$(
    sed -n 's/^GROUP_\(KEY\|TREE\)([^"]*"\([^"]*\)".*/\2/p' "$group_keys" | grep -v NAME
    sed -n 's/^CGROUP_CONTROLLER([^"]*"\([^"]*\)".*/cgroup:v1:\1/p' "${group_keys%/*}/cgroup-controllers.def"
)
[ -n "$commands" ] && [ -n "$metrics" ] && [ -n "$sort_keys" ] && [ -n "$sections" ] && [ -n "$keys" ]

# Commands and options: all of them, and no others.
offer all 'ctprof ' '' '' <<<"$commands"
offer all 'ctprof c' '' c <<<"$commands"
words -h --help --version | offer all 'ctprof -' '' ''
words | offer all 'ctprof unknown ' '' ''
words | offer all 'ctprof unknown -' '' ''
for command in $commands; do
    options "$command" | offer all "ctprof $command -" '' ''
    options "$command" | offer all "ctprof $command --" '' --
done
options compare | offer all 'ctprof compare --gr' '' --gr
options compare | offer all 'ctprof compare a.zst b.zst --un' '' --un
options compare | offer all 'ctprof compare show --un' '' --un

# A first operand that is one of a few words; the others are files.
words add check ddl query | offer all 'ctprof db ' '' ''
words add | offer all 'ctprof db --db fleet.db a' '' a
words a.zst | offer all 'ctprof db add a' '' a

# One word, in each way of giving it.
orders='impact delta percent name'
for line in '--group-by ' '-g ' '-ug ' '--unchanged a.zst -g '; do
    offer all "ctprof compare $line" '' '' <<<"$keys"
    offer all "ctprof compare ${line}c" '' c <<<"$keys"
done
offer all 'ctprof compare --group-by=' '--group-by=' '' <<<"$keys"
offer all 'ctprof show --group-by=c' '--group-by=' c <<<"$keys"
offer all 'ctprof show -gc' '-g' c <<<"$keys"
grep -vx user <<<"$keys" | offer all 'ctprof show -g user,' 'user,' ''
# shellcheck disable=SC2086 # These are words.
words $orders | offer all 'ctprof compare --order ' '' ''
# shellcheck disable=SC2086
words $orders | offer all 'ctprof compare --order=n' --order= n
words impact delta name | offer all 'ctprof show --order ' '' ''
words table csv json ndjson markdown prometheus openmetrics | offer all 'ctprof show --format ' '' ''
words table json | offer all 'ctprof doctor -f ' '' ''
words table json | offer all 'ctprof metric-list --format=' --format= ''
words auto always never | offer all 'ctprof doctor --color ' '' ''
words auto all off | offer all 'ctprof capture -o x --smaps=' --smaps= ''
words auto procfs bpf | offer all 'ctprof capture -o x --source=' --source= ''
words auto ptrace off | offer all 'ctprof capture -o x --jemalloc=' --jemalloc= ''
words | offer all 'ctprof show --limit ' '' ''
words | offer all 'ctprof show --order x' '' ''
# Arguments that are anything, one with what shells take for their own in its name.
for option in '--explain ' '--explain=' '-e ' '--where ' '--where=' '-w ' '--cgroup-flatten '; do
    words | offer all "ctprof show $option" '' ''
    words | offer all "ctprof compare ${option}c" '' ''
done

# Lists: what is there is not offered again.
for option in '--metrics ' '-m ' --metrics= -m; do
    before=$option
    [ "$before" != "${before% }" ] && before=
    # A letter alone may just as well be followed by a blank.
    [ "$option" = -m ] || offer all "ctprof show $option" "$before" '' <<<"$metrics"
    offer all "ctprof show ${option}nr_" "$before" nr_ <<<"$metrics"
    grep -vx run_time_ns <<<"$metrics" | offer all "ctprof show ${option}run_time_ns," "${before}run_time_ns," ''
    grep -vx nice <<<"$metrics" | offer all "ctprof show ${option}policy,nice,n" "${before}policy,nice," n
done
offer all 'ctprof compare --sections ' '' '' <<<"$sections"
grep -vx -e pressure -e sched-ext <<<"$sections" |
    offer all 'ctprof compare --sections=pressure,sched-ext,' --sections=pressure,sched-ext, ''
# "memory-stat" is no part of another name's.
offer all 'ctprof compare --sections primary,mem' primary, mem <<<"$sections"
words bytes memory threads values depth string | offer all 'ctprof show --read-limit ' '' ''
words memory threads depth string |
    offer all 'ctprof show --read-limit bytes=16G,values=3,' bytes=16G,values=3, ''

# Directions.
for option in '--sort-by ' '-s ' --sort-by=; do
    before=$option
    [ "$before" != "${before% }" ] && before=
    offer all "ctprof compare $option" "$before" '' <<<"$sort_keys"
    words asc desc | offer all "ctprof compare ${option}run_time_ns:" "${before}run_time_ns:" ''
    grep -vx nr_threads <<<"$sort_keys" |
        offer all "ctprof compare ${option}nr_threads:desc,nr_" "${before}nr_threads:desc," nr_
    words desc | offer all "ctprof compare ${option}nice,run_time_ns:d" "${before}nice,run_time_ns:" ''
done
words | offer all 'ctprof compare --sort-by unknown:' '' ''

# Files.
words a.zst b.zst folder 'my own.zst' | offer 'bash zsh' 'ctprof show ' '' ''
words a.zst b.zst folder 'my own.zst' | offer 'bash zsh' 'ctprof compare a.zst ' '' ''
words a.zst b.zst folder 'my own.zst' notes | offer 'fish' 'ctprof show ' '' ''
words | offer bash 'ctprof show a.zst ' '' ''
for line in 'compare --unchanged ' 'compare --order name -uf csv a.zst ' 'show -- ' 'show --limit 3 ' 'show -n3 '; do
    words a.zst | offer all "ctprof ${line}a" '' ''
    words notes | offer all "ctprof ${line}no" '' ''
    words folder/c.zst | offer all "ctprof ${line}folder/" '' ''
done
for line in '--output ' '-o ' '-qo '; do
    words a.zst b.zst folder 'my own.zst' notes | offer all "ctprof capture $line" '' ''
    words notes | offer all "ctprof capture ${line}n" '' ''
done
words --output=notes | offer all 'ctprof capture --output=n' '' ''
words -onotes | offer 'bash zsh' 'ctprof capture -on' '' ''
for option in proc sys cgroup; do
    words folder | offer all "ctprof capture --$option-root " '' ''
    words --$option-root=folder | offer all "ctprof capture --$option-root=f" '' ''
done
offer 'bash zsh' 'ctprof help ' '' '' <<<"$commands"
offer all 'ctprof help me' '' me <<<"$commands"
words | offer bash 'ctprof help show ' '' ''
for command in capture doctor metric-list; do
    # zsh goes on with options.
    words | offer 'bash fish' "ctprof $command " '' ''
    words | offer all "ctprof $command a" '' ''
done
words | offer all 'ctprof show -- -' '' ''
