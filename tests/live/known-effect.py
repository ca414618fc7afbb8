#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""known-effect.py TITLE EXPERIMENT REPORT LOGS ROW...: what an experiment says of services that measured themselves.

EXPERIMENT is the experiment.json, REPORT the output of ctprof ab-report --format json, LOGS the folder of known-service's logs,
SERVICE.log. A ROW is METRIC:SERVICE:SIGN, which must have moved in that direction and by as much as the service itself says. The
sign ~ is whichever the service says: where others use a CPU as well, a setting may have the opposite effect. Behind a further
colon stands what the service counts: gaps in its own clocks, or the switches that the kernel tells it. METRIC:SERVICE:0 must
be there and must not have moved. The intervals are 99 %, wider by the error of the service's own measurement: a window reads a
thread somewhere within its first milliseconds (KNOWN_EFFECT_SLOP_MS), so the truth is that of windows that begin up to so much
later.
"""
import bisect
import json
import math
import os
import statistics
import sys

SLOP_NS, SLOPS = int(os.environ.get("KNOWN_EFFECT_SLOP_MS", "60")) * 1_000_000, 8
LINE = "{:12} {:18} {:>8} {:>9}  {:>21}  {:>9} {:>8}  {}"


def t_quantile(probability, freedom):
    """By bisection of Student's distribution, which Simpson's rule integrates."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def below(t, steps=2000):
        width = t / steps
        values = [scale * (1 + (i * width) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return 0.5 + width / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))

    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return low


class Service:
    """What a service says of itself."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            moments = [tuple(map(int, line.split())) for line in file]
        if not moments:
            raise ValueError(f"{path} is empty")
        self.times, self.cpus, self.gaps, self.switches, self.waits = zip(*moments)

    def at(self, time, values):
        """The value at a time. CPU time is even between two moments; the others change at the end of a gap."""
        right = bisect.bisect_left(self.times, time)
        if right in (0, len(self.times)):
            raise ValueError("a window lies outside of the service's log")
        if values is not self.cpus:
            return values[right - 1]
        before, after = self.times[right - 1], self.times[right]
        return values[right - 1] + (values[right] - values[right - 1]) * (time - before) / (after - before)

    def between(self, metric, counts, begin, end):
        if metric == "nonvoluntary_csw":
            return self.at(end, counts) - self.at(begin, counts)
        values = {"run_time_ns": self.cpus, "wait_time_ns": self.waits}[metric]
        return self.at(end, values) - self.at(begin, values)


def whole_blocks(experiment):
    """The units of each block that counts."""
    blocks = {}
    for unit in experiment["units"]:
        if unit["state"] == "done":
            blocks.setdefault(unit["block"], []).append(unit)
    return [units for units in blocks.values() if len(units) == 4]


def true_effect(experiment, service, metric, counts, shift):
    """The mean over blocks of the difference of the log rates."""
    contrasts = []
    first_arm = experiment["arms"][0]["name"]
    for units in whole_blocks(experiment):
        logs = {True: [], False: []}
        for unit in units:
            begin = unit["start"] + shift
            amount = service.between(metric, counts, begin, begin + unit["length_ns"])
            logs[unit["arm"] == first_arm].append(math.log(amount / unit["length_ns"]))
        contrasts.append(statistics.mean(logs[False]) - statistics.mean(logs[True]))
    return statistics.mean(contrasts)


def percent(log):
    return f"{100 * math.expm1(log):+.2f}%"


def find_row(comparison, metric, service):
    for row in comparison["rows"]:
        if (row["metric"], row["key"], row["group"]) == (metric, "pcomm", service):
            return row
    return None


def judge_moved(row, sign, truth, error):
    """The interval in logs, and what is wrong."""
    half = t_quantile(0.995, len(row["contrasts"]) - 1) * row["sd"] / math.sqrt(len(row["contrasts"]))
    low, high = row["estimate"] - half, row["estimate"] + half
    wrong = []
    if row["scale"] != "log":
        wrong.append(f"the scale is {row['scale']}")
    if row["answer"] != "moved":
        wrong.append(row["answer"])
    if row["estimate"] * sign <= 0 or truth * sign <= 0:
        wrong.append("wrong sign")
    if not low - error <= truth <= high + error:
        wrong.append("the truth is outside")
    return (low, high), wrong


def check(title, wanted, experiment, comparison, logs):
    """Prints a line; returns whether all is right."""
    metric, name, sign, counted = (wanted + ":gaps").split(":")[:4]
    row = find_row(comparison, metric, name)
    if row is None:
        print(f"{title:12} {metric}@{name}: no row")
        return False
    if sign == "0":
        wrong = [] if row["answer"] in ("same", "unknown") else ["it has moved"]
        print(LINE.format(title, name, metric[:8], percent(row["estimate"]), "", "", "", wrong[0] if wrong else row["answer"]))
        return not wrong
    service = Service(f"{logs}/{name}.log")
    counts = {"gaps": service.gaps, "switches": service.switches}[counted]
    shifted = [true_effect(experiment, service, metric, counts, SLOP_NS * i // SLOPS) for i in range(SLOPS + 1)]
    truth = statistics.mean(shifted)
    error = max(abs(value - truth) for value in shifted)
    (low, high), wrong = judge_moved(row, {"+": 1, "-": -1, "~": math.copysign(1, truth)}[sign], truth, error)
    print(LINE.format(title, name, metric[:8], percent(row["estimate"]), f"{percent(low)} .. {percent(high)}",
                            percent(truth), f"±{100 * error:.2f}%", ", ".join(wrong) if wrong else "moved"))
    return not wrong


def main():
    title, experiment_path, report_path, logs, *rows = sys.argv[1:]
    with open(experiment_path, encoding="utf-8") as file:
        experiment = json.load(file)
    with open(report_path, encoding="utf-8") as file:
        comparison = json.load(file)["comparisons"][0]
    results = [check(title, row, experiment, comparison, logs) for row in rows]
    moved = [f"{row['metric']} {percent(row['estimate'])}" for row in comparison["rows"]
             if row["group"] == "svc-control" and row["answer"] == "moved"]
    if moved:
        print(f"{title:12} svc-control has moved: {', '.join(moved)}")
    if not comparison["valid"]:
        print(f"{title:12} the experiment is not valid: {comparison['failures']}")
    return 0 if all(results) and not moved and comparison["valid"] else 1


if __name__ == "__main__":
    sys.exit(main())
