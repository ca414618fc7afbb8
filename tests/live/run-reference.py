#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run-reference.py FILE COMMAND...: runs a command, waits for all its descendants, and writes what the kernel says of them and of
this process to FILE as JSON: getrusage(2), /proc/self/io and cpu.stat of the cgroup that it is in, without ctprof."""
import ctypes
import json
import os
import resource
import sys

PR_SET_CHILD_SUBREAPER = 36


def open_cpu_stat():
    """cpu.stat of this process's cgroup of version 2, or None."""
    with open("/proc/self/cgroup", encoding="utf-8", errors="surrogateescape") as cgroup:
        paths = [line.split(":", 2)[2].rstrip("\n") for line in cgroup if line.startswith("0:")]
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
        points = [line.split()[1] for line in mounts if line.split()[2] == "cgroup2"]
    for point in points:
        try:
            return open(point + paths[0] + "/cpu.stat", encoding="ascii")
        except (OSError, IndexError):
            continue
    return None


def cpu_seconds(file):
    try:
        return int(file.readline().split()[1]) / 1e6 if file else None
    except (OSError, IndexError):
        return None


ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
stat = open_cpu_stat()
pid = os.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
processes, code = 1, 0
while True:
    try:
        ended, status = os.wait()
    except ChildProcessError:
        break
    processes += 1
    if ended == pid:
        code = os.waitstatus_to_exitcode(status)
# Little is done behind these readings.
with open("/proc/self/io", encoding="ascii") as io:
    numbers = {key: int(value) for key, value in (line.split(": ") for line in io)}
out = open(sys.argv[1], "w", encoding="ascii")
cpu_stat = cpu_seconds(stat)
usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
json.dump({
    "cpu_stat": cpu_stat,
    "cpu_time": sum(u.ru_utime + u.ru_stime for u in usages),
    "minor_faults": sum(u.ru_minflt for u in usages),
    "switches": sum(u.ru_nvcsw + u.ru_nivcsw for u in usages),
    "rchar": numbers["rchar"],
    "wchar": numbers["wchar"],
    "write_bytes": numbers["write_bytes"],
    "read_bytes": numbers["read_bytes"],
}, out)
out.flush()
# At once: tidying up would copy all pages that the child had as well, behind the reading.
os._exit(code if code >= 0 else 128 - code)
