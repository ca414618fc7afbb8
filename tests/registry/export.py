#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of 'ctprof export': they obey their schema, CSV has what NDJSON has, threads add up to groups, and sums are what show prints.

export.py CTPROF SCHEMA SNAPSHOTS/README.md
"""
import csv
import io
import json
import math
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema for Python")
    sys.exit(77)

PARTS = ["threads", "seen", "exited", "sum", "square_sum_high", "square_sum_low", "min", "max"]
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def run(ctprof, *arguments):
    return subprocess.run([ctprof, *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def ndjson(ctprof, *arguments):
    return [json.loads(line) for line in run(ctprof, "export", *arguments).splitlines()]


def number(value):
    return int(value) if isinstance(value, str) else value


def cell(value):
    return "" if value is None else str(value)


def check_csv(ctprof, path, rows):
    table = list(csv.DictReader(io.StringIO(run(ctprof, "export", "-f", "csv", "--csv-raw", path))))
    compared = 0
    check(len(table) == len(rows) > 0, f"{path}: {len(table)} lines of CSV, {len(rows)} of NDJSON")
    for line, row in zip(table, rows):
        if row["group_name"].isascii() and row["group_name"].isprintable() and "\\" not in row["group_name"]:
            check(line == {key: cell(value) for key, value in row.items()}, f"{path}: {line} is not {row}")
            compared += 1
    check(compared > 100, f"{path}: only {compared} lines were compared")


def bin_of(value):
    size = abs(value).bit_length()
    return -size if value < 0 else size


def fact_of(values, threads, is_floor):
    """The parts of a group with these values, by other means than ctprof's."""
    if not values:
        return {"threads": threads, "seen": 0, "sum": None, "square_sum": None, "min": None, "max": None, "histogram": None}
    least = [value for value in values if value > 0 or not is_floor]
    bins = {}
    for value in values:
        bins[bin_of(value)] = bins.get(bin_of(value), 0) + 1
    squares = sum(value * value for value in values)
    return {"threads": threads, "seen": len(values), "sum": sum(values), "square_sum": squares if squares < 2**128 else None,
            "min": min(least) if least else None, "max": max(values),
            "histogram": " ".join(f"{key}:{bins[key]}" for key in sorted(bins))}


def fact(row):
    parts = {key: number(row[key]) for key in PARTS}
    high, low = parts.pop("square_sum_high"), parts.pop("square_sum_low")
    parts.pop("exited")
    return parts | {"square_sum": None if high is None else high * 2**64 + low, "histogram": row["histogram"]}


def check_threads(ctprof, path, rows, threads):
    """The facts of threads, added up here, are those of groups."""
    values, counts, compared = {}, {}, 0
    for row in threads:
        key = row["group_name"], row["metric"]
        counts[key] = counts.get(key, 0) + 1
        if row["seen"] == 1:
            values.setdefault(key, []).append(number(row["sum"]))
    for row in rows:
        key = row["group_name"], row["metric"]
        if row["group_key"] != "pcomm" or row["metric"] == "lived_ns":
            continue
        expected = fact_of(values.get(key, []), counts.get(key, 0), row["rule"] == "min")
        check(fact(row) == expected, f"{path}: {key}: {fact(row)} is not {expected}")
        compared += 1
    check(compared > 50, f"{path}: only {compared} facts were compared")


def check_show(ctprof, path, rows):
    """Sums with the work of exited threads are the values that show prints."""
    shown = {}
    text = run(ctprof, "show", "-f", "ndjson", "--all-metrics", "--limit", "0", "--per", "total", "--group-by", "pcomm",
               "--no-thread-normalize", path)
    for line in text.splitlines():
        row = json.loads(line)
        if "group" in row and "metric" in row:
            shown[row["group"], row["metric"]] = row.get("value")
    exported = {}
    for row in rows:
        if row["group_key"] == "pcomm" and row["rule"] == "sum" and row["seen"] > 0:
            exported[row["group_name"], row["metric"]] = number(row["sum"]) + (number(row["exited"]) or 0)
    same = [key for key in exported if key in shown and isinstance(shown[key], (int, float))]
    for key in same:
        check(math.isclose(exported[key], shown[key]), f"{path}: {key}: exported {exported[key]}, shown {shown[key]}")
    check(len(same) > 20, f"{path}: only {len(same)} values are in both")


def main():
    ctprof, schema_path, readme = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    folder = os.path.dirname(readme)
    for name in ["v1-baseline", "v1-facts-candidate", "v1-hostile", "v1-no-schedstats"]:
        path = f"{folder}/{name}.ctprof.zst"
        rows, threads = ndjson(ctprof, path), ndjson(ctprof, "--level", "thread", "-g", "pcomm", path)
        for row in rows[::7] + threads[::11]:
            for error in validator.iter_errors(row):
                failures.append(f"{path}: {error.message}")
        check_csv(ctprof, path, rows)
        check_threads(ctprof, path, rows, threads)
    check_show(ctprof, f"{folder}/v1-baseline.ctprof.zst", ndjson(ctprof, f"{folder}/v1-baseline.ctprof.zst"))
    wrong = dict(rows[0])
    del wrong["seen"]
    check(not validator.is_valid(wrong), "the schema takes a row without a column")
    check(not validator.is_valid(rows[0] | {"sum": 1.5}), "the schema takes a sum that is no integer")
    check(not validator.is_valid(rows[0] | {"threads": None}), "the schema takes a null number of threads")
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
