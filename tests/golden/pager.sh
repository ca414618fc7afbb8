#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pager.sh CTPROF: what goes through a pager, and what becomes of the text when the pager does not want it.
# shellcheck disable=SC2016 # What stands in single quotes is expanded by an inner shell.
set -euo pipefail

if ! command -v zstd >/dev/null; then
    echo "skipped: no zstd"
    exit 77
fi
if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "skipped: no script(1), so there is no terminal"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$here/snapshots/v1-baseline.ctprof.zst" a.zst
cp "$here/snapshots/v1-candidate.ctprof.zst" b.zst
export LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=1
unset PAGER CTPROF_PAGER LESS LESSSECURE LESSSECURE_ALLOW LESSCHARSET LESSCHARDEF
# Root's pager is chosen by root only where this says so; see the end.
export CTPROF_PAGERSECURE=0

checks=0
fail() {
    echo "pager.sh: $*"
    exit 1
}
ok() {
    checks=$((checks + 1))
}

# A pager that keeps what it gets, and in which surroundings.
cat >recorder <<'END'
#!/bin/sh
cat >input
echo "LESS=${LESS-unset} LESSCHARSET=${LESSCHARSET-unset} LESSSECURE=${LESSSECURE-unset}" >surroundings
END
chmod +x recorder
export PAGER=./recorder

# terminal ROWS COLUMNS COMMAND: what is on the terminal afterwards is in the file "screen", without the last line,
# which is the command's status. The pager's input is in "input".
terminal() {
    rm -f input surroundings
    script -qec "stty rows $1 cols $2; trap : INT; $3; echo status \$?" /dev/null </dev/null |
        tr -d '\r' >screen
    status=$(sed -n '$s/^status //p' screen)
    [ -n "$status" ] || fail "$3 did not end: $(cat -v screen)"
    sed -i '$d' screen
}
# paged ROWS COLUMNS COMMAND EXPECTED: nothing on the terminal, all of it in the pager.
paged() {
    terminal "$1" "$2" "$3"
    [ -e input ] || fail "$3: no pager on $1 rows of $2 columns"
    diff -u "$4" input || fail "$3: the pager got something else"
    [ ! -s screen ] || fail "$3: beside the pager: $(cat -v screen)"
    [ "$status" -eq "${5-0}" ] || fail "$3: status $status"
    ok
}
# unpaged ROWS COLUMNS COMMAND EXPECTED
unpaged() {
    terminal "$1" "$2" "$3"
    [ ! -e input ] || fail "$3: a pager on $1 rows of $2 columns"
    diff -u "$4" screen || fail "$3: the terminal shows something else"
    [ "$status" -eq "${5-0}" ] || fail "$3: status $status"
    ok
}

compare='"$CTPROF" compare -l a.zst b.zst'
all='"$CTPROF" compare --unchanged --limit 0 a.zst b.zst'
eval "$compare" >compare.txt
eval "$all" >all.txt
"$CTPROF" metric-list >list.txt
doctor_status=0
"$CTPROF" doctor >/dev/null || doctor_status=$?
rows=$(wc -l <compare.txt)
[ "$(wc -c <all.txt)" -gt 70000 ] || fail "too short to fill a pipe"

# The text and the prompt below it fit, or they do not.
unpaged $((rows + 1)) 500 "$compare" compare.txt
paged "$rows" 500 "$compare" compare.txt
paged 5 500 "$compare" compare.txt
paged 5 500 "$all" all.txt
# Lines that the terminal breaks take more of its rows.
list_rows=$(wc -l <list.txt)
unpaged $((list_rows + 1)) 500 '"$CTPROF" metric-list' list.txt
paged $((list_rows + 1)) 60 '"$CTPROF" metric-list' list.txt
# Columns count and not bytes, and colours not at all.
bytes=$(awk '{ if (length($0) > n) n = length($0) } END { print n }' compare.txt)
terminal $((rows + 1)) "$bytes" "NO_COLOR= $compare"
[ ! -e input ] || fail "colours take room"
ok

paged 5 500 '"$CTPROF" show -l -g pcomm - <a.zst' <("$CTPROF" show -l -g pcomm - <a.zst)
terminal 5 500 '"$CTPROF" doctor'
[ -s input ] || fail "doctor is not paged"
[ "$status" -eq "$doctor_status" ] || fail "doctor: status $status in a pager, else $doctor_status"
ok

# Never: where it is not asked for, not a table, or not for a terminal that can do it.
for command in compare show doctor metric-list; do
    case $command in
    compare) files='a.zst b.zst' ;;
    show) files=a.zst ;;
    *) files= ;;
    esac
    for rest in --no-pager '--format json' '>file' '| cat'; do
        terminal 5 500 "\"\$CTPROF\" $command $files $rest"
        [ ! -e input ] || fail "a pager for $command $rest"
        ok
    done
done
terminal 5 500 '"$CTPROF" compare --format csv a.zst b.zst'
[ ! -e input ] || fail "a pager for csv"
terminal 5 500 '"$CTPROF" compare --help'
[ ! -e input ] || fail "a pager for --help"
for terminal in dumb ''; do
    unpaged 5 500 "TERM=$terminal $compare" compare.txt
done
unpaged 5 500 "unset TERM; $compare" compare.txt
unpaged 0 500 "$compare" compare.txt

# The variables in the order of precedence.
unpaged 5 500 "PAGER= $compare" compare.txt
unpaged 5 500 "PAGER=cat PATH=/nowhere $compare" compare.txt
unpaged 5 500 "PAGER='  ' $compare" compare.txt
unpaged 5 500 "CTPROF_PAGER= $compare" compare.txt
unpaged 5 500 "CTPROF_PAGER=cat $compare" compare.txt
paged 5 500 "PAGER=./nowhere CTPROF_PAGER=./recorder $compare" compare.txt
paged 5 500 "PAGER='./recorder # by the shell' $compare" compare.txt
paged 5 500 "PAGER='sed s/^/x/ | ./recorder' $compare" <(sed 's/^/x/' compare.txt)
mkdir bin
printf '#!/bin/sh\n[ "$*" = -FRX ] && exec ./recorder\n' >bin/less
chmod +x bin/less
paged 5 500 "unset PAGER; PATH=\$PWD/bin:\$PATH; $compare" compare.txt

# Its surroundings.
grep -qx 'LESS=FRX LESSCHARSET=utf-8 LESSSECURE=unset' surroundings || fail "$(cat surroundings)"
paged 5 500 "LESS=S LESSCHARSET=latin1 LESSSECURE=1 $compare" compare.txt
grep -qx 'LESS=S LESSCHARSET=latin1 LESSSECURE=1' surroundings || fail "$(cat surroundings)"
paged 5 500 "LESSCHARDEF=8bcccbcc18b95.b $compare" compare.txt
grep -q 'LESSCHARSET=unset' surroundings || fail "$(cat surroundings)"

# Lines wider than the terminal are scrolled sideways, however short the text is; a user's LESS is left as it is.
wide='"$CTPROF" compare --limit 1 -c group,threads,metric,baseline,candidate,delta,impact,coverage,type,tags a.zst b.zst'
eval "COLUMNS=60 $wide" >wide.txt
printf '#!/bin/sh\n[ "$*" = -RSX ] && exec ./recorder\n' >bin/less
paged 500 60 "unset PAGER LESS; PATH=\$PWD/bin:\$PATH; $wide" wide.txt
paged 500 60 "unset LESS; $wide" wide.txt
grep -q '^LESS=RSX ' surroundings || fail "$(cat surroundings)"
printf '#!/bin/sh\n[ "$*" = -FRX ] && exec ./recorder\n' >bin/less
paged 500 60 "export LESS=R; unset PAGER; PATH=\$PWD/bin:\$PATH; $wide" wide.txt
grep -q '^LESS=R ' surroundings || fail "$(cat surroundings)"

# Colours and the width are the terminal's.
terminal 5 500 "NO_COLOR= $compare"
grep -q $'\e\[33m' input || fail "no colours in the pager"
sed $'s/\e\[[0-9;]*m//g' input | diff -u compare.txt - || fail "other text with colours"
ok
terminal 5 75 '"$CTPROF" compare --group-by cgroup --metrics run_time_ns --limit 0 a.zst b.zst'
sed -n '/^$/,/^†/p' input | grep -v '^†' >table
[ "$(wc -l <table)" -gt 3 ] || fail "no table in the pager"
! grep -q '.\{76\}' table || fail "too wide for the terminal: $(grep '.\{76\}' table)"
grep -q '…' table || fail "nothing was cut on 75 columns"
ok
terminal 5 75 '"$CTPROF" compare -l --wrap --group-by cgroup --metrics run_time_ns --limit 0 a.zst b.zst'
sed -n '/^$/,/^†/p' input | grep -v '^†' >table
! grep -q '.\{76\}' table || fail "--wrap: too wide for the terminal: $(grep '.\{76\}' table)"
! grep -q '…' input || fail "--wrap cuts"
ok
"$CTPROF" compare -l --wrap a.zst b.zst | diff -u compare.txt - || fail "--wrap where no terminal is"

# Without the pager the text is printed all the same.
terminal 5 500 "PAGER=./nowhere $all"
sed -n 1p screen | grep -q '^ctprof: \./nowhere: No such file or directory; printed without a pager$' ||
    fail "no word about a pager that is missing: $(head -n 1 screen)"
sed 1d screen | diff -u all.txt - || fail "a pager that is missing takes the text along"
[ "$status" -eq 0 ] || fail "a pager that is missing: status $status"
ok
touch locked
for pager in './nowhere --all' './locked --all'; do
    for command in "$compare" "$all"; do
        terminal 5 500 "PAGER='$pager' $command 2>err"
        case $command in
        "$compare") expected=compare.txt ;;
        *) expected=all.txt ;;
        esac
        diff -u "$expected" screen || fail "'$pager' takes the text along"
        [ "$status" -eq 0 ] || fail "'$pager': status $status"
        [ -s err ] || fail "not a word about '$pager'"
        ok
    done
done
# A default that is not there is not worth a word.
unpaged 5 500 "unset PAGER; PATH=/nowhere; $all" all.txt

# Leaving a pager is no failure, however much was still to come, and whatever it says.
for pager in true false 'exit 3' 'kill -TERM $$' 'head -n 1 >/dev/null' 'exec <\&-; sleep 0.1' 'trap "" PIPE; head -c 99999 >/dev/null; exit 127'; do
    for command in "$compare" "$all"; do
        terminal 5 500 "PAGER='${pager/\\/}' $command"
        [ "$status" -eq 0 ] || fail "'$pager': status $status"
        case "$pager $command" in
        # A pager that ends at once counts as not started, as long as the pipe may still hold all of it.
        *"127 $compare") diff -u compare.txt screen || fail "'$pager' takes the text along" ;;
        *) [ ! -s screen ] || fail "'$pager': $(head -n 3 screen | cat -v)" ;;
        esac
        ok
    done
done
terminal 5 500 'PAGER=true "$CTPROF" doctor'
[ "$status" -eq "$doctor_status" ] || fail "doctor: status $status where the pager is left, else $doctor_status"
ok

# An interrupt is the pager's, and it is waited for.
paged 5 500 "PAGER='trap : INT; kill -INT 0; sleep 0.2; ./recorder' $all" all.txt
terminal 5 500 "PAGER='cat >input; sleep 0.3; echo late' $compare; echo done"
[ "$(cat screen)" = "late
done" ] || fail "the pager was not waited for: $(cat screen)"
ok
# It ignores only those signals up to 28 (libc has its own from 32 on) that this script was started with as ignored.
ignored='sed -n "s/^SigIgn.*\\(.......\\)$/\\1/p" /proc/self/status'
for trap in ':' "trap '' INT QUIT"; do
    terminal 5 500 "$trap; PAGER='cat >/dev/null; $ignored' $compare"
    cp screen inside
    terminal 5 500 "$trap; $ignored"
    [ -s screen ] || fail "no ignored signals in /proc/self/status"
    diff -u screen inside || fail "the pager ignores other signals than its user"
    ok
done

# Secure mode. The recorder is a pager that somebody has chosen, bin/less is less.
secure="LESSSECURE=1"
printf '#!/bin/sh\n[ "$*" = -FRX ] && echo "less ${LESSSECURE-unset} ${LESSSECURE_ALLOW-unset}" >less-ran && cat >/dev/null\n' >bin/less
# pagers WHAT SETTINGS RECORDER LESS: the surroundings in which the two ran, if they did.
pagers() {
    rm -f surroundings less-ran
    terminal 5 500 "$2 PATH=\$PWD/bin:\$PATH $compare"
    [ "$status" -eq 0 ] || fail "$1: status $status"
    [ "$(sed 's/.* //' surroundings 2>/dev/null)" = "$3" ] || fail "$1: the chosen pager ran with '$(cat surroundings)', not '$3'"
    [ "$(cat less-ran 2>/dev/null)" = "$4" ] || fail "$1: less ran with '$(cat less-ran)', not '$4'"
    ok
}
for off in 0 no FALSE off; do
    pagers "secure mode $off" "CTPROF_PAGERSECURE=$off" LESSSECURE=unset ""
done
for on in 1 yes True on; do
    pagers "secure mode $on" "CTPROF_PAGERSECURE=$on LESSSECURE_ALLOW=shell" "$secure" ""
    pagers "secure mode $on, less" "CTPROF_PAGERSECURE=$on PAGER=less LESSSECURE_ALLOW=shell LESSSECURE=0" "" ""
done
pagers "secure mode of no known word" "CTPROF_PAGERSECURE=maybe LESSSECURE_ALLOW=shell" "" "less 1 unset"
pagers "secure mode of no word" "CTPROF_PAGERSECURE=" "" "less 1 unset"
unset CTPROF_PAGERSECURE
if [ "$(id -u)" -eq 0 ]; then
    pagers "root" "LESSSECURE_ALLOW=shell" "" "less 1 unset"
    pagers "root with a pager of its own" "CTPROF_PAGER='./recorder # by the shell'" "" "less 1 unset"
    unpaged 5 500 "PAGER=cat $compare" compare.txt
    unpaged 5 500 "CTPROF_PAGER= $compare" compare.txt
else
    pagers "a user" "" LESSSECURE=unset ""
fi

# Others: nobody, who has no rights but those that the program file or its caller give.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    cp "$CTPROF" ctprof
    chmod 777 .
    chmod 755 ctprof
    touch input surroundings less-ran
    as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
    # others WHAT SETPRIV RECORDER LESS
    others() {
        rm -f input surroundings less-ran
        terminal 5 500 "PATH=\$PWD/bin:\$PATH $2 ./ctprof compare -l a.zst b.zst"
        [ "$status" -eq 0 ] || fail "$1: status $status: $(cat screen)"
        [ "$(sed 's/.* //' surroundings 2>/dev/null)" = "$3" ] || fail "$1: the chosen pager ran with '$(cat surroundings)'"
        [ "$(cat less-ran 2>/dev/null)" = "$4" ] || fail "$1: less ran with '$(cat less-ran)'"
        ok
    }
    if $as_nobody ./ctprof --version >/dev/null 2>&1; then
        others "nobody" "$as_nobody" LESSSECURE=unset ""
        others "nobody with a capability" "$as_nobody --inh-caps +net_admin --ambient-caps +net_admin" "" "less 1 unset"
        # A set-id program has neither a pager that its caller's variables name nor a less of its caller's path. It is
        # the system's less, with the rights of the caller.
        if [ -x /usr/bin/less ]; then
            for mode in 4755 2755; do
                chown 0:0 ctprof
                chmod "$mode" ctprof
                rm -f input surroundings less-ran keys
                mkfifo keys
                script -qec "stty rows 5 cols 500; PATH=$PWD/bin:\$PATH exec $as_nobody env CTPROF_PAGERSECURE=0 \
                    PAGER=./recorder ./ctprof compare -l a.zst b.zst" /dev/null <keys >screen &
                terminal_pid=$!
                exec 6>keys
                less_pid=
                for _ in $(seq 600); do
                    for process in $(pgrep -x less); do
                        [ "$(readlink "/proc/$process/cwd")" != "$PWD" ] || less_pid=$process
                    done
                    [ -z "$less_pid" ] || break
                    sleep 0.1
                done
                if [ -n "$less_pid" ]; then
                    ids=$(sed -n 's/^[UG]id:\t//p' "/proc/$less_pid/status" | tr -s '\t\n' ' ')
                    secured=$(tr '\0' '\n' <"/proc/$less_pid/environ" | grep '^LESSSECURE=') || true
                fi
                sleep 0.2
                printf q >&6
                exec 6>&-
                wait "$terminal_pid" || true
                [ -n "$less_pid" ] || fail "set-id $mode: no less: $(cat -v screen)"
                [ "$ids" = "65534 65534 65534 65534 65534 65534 65534 65534 " ] || fail "set-id $mode: less runs as $ids"
                [ "$secured" = LESSSECURE=1 ] || fail "set-id $mode: less is not in secure mode"
                [ ! -e surroundings ] || fail "set-id $mode: its caller has chosen the pager"
                [ ! -e less-ran ] || fail "set-id $mode: its caller has chosen the less"
                ok
            done
        fi
    else
        echo "note: nobody cannot run ctprof here, so nobody was not tried"
    fi
fi
export CTPROF_PAGERSECURE=0

if command -v less >/dev/null; then
    # less reads its keys from the terminal, and is asked to leave when it has shown something.
    : >raw
    # shellcheck disable=SC2094 # The keys depend on what the screen shows.
    {
        for _ in $(seq 600); do [ ! -s raw ] || break; sleep 0.1; done
        sleep 0.5
        printf q
        for _ in $(seq 600); do ! grep -q 'status [0-9]' raw || break; sleep 0.1; done
    } | script -qec "stty rows 5 cols 80; unset PAGER; $all; echo status \$?" /dev/null >>raw
    tr -d '\r' <raw >screen
    grep -q 'a.zst M-bM-^FM-^R b.zst\|a.zst → b.zst' screen || fail "less shows nothing: $(cat -v screen)"
    grep -q 'status 0' screen || fail "less ends badly: $(cat -v screen)"
    [ "$(wc -l <screen)" -lt 20 ] || fail "less showed more than a screen"
    ok
fi
echo "$checks checks"
