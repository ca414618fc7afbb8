#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""'ctprof db query arms' against a computation by other means: exact names of what was planted, means, t, p and intervals of each
series, Holm's correction, hosts that differ; and windows by which nobody can say anything.

arms.py CTPROF MAKE_FLEET
"""
import collections
import csv
import io
import json
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from student import close, two_sided_p

HOSTS, WINDOWS, GROUPS = 24, 4, 3
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


class Fleet:
    def __init__(self, tools, directory, name, *planted):
        self.ctprof, self.path = os.path.realpath(tools[0]), os.path.join(directory, name + ".db")
        files = os.path.join(directory, name)
        os.mkdir(files)
        subprocess.run([tools[1], files, str(HOSTS), str(WINDOWS), str(GROUPS), "1", *planted], check=True)
        paths = sorted(os.path.join(files, name) for name in os.listdir(files))
        subprocess.run([self.ctprof, "db", "add", "-g", "pcomm", "--db", self.path, *paths], check=True)

    def change(self, *statements):
        database = sqlite3.connect(self.path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()

    def run(self, *words):
        return subprocess.run([self.ctprof, "db", "query", "--db", self.path, "arms", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)

    def query(self, *words):
        done = self.run("-f", "csv", *words)
        check(done.returncode == 0, f"{words}: {done.stderr.decode()}")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        return [row for row in rows if not row["host"]], [row for row in rows if row["host"]]

    def refused(self, words, sentence):
        done = self.run(*words)
        check(done.returncode == 1 and not done.stdout and sentence in done.stderr.decode(),
              f"{words}: {done.returncode}, {done.stderr.decode()!r} and not {sentence!r}")

    def values(self):
        """(group, metric) -> host -> arm -> work per second, of hosts whose values were all seen."""
        database = sqlite3.connect(self.path)
        seconds, files, arms = collections.Counter(), collections.Counter(), {}
        for snapshot, host, labels, length in database.execute("SELECT id, host, labels, length_ns FROM snapshot"):
            arms[snapshot] = (host, json.loads(labels)["arm"])
            seconds[arms[snapshot]] += length / 1e9
            files[arms[snapshot]] += 1
        work, unseen, has = collections.Counter(), set(), {}
        for snapshot, group, metric, threads, exited, total in database.execute(
                "SELECT f.snapshot, g.group_name, m.name, f.threads, f.exited, f.sum FROM fact f JOIN grp g ON g.id = f.grp JOIN "
                "metric m ON m.id = f.metric WHERE m.rule = 'sum'"):
            host, arm = arms[snapshot]
            series = (group, metric)
            has.setdefault(series, set()).add(host)
            work[series, host, arm] += int(total or 0) + int(exited or 0)
            if total is None and (threads > 0 or exited is None):
                unseen.add((series, host))
        database.close()
        result = {}
        for series, hosts in has.items():
            for host in hosts:
                if (series, host) in unseen:
                    continue
                for arm in "AB":
                    if files[host, arm]:
                        by = files if series[1] in ("thread_count", "nr_iowait", "rss_bytes", "vsize_bytes") else seconds
                        result.setdefault(series, {}).setdefault(host, {})[arm] = work[series, host, arm] / by[host, arm]
        return result


def holm(values):
    adjusted, largest = {}, 0.0
    for rank, (key, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, (len(values) - rank) * p))
        adjusted[key] = largest
    return adjusted


def scaled(values):
    """y of all values, and how a difference of y is a share of arm A."""
    if all(value > 0 for value in values):
        return math.log, math.expm1, True
    one = statistics.fmean(map(abs, values))
    return (lambda value: value / one), one, False


def expected(values, paired):
    """(group, metric) -> its numbers, for series that can be tested."""
    result = {}
    for series, hosts in values.items():
        if paired:
            hosts = {host: arms for host, arms in hosts.items() if len(arms) == 2}
        sides = [[arms[arm] for arms in hosts.values() if arm in arms] for arm in "AB"]
        every = sides[0] + sides[1]
        if min(map(len, sides)) < 3 or sum(value == 0 for value in every) * 2 > len(every):
            continue
        if (sides[0] == sides[1]) if paired else len(set(every)) == 1:
            continue
        to_y, share, is_log = scaled(every)
        means = [statistics.fmean(side) for side in sides]
        if not is_log:
            one = share
            share = lambda y, one=one, base=means[0]: y * one / base
        ys = [[to_y(value) for value in side] for side in sides]
        if paired:
            contrasts = [b - a for a, b in zip(*ys)]
            estimate, spread = statistics.fmean(contrasts), statistics.stdev(contrasts)
            error, df = spread / math.sqrt(len(contrasts)), len(contrasts) - 1
        else:
            parts = [statistics.variance(side) / len(side) for side in ys]
            estimate, error = statistics.fmean(ys[1]) - statistics.fmean(ys[0]), math.sqrt(sum(parts))
            df = sum(parts) ** 2 / sum(part ** 2 / (len(side) - 1) for part, side in zip(parts, ys))
            spread = math.sqrt(sum(statistics.variance(side) * (len(side) - 1) for side in ys) / (len(every) - 2))
        t = estimate / error
        result[series] = {"a": means[0], "b": means[1], "effect": share(estimate), "t": t, "df": df, "p": two_sided_p(abs(t), df),
                          "estimate": estimate, "error": error, "is_log": is_log, "share": share,
                          "spread": spread if is_log else share(spread), "hosts_a": len(sides[0]), "hosts_b": len(sides[1])}
    adjusted = holm({series: numbers["p"] for series, numbers in result.items()})
    for series, numbers in result.items():
        numbers["p_adjusted"] = adjusted[series]
    return result


def check_rows(name, rows, want):
    found = {(row["group_name"], row["metric"]): row for row in rows}
    check(set(found) == set(want) and len(found) == len(rows), f"{name}: {len(rows)} series, and {len(want)} by other means")
    for series in set(found) & set(want):
        row, numbers = found[series], want[series]
        for column in ("a", "b", "effect", "t", "df", "spread", "hosts_a", "hosts_b"):
            check(close(float(row[column]), numbers[column]), f"{name}: {series}: {column} {row[column]} is not {numbers[column]}")
        for column in ("p", "p_adjusted"):
            check(math.isclose(float(row[column]), numbers[column], rel_tol=1e-6),
                  f"{name}: {series}: {column} {row[column]} is not {numbers[column]}")
        for column in ("effect_low", "effect_high"):
            y = math.log1p(float(row[column])) if numbers["is_log"] else float(row[column]) / numbers["share"](1)
            outside = two_sided_p(abs(y - numbers["estimate"]) / numbers["error"], numbers["df"])
            check(math.isclose(outside, 0.05, rel_tol=1e-5), f"{name}: {series}: {column} is the end of another interval")
    ps = [float(row["p"]) for row in rows]
    check(ps == sorted(ps), f"{name}: the rows are not in the order of their p")


def check_moved(name, rows, group):
    moved = {(row["group_name"], row["metric"]) for row in rows if row["answer"] == "moved"}
    all_of = {(row["group_name"], row["metric"]) for row in rows if row["group_name"] == group}
    check(moved == all_of and len(moved) > 40, f"{name}: {len(moved)} moved, and not the {len(all_of)} of {group}")


def check_paired(tools, directory):
    fleet = Fleet(tools, directory, "paired", "7:0:2", "windows:1:1.3", "windows:1:0.7:3", "windows:1:3:4", "windows:2:3:5")
    # A group that is not in a window did nothing there; a value that was not seen leaves its host out of the series.
    fleet.change("DELETE FROM fact WHERE snapshot IN (SELECT id FROM snapshot WHERE host = 'host-0009' AND labels LIKE "
                 "'%\"arm\":\"A\"%') AND grp = (SELECT id FROM grp WHERE group_name = 'svc-a')",
                 "UPDATE fact SET sum = NULL, seen = 0 WHERE snapshot IN (SELECT id FROM snapshot WHERE host = 'host-0011') AND metric = "
                 "(SELECT id FROM metric WHERE name = 'run_time_ns')",
                 "UPDATE fact SET exited = 100 WHERE snapshot IN (SELECT id FROM snapshot WHERE host = 'host-0012')")
    rows, hosts = fleet.query()
    want = expected(fleet.values(), True)
    check_rows("paired", rows, want)
    check(any(not numbers["is_log"] for numbers in want.values()), "no series has a 0")
    check_moved("paired", rows, "svc-b")
    named = {(row["host"], row["group_name"], row["answer"]) for row in hosts if row["group_name"] != "svc-a"}
    check(named == {("host-0003", "svc-b", "against"), ("host-0004", "svc-b", "beyond"), ("host-0005", "svc-c", "beyond")},
          f"paired: named {named}")
    rows, hosts = fleet.query("--arms", "B,A", "-m", "run_time_ns", "--group", "svc-b")
    check(len(rows) == 1 and rows[0]["arm_a"] == "B" and close(math.log1p(float(rows[0]["effect"])),
                                                                -want["svc-b", "run_time_ns"]["estimate"]), "arms turned around")
    table = fleet.run("--limit", "3").stdout.decode()
    check("host-0003" in table and "against" in table and "B against A: " in table, f"paired: the table {table}")
    return fleet


def check_unlike(fleet):
    """Threads that are missing in one arm alone are no effect. If they are missing in both, the values are marked."""
    lacking = ("UPDATE fact SET threads = threads + 1 WHERE metric = (SELECT id FROM metric WHERE name = '{}') AND snapshot IN "
               "(SELECT id FROM snapshot WHERE labels LIKE '%\"arm\":\"{}\"%')")
    before = len(fleet.query()[0])
    fleet.change(lacking.format("wait_time_ns", "B"), lacking.format("voluntary_csw", "A"), lacking.format("voluntary_csw", "B"))
    rows = fleet.query()[0]
    partial = {row["metric"] for row in rows if row["is_partial"] == "true"}
    check(len(rows) == before - GROUPS and "wait_time_ns" not in {row["metric"] for row in rows},
          f"{len(rows)} series of {before} are tested, of which {GROUPS} lack threads in one arm")
    check(partial == {"voluntary_csw"}, f"partial: {partial}")
    check(f"{GROUPS} of which one arm lacks threads" in fleet.run().stdout.decode(), "no number of those that lack threads")


def check_between(tools, directory):
    fleet = Fleet(tools, directory, "between", "7:0:2", "hosts:1:1.3")
    rows, hosts = fleet.query()
    check({row["design"] for row in rows} == {"between"}, "hosts of one arm have another design")
    check_rows("between", rows, expected(fleet.values(), False))
    check_moved("between", rows, "svc-b")
    # The spread of 12 hosts is too uncertain to name one that does twice the work of others.
    check(not hosts, f"between: named {[(row['host'], row['group_name'], row['metric']) for row in hosts]}")


LABELS = "UPDATE snapshot SET labels = json_set(labels, '$.{}', '{}') WHERE {}"


def check_unable(fleet):
    """Windows that cannot answer, one fault after the other."""
    fleet.refused(["--experiment", "other"], "no window in that time has an arm of the experiment other")
    fleet.refused(["--arms", "A,C"], "no window in that time is of arm C; there are: A, B")
    fleet.refused(["--to", "1"], "no window in that time has the label arm")
    fleet.refused(["--group", "svc-zz"], "no window in that time has the group")
    # Two windows of a block that lacks an arm are left out.
    fleet.change(LABELS.format("arm", "A", "host = 'host-0000' AND labels LIKE '%\"block\":\"0\"%'"))
    check("2 left out, of blocks that lack an arm" in fleet.run().stdout.decode(), "an incomplete block is used")
    # Labels that are no labels are none.
    fleet.change("UPDATE snapshot SET labels = '[' WHERE host = 'host-0001'")
    rows, _ = fleet.query("--group", "svc-b", "-m", "minflt")
    check(rows[0]["hosts_a"] == str(HOSTS - 1), f"{rows[0]['hosts_a']} hosts with labels")
    fleet.change(LABELS.format("arm", "C", "host = 'host-0002'"))
    fleet.refused([], "two arms are compared, and there are more, of which --arms names two: A, B, C")
    check(len(fleet.query("--arms", "A,B", "-m", "minflt")[0]) == GROUPS, "two of three arms cannot be asked about")
    # A first on each host.
    times = "end_unix_ns = 1000000000000000000 + id + 1000000 * (labels LIKE '%\"arm\":\"B\"%')"
    fleet.change(f"UPDATE snapshot SET {times}", "UPDATE snapshot SET host = 'host-0005' WHERE host = 'host-0002'")
    rows, _ = fleet.query("--arms", "A,B")
    check({row["answer"] for row in rows} == {"unknown"} and {row["is_valid"] for row in rows} == {"false"}, "a drift is an effect")
    check("A came first on each host: a drift looks like an effect" in fleet.run("--arms", "A,B").stdout.decode(), "no reason")
    fleet.change(LABELS.format("experiment", "second", "host = 'host-0006'"))
    fleet.refused(["--arms", "A,B"], "several experiments, and --experiment names one: fleet, second")
    fleet.refused(["--experiment", "second"], "needs 3 of them with both arms, or 3 with each; 1 have both, and 0 and 0 have one")


def main():
    check(close(two_sided_p(2.0, 5.0), 0.10193947882985828), "R's 2 * pt(-2, 5)")
    with tempfile.TemporaryDirectory() as directory:
        fleet = check_paired(sys.argv[1:3], directory)
        check_unlike(fleet)
        check_between(sys.argv[1:3], directory)
        check_unable(fleet)
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
