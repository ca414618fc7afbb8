# SPDX-License-Identifier: GPL-2.0-or-later
"""Files from strangers: snapshots that no host has, made to cost their reader as much as they can."""

import json
import subprocess

BOOTTIME_NS = 10**15

HOST = {
    "boot_id": "6f0ad9a3-2b3e-4d3c-8f3e-0d5a4f1f7c11",
    "pid_namespace": "pid:[4026531836]",
    "clock_ticks_per_second": 100,
    "online_cpus": 2,
}


def row(tid, tgid, pcomm="p", comm="c", start=1, more=""):
    """The JSON text of a thread; @more is text of further members, with the comma in front of it."""
    return (
        f'{{"tid":{tid},"tgid":{tgid},"pcomm":"{pcomm}","comm":"{comm}","start_time_clock_ticks":{start},'
        f'"state":"S","run_time_ns":{tid % 1000 * 1000},"wait_time_ns":1000,"nice":0{more}}}'
    )


def snapshot(rows, cgroups=(), host=None, boottime_ns=BOOTTIME_NS, tail=""):
    """The text of a snapshot, piece by piece. @cgroups are members of cgroup_stats, @tail further members."""
    yield (
        '{"format":"ctprof","version":1,"kind":"lifetime",'
        f'"captured_at_unix_ns":{1700000000 * 10**9 + boottime_ns},"captured_boottime_ns":{boottime_ns},'
        f'"host":{json.dumps({**HOST, **(host or {})})},"threads":['
    )
    for number, text in enumerate(rows):
        yield f",{text}" if number else text
    yield "]"
    for number, text in enumerate(cgroups):
        yield f",{text}" if number else ',"cgroup_stats":{' + text
    yield ("}" if cgroups else "") + tail + "}"


def write(path, pieces):
    """Compresses the pieces into a file; returns how many bytes they had."""
    size, batch, batched = 0, [], 0
    with subprocess.Popen(["zstd", "-q", "-f", "-3", "--check", "-o", path], stdin=subprocess.PIPE) as zstd:
        for piece in pieces:
            batch.append(piece)
            batched += len(piece)
            if batched > 1 << 20:
                size += zstd.stdin.write("".join(batch).encode())
                batch, batched = [], 0
        size += zstd.stdin.write("".join(batch).encode())
    if zstd.returncode != 0:
        raise RuntimeError(f"zstd: status {zstd.returncode}")
    return size


LETTERS = str.maketrans("0123456789", "abcdefghij")


def word(number):
    """A word without a digit, so that it is a name of its own also where numbered names are one."""
    return str(number).translate(LETTERS)


def benign(count):
    """Processes of ten threads with the names that a host has."""
    return (row(i + 1, i // 10 * 10 + 1, f"proc-{word(i // 10 % 300)}", f"w{i % 10}") for i in range(count))
