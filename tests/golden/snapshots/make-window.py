#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make-window.py DIR: makes window-baseline.json and window-candidate.json, two windows of one boot, of 30 s and of 60 s,
a line for each thread. No value is random, so it always makes the same.
"""
import json
import sys

SECOND = 1_000_000_000
HZ = 100
# The time of a thread in a second, and the part of it that is CPU time in user mode.
STEADY = {"run_time_ns": 100_000_000, "wait_time_ns": 1_000_000, "timeslices": 40, "voluntary_csw": 30, "nonvoluntary_csw": 10,
          "minflt": 12, "rchar": 4096, "utime_clock_ticks": 8, "stime_clock_ticks": 2, "cpu_delay_count": 40,
          "cpu_delay_total_ns": 1_000_000, "blkio_delay_count": 2, "blkio_delay_total_ns": 5_000_000,
          "swapin_delay_total_ns": 120_000, "thrashing_delay_total_ns": 60_000, "freepages_delay_total_ns": 240_000,
          "compact_delay_total_ns": 0, "wpcopy_delay_total_ns": 360_000, "irq_delay_total_ns": 480_000}


def at_rate(share, seconds, **others):
    return {name: int(rate * share * seconds) for name, rate in (STEADY | others).items()}


def thread(tgid, tid, pcomm, comm, part, seconds, values, born=500, cgroup="/app.slice/app.service", life=None, **more):
    row = {"tid": tid, "tgid": tgid, "pcomm": pcomm, "comm": comm, "cgroup": cgroup, "start_time_clock_ticks": born,
           "window_part": part, "interval_ns": int(seconds * SECOND), "policy": "SCHED_OTHER", "nice": 0,
           "cpu_affinity": [0, 1, 2, 3], "state": "S"}
    if life:
        row["life_ns"] = int(life * SECOND)
    return row | values | more


def threads(length, later):
    begin = 100_000 + 4_000 * later
    # The same work each second, and one that does twice as much.
    yield thread(100, 100, "steady", "steady", "continued", length, at_rate(1, length), wait_max=2_000_000)
    yield thread(110, 110, "busy", "busy", "continued", length, at_rate(1 + later, length), hiwater_rss_bytes=8 << 20)
    # A pool that shrinks in the second window, and is the busier for it.
    yield thread(200, 200, "pool", "pool", "continued", length, at_rate(0.01, length))
    for i in range(4):
        gone = later and i > 1
        yield thread(200, 201 + i, "pool", f"worker-{i}", "exited" if gone else "continued", length,
                     at_rate(0.2 if gone else 1 if later else 0.5, length), life=length / 3 if gone else None)
    # Born inside, and born and gone inside: they were observed longer than they lived.
    yield thread(300, 300 + later, "new", "new", "born", length, at_rate(2, length / 3), born=begin + 200, life=length / 3)
    for i in range(3 * (1 + later)):
        yield thread(400 + i, 400 + i, "sh", "sh", "passed", length, at_rate(4, 0.25), born=begin + 300 + i, life=0.25)
    # 1000 in 10 s and 1000 in 5 s are 300 a second.
    for i, seconds in enumerate((10, 5)):
        yield thread(500, 500 + i, "exact", f"exact-{i}", "born", seconds,
                     at_rate(1, seconds) | {"minflt": 1000}, born=begin + 50 + i)
    # Nothing of it was seen but CPU time, and little of that.
    yield thread(600, 600, "few", "few", "continued", length, {"utime_clock_ticks": 5, "stime_clock_ticks": 0})
    # Idle.
    yield thread(700, 700, "idle", "idle", "continued", length, at_rate(0, length))
    # In one of the windows only.
    name = "after" if later else "before"
    yield thread(800 + later, 800 + later, name, name, "exited", length, at_rate(1, length / 2), life=length / 2)


def snapshot(length, later):
    rows = list(threads(length, later))
    begin = (1000 + 40 * later) * SECOND
    end = begin + length * SECOND
    parts = {part: sum(row["window_part"] == part for row in rows) for part in ("continued", "born", "exited", "passed")}
    window = {"exits": "recorded", "begin_unix_ns": 1767225600 * SECOND + begin, "begin_boottime_ns": begin,
              "length_ns": length * SECOND + 2_000_000}
    window |= {"threads_" + part: count for part, count in parts.items()}
    window |= {"threads_lost": 0 if later else 2, "threads_missed": 0 if later else 7, "values_went_back": 1 - later,
               "unaccounted_clock_ticks": 0 if later else 37, "read_skew_ns": 20_000_000}
    if later:
        window |= {"exit_records": 12, "exit_overruns": 2, "exit_ends": 0}
    for row in rows:
        if row["window_part"] in ("continued", "born"):
            row["read_boottime_ns"] = end
    return rows, {
        "format": "ctprof", "version": 1, "kind": "window", "captured_at_unix_ns": 1767225600 * SECOND + end,
        "captured_boottime_ns": end, "window": window,
        "host": {"tool_version": "0.1.0", "source": "procfs", "hostname": "node-1", "kernel_name": "Linux",
                 "kernel_release": "6.12.107", "arch": "x86_64", "boot_id": "00000000-1111-4222-8333-444444444444",
                 "pid_namespace": "pid:[4026531836]", "clock_ticks_per_second": HZ, "online_cpus": 4,
                 "total_threads": len(rows)},
        "threads": rows,
        "parse_summary": {"tgids_walked": len({row["tgid"] for row in rows}), "tids_walked": len(rows)},
        "sources": {name: {"rule": "read", "read": len(rows)} for name in ("stat", "schedstat", "io", "taskstats")},
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make-window.py DIR")
    for name, length, later in (("baseline", 30, 0), ("candidate", 60, 1)):
        rows, whole = snapshot(length, later)
        text = {key: json.dumps(value, separators=(",", ":")) for key, value in whole.items()}
        text["threads"] = "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]"
        with open(f"{sys.argv[1]}/window-{name}.json", "w", encoding="utf-8") as file:
            file.write("{" + ",\n".join(f'"{key}":{value}' for key, value in text.items()) + "}\n")


main()
