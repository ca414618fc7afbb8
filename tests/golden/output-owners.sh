#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# output-owners.sh CTPROF EXCHANGE_NAMES: root writes snapshots where another user may write, too. That user decides
# nothing: not the permissions of a snapshot, not its owner, and not where it goes. Needs root, to be two users.
set -euo pipefail

other=65534
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: only root can be two users"
    exit 77
fi
if ! command -v timeout >/dev/null || ! command -v zstd >/dev/null || ! command -v setpriv >/dev/null; then
    echo "skipped: no timeout, no zstd or no setpriv"
    exit 77
fi
CTPROF=$(realpath "$1")
exchange=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
racer=
trap '[ -z "$racer" ] || kill "$racer" 2>/dev/null || true; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"
"$here/../fixtures/tree.sh" vanished trees/vanished
tree=$scratch/trees/vanished/proc
umask 022

checks=0
fail() {
    echo "output-owners.sh: $*"
    [ ! -s err ] || cat -v err
    exit 1
}
ok() {
    checks=$((checks + 1))
}

# The snapshots for the windows.
mkdir snapshots
"$CTPROF" capture --proc-root "$here/../fixtures/6.12-schedstats/proc" -q -o snapshots/first.zst
"$here/../fixtures/tree.sh" 6.12-schedstats-later trees/later
"$CTPROF" capture --proc-root trees/later/proc -q -o snapshots/last.zst

# capture FILE, window FILE: the two commands that write files. A FIFO without a reader would be waited for.
capture() {
    timeout 20 "$CTPROF" capture --proc-root "$tree" -q -o "$1" >out 2>err
}
window() {
    timeout 20 "$CTPROF" window snapshots/first.zst snapshots/last.zst -q -o "$1" >out 2>err
}

# outside: a directory that is root's alone, and whatever is in it.
outside() {
    rm -rf outside
    mkdir outside
    echo "root's own" >outside/victim
    chmod 644 outside/victim
}
untouched() {
    [ "$(ls -A outside)" = victim ] || fail "$1: made outside: $(ls -A outside)"
    [ "$(cat outside/victim)" = "root's own" ] || fail "$1: a file outside was written to"
    [ "$(stat -c %a outside/victim)" = 644 ] || fail "$1: a file outside has another mode"
}
# shared MODE OWNER: a directory that others may write.
shared() {
    rm -rf shared
    mkdir shared
    chown "$2:$2" shared
    chmod "$1" shared
}
# written COMMAND WHAT NAME: a snapshot of root's, for root.
written() {
    "$1" "$3" || fail "$2: not written"
    [ ! -s err ] || fail "$2: something was said"
    [ "$(stat -c '%F %u %a %h' "$3")" = "regular file 0 600 1" ] || fail "$2: it is $(stat -c '%F %u %a %h' "$3")"
    zstd -tq "$3" || fail "$2: it is damaged"
    untouched "$2"
    ok
}
# refused COMMAND WHAT NAME REASON: one line, and nothing has changed.
refused() {
    local status=0 before

    before=$(find shared -printf '%p %y %m %U %i\n' | LC_ALL=C sort)
    "$1" "$3" || status=$?
    [ "$status" -eq 1 ] || fail "$2: status $status, not 1"
    [ "$(cat err)" = "ctprof: $3: $4" ] || fail "$2: another line"
    [ "$(find shared -printf '%p %y %m %U %i\n' | LC_ALL=C sort)" = "$before" ] || fail "$2: something has changed"
    untouched "$2"
    ok
}

outside
in_shared="in a directory that others may write"
link_way="name what it leads to"
pipe_way="open it in the shell, and name /dev/fd/N"
for command in capture window; do
    for directory in "1777 0" "0777 0" "0775 0" "0755 $other" "1777 $other"; do
        # shellcheck disable=SC2086
        shared $directory
        what="$command in a directory of mode and owner $directory"
        written "$command" "$what" shared/new.zst

        # Somebody has prepared a file that anybody may write and whoever runs it becomes its owner.
        touch shared/before.zst
        chown "$other:$other" shared/before.zst
        chmod 6777 shared/before.zst
        exec 4<>shared/before.zst
        written "$command" "$what, over a prepared file" shared/before.zst
        [ ! -s /dev/fd/4 ] || fail "$what: the prepared file itself was written to"
        exec 4>&-

        ln -s ../outside/victim shared/link
        ln -s ../outside/missing shared/dangling
        ln -s ../outside shared/way
        mkfifo -m 666 shared/pipe
        chown -h "$other:$other" shared/link shared/dangling shared/way shared/pipe
        for link in link dangling; do
            refused "$command" "$what, through a link" "shared/$link" \
                "'$link' is a symbolic link of user $other $in_shared; $link_way"
        done
        refused "$command" "$what, by way of a link" shared/way/new.zst \
            "'way' is a symbolic link of user $other $in_shared; $link_way"
        refused "$command" "$what, into a FIFO" shared/pipe "'pipe' is a FIFO of user $other $in_shared; $pipe_way"
    done
done

# A user's own file keeps its permissions where others cannot have put it, and own links are followed.
shared 0755 0
capture shared/own.zst
chmod 640 shared/own.zst
chgrp 7 shared/own.zst
capture shared/own.zst || fail "a file of one's own is not replaced"
[ "$(stat -c '%u %g %a' shared/own.zst)" = "0 7 640" ] || fail "a file of one's own does not keep its permissions"
ln -s own.zst shared/to-own
chmod 604 shared/own.zst
capture shared/to-own || fail "a link of one's own is not followed"
[ -L shared/to-own ] || fail "a link of one's own is replaced"
[ "$(stat -c '%u %g %a' shared/own.zst)" = "0 7 604" ] || fail "through a link permissions are lost"
chmod 6755 shared/own.zst
capture shared/own.zst || fail "a file of one's own that is an executable is not replaced"
[ "$(stat -c %a shared/own.zst)" = 755 ] || fail "a snapshot makes others its owner"
ok

# A file of root's in a directory of another user's, which that user may move into a sticky one. It gives no permissions,
# and may take some.
for mode in 666 644 640 4755 400; do
    for directory in "1777 0" "1775 0"; do
        # shellcheck disable=SC2086
        shared $directory
        chgrp "$other" shared
        mkdir theirs
        echo "root's own" >theirs/file
        chmod "$mode" theirs/file
        chgrp "$other" theirs/file
        chown "$other" theirs
        setpriv --reuid="$other" --regid="$other" --clear-groups --inh-caps=-all mv theirs/file shared/moved.zst ||
            fail "the other user cannot move a file into a directory of mode $directory"
        rmdir theirs
        capture shared/moved.zst || fail "a file that was moved to its place is not replaced"
        expected="0 0 600"
        [ "$mode" != 400 ] || expected="0 0 400"
        [ "$(stat -c '%u %g %a' shared/moved.zst)" = "$expected" ] ||
            fail "by a file of mode $mode that was moved to its place a snapshot has $(stat -c '%u %g %a' shared/moved.zst)"
        ok
    done
done

# So may links and FIFOs of root's be moved.
shared 1777 0
mkdir theirs
ln -s ../outside/victim theirs/link
mkfifo -m 600 theirs/pipe
chown "$other" theirs
# A move within a second is part of the making.
sleep 1.1
setpriv --reuid="$other" --regid="$other" --clear-groups --inh-caps=-all mv theirs/link theirs/pipe shared ||
    fail "the other user cannot move a link and a FIFO"
rmdir theirs
refused capture "a link of root's that was moved" shared/link "'link' is a symbolic link of user 0 $in_shared; $link_way"
refused capture "a FIFO of root's that was moved" shared/pipe "'pipe' is a FIFO of user 0 $in_shared; $pipe_way"

# The owner of the directory above exchanges two directories of root's, in which he has no right.
exchange_above() {
    rm -rf above
    mkdir above above/open above/private
    echo "root's own" >above/open/s.zst
    chmod 644 above/open/s.zst
    chgrp 7 above/open/s.zst
    ln -s ../../outside/victim above/open/link
    echo "root's own" >above/private/s.zst
    chmod 600 above/private/s.zst
    chown "$other" above
    setpriv --reuid="$other" --regid="$other" --clear-groups --inh-caps=-all sh -c \
        'cd above && mv open aside && mv private open && mv aside private' ||
        fail "the other user cannot exchange directories"
}
exchange_above
capture above/private/s.zst || fail "a file in an exchanged directory is not replaced"
[ "$(stat -c '%u %g %a' above/private/s.zst)" = "0 0 600" ] ||
    fail "by a directory that was exchanged a snapshot has $(stat -c '%u %g %a' above/private/s.zst)"
refused capture "a link in an exchanged directory" above/private/link \
    "'link' is a symbolic link of user 0 in a directory that others may exchange; $link_way"
ok

# Those that root has made there are followed and written.
shared 1777 0
ln -s ../outside/new shared/link
ln -s ../outside shared/way
mkfifo -m 600 shared/pipe
timeout 20 cat shared/pipe >piped &
reader=$!
capture shared/pipe || fail "a FIFO of root's own in a sticky directory is refused"
wait "$reader"
zstd -tq piped || fail "a FIFO of root's own does not get the snapshot"
capture shared/way/new || fail "a link of root's own in a sticky directory is refused"
capture shared/link || fail "a link of root's own to a file in a sticky directory is refused"
zstd -tq outside/new || fail "a link of root's own does not lead to the snapshot"
rm outside/new
ok

# In a user namespace every user whom it does not map has the same number, and so has root.
if setpriv --reuid=4242 --regid=4242 --clear-groups unshare --user --map-root-user true 2>/dev/null; then
    mkdir victim attacker
    echo precious >victim/file
    chown -R 4242 victim
    ln -s ../victim/file attacker/link
    chown -hR 4343 attacker
    if setpriv --reuid=4242 --regid=4242 --clear-groups unshare --user --map-root-user "$CTPROF" capture \
        --proc-root "$tree" -q -o attacker/link 2>err; then
        fail "in a user namespace a link of another user's is followed"
    fi
    [ "$(cat victim/file)" = precious ] || fail "in a user namespace a file is written through a link of another user's"
    # The directory above is of such a user, who may exchange this one.
    if setpriv --reuid=4242 --regid=4242 --clear-groups unshare --user --map-root-user sh -c '
        ln -s file victim/own && exec "$@" -o victim/own' sh "$CTPROF" capture --proc-root "$tree" -q 2>err; then
        fail "in a user namespace a link below another user's directory is followed"
    fi
    [ "$(cat victim/file)" = precious ] || fail "in a user namespace a file is written through a link below another user's directory"
    # Its own files are its own there, too.
    setpriv --reuid=4242 --regid=4242 --clear-groups unshare --user --map-root-user "$CTPROF" capture \
        --proc-root "$tree" -q -o victim/file || fail "in a user namespace a file of one's own is not replaced"
    zstd -tq victim/file || fail "in a user namespace a snapshot is damaged"
    ok
fi

# An open descriptor of the caller may be anybody's.
mkfifo -m 666 shared/named
chown "$other" shared/named
exec 5<>shared/named
for path in /dev/fd/5 /proc/self/fd/5; do
    capture "$path" || fail "$path is refused"
    dd bs=65536 count=1 <&5 2>/dev/null | zstd -tq || fail "$path does not get the snapshot"
    ok
done
exec 5>&-
capture >(cat >substituted) || fail "a process substitution is refused"
wait $!
zstd -tq substituted || fail "a process substitution does not get the snapshot"
for path in /dev/null /dev/stdout - /dev/stderr; do
    capture "$path" || fail "$path is refused"
    ok
done

# race WHAT PATH LINK...: another user exchanges "name" in the shared directory as fast as possible. Nothing is written
# outside, and every file of root's is for root alone.
race() {
    local what=$1 path=$2 end=$((SECONDS + ${RACE_SECONDS:-3})) bad status captures=0 done=0 names lines

    shift 2
    outside
    "$exchange" "$other" shared name "$@" &
    racer=$!
    until [ -e shared/name ] || [ -L shared/name ]; do
        kill -0 "$racer" || fail "$what: nobody exchanges names"
    done
    # On a loaded machine it takes longer until a capture has come to its end between two exchanges, or has not.
    while [ "$SECONDS" -lt "$end" ] ||
        { [ "$SECONDS" -lt $((end + 40)) ] && { [ "$done" -eq 0 ] || [ "$done" -eq "$captures" ]; }; }; do
        status=0
        capture "$path" || status=$?
        captures=$((captures + 1))
        [ "$status" -le 1 ] || fail "$what: status $status"
        names=(outside/*)
        [ "${names[*]}" = outside/victim ] || fail "$what: made ${names[*]}"
        [ "$(<outside/victim)" = "root's own" ] || fail "$what: a file outside was written to"
        mapfile -t lines <err
        [ "${#lines[@]}" -eq "$status" ] || fail "$what: status $status, and not as many lines"
        [ "$status" -eq 0 ] || continue
        done=$((done + 1))
        bad=$(find shared -type f -uid 0 ! \( -perm 600 -links 1 \) -printf '%p %m ' 2>/dev/null) || true
        [ -z "$bad" ] || fail "$what: made $bad"
        # The other user cannot remove it in a directory with a sticky bit.
        find shared -type f -uid 0 -delete 2>/dev/null || true
    done
    kill "$racer"
    wait "$racer" 2>/dev/null || true
    racer=
    untouched "$what"
    if [ "$done" -eq 0 ] || [ "$done" -eq "$captures" ]; then
        fail "$what: $done of $captures were written, so there was no race"
    fi
    echo "$what: $captures captures, $done written, all of them for root only"
    ok
}
shared 1777 0
race "a file is exchanged" shared/name ../outside/victim ../outside/missing "$scratch/outside/victim"
shared 0777 0
race "a file is exchanged, without the sticky bit" shared/name ../outside/victim ../outside/missing
shared 1777 0
race "a directory is exchanged" shared/name/new.zst ../outside "$scratch/outside"
echo "$checks checks"
