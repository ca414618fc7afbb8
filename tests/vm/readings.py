# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel's own files said around a capture, under the names that ctprof has for it.

This shares nothing with ctprof: the text comes from grep and from work.c, and is understood here.
"""
import re
import struct

# Fields of /proc/<pid>/stat, by their number in proc(5).
STAT = {"minflt": 10, "majflt": 12, "utime_clock_ticks": 14, "stime_clock_ticks": 15, "priority": 18, "nice": 19,
        "start_time_clock_ticks": 22, "processor": 39, "rt_priority": 40}
# Fields in which the children show that a process has waited for.
STAT_CHILDREN = (11, 13, 16, 17)
STAT_PROCESS = ("minflt", "majflt", "utime_clock_ticks", "stime_clock_ticks")
SCHED_NAMES = {"nr_voluntary_switches": "voluntary_csw", "nr_involuntary_switches": "nonvoluntary_csw",
               "sum_block_runtime": "block_sum", "slice": "fair_slice_ns"}
SCHED_MS = {"wait_sum", "wait_max", "sum_sleep_runtime", "sleep_max", "sum_block_runtime", "block_max", "iowait_sum",
            "exec_max", "slice_max", "core_forceidle_sum"}
SCHED_COUNTS = re.compile(r"nr_wakeups|nr_migrations|nr_forced|nr_failed|wait_count|iowait_count|nr_.*switches|slice$")
# Offsets of pairs of 64 bits in struct taskstats as <linux/taskstats.h> has them up to version 14.
TASKSTATS = {"cpu": 16, "blkio": 32, "swapin": 48, "freepages": 312, "thrashing": 328, "compact": 352,
             "wpcopy": 400, "irq": 416}
CGROUP_FLAT = ("cpu.stat", "memory.stat", "memory.events")


def milliseconds(text):
    """Nanoseconds of "12.345678"."""
    whole, _, fraction = text.partition(".")
    return int(whole) * 10**6 + int((fraction + "000000")[:6])


def stat_line(line, ret):
    fields = line[line.rindex(")") + 2:].split()
    for metric, number in STAT.items():
        ret[metric] = int(fields[number - 3])
    ret["state"] = fields[0]
    return any(fields[number - 3] != "0" for number in STAT_CHILDREN)


def sched_line(line, ret):
    key, _, text = line.partition(":")
    key, text = key.strip().rpartition(".")[2], text.strip()
    if key in SCHED_MS:
        ret[SCHED_NAMES.get(key, key)] = milliseconds(text)
    elif SCHED_COUNTS.match(key):
        ret[SCHED_NAMES.get(key, key)] = int(text)
    if key == "sum_block_runtime":
        ret["voluntary_sleep_ns"] = ret["sum_sleep_runtime"] - ret["block_sum"]


def taskstats_payload(data, is_process):
    """Version and values of a struct taskstats."""
    version = struct.unpack_from("=H", data)[0]
    ret = {}
    if version > 14:
        return version, ret
    for bucket, at in TASKSTATS.items():
        if at + 16 <= len(data):
            count, total = struct.unpack_from("=QQ", data, at)
            ret[f"{bucket}_delay_count"], ret[f"{bucket}_delay_total_ns"] = count, total
    if not is_process:
        rss, size = struct.unpack_from("=QQ", data, 200)
        ret["hiwater_rss_bytes"], ret["hiwater_vm_bytes"] = rss * 1024, size * 1024
    return version, ret


def pressure_line(line, ret):
    """some avg10=0.00 avg60=0.00 avg300=0.00 total=0"""
    row, *words = line.split()
    ret[row] = int(dict(word.split("=") for word in words)["total"])


class Readings:
    """threads and processes by id, cgroups by their path below /vm ("" is /vm), pressure by resource."""

    def __init__(self, directory, when):
        self.threads, self.processes, self.smaps = {}, {}, {}
        self.cgroups, self.pressure = {}, {}
        self.parents = set()  # processes that have waited for children
        self.taskstats_version = None
        with open(f"{directory}/readings.{when}", encoding="utf-8", errors="replace") as file:
            for line in file:
                path, _, text = line.rstrip("\n").partition(":")
                self.add(path, text)
        with open(f"{directory}/taskstats.{when}", encoding="ascii") as file:
            for line in file:
                kind, ident, payload = line.split()
                self.taskstats_version, values = taskstats_payload(bytes.fromhex(payload), kind == "process")
                where = self.processes if kind == "process" else self.threads
                where.setdefault(int(ident), {}).update(values)

    def add(self, path, text):
        match = re.match(r"/proc/(\d+)/(?:task/(\d+)/)?(\w+)$", path)
        if match:
            self.add_task(match, text)
        elif path.startswith("/proc/pressure/"):
            pressure_line(text, self.pressure.setdefault(path.rpartition("/")[2], {}))
        else:
            match = re.match(r"/sys/fs/cgroup/vm/(?:(\w+(?:/\w+)*)/)?([a-z.]+)$", path)
            if match:
                self.add_cgroup(self.cgroups.setdefault(match.group(1) or "", {}), match.group(2), text)

    def add_task(self, match, text):
        tgid, tid, file = match.groups()
        ret = self.processes.setdefault(int(tgid), {}) if tid is None else self.threads.setdefault(int(tid), {})
        if file == "stat":
            stat = {}
            if stat_line(text, stat) and not tid:
                self.parents.add(int(tgid))
            ret.update(stat if tid else {metric: stat[metric] for metric in STAT_PROCESS})
        elif file == "schedstat":
            ret["run_time_ns"], ret["wait_time_ns"], ret["timeslices"] = map(int, text.split())
        elif file == "io":
            key, _, value = text.partition(": ")
            ret[key] = int(value)
        elif file == "sched" and ":" in text:
            sched_line(text, ret)
        elif file == "smaps_rollup":
            words = re.match(r"(\w+): +(\d+) kB$", text)
            if words:
                self.smaps.setdefault(int(tgid), {})[words.group(1)] = int(words.group(2))

    @staticmethod
    def add_cgroup(ret, file, text):
        if file in CGROUP_FLAT:
            key, value = text.split()
            ret.setdefault(file, {})[key] = int(value)
        elif file == "io.stat":
            device, *words = text.split()
            ret.setdefault(file, {})[device] = {key: int(value) for key, value in (word.split("=") for word in words)}
        elif file.endswith(".pressure") and text.split()[0] in ("some", "full"):
            pressure_line(text, ret.setdefault(file, {}))
        else:
            ret[file] = text
