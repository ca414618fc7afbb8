#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A simulated fleet in 'ctprof db': planted outliers are named exactly, answers are those of a computation by other means, files are
added once however often and by however many writers, and a writer that is killed leaves nothing to mend.

fleet.py CTPROF MAKE_FLEET
"""
import csv
import io
import json
import math
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HOSTS, WINDOWS, GROUPS, FIRST = 200, 2, 6, 1767225600
PLANTED = {"7:3": 2.0, "50:0": 1.8, "111:5": 0.3, "150:1": 3.0, "199:2": 0.5}
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


class Fleet:
    def __init__(self, ctprof, make_fleet, directory):
        self.ctprof, self.directory = os.path.realpath(ctprof), directory
        self.files = os.path.join(directory, "files")
        os.mkdir(self.files)
        planted = [f"{place}:{times}" for place, times in PLANTED.items()]
        subprocess.run([make_fleet, self.files, str(HOSTS), str(WINDOWS), str(GROUPS), "1", *planted], check=True)
        self.paths = sorted(os.path.join(self.files, name) for name in os.listdir(self.files))
        check(len(self.paths) == HOSTS * WINDOWS, f"{len(self.paths)} files")

    def path(self, name):
        return os.path.join(self.directory, name)

    def add(self, name, paths, **options):
        return subprocess.Popen([self.ctprof, "db", "add", "--db", self.path(name), *paths], **options)

    def query(self, name, *words):
        text = subprocess.run([self.ctprof, "db", "query", "--db", self.path(name), "-f", "csv", *words], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        return list(csv.DictReader(io.StringIO(text)))

    def facts(self, name):
        """All facts by their names, whatever the ids are."""
        database = sqlite3.connect(self.path(name))
        rows = database.execute(
            "SELECT s.digest, s.host, s.kind, s.end_unix_ns, s.length_ns, g.group_key, g.group_name, m.name, f.threads, f.seen, "
            "f.exited, f.sum, f.square_sum_high, f.square_sum_low, f.min, f.max, f.histogram FROM fact f JOIN snapshot s ON "
            "s.id = f.snapshot JOIN grp g ON g.id = f.grp JOIN metric m ON m.id = f.metric").fetchall()
        database.close()
        return set(rows), len(rows)


def exported(fleet):
    """host -> window -> (group, metric) -> work per second, from the rows of export."""
    text = subprocess.run([fleet.ctprof, "export", "-g", "pcomm", *fleet.paths], check=True, stdout=subprocess.PIPE).stdout
    values = {}
    for line in text.splitlines():
        row = json.loads(line)
        if row["rule"] == "sum" and row["sum"] is not None:
            is_level = row["metric"] in ("thread_count", "nr_iowait", "rss_bytes", "vsize_bytes")
            value = int(row["sum"]) + int(row["exited"] or 0)
            series = values.setdefault(row["host"], {}).setdefault(int(row["end_unix_ns"]), {})
            series[row["group_name"], row["metric"]] = value if is_level else value / (int(row["length_ns"]) / 1e9)
    return values


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def means(values):
    """(group, metric) -> host -> mean of its windows, which are of one length."""
    result = {}
    for host, windows in values.items():
        for series in next(iter(windows.values())):
            result.setdefault(series, {})[host] = statistics.fmean(window[series] for window in windows.values())
    return result


def expected_outliers(series):
    totals, expected = {}, {}
    for (_, metric), hosts in series.items():
        for host, value in hosts.items():
            totals.setdefault(metric, {}).setdefault(host, 0)
            totals[metric][host] += value
    for key, hosts in series.items():
        median = statistics.median(hosts.values())
        scale = 1.482602218505602 * statistics.median(abs(value - median) for value in hosts.values())
        for host, value in hosts.items():
            if scale == 0 or abs(value - median) / scale < 6:
                continue
            impact = abs(value - median) / statistics.median(totals[key[1]].values())
            if impact >= 0.01:
                expected[(host, *key)] = (value, median, (value - median) / scale, impact)
    return expected


def check_outliers(fleet, series):
    rows = fleet.query("one.db", "outliers")
    expected = expected_outliers(series)
    found = {(row["host"], row["group_name"], row["metric"]): row for row in rows}
    planted = {f"host-{int(place.split(':')[0]):04}" for place in PLANTED}
    check({row["host"] for row in rows} == planted, f"named {sorted({row['host'] for row in rows})}, planted {sorted(planted)}")
    check(set(found) == set(expected), f"{len(found)} rows, and {len(expected)} by other means")
    for key in set(found) & set(expected):
        numbers = [float(found[key][name]) for name in ("value", "median", "z", "impact")]
        check(all(map(close, numbers, expected[key])), f"{key}: {numbers} is not {expected[key]}")
    names = {f"host-{int(place.split(':')[0]):04}": "svc-" + chr(97 + int(place.split(":")[1])) for place in PLANTED}
    check(all(names[row["host"]] == row["group_name"] for row in rows), "a planted host is named for another group")


def check_movers(fleet, values):
    rows = fleet.query("one.db", "movers", "--from", str(FIRST), "--to", str(FIRST + 3600))
    check(len(rows) > 100, f"only {len(rows)} series moved")
    for row in rows:
        times = [sum(windows[(FIRST + at) * 10**9][row["group_name"], row["metric"]] for windows in values.values())
                 for at in (0, 3600)]
        check(close(float(row["before"]), times[0]) and close(float(row["value"]), times[1]), f"{row} is not {times}")
        check(int(row["hosts"]) == HOSTS, f"{row}: not all hosts")
    impacts = [float(row["impact"]) for row in rows]
    check(impacts == sorted(impacts, reverse=True), "the rows are not in the order of their impact")


def check_group(fleet, series):
    rows = fleet.query("one.db", "group", "--group", "svc-d", "-m", "run_time_ns")
    check(len(rows) == HOSTS and rows[0]["host"] == "host-0007", f"{len(rows)} rows, the first of {rows[0]['host']}")
    for row in rows:
        check(close(float(row["value"]), series["svc-d", "run_time_ns"][row["host"]]), f"{row} is another value")


def check_again(fleet):
    with open(fleet.path("one.db"), "rb") as file:
        before = file.read()
    check(fleet.add("one.db", fleet.paths).wait() == 0, "files cannot be added again")
    with open(fleet.path("one.db"), "rb") as file:
        check(file.read() == before, "adding files again changes the database")


def check_writers(fleet, facts):
    """Four writers at a time, each with most of the files."""
    writers = [fleet.add("many.db", fleet.paths[at:] + fleet.paths[:len(fleet.paths) // 2]) for at in (0, 50, 100, 150)]
    check([writer.wait() for writer in writers] == [0] * 4, "a writer failed")
    check(fleet.facts("many.db") == facts, "several writers make other facts")


def check_killed(fleet, facts):
    """Killed at some time each, then once whole."""
    for delay in (0.05, 0.2, 0.5):
        writer = fleet.add("killed.db", fleet.paths)
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    check(fleet.add("killed.db", fleet.paths).wait() == 0, "nothing can be added after a kill")
    check(fleet.facts("killed.db") == facts, "a writer that was killed lost or doubled facts")


def check_sets(fleet):
    """A set of keys that is new is added; one that is there is not."""
    for keys in (["-g", "pcomm"], ["-g", "comm", "-g", "pcomm"]):
        subprocess.run([fleet.ctprof, "db", "add", "--db", fleet.path("sets.db"), *keys, fleet.paths[0]], check=True)
    rows, count = fleet.facts("sets.db")
    check({row[5] for row in rows} == {"pcomm", "comm"} and len(rows) == count, "the sets are not those that were added")


def main():
    with tempfile.TemporaryDirectory() as directory:
        fleet = Fleet(sys.argv[1], sys.argv[2], directory)
        check(fleet.add("one.db", fleet.paths).wait() == 0, "files cannot be added")
        facts = fleet.facts("one.db")
        check(facts[1] == len(facts[0]) > 100000, f"{facts[1]} facts")
        values = exported(fleet)
        series = means(values)
        check_outliers(fleet, series)
        check_movers(fleet, values)
        check_group(fleet, series)
        check_again(fleet)
        check_writers(fleet, facts)
        check_killed(fleet, facts)
        check_sets(fleet)
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
