#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rates.py CTPROF FILE.json FILE.zst...: what --per makes of counters, and what it says they may be off by, is what this
makes of the same threads in exact fractions, written from the manual alone. Each JSON text is what is in its file.
"""
import json
import subprocess
import sys
from fractions import Fraction

SECOND = 10**9
HZ, CPUS = "clock_ticks_per_second", "online_cpus"
PERCENTS = {"cpu_percent": 1, "cpu_percent_host": None, "cpu_lifetime_percent": 1}
USER, SYSTEM, RUN = "utime_clock_ticks", "stime_clock_ticks", "run_time_ns"


def near(found, wanted, digits):
    if found is None or wanted is None:
        return found is wanted
    # Each thread's rate is cut off at 2^-32.
    return abs(Fraction(found) - wanted) <= abs(wanted) / 10**digits + Fraction(1, 10**6)


class Oracle:
    def __init__(self, snapshot, units):
        self.units = units
        self.window = snapshot.get("window")
        self.host = snapshot["host"]
        self.groups = {}
        births = {row["tgid"]: row["start_time_clock_ticks"] for row in reversed(snapshot["threads"])}
        for row in snapshot["threads"]:
            # The rates of a life are those of its process.
            age = row.get("read_boottime_ns", 0) - births[row["tgid"]] * SECOND // self.host[HZ]
            row["interval"] = row["interval_ns"] if self.window else age
            self.groups.setdefault(row["pcomm"], []).append(row)

    def exited(self, rows, metric):
        """What the totals of a process exceed its threads by."""
        for process in {row["tgid"] for row in rows}:
            threads = [row for row in rows if row["tgid"] == process]
            for totals in (row["process_totals"] for row in threads if "process_totals" in row):
                if metric in totals and all(metric in row for row in threads):
                    yield max(0, totals[metric] - sum(row[metric] for row in threads)), threads[-1]["interval"]

    def sum(self, rows, metric, per_second=False, with_exited=True):
        parts = [(row[metric], row["interval"]) for row in rows if metric in row]
        if not parts:
            return None
        if with_exited:
            parts += self.exited(rows, metric)
        return sum(Fraction(value * SECOND, interval) if per_second else Fraction(value) for value, interval in parts)

    def value(self, rows, metric, per):
        total, seen = self.sum(rows, metric), sum(metric in row for row in rows)
        if total is None or per == "total":
            return total
        if per == "second":
            return self.sum(rows, metric, per_second=True)
        if per == "thread":
            return self.sum(rows, metric, with_exited=False) / seen
        run_time = self.sum(rows, RUN)
        return total * SECOND / run_time if run_time and seen == sum(RUN in row for row in rows) else None

    def steps(self, rows, metric):
        """In clock ticks or in nanoseconds."""
        seen = sum(metric in row for row in rows)
        parts = [row.get("window_part") for row in rows] if self.window else []
        complete = self.window and self.window.get("exits") == "completed"
        passed, ended = parts.count("passed"), parts.count("passed") + parts.count("exited")
        if metric in (USER, SYSTEM):
            return max(0, seen - passed) + (passed > 0) if complete else seen
        if metric != RUN:
            return 0
        ticks = min(max(0, seen - passed), self.host[CPUS]) if complete else min(max(0, seen - ended), self.host[CPUS]) + ended
        return ticks * Fraction(SECOND, self.host[HZ])

    def error(self, rows, metric, per):
        value = self.value(rows, metric, per)
        if value is None or not self.window and metric not in (USER, SYSTEM, RUN):
            return None
        skew = Fraction(self.window["read_skew_ns"], self.window["length_ns"]) if self.window else 0
        mean = sum(Fraction(SECOND, row["interval"]) for row in rows) / len(rows)
        whole = self.steps(rows, metric) + skew * self.sum(rows, metric)
        if per == "second":
            return self.steps(rows, metric) * mean + skew * value
        if per == "thread":
            return whole / sum(metric in row for row in rows)
        if per == "cpu-second":
            run_time = self.sum(rows, RUN)
            off = self.steps(rows, RUN) + skew * run_time
            return None if metric == RUN else (whole * SECOND + value * off) / run_time
        return whole

    def percent(self, rows, name):
        if (name == "cpu_lifetime_percent") == bool(self.window) or not any(USER in row for row in rows):
            return None, None
        cpus = PERCENTS[name] or self.host[CPUS]
        value = 100 * (self.sum(rows, USER, True) + self.sum(rows, SYSTEM, True)) / self.host[HZ] / cpus
        mean = sum(Fraction(SECOND, row["interval"]) for row in rows) / len(rows)
        skew = Fraction(self.window["read_skew_ns"], self.window["length_ns"]) if self.window else 0
        return value, 100 * (self.steps(rows, USER) + self.steps(rows, SYSTEM)) * mean / self.host[HZ] / cpus + skew * value

    def check(self, row, per):
        rows, metric = self.groups[row["group"]], row["metric"]
        if metric in PERCENTS:
            value, error = self.percent(rows, metric)
        else:
            value, error = self.value(rows, metric, per), self.error(rows, metric, per)
        for name, found, wanted, digits in (("value", row["value"], value, 9), ("error", row["error"], error, 6)):
            if not near(found, wanted, digits):
                sys.exit(f"--per {per}: {name} of {metric} of {row['group']} is {found} and not {wanted and float(wanted)}")


def main():
    ctprof, files = sys.argv[1], sys.argv[2:]
    registry = json.loads(subprocess.run([ctprof, "metric-list", "-f", "json"], check=True, stdout=subprocess.PIPE).stdout)
    # Time lived is no field of a thread.
    units = {m["name"]: m["unit"] for m in registry["metrics"] if m["rule"] == "sum" and m["name"] not in ("thread_count", "lived_ns")}
    count = 0
    for text, packed in zip(files[::2], files[1::2]):
        with open(text, encoding="utf-8") as file:
            oracle = Oracle(json.load(file), units)
        for per in ("total", "second", "thread", "cpu-second"):
            output = subprocess.run(
                [ctprof, "show", "-f", "json", "--per", per, "--no-thread-normalize", "-m", ",".join([*units, *PERCENTS]), "-c",
                 "group,metric,value,error", packed], check=True, stdout=subprocess.PIPE).stdout
            for row in json.loads(output)["rows"]:
                oracle.check(row, per)
                count += row["value"] is not None
    if count < 500:
        sys.exit(f"only {count} values were there to be compared")
    print(f"{count} values agree")


main()
