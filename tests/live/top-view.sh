#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# top in a terminal of tmux: its columns, a number of threads that is known, its keys, sizes down to one line, names that are
# hostile, and the terminal as it was before after every kind of end.
#
#   top-view.sh CTPROF
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs tmux python3
export LANG=C.UTF-8 LC_ALL=C.UTF-8
scratch=$(mktemp -d)
children=()
terminal() { tmux -S "$scratch/socket" -f /dev/null "$@"; }
finish() {
    terminal kill-server 2>/dev/null || true
    [ ${#children[@]} -eq 0 ] || kill -KILL "${children[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch"

screen() { terminal capture-pane -p; }
keys() { terminal send-keys "$@"; }
# Waits for a line on the screen that fits a regular expression.
shows() {
    local try
    for ((try = 0; try < 1200; try++)); do
        ! screen | grep -q -e "$1" || return 0
        sleep 0.05
    done
    screen
    fail "no line like $1"
}
# A command of the shell in the terminal, and what it prints into a file.
command_there() {
    rm -f finished
    keys "$1; echo > $scratch/finished" Enter
    await_done
}
await_done() {
    local try
    for ((try = 0; try < 1200; try++)); do
        [ ! -e finished ] || return 0
        sleep 0.05
    done
    screen
    fail "the shell in the terminal does not go on"
}
# Begins the view, and waits for its first window.
view() {
    rm -f finished pid
    keys "clear; sh -c 'echo \$\$ >$scratch/pid; exec $CTPROF top $1'; echo \$? >$scratch/status; echo > $scratch/finished" Enter
    shows '^this host: window of '
}
# The view has ended with this status, and the terminal is as before.
ended() {
    await_done
    same "status after $1" "$2" "$(cat status)"
    command_there "stty -g >$scratch/after"
    same "the terminal after $1" "$(cat before)" "$(cat after)"
}

# Seven threads that sleep, and a name with escape sequences, a newline and a character of two columns.
python3 -c '
import ctypes, threading, time
ctypes.CDLL(None).prctl(15, b"viewed")
for _ in range(6):
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
open("ready", "w").close()
time.sleep(3600)' &
children+=($!)
python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(15, b"a\x1b[2Jb\nc\xe2\x82\xacd")
open("hostile", "w").close()
while True: pass' &
children+=($!)
until [ -e ready ] && [ -e hostile ]; do sleep 0.05; done

terminal new-session -d -x 80 -y 24 "env PS1='$ ' bash --norc -i"
command_there "stty -g >$scratch/before"

view "--every 300ms"
shows '^ctprof top  every 300ms  by pcomm  order: score'
shows '^pcomm  *threads CPU%'
# Control characters are escaped, and the name stays on its line.
shows '^a\\x1b\[2Jb\\x0ac€d  *1 '
same "lines" 24 "$(screen | wc -l)"
same "last line" "q quit" "$(screen | sed -n 24p | cut -c 1-6)"
# Sorted by threads, all groups are there; this one has as many threads as /proc says.
keys 1
shows '^ctprof top .* order: threads'
# ctprof knows a process by the name of its first thread.
number=$(find "/proc/${children[0]}/task" -mindepth 1 -maxdepth 1 | wc -l)
same "threads in /proc" 7 "$number"
keys n
shows ' by comm '
keys i
shows ' by pid '
for _ in 1 2 3 4 5 6 7 8; do
    ! screen | grep -q "^${children[0]} viewed" || break
    keys NPage
    sleep 0.2
done
shows "^${children[0]} viewed  *$number"
keys Home c
shows ' by cgroup '
keys p 0
shows ' by pcomm  order: score'
keys '>' '>'
shows ' order: CPU%'
keys r
shows ' order: CPU% (reverse)'
keys r '<' '<'
shows ' order: score'

keys D
shows '^delay  *count'
shows '^  CPU '
keys 2
shows ' order: blkio delays'
keys D
shows '^pcomm  *threads'
keys h
shows '^Keys of ctprof top'
keys h
shows '^pcomm  *threads'
keys +
shows ' every 500ms '
keys - - -
shows ' every 100ms '
keys -
shows ' every 100ms '

# A frozen window stays.
keys Space
shows '^FROZEN'
window=$(screen | sed -n 2p)
sleep 1
same "a frozen window" "$window" "$(screen | sed -n 2p)"
keys c
shows ' by cgroup '
same "it by other groups" "$window" "$(screen | sed -n 2p)"
keys p f
shows '^ctprof top '

# Nothing is wrapped: the bars are the first line and the last one.
for size in 79x23 40x10 20x6; do
    terminal resize-window -x "${size%x*}" -y "${size#*x}"
    for _ in $(seq 100); do
        first=$(screen | sed -n 1p | cut -c 1-10) last=$(screen | sed -n "${size#*x}p" | cut -c 1-6)
        [ "$first/$last" != "ctprof top/q quit" ] || break
        sleep 0.05
    done
    same "first and last line of $size" "ctprof top/q quit" "$first/$last"
done
for size in 10x5 3x2 1x1; do
    terminal resize-window -x "${size%x*}" -y "${size#*x}"
    sleep 0.3
    kill -0 "$(cat pid)" || fail "it has ended at $size"
done
terminal resize-window -x 100 -y 30
shows '^q quit .* +- time'
keys q
ended "q" 0

view "--every 200ms --count 2"
ended "two windows" 0
for signal in INT TERM QUIT HUP; do
    view "--every 200ms"
    kill "-$signal" "$(cat pid)"
    ended "SIG$signal" 0
done
view "--every 200ms"
keys C-c
ended "Ctrl-C" 0

# Stopped, it leaves the terminal to the shell, and takes it again.
rm -f finished
keys "clear; $CTPROF top --every 200ms --sort-by cpu" Enter
shows '^this host: window of '
keys C-z
shows 'Stopped'
command_there "stty -g >$scratch/after"
same "the terminal of one that is stopped" "$(cat before)" "$(cat after)"
keys "clear; fg; echo > $scratch/finished" Enter
rm -f finished
shows ' order: CPU%'
keys q
await_done
command_there "stty -g >$scratch/after"
same "the terminal after it" "$(cat before)" "$(cat after)"

# In the background it is quiet, comes back, and ends there as well.
rm -f pid
cat >behind <<S
#!/bin/sh
echo \$\$ >$scratch/pid
exec $CTPROF top --every 200ms
S
chmod +x behind
keys "clear; $scratch/behind" Enter
shows '^this host: window of '
keys C-z
shows 'Stopped'
keys "clear; bg" Enter
shows '/behind &$'
command_there "stty -g >$scratch/after"
same "the terminal of one in the background" "$(cat before)" "$(cat after)"
same "lines of the view beside the shell" 0 "$(screen | grep -c '^this host')"
keys "clear; fg" Enter
shows '^this host: window of '
keys C-z
shows 'Stopped'
keys "clear; bg" Enter
shows '/behind &$'
kill -TERM "$(cat pid)"
while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.05; done
command_there "stty -g >$scratch/after"
same "the terminal after its end in the background" "$(cat before)" "$(cat after)"

# Terminals without a screen, and none at all.
command_there "TERM=dumb $CTPROF top 2>$scratch/errors; echo \$? >$scratch/status"
same "status with TERM=dumb" 1 "$(cat status)"
same "lines about it" "ctprof: a terminal of the type 'dumb' has no screen" "$(cat errors)"
command_there "$CTPROF top --rollup exe 2>$scratch/errors; echo \$? >$scratch/status"
same "status of --rollup" 2 "$(cat status)"

# A terminal that dies.
view "--every 200ms"
last=$(cat pid)
terminal kill-server
while kill -0 "$last" 2>/dev/null; do sleep 0.05; done
checks=$((checks + 1))
echo "$checks checks passed"
