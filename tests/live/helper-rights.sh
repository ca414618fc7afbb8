#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# helper-rights.sh CTPROF DIRECTORY LIBEXEC: reads the rights and the descriptors of every helper process of a capture from /proc.
# Root's helpers have the capabilities that they need and no others; other users' helpers have none. DIRECTORY has
# jemalloc-load-linked. LIBEXEC is where the program of helpers is installed.
set -euo pipefail

if [ "$(id -u)" -ne 0 ] || [ ! -x "$2/jemalloc-load-linked" ]; then
    echo "skipped: this takes root, and jemalloc to link with"
    exit 77
fi
program=$(realpath "$1")
libexec=$3
WORKLOAD=$(realpath "$2")/jemalloc-load-linked
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs python3 setpriv setcap
scratch=$(mktemp -d)
own=
trap 'stop_all; [ -z "$own" ] || kill "$own"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"
mkdir -m 777 place
# Other users may not be able to reach the build directory.
CTPROF=$program
needs_jemalloc
copy_ctprof ctprof
CTPROF=$scratch/ctprof
start load 2 1000

# The last reading of each helper counts: a helper has its name when it has given up its rights, and enters its
# sandbox afterwards.
cat >watch.py <<'END'
import os, re, subprocess, sys

user, ctprof, capable = int(sys.argv[1]), sys.argv[2], len(sys.argv) > 3
NICE, PTRACE, READ, RESTORE = 1 << 23, 1 << 19, 1 << 2, 1 << 40
CAPABILITIES = {"ctprof-look": READ | PTRACE | RESTORE, "ctprof-inspect": 0, "ctprof-probe": PTRACE | NICE}
GUARD = re.compile(r"(/run|/run/user/[0-9]+)/ctprof/helpers|/dev/shm/ctprof[^/]*/helpers")


def read(path):
    with open(path) as file:
        return dict(line.rstrip("\n").split(":", 1) for line in file)


def descendants(pid):
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/children") as file:
                for child in file.read().split():
                    yield child
                    yield from descendants(child)
    except OSError:
        pass


def descriptors(pid):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            flags = int(read(f"/proc/{pid}/fdinfo/{fd}")["flags"], 8)
            yield int(fd), os.readlink(f"/proc/{pid}/fd/{fd}"), flags
        except OSError:
            pass


def watch(capture):
    while capture.poll() is None:
        for pid in descendants(capture.pid):
            try:
                status = read(f"/proc/{pid}/status")
                name = status["Name"].strip()
                fds = list(descriptors(pid)) if name in CAPABILITIES else []
                # A process that has ended leaves nothing.
                if fds and os.path.exists(f"/proc/{pid}/fd/{fds[0][0]}"):
                    last[pid] = (name, status, fds)
            except (OSError, ValueError):
                pass
    assert capture.returncode == 0, capture.returncode


last = {}
# A helper may live for less than the time between two looks.
for _ in range(20):
    if {name for name, _, _ in last.values()} == set(CAPABILITIES):
        break
    last.clear()
    watch(subprocess.Popen([ctprof, "capture", "-q", "--jemalloc", "ptrace", "-o", f"place/{user}.zst"],
                           **({"user": user, "group": user, "extra_groups": []} if user else {})))
names = {name for name, _, _ in last.values()}
assert names == set(CAPABILITIES), f"helpers that were seen: {names}"


def ids(status):
    return {int(word) for key in ("Uid", "Gid") for word in status[key].split()}


def check(what, is_so, seen):
    global count
    count += 1
    if not is_so:
        sys.exit(f"FAILED: user {user}, {name}: {what}: {seen}")


count = 0
ids_of = {name: ids(status) for name, status, _ in last.values()}
for name, status, fds in last.values():
    needed = CAPABILITIES[name] if user == 0 or capable else 0
    for key in ("CapInh", "CapAmb", "CapPrm", "CapEff"):
        value = int(status[key], 16)
        check(f"{key} beyond what it needs", value & ~needed == 0, status[key])
    if (user == 0 or capable) and name != "ctprof-inspect":
        check("CapEff lacks CAP_SYS_PTRACE", int(status["CapEff"], 16) & PTRACE, status["CapEff"])
    check("NoNewPrivs", status["NoNewPrivs"].strip() == "1", status["NoNewPrivs"])
    check("Seccomp", status["Seccomp"].strip() == "2", status["Seccomp"])
    own = ids(status)
    if user:
        check("ids", own == {user}, own)
    elif name == "ctprof-probe":
        check("ids", own == {0}, own)
    else:
        check("ids", len(own) == 1 and min(own) >= 0xF0000000, own)
        check("ids of the one that opens files", own == ids_of["ctprof-look"], own)
    if user == 0 and name != "ctprof-probe":
        check("Groups", status["Groups"].strip() == "", status["Groups"])
    sockets = guards = reading = 0
    for fd, target, flags in fds:
        is_path = bool(flags & os.O_PATH)
        writes = not is_path and flags & os.O_ACCMODE != os.O_RDONLY
        if target.startswith("socket:"):
            sockets += 1
        elif GUARD.fullmatch(target):
            guards += 1
        elif target == "/dev/null":
            check("a descriptor of /dev/null", fd <= 2, fd)
        else:
            reading += 1
            check("a descriptor for writing", not writes, target)
    # The one that opens files has a second socket, to the one that parses them.
    check("sockets", 1 <= sockets <= (2 if name == "ctprof-look" else 1), fds)
    check("descriptors of the guard", guards == 1, fds)
    check("other descriptors", reading <= {"ctprof-look": 5, "ctprof-inspect": 3, "ctprof-probe": 2}[name], fds)
print(count, "checks as user", user)
END
for user in 0 12345; do
    if [ "$user" = 0 ]; then
        python3 watch.py "$user" "$CTPROF"
        continue
    fi
    # This user's helpers look into a process of its own.
    cp "$WORKLOAD" place/load
    chmod 755 place/load
    mkfifo place/in
    setpriv --reuid="$user" --regid="$user" --clear-groups --inh-caps=-all place/load load 2 1000 <place/in >load-own.out &
    own=$!
    exec 7>place/in
    await load-own.out READY
    python3 watch.py "$user" "$CTPROF"
    # A program with file capabilities hands its helpers those that they need, and starts no program but the one that is
    # installed, nor one that its user's environment changes.
    # shellcheck disable=SC2016 # The inner shell expands them.
    with_own_mounts bash -euc '
        mount -t tmpfs -o mode=755 none "${1%%/libexec*}"
        mkdir -p "$1" place/bin
        cp "$2" place/bin/ctprof
        cp "$2-jemalloc" "$1/ctprof-jemalloc"
        printf "#!/bin/sh\nexit 3\n" >place/bin/ctprof-jemalloc
        chmod 755 place/bin/ctprof-jemalloc
        setcap cap_sys_ptrace,cap_dac_read_search,cap_checkpoint_restore,cap_sys_nice,cap_net_admin+ep place/bin/ctprof
        python3 watch.py "$3" place/bin/ctprof capable' - "$libexec" "$CTPROF" "$user"
done
