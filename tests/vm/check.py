#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.py on|off FILES METRICS CTPROF: what came out of one boot against what the kernel itself said and what the
work must have done. FILES is the folder that init made, METRICS the output of ctprof metric-list --format json.
"""
import json
import os
import subprocess
import sys

import expected
from readings import Readings

NOBODY = "sleeper"  # the work that runs as nobody
PRESSURE_FILES = {"cpu": "cpu.pressure", "memory": "memory.pressure", "io": "io.pressure"}
BLKIO = {"blkio_delay_count", "blkio_delay_total_ns"}
IO_TOTALS = {"rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"}
# Values of a cgroup that only grow: (keys in the snapshot, file, key in it).
CGROUP_COUNTERS = [(("cpu", key), "cpu.stat", key) for key in
                   ("usage_usec", "user_usec", "system_usec", "nr_periods", "nr_throttled", "throttled_usec")]


class Checks:
    def __init__(self):
        self.count, self.failures = 0, []

    def that(self, holds, text):
        self.count += 1
        if not holds:
            self.failures.append(text)

    def between(self, what, low, value, high):
        holds = value is not None and (low is None or low <= value) and (high is None or value <= high)
        self.that(holds, f"{what} is {value}, not from {low} to {high}")


def dig(tree, keys):
    for key in keys:
        if not isinstance(tree, dict) or key not in tree:
            return None
        tree = tree[key]
    return tree


class Boot:
    def __init__(self, mode, directory, metrics, ctprof):
        self.on, self.directory, self.ctprof = mode == "on", directory, ctprof
        self.name = os.path.basename(os.path.dirname(os.path.abspath(directory)))
        self.metrics = [metric for metric in metrics if metric["source"] != "synthetic"]
        self.type_of = {metric["name"]: metric["type"] for metric in metrics}
        self.config = set(self.read("kernel-config").split("\n"))
        self.work = {name: int(pid) for name, pid in (line.split() for line in self.read("pids").splitlines())}
        self.snapshots = {when: json.loads(self.read(f"{when}.json")) for when in ("a", "b", "nobody")}
        self.before = {when: Readings(directory, f"{when}.before") for when in self.snapshots}
        self.after = {when: Readings(directory, f"{when}.after") for when in self.snapshots}
        self.version = self.after["b"].taskstats_version
        has_slice = any("fair_slice_ns" in values for values in self.after["b"].threads.values())
        self.impossible = expected.exceptions(metrics, self.config, self.version, has_slice)
        self.checks = Checks()

    def read(self, name):
        with open(f"{self.directory}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()

    def rows(self, when, name):
        return [row for row in self.snapshots[when]["threads"] if row["tgid"] == self.work[name]]

    def total(self, when, name, metric):
        """Over the living threads; None where none has it."""
        values = [row[metric] for row in self.rows(when, name) if metric in row]
        return sum(values) if values else None

    def delta(self, name, metric):
        low, high = self.total("a", name, metric), self.total("b", name, metric)
        return None if low is None or high is None else high - low

    def reason(self, when, row, metric):
        """Why a row lacks a metric, as ctprof-snapshot(5) says."""
        missing, source = row.get("missing", {}), metric["source"]
        rule = self.snapshots[when]["sources"][source]["rule"]
        return missing.get(metric["name"]) or missing.get(source) or (rule if rule != "read" else "off")

    def gate_is_off(self, metric):
        """Whether a run-time toggle, off in this boot, keeps the metric from being counted."""
        gates = metric["gates"]
        return not self.on and ("SCHEDSTATS" in gates or "TASK_DELAY_ACCT" in gates
                                and not metric["name"].startswith(("cpu_delay", "cpu_run")))

    # Values that are seen.

    def check_seen(self):
        """Every metric is seen somewhere, but for those that this kernel cannot give: those nowhere, and with the
        reason off or, where the tool does not try, skipped."""
        excepted = dict(self.impossible)
        for metric in self.metrics:
            name = metric["name"]
            if self.gate_is_off(metric):
                excepted.setdefault(name, "switched off")
        for when in ("a", "b"):
            rows = self.snapshots[when]["threads"]
            for metric in self.metrics:
                name = metric["name"]
                seen = [row for row in rows if name in row]
                if name not in excepted:
                    reasons = sorted({self.reason(when, row, metric) for row in rows if name not in row})
                    self.checks.that(seen, f"{when}: {name} is not seen; reasons: {', '.join(reasons)}")
                    continue
                self.checks.that(not seen, f"{when}: {name} is seen at {len(seen)} threads, as "
                                 f"{seen[0][name] if seen else None}, although: {excepted[name]}")
                wrong = {self.reason(when, row, metric) for row in rows if name not in row} - {"off"}
                self.checks.that(not wrong, f"{when}: {name} is missing as {', '.join(sorted(wrong))}, not as off")
            totals = {name for row in rows for name in row.get("process_totals", {})}
            self.checks.that(not totals & set(excepted), f"{when}: process totals have {totals & set(excepted)}")
        if not self.on:
            psi = self.snapshots["b"].get("psi")
            self.checks.that(not psi, f"psi is {psi}, although it is off")
        self.tell_exceptions(excepted)

    def tell_exceptions(self, excepted):
        by_reason = {}
        for name, reason in excepted.items():
            by_reason.setdefault(reason, []).append(name)
        for reason, names in sorted(by_reason.items()):
            print(f"{self.name}: not to be seen, {reason}: {' '.join(names)}")

    def check_host(self):
        host = self.snapshots["b"]["host"]
        state = "on" if self.on else "runtime_off"
        for key in ("task_delayacct", "sched_schedstats"):
            self.checks.that(host.get(key) == state, f"host.{key} is {host.get(key)}, not {state}")
        self.checks.that(host.get("cgroup_mode") == "v2", f"host.cgroup_mode is {host.get('cgroup_mode')}, not v2")
        for source in ("stat", "schedstat", "sched", "io", "cgroup", "affinity", "taskstats"):
            rule = dig(self.snapshots["b"], ("sources", source, "rule"))
            self.checks.that(rule == "read", f"the rule of {source} is {rule}, not read")
        for when in ("a", "b"):
            summary = self.snapshots[when].get("parse_summary", {})
            malformed = [(row["comm"], metric) for row in self.snapshots[when]["threads"]
                         for metric, reason in row.get("missing", {}).items() if reason == "malformed"]
            self.checks.that({metric for _, metric in malformed} <= BLKIO, f"{when}: malformed: {malformed}")
            for key, want in (("malformed_values", len(malformed)), ("read_failures", 0)):
                self.checks.that(summary.get(key) == want, f"{when}: {key} is {summary.get(key)}, not {want}")
            error = self.read(f"{when}.err")
            self.checks.that(error == "", f"{when}: capture said: {error}")
        sched_ext = self.snapshots["b"].get("sched_ext", {})
        self.checks.that(not sched_ext, f"sched_ext is {sched_ext}, which this kernel does not have")

    def is_absurd(self, when, row):
        """Linux 6.12 now and then notes the start of a wait for a block device in another thread's record; in its own
        one the wait then is as long as the system is up. That is more than the thread has lived."""
        total = self.after[when].threads.get(row["tid"], {}).get("blkio_delay_total_ns", 0)
        tick = 10**9 // self.snapshots[when]["host"]["clock_ticks_per_second"]
        return total > self.snapshots[when]["captured_boottime_ns"] - row["start_time_clock_ticks"] * tick + 2 * 10**9

    # Against the kernel's own files.

    def check_brackets(self, when):
        """Whatever only grows is between the readings before and after; whatever stood still is the same."""
        compared = 0
        off = {metric["name"] for metric in self.metrics if self.gate_is_off(metric)} | set(self.impossible)
        denied = when == "nobody"
        for row in self.snapshots[when]["threads"]:
            low, high = (readings[when].threads.get(row["tid"]) for readings in (self.before, self.after))
            if low is None or high is None:
                continue
            names = [name for name in self.type_of if name in low and name in high and name not in off]
            for name in names:
                if denied and name not in row:
                    continue
                if name in BLKIO and self.is_absurd(when, row):
                    self.checks.that("blkio_delay_total_ns" not in row, f"{when}: blkio of {row['comm']} is absurd")
                    continue
                self.bracket(f"{when}: {name} of {row['comm']} ({row['tid']})", self.type_of[name], low[name],
                             row.get(name), high[name])
                compared += 1
        for name, tgid in self.work.items():
            rows = self.rows(when, name)
            low, high = self.before[when].processes[tgid], self.after[when].processes[tgid]
            totals = rows[-1].get("process_totals", {}) if rows else {}
            self.checks.that(not BLKIO & set(totals), f"{when}: {name} has totals of blkio, which cannot be trusted")
            is_parent = tgid in self.before[when].parents
            if is_parent:
                # Values of children that cannot be separated from those of exited threads.
                self.checks.that("rchar" not in totals, f"{when}: {name} has io totals of children")
            for metric in set(low) & set(high) - off - BLKIO:
                if is_parent and metric in IO_TOTALS or denied and metric not in totals:
                    continue
                self.bracket(f"{when}: process total {metric} of {name}", self.type_of[metric], low[metric],
                             totals.get(metric), high[metric])
                compared += 1
            compared += self.check_smaps(when, name, rows)
        return compared

    def bracket(self, what, kind, low, value, high):
        if kind.startswith(("counter", "peak")):
            self.checks.between(what, low, value, high)
        elif low == high:
            self.checks.that(value == low, f"{what} is {value}, not {low}")

    def check_smaps(self, when, name, rows):
        tgid = self.work[name]
        low, high = self.before[when].smaps.get(tgid, {}), self.after[when].smaps.get(tgid, {})
        have = rows[0].get("smaps_rollup_kib") if rows else None
        if when == "nobody" and name != NOBODY:
            self.checks.that(have is None, f"nobody: smaps_rollup of {name} was read")
            return 0
        for key in set(low) & set(high):
            # Reclaim may take a page in between.
            bounds = sorted((low[key], high[key]))
            self.checks.between(f"{when}: {key} of smaps_rollup of {name}", bounds[0], dig(have, (key,)), bounds[1])
        return len(low)

    def check_cgroups(self, when):
        """Each cgroup's counters and limits, and the pressure of the host, against their files."""
        stats = self.snapshots[when].get("cgroup_stats", {})
        compared = 0
        for work in self.work:
            name = expected.PLACES.get(work, work)
            have = stats.get(f"/vm/{name}")
            if have is None:
                self.checks.that(False, f"{when}: cgroup /vm/{name} is missing")
                continue
            low, high = (readings[when].cgroups[name] for readings in (self.before, self.after))
            counters = list(CGROUP_COUNTERS)
            counters += [(("memory", "events", key), "memory.events", key) for key in low.get("memory.events", {})]
            counters += [(("memory", "stat", key), "memory.stat", key) for key in low.get("memory.stat", {})
                         if key.startswith(("pg", "workingset_", "thp_"))]
            counters += [(("psi", resource, row, "total_usec"), file, row)
                         for resource, file in PRESSURE_FILES.items() for row in low.get(file, {})]
            for keys, file, key in counters:
                want, value = dig(low, (file, key)), dig(have, keys)
                what = f"{when}: {'.'.join(keys)} of /vm/{name}"
                if want is None:
                    self.checks.that(value is None, f"{what} is {value}, which the kernel does not say")
                    continue
                self.checks.between(what, want, value, high[file][key])
                compared += 1
            compared += self.check_devices(when, name, have, low, high)
            compared += self.check_files(when, name, have, low, high)
        for resource, rows in self.before[when].pressure.items():
            for row, total in rows.items():
                self.checks.between(f"{when}: host {resource}.{row}", total,
                                    dig(self.snapshots[when], ("psi", resource, row, "total_usec")),
                                    self.after[when].pressure[resource][row])
                compared += 1
        return compared

    def check_devices(self, when, name, have, low, high):
        compared = 0
        for device, values in low.get("io.stat", {}).items():
            for key, value in values.items():
                self.checks.between(f"{when}: io.stat {device} {key} of /vm/{name}", value,
                                    dig(have, ("io", "stat", device, key)), high["io.stat"][device][key])
                compared += 1
        return compared

    def check_files(self, when, name, have, low, high):
        """Files of one value, which stand still."""
        compared = 0
        for file in ("memory.current", "memory.peak", "memory.swap.current", "memory.max", "memory.high", "memory.low",
                     "memory.min", "memory.swap.max", "pids.current", "pids.peak", "pids.max", "cpu.weight",
                     "cpu.weight.nice", "cpuset.cpus.effective"):
            if file not in low or low[file] != high[file]:
                continue
            controller, _, key = file.partition(".")
            text = low[file]
            want = text if file.startswith("cpuset") else None if text == "max" else int(text)
            key = key.replace(".", "_")
            value = dig(have, (controller, key))
            there = key in have.get(controller, {})
            self.checks.that(there and value == want, f"{when}: {file} of /vm/{name} is {value}, not {want}")
            compared += 1
        if not self.on:
            wrong = set(have) - {"cpu", "ids", "read_boottime_ns"}
            self.checks.that(not wrong, f"{when}: /vm/{name} has {wrong}, without controllers")
            wrong = set(have.get("cpu", {})) - {"usage_usec", "user_usec", "system_usec"}
            self.checks.that(not wrong, f"{when}: /vm/{name} has {wrong} of cpu, without the controller")
        return compared

    # Limits and throttling from above.

    def above(self, readings, place):
        """The files of the cgroup itself and of those above it, the nearest first, as (name, files)."""
        while True:
            yield "/vm" + (f"/{place}" if place else ""), readings.cgroups.get(place, {})
            if not place:
                return
            place = place.rpartition("/")[0]

    def effective(self, when, place, file):
        """The smallest limit and whose it is; (None, None) without a limit, and False where no cgroup has the file."""
        best, by, found = None, None, False
        for name, files in self.above(self.before[when], place):
            words = files.get(file, "").split()
            found = found or bool(words)
            if not words or words[0] == "max":
                continue
            value = 100 * int(words[0]) / int(words[1]) if file == "cpu.max" else int(words[0])
            if best is None or value < best:
                best, by = value, name
        return (best, by) if found else False

    def shown(self, when):
        """{(cgroup, metric): value} as show has it."""
        command = [self.ctprof, "show", "--format", "json", "--group-by", "cgroup", "--no-cg-normalize", "--sections",
                   "cgroup-stats,cgroup-limits", f"{self.directory}/{when}.zst"]
        rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["rows"]
        return {(row["group"], row["metric"]): row["value"] for row in rows}

    def check_above(self, when):
        """What each cgroup is subject to from above, against the files of those above it."""
        shown = self.shown(when)
        places = {expected.PLACES.get(work, work) for work in self.work} | {"above", "above/plain"}
        for place in sorted(places):
            group = f"/vm/{place}"
            for metric, file in (("cpu_limit", "cpu.max"), ("memory_limit", "memory.max"),
                                 ("memory_high_limit", "memory.high"), ("pids_limit", "pids.max")):
                value = shown.get((group, "cpu_limit_percent" if metric == "cpu_limit" else metric))
                by = shown.get((group, f"{metric}_by"))
                want = self.effective(when, place, file)
                if want is False:
                    self.checks.that(value is None and by is None,
                                     f"{when}: {metric} of {group} is {value} of {by}, which no file says")
                    continue
                number = "max" if want[0] is None else want[0]
                self.checks.that((value, by) == (number, want[1]),
                                 f"{when}: {metric} of {group} is {value} of {by}, not {number} of {want[1]}")
                if self.on and (place, metric) in expected.EFFECTIVE:
                    self.checks.that(want == expected.EFFECTIVE[place, metric],
                                     f"{when}: the files of {group} say {metric} {want}: init did not set it")
            self.check_throttled_by(when, place, shown)

    def check_throttled_by(self, when, place, shown):
        group = f"/vm/{place}"
        have = [shown.get((group, metric)) for metric in ("throttled_by", "throttled_by_periods", "throttled_by_usec")]
        if not self.on:
            # The root may have the counts of the controller, which stand still there.
            self.checks.that(have in ([None] * 3, [None, 0, 0]),
                             f"{when}: {group} is throttled by {have}, without the controller")
            return
        stats = [[(name, files["cpu.stat"]) for name, files in list(self.above(readings[when], place))[1:]
                  if files.get("cpu.stat", {}).get("nr_throttled", 0) > 0] for readings in (self.before, self.after)]
        longest = [max(((stat["throttled_usec"], name) for name, stat in side), default=(0, None))[1] for side in stats]
        if longest[0] == longest[1]:
            self.checks.that(have[0] == longest[0], f"{when}: {group} is throttled by {have[0]}, not {longest[0]}")
        for value, key in zip(have[1:], ("nr_throttled", "throttled_usec")):
            low, high = (sum(stat[key] for _, stat in side) for side in stats)
            self.checks.between(f"{when}: {key} of all above {group}", low, value, high)

    def check_stopped(self):
        """Work below a quota of the cgroup above was stopped by it between the captures, and others were not."""
        rows = {(row["group"], row["metric"]): row for row in
                self.compare("--group-by", "cgroup", "--no-cg-normalize", "--sections", "cgroup-stats")}
        low, high = (sign * (self.after[first].cgroups["above"]["cpu.stat"]["throttled_usec"]
                             - self.before[second].cgroups["above"]["cpu.stat"]["throttled_usec"])
                     for sign, first, second in ((-1, "a", "b"), (1, "b", "a")))
        self.checks.between("throttled_usec of /vm/above by its file", 300000, low, None)
        for work in expected.STOPPED_FROM_ABOVE:
            group = f"/vm/{expected.PLACES[work]}"
            self.checks.between(f"throttled_by_usec of {group}, compared", low,
                                dig(rows, ((group, "throttled_by_usec"), "delta")), high)
            self.checks.that(dig(rows, ((group, "throttled_by"), "candidate")) == "/vm/above",
                             f"{group} is throttled by {rows.get((group, 'throttled_by'))}")
        self.checks.that(dig(rows, (("/vm/throttled", "throttled_by_usec"), "delta")) == 0,
                         "/vm/throttled is stopped by another cgroup than itself")

    # The values of the work.

    def check_moves(self):
        off = {metric["name"] for metric in self.metrics if self.gate_is_off(metric)}
        quiet = {metric: (0, most) for metric, most in expected.QUIET.items()}
        for name in self.work:
            table = expected.MOVES[name] if self.on else expected.MOVES_OFF.get(name, expected.MOVES[name])
            for metric, (low, high) in {**quiet, **table}.items():
                if metric in off or metric in BLKIO and any(self.is_absurd("b", row) for row in self.rows("b", name)):
                    continue
                self.checks.between(f"{name} moved {metric}: it", low, self.delta(name, metric), high)
        if self.on:
            self.check_cgroup_moves()
        self.checks.that([row["nice"] for row in self.rows("b", "starved") if row["comm"] == "starved"] == [19],
                         "the starved thread is not nice")

    def check_cgroup_moves(self):
        a, b = (self.snapshots[when].get("cgroup_stats", {}) for when in ("a", "b"))
        for name, table in expected.CGROUP_MOVES.items():
            for keys, (low, high) in table.items():
                # A device is not listed before its first request.
                old = dig(a, (f"/vm/{name}",) + keys) or 0
                new = dig(b, (f"/vm/{name}",) + keys)
                self.checks.between(f"/vm/{name} moved {'.'.join(keys)}: it", low, None if new is None else new - old,
                                    high)
        for name, table in expected.CGROUP_LIMITS.items():
            for keys, want in table.items():
                have = dig(b, (f"/vm/{name}",) + keys)
                there = keys[-1] in (dig(b, (f"/vm/{name}",) + keys[:-1]) or {})
                self.checks.that(there and have == want, f"{'.'.join(keys)} of /vm/{name} is {have}, not {want}")

    def compare(self, *options):
        command = [self.ctprof, "compare", "--format", "json", "--unchanged", *options,
                   f"{self.directory}/a.zst", f"{self.directory}/b.zst"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["rows"]

    def check_churn(self):
        """Nearly all of what a process did was done by threads that lived between the captures only."""
        rows = {row["metric"]: row for row in self.compare("--group-by", "pcomm")
                if row["group"] == "churn"}
        for metric, (low, high) in expected.CHURN.items():
            self.checks.between(f"churn, compared: {metric}", low, dig(rows, (metric, "delta")), high)
        burnt, whole = map(int, self.read("churn.out").split())
        ticks = self.snapshots["b"]["host"]["clock_ticks_per_second"]
        used = sum(dig(rows, (metric, "delta")) or 0 for metric in ("utime_clock_ticks", "stime_clock_ticks"))
        living = self.delta("churn", "run_time_ns") or 0
        self.checks.between("churn: what its threads burnt", 200 * 10 * 10**6, burnt, whole)
        # The kernel's exit records are made a little before the end of a thread.
        self.checks.between("churn, compared: run_time_ns", whole * 88 // 100, dig(rows, ("run_time_ns", "delta")),
                            whole * 105 // 100)
        self.checks.between("churn, compared: CPU time of stat", whole * 95 // 100, used * 10**9 // ticks,
                            whole * 105 // 100)
        self.checks.between("churn: what living threads alone would show", 0, living, whole * 50 // 100)

    # A user without rights runs these captures.

    def check_nobody(self):
        snapshot, rows = self.snapshots["nobody"], self.snapshots["nobody"]["threads"]
        mine = {self.work[NOBODY]} | {row["tgid"] for row in rows if row["comm"] == "ctprof"}
        self.checks.that(len(rows) + 3 >= len(self.snapshots["b"]["threads"]), "nobody sees fewer threads")
        taskstats = snapshot["sources"]["taskstats"]
        self.checks.that(taskstats["rule"] == "denied", f"nobody: the rule of taskstats is {taskstats}")
        wanted = {"taskstats": "denied", "io": "denied"}
        for row in rows:
            who = f"nobody: {row['comm']} ({row['tid']})"
            for metric in self.metrics:
                name, source = metric["name"], metric["source"]
                if source == "taskstats" or source == "io" and row["tgid"] not in mine:
                    self.checks.that(name not in row, f"{who} has {name}")
                    reason = self.reason("nobody", row, metric)
                    self.checks.that(reason == wanted[source], f"{who} lacks {name} as {reason}")
                elif source == "io":
                    self.checks.that(name in row, f"{who} is nobody's own, and has no {name}")
            totals = row.get("process_totals", {})
            self.checks.that(row["tgid"] in mine or "rchar" not in totals, f"{who} has io totals of the process")
            self.checks.that("cpu_delay_count" not in totals, f"{who} has taskstats of the process")
        for name in ("run_time_ns", "minflt", "voluntary_csw", "cpu_affinity"):
            self.checks.that(all(name in row for row in rows), f"nobody: {name} is not seen everywhere")
        if self.on:
            self.checks.that(any("wait_sum" in row for row in rows), "nobody: wait_sum is not seen")

    # The findings of doctor, against the capture.

    def check_doctor(self, user, when):
        doctor = json.loads(self.read(f"doctor.{user}.json"))
        families = {family["name"]: family for family in doctor["families"]}
        rows = self.snapshots[when]["threads"]
        for name, family in families.items():
            seen = {metric for metric in family["metrics"] if any(metric in row for row in rows)}
            what = f"doctor as {user}: {name} is {family['state']}"
            if family["state"] == "available":
                # No program here has jemalloc.
                missing = set(family["metrics"]) - seen if name != "jemalloc" else set()
                self.checks.that(not missing, f"{what}, but capture saw no {' '.join(sorted(missing))}")
            else:
                # I/O of the user's own processes is always there.
                self.checks.that(family["state"] == "partly" or not seen or name == "io-others", f"{what}, but capture saw {seen}")
                self.checks.that(family["reason"], f"{what} without a reason")
        for name, states in expected.DOCTOR[user].items():
            want, text = states[0 if self.on else 1]
            said = f"{families[name]['reason']} {families[name]['fix']}"
            self.checks.that(families[name]["state"] == want and (not text or any(word in said for word in text.split())),
                             f"doctor as {user}: {name} is {families[name]['state']}: {said}; not {want}: {text}")

    def check_window(self, name, complete):
        """Processes that came and went in a window, and whose ids were used again and again, against wait4."""
        snapshot, used = json.loads(self.read(f"{name}.json")), json.loads(self.read(f"{name}.spawned"))
        window = snapshot["window"]
        rows = [row for row in snapshot["threads"] if row["comm"] == "spawned"]
        self.checks.that(snapshot["kind"] == "window" and window["exits"] == ("completed" if complete else "recorded"),
                         f"{name}: kind {snapshot['kind']}, exits {window.get('exits')}")
        self.checks.that(len(rows) == used["count"] and all(row["window_part"] == "passed" for row in rows),
                         f"{name}: {len(rows)} processes, not {used['count']}, passed")
        if complete:
            self.checks.that(2 * len({row["tid"] for row in rows}) < len(rows), f"{name}: ids were not used again")
        for tally in ("threads_lost", "threads_missed", "values_went_back", "exit_overruns"):
            self.checks.that(window[tally] == 0, f"{name}: {tally} is {window[tally]}")
        self.checks.that(not [row for row in snapshot["threads"] if row["life_ns" if "life_ns" in row else "interval_ns"] >
                              1.1 * window["length_ns"]], f"{name}: a thread lived longer than the window was")
        sums = {metric: sum(row.get(metric, 0) for row in rows) for metric in
                ("run_time_ns", "voluntary_csw", "nonvoluntary_csw", "minflt", "majflt")}
        self.checks.that(sums["minflt"] == used["minflt"] and sums["majflt"] == used["majflt"],
                         f"{name}: faults are {sums}, not {used}")
        if complete:
            # A process may be waited for on another CPU before it has left its own.
            for metric, more in (("voluntary_csw", 0.1), ("nonvoluntary_csw", 0.01)):
                self.checks.between(f"{name}: {metric}", used[metric], sums[metric], used[metric] + more * used["count"])
            self.checks.between(f"{name}: run time", 999 * used["cpu_us"], sums["run_time_ns"], 1050 * used["cpu_us"])

    def check_knob(self):
        """A knob in debugfs that was set between two captures is the first thing below the two lines of the header."""
        path, before, after = self.read("knob").split()
        screen = self.read("knob.screen").splitlines()
        self.checks.that(screen[2:3] == [f"set: {path} {before} → {after}"] and screen[3:4] and not screen[3].startswith("set: "),
                         f"the knob {path} {before} → {after} is not the first thing on the screen: {screen[:6]}")
        self.checks.that(not [line for line in screen if len(line) > 80], "the screen of the knob is wider than the terminal")
        self.checks.that(not self.read("knob.err"), f"the captures around the knob said {self.read('knob.err')}")

    def run(self):
        want = ["a=0", "b=0", "doctor.0=3", "doctor.65534=3", "knob.a=0", "knob.b=0", "knob.screen=0", "nobody=0",
                "parity.kept=0", "parity.libbpf=0", "parity.light=0", "records=0", "window=0"]
        status = sorted(self.read("status").split())
        self.checks.that(status == want, f"ctprof ended as {status}")
        for loader in "kept", "light", "libbpf":
            lines = self.read(f"parity.{loader}").splitlines()
            self.checks.that(f"loaded by {loader}" in lines, f"parity.{loader} was not loaded by {loader}")
            if f"parity.{loader}=0" not in status:
                print("".join(f"{self.name}: parity.{loader}: {line}\n" for line in lines
                              if "FAILED" in line or "skipped" in line), end="")
        self.check_seen()
        self.check_host()
        values = sum(self.check_brackets(when) for when in self.snapshots)
        values += sum(self.check_cgroups(when) for when in self.snapshots)
        for when in self.snapshots:
            self.check_above(when)
        if self.on:
            self.check_stopped()
        self.checks.that(values > (4000 if self.on else 1200), f"only {values} values to compare")
        self.check_moves()
        self.check_churn()
        self.check_nobody()
        self.check_knob()
        self.check_window("window", True)
        self.check_window("records", False)
        self.check_doctor("0", "b")
        self.check_doctor("65534", "nobody")
        for failure in self.checks.failures[:40]:
            print(f"FAILED: {self.name}: {failure}")
        times = dict(line.split("=") for line in self.read("times").splitlines())
        spans = dict(line.split("=") for line in self.read("spans").splitlines())
        captures = [f"{float(end) - float(begin):.2f}" for end, begin in (span.split() for span in spans.values())]
        print(f"{self.name}: {self.checks.count} checks, {len(self.checks.failures)} failed; {values} values are as the "
              f"kernel's files say; taskstats version {self.version}; booted in {times['boot']} s, over after "
              f"{times['captured_b']} s, captures took {', '.join(captures)} s")
        return not self.checks.failures


def main():
    mode, directory, metrics, ctprof = sys.argv[1:]
    with open(metrics, encoding="utf-8") as file:
        rows = json.load(file)["metrics"]
    return 0 if Boot(mode, directory, rows, ctprof).run() else 1


if __name__ == "__main__":
    sys.exit(main())
