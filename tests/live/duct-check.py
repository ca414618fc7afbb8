#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""duct-check.py PREFIX: holds the files of a finished run against the rules that con-duct 0.23 writes and reads by (schema 0.2.3),
and their numbers against each other."""
import datetime
import json
import re
import sys

INFO = ["command", "system", "env", "gpu", "duct_version", "schema_version", "execution_summary", "output_paths",
        "working_directory", "message"]
SYSTEM = ["cpu_total", "memory_total", "hostname", "uid", "user", "os_name", "os_release", "os_version", "arch", "processor",
          "distro_id", "distro_id_like", "distro_name", "distro_version", "distro_version_id", "distro_codename",
          "distro_variant_id", "distro_pretty_name", "distro_build_id"]
SUMMARY = ["exit_code", "command", "logs_prefix", "wall_clock_time", "peak_rss", "average_rss", "peak_vsz", "average_vsz",
           "peak_pmem", "average_pmem", "peak_pcpu", "average_pcpu", "num_samples", "num_reports", "start_time", "end_time",
           "working_directory"]
RECORD = ["timestamp", "num_samples", "processes", "totals", "averages"]
PROCESS = {"pcpu": float, "pmem": float, "rss": int, "vsz": int, "timestamp": str, "etime": str, "stat": dict, "cmd": str}
TOTALS = ["pmem", "pcpu", "rss", "vsz"]
AVERAGES = ["rss", "vsz", "pmem", "pcpu", "num_samples"]
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d")
ETIME = re.compile(r"((\d+-)?\d\d:)?[0-5]\d:[0-5]\d")
NULLABLE = set(SUMMARY[4:12])


def check(condition, what):
    if not condition:
        sys.exit("FAILED: " + what)


def keys(value, wanted, what):
    """The wanted keys in their order, and others behind them that are ctprof's own."""
    have = list(value)
    check(have[:len(wanted)] == wanted, f"{what}: keys {have}")
    check(all(key.startswith("ctprof_") for key in have[len(wanted):]), f"{what}: foreign keys {have}")


def load(text, what):
    value = json.loads(text, parse_constant=lambda word: check(False, f"{what}: {word}"))
    check(json.dumps(value) == text, f"{what}: not in the form of Python's json: {text}")
    return value


def near(have, want, what, slack=1e-6):
    check(abs(have - want) <= abs(want) * 1e-6 + slack, f"{what}: {have}, not {want}")


def check_process(pid, process, samples, cpus):
    what = f"process {pid}"
    check(re.fullmatch("[0-9]+", pid), what)
    keys(process, list(PROCESS), what)
    for key, kind in PROCESS.items():
        check(type(process[key]) is kind, f"{what}: {key} is {process[key]!r}")
    check(TIMESTAMP.fullmatch(process["timestamp"]), f"{what}: {process['timestamp']}")
    check(ETIME.fullmatch(process["etime"]), f"{what}: {process['etime']}")
    check(0 <= process["pcpu"] <= 100 * cpus, f"{what}: pcpu {process['pcpu']}")
    check(round(process["pcpu"], 1) == process["pcpu"], f"{what}: pcpu {process['pcpu']}")
    counts = process["stat"].values()
    check(counts and min(counts) > 0 and sum(counts) <= samples, f"{what}: {process['stat']}")


def check_record(record, info, is_last):
    cpus = info["system"]["cpu_total"]
    keys(record, RECORD, "record")
    keys(record["totals"], TOTALS, "totals")
    keys(record["averages"], AVERAGES, "averages")
    samples, totals, averages = record["num_samples"], record["totals"], record["averages"]
    check(type(samples) is int and samples >= 1 and averages["num_samples"] == samples, "num_samples")
    check(record["processes"], "a record without a process")
    for pid, process in record["processes"].items():
        check_process(pid, process, samples, cpus)
    check(TIMESTAMP.fullmatch(record["timestamp"]), record["timestamp"])
    latest = max(p["timestamp"] for p in record["processes"].values())
    check(record["timestamp"] >= latest if is_last else record["timestamp"] == latest, "timestamp of a record")
    for key in TOTALS:
        check(type(totals[key]) in (int, float) and type(averages[key]) is float, f"{key} of a record")
        check(averages[key] <= totals[key] * (1 + 1e-9) + 1, f"{key}: mean {averages[key]} above {totals[key]}")
        highest = [process[key] for process in record["processes"].values()]
        if key in ("rss", "vsz"):
            check(max(highest) <= totals[key] <= sum(highest), f"{key}: {totals[key]} of {highest}")
    near(totals["pmem"], 100 * totals["rss"] / info["system"]["memory_total"], "pmem")
    check(0 <= totals["pcpu"] <= 105 * cpus, f"totals.pcpu {totals['pcpu']}")


def check_info(info):
    keys(info, INFO, "info.json")
    keys(info["system"], SYSTEM, "system")
    keys(info["execution_summary"], SUMMARY, "execution_summary")
    check(info["schema_version"] == "0.2.3", "schema_version")
    check(re.fullmatch(r"\d+\.\d+\.\d+", info["duct_version"]), "duct_version")
    check(type(info["system"]["memory_total"]) is int and type(info["system"]["uid"]) is int, "system")
    summary = info["execution_summary"]
    for key in SUMMARY:
        check(summary[key] is not None or key in NULLABLE, f"{key} is null")
    check(list(info["output_paths"]) == ["stdout", "stderr", "usage", "info", "prefix"], "output_paths")
    check(summary["command"] == info["command"] and summary["working_directory"] == info["working_directory"], "texts")
    check(all(not isinstance(value, (dict, list)) for value in summary.values()), "an object in the summary")
    near(summary["end_time"] - summary["start_time"], summary["wall_clock_time"], "times", 1e-3)
    if summary["ctprof_cpu_time"] is not None:
        near(summary["average_pcpu"], 100 * summary["ctprof_cpu_time"] / summary["wall_clock_time"], "average_pcpu")
    for key in ("rss", "vsz", "pmem", "pcpu"):
        if summary["peak_" + key] is not None and summary["average_" + key] is not None:
            check(summary["average_" + key] <= summary["peak_" + key] * (1 + 1e-9), f"mean of {key} above its peak")
    return summary


def main():
    with open(sys.argv[1] + "info.json", encoding="ascii") as file:
        info = load(file.read(), "info.json")
    with open(sys.argv[1] + "usage.jsonl", encoding="ascii") as file:
        text = file.read()
    check(text == "" or text.endswith("\n"), "the last line is cut")
    summary = check_info(info)
    records = [load(line, "usage.jsonl") for line in text.splitlines()]
    check(summary["num_reports"] == len(records), f"num_reports {summary['num_reports']} of {len(records)}")
    total = 0
    for record in records:
        check_record(record, info, record is records[-1])
        total += record["ctprof_cpu_seconds"]
        near(record["ctprof_cpu_seconds_total"], total, "CPU time of records")
    for key in ("ctprof_read_bytes", "ctprof_write_bytes"):
        if records and summary[key] is not None and all(key in record for record in records):
            near(sum(record[key] for record in records), summary[key], f"{key} of all records")
            near(records[-1][key + "_total"], summary[key], f"{key} at the end")
    times = [datetime.datetime.fromisoformat(record["timestamp"]) for record in records]
    check(times == sorted(times), "order of records")
    if records:
        near(total, summary["ctprof_cpu_time"], "CPU time of all records")
        near(sum(record["ctprof_seconds"] for record in records), summary["wall_clock_time"], "time of all records")
        check(summary["num_samples"] <= sum(r["num_samples"] for r in records) <= summary["num_samples"] + 1, "samples")


main()
