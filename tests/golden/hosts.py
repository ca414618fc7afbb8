#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""'ctprof ab-report' over the directories of several hosts against a computation by other means: the effect on each host, t and its
interval over hosts, the spread and the part of it that is noise, and the hosts that differ, which must be exactly those planted.

hosts.py CTPROF SNAPSHOTS
"""
import csv
import io
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

from student import close, two_sided_p

ROW = "run_time_ns@pcomm:busy"
COINS = ("ABBA", "BAAB", "BAAB", "ABBA", "BAAB", "ABBA")
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


class Fleet:
    """Experiments in directories of their own, and the contrasts of their blocks."""

    def __init__(self, ctprof, snapshots, directory):
        self.ctprof, self.directory, self.contrasts = os.path.realpath(ctprof), directory, {}
        with open(os.path.join(snapshots, "window-baseline.json")) as file:
            self.window = json.load(file)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write_window(self, path, arm, times):
        """Returns the work of the group in it."""
        window, work = json.loads(json.dumps(self.window)), 0
        window["labels"] = {"arm": arm}
        for thread in window["threads"]:
            if thread["pcomm"] == "busy" and "run_time_ns" in thread:
                thread["run_time_ns"] = int(thread["run_time_ns"] * times)
                work += thread["run_time_ns"]
        with open(path, "w") as file:
            json.dump(window, file)
        return work

    def add(self, name, effect, noise=0.01, blocks=6, host="", boot=""):
        """A host whose group does exp(effect) times its work in arm B, with noise from window to window."""
        coins, units, contrasts, number = random.Random(name), [], [], 0
        os.mkdir(self.path(name))
        for block in range(blocks):
            logs = {"A": [], "B": []}
            for position, arm in enumerate(COINS[block % len(COINS)]):
                times = math.exp(effect * (arm == "B") + coins.gauss(0, noise))
                file = f"unit-{number:02}"
                logs[arm].append(math.log(self.write_window(os.path.join(self.path(name), file), arm, times)))
                units.append({"file": file + ".zst", "arm": arm, "block": block + 1, "position": position, "session": 1,
                              "state": "done", "start": number + 1, "length_ns": 30000000000, "outcomes": {}})
                number += 1
            contrasts.append(sum(logs["B"]) / 2 - sum(logs["A"]) / 2)
        subprocess.run(["zstd", "-q", "-1", "--rm", "--format=zstd", *(os.path.join(self.path(name), unit["file"][:-4]) for unit in units)],
                       check=True)
        self.contrasts[name] = contrasts
        self.write(name, host or name, boot or name, units, blocks)

    def write(self, name, host, boot, units, blocks):
        experiment = {"ctprof_experiment": 1, "name": "swap", "state": "complete", "order": "abba", "seed": 7, "settle_ns": 0,
                      "plan": {"blocks": blocks, "margin": 0.02, "min_effect": 0.01, "primary": [ROW], "control": [], "guard": []},
                      "arms": [{"name": "A", "lines": []}, {"name": "B", "lines": ["sysctl vm.swappiness = 10"]}],
                      "sessions": [{"session": 1, "boot_id": boot, "host": host, "start": 1}], "units": units}
        if host == "?":
            del experiment["sessions"][0]["host"]
        with open(os.path.join(self.path(name), "experiment.json"), "w") as file:
            json.dump(experiment, file)

    def run(self, names, *words):
        done = subprocess.run([self.ctprof, "ab-report", *words, *(self.path(name) for name in names)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        check(done.returncode == 0 and done.stderr == "", f"{names} {words}: {done.returncode} {done.stderr}")
        return done.stdout

    def report(self, names):
        """The comparison and its primary."""
        comparison = json.loads(self.run(names, "-f", "json"))["comparisons"][0]
        return comparison, [row for row in comparison["rows"] if row["role"] == "primary"][0]


def welch(hosts, place):
    """A host's contrasts against the mean of the other hosts' means."""
    others = [values for name, values in hosts.items() if name != place]
    parts = [(statistics.variance(hosts[place]) / len(hosts[place]), len(hosts[place]))]
    parts += [(statistics.variance(values) / len(values) / len(others) ** 2, len(values)) for values in others]
    variance = sum(part for part, _ in parts)
    t = (statistics.fmean(hosts[place]) - statistics.fmean([statistics.fmean(values) for values in others])) / math.sqrt(variance)
    return t, variance ** 2 / sum(part ** 2 / (count - 1) for part, count in parts)


def peel(hosts):
    """The hosts that differ by their blocks, the most certain one first, with t, df and p."""
    rest, found, tests = dict(hosts), [], len(hosts)
    while len(rest) >= 3:
        place = max(rest, key=lambda name: abs(welch(rest, name)[0]))
        t, df = welch(rest, place)
        distance = statistics.fmean(rest[place]) - statistics.fmean([statistics.fmean(rest[name]) for name in rest if name != place])
        if tests * two_sided_p(t, df) > 0.05 or abs(math.expm1(distance)) < 0.01:
            break
        found.append((place, t, df, two_sided_p(t, df)))
        del rest[place]
    return found


def check_numbers(fleet, names):
    hosts = {name: fleet.contrasts[name] for name in names}
    effects = [statistics.fmean(values) for values in hosts.values()]
    comparison, row = fleet.report(names)
    n, mean, sd = len(names), statistics.fmean(effects), statistics.stdev(effects)
    check(comparison["over"] == "host" and comparison["n"] == n, f"{names}: over {comparison['n']} of {comparison['over']}")
    for key, expected in (("estimate", mean), ("sd", sd), ("t", mean / (sd / math.sqrt(n))),
                          ("p", two_sided_p(mean / (sd / math.sqrt(n)), n - 1)),
                          ("noise", math.sqrt(statistics.fmean([statistics.variance(v) / len(v) for v in hosts.values()])))):
        check(close(row[key], expected), f"{names}: {key} {row[key]}, {expected} expected")
    low = math.log1p(row["percent_low"] / 100)
    check(close(two_sided_p((mean - low) / (sd / math.sqrt(n)), n - 1), 0.05), f"{names}: the interval begins at {low}")
    for found, (name, values) in zip(row["host_effects"], hosts.items()):
        low, se = math.log1p(found["percent_low"] / 100), statistics.stdev(values) / math.sqrt(len(values))
        check(found["host"] == name and found["blocks"] == len(values) and close(found["contrast"], statistics.fmean(values)),
              f"{names}: {found} instead of {statistics.fmean(values)} of {name}")
        check(close(two_sided_p((found["contrast"] - low) / se, len(values) - 1), 0.05), f"{name}: its interval begins at {low}")
    return row, peel(hosts)


def check_apart(row, expected, against):
    found = {host["host"]: host for host in row["hosts_apart"]}
    check(set(found) == {name for name, *_ in expected}, f"apart: {sorted(found)}, {expected} expected")
    for name, t, df, p in expected:
        host = found.get(name)
        if not host or host["t"] is None:
            continue
        for key, value in (("t", t), ("df", df), ("p_t", p), ("p", min(1, p * len(row["host_effects"])))):
            check(close(host[key], value), f"{name}: {key} {host[key]}, {value} expected")
        check(host["against"] == (name in against), f"{name}: against {host['against']}")


def check_planted(fleet):
    """Eight hosts: one does less in arm B, and one is noisy, but like the others."""
    names = [f"host-{i}" for i in range(8)]
    for i, name in enumerate(names):
        fleet.add(name, -0.05 if i == 5 else 0.1, noise=0.04 if i == 2 else 0.01, blocks=4 if i == 3 else 6)
    row, expected = check_numbers(fleet, names)
    check([name for name, *_ in expected] == ["host-5"], f"the computation finds {expected}")
    check(row["answer"] == "moved", f"over hosts: {row['answer']}")
    check_apart(row, expected, {"host-5"})
    rows = list(csv.DictReader(io.StringIO(fleet.run(names, "-f", "csv"))))
    named = [(cells["hosts"], cells["against"], cells["beyond"]) for cells in rows if cells["role"] == "primary"]
    check(named == [("8.0", "host-5", "")], f"csv: {named}")
    text = fleet.run(names)
    check("host-5 against the others in " in text and "hosts      1 of 8 differs" in text, text)
    row, expected = check_numbers(fleet, [name for name in names if name != "host-5"])
    check(not expected and not row["hosts_apart"], f"without it: {expected} and {row['hosts_apart']}")
    row, expected = check_numbers(fleet, ["host-5", *names[:2]])
    check_apart(row, expected, set())


def check_single_blocks(fleet):
    """Hosts of one block have no noise to be tested by: one that is far enough from the others is named by the spread of the hosts."""
    names = [f"one-{i:02}" for i in range(24)]
    for i, name in enumerate(names):
        fleet.add(name, -1.5 if i == 7 else 0.1, blocks=1)
    _, row = fleet.report(names)
    apart = [(host["host"], host["t"], host["p"]) for host in row["hosts_apart"]]
    check(apart == [("one-07", None, None)] and row["noise"] is None, f"one block: {apart}, noise {row['noise']}")
    effects = [fleet.contrasts[name][0] for name in names]
    middle = statistics.median(effects)
    z = (effects[7] - middle) / (1.482602218505602 * statistics.median(abs(effect - middle) for effect in effects))
    check(close(row["hosts_apart"][0]["z"], z), f"z {row['hosts_apart'][0]['z']}, {z} expected")


def check_boots(fleet):
    """Boots are parts if all are of one host, or nobody knows of which; two boots of one host among others are one contrast."""
    for i in range(3):
        fleet.add(f"boot-{i}", 0.1, host="same")
        fleet.add(f"nameless-{i}", 0.1, host="?")
    for kind in ("boot", "nameless"):
        comparison, row = fleet.report([f"{kind}-{i}" for i in range(3)])
        check((comparison["over"], comparison["n"], row["host_effects"]) == ("session", 3, []), f"{kind}: {comparison['over']}")
    comparison, row = fleet.report(["boot-0", "host-0", "boot-1", "host-1"])
    means = [statistics.fmean(fleet.contrasts["boot-0"] + fleet.contrasts["boot-1"]), statistics.fmean(fleet.contrasts["host-0"])]
    check(comparison["n"] == 3 and all(close(effect["contrast"], mean) for effect, mean in zip(row["host_effects"], means)),
          f"two boots of a host: {row['host_effects']}, {means} expected")
    comparison, _ = fleet.report(["host-0", "host-1"])
    check(comparison["failures"] == ["two hosts show no spread between hosts: a third one is needed"], comparison["failures"])


def main():
    with tempfile.TemporaryDirectory() as directory:
        fleet = Fleet(*sys.argv[1:], directory)
        check_planted(fleet)
        check_single_blocks(fleet)
        check_boots(fleet)
    for message in failures:
        print(message)
    return 1 if failures else 0


sys.exit(main())
