#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prometheus.py CTPROF FILE...: the formats of Prometheus against a strict parser and against the JSON of the same groups."""
import json
import re
import subprocess
import sys

FACTOR = {"ns": 1e-9, "us": 1e-6, "percent": 0.01, "ticks": None}
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
SAMPLE = re.compile(r'([a-z0-9_]+)(?:\{(.*)\})? (\S+)\Z')
LABEL = re.compile(r'([a-z][a-z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|\Z)')
checks = 0


def expect(holds, text):
    global checks
    checks += 1
    if not holds:
        sys.exit("prometheus.py: " + text)


def labels_of(text):
    labels, at = {}, 0
    while text and at < len(text):
        match = LABEL.match(text, at)
        expect(match and match.group(1) not in labels, "labels: " + text)
        plain = re.sub(r'\\(.)', lambda m: {"n": "\n"}.get(m.group(1), m.group(1)), match.group(2))
        labels[match.group(1)] = plain
        at = match.end()
    return labels


def parse(text, openmetrics):
    """Families in their order: name -> {help, unit, samples: {labels: value}}."""
    families, current = {}, None
    expect(text.endswith("\n") and "\n\n" not in text, "lines end in one newline")
    lines = text.split("\n")[:-1]
    if openmetrics:
        expect(lines.pop() == "# EOF", "no # EOF at the end")
    for line in lines:
        expect(all(c.isprintable() for c in line), "an unprintable character: " + repr(line))
        if line.startswith("# HELP "):
            name, text = line[7:].split(" ", 1)
            expect(NAME.match(name) and name not in families and text, "HELP " + name)
            expect(not re.search(r"_(total|count|sum|bucket|info|created|ns|us|ms)\Z", name), "the name " + name)
            current = families[name] = {"help": text, "samples": {}}
        elif line.startswith("# TYPE "):
            expect(line == f"# TYPE {name} gauge" and "type" not in current, line)
            current["type"] = "gauge"
        elif line.startswith("# UNIT "):
            unit = line[7:].split(" ")
            expect(openmetrics and unit[0] == name and name.endswith("_" + unit[1]), line)
        else:
            match = SAMPLE.match(line)
            expect(match and match.group(1) == name and "type" in current, line)
            key = tuple(sorted(labels_of(match.group(2)).items()))
            expect(key not in current["samples"], "twice: " + line)
            current["samples"][key] = float(match.group(3))
    return families


def run(ctprof, *args):
    return subprocess.run([ctprof, "show", *args], check=True, capture_output=True).stdout.decode()


def family_of(metric, unit):
    base = {"ns": "seconds", "us": "seconds", "ticks": "seconds", "bytes": "bytes", "percent": "ratio", "ratio": "ratio",
            "count": "", "": ""}
    plain, _, per = unit.partition("/")
    cut = {"ns": "_ns", "us": "_us", "ticks": "_clock_ticks", "bytes": "_bytes", "percent": "_percent", "ratio": "_ratio",
           "count": "_count"}.get(plain, "")
    name = metric[:-len(cut)] if cut and metric.endswith(cut) else metric
    if plain == "count" and name != metric:
        name += "s"
    parts = ["ctprof", name, base[plain]] + (["per", "second"] if per else [])
    return "_".join(part for part in parts if part)


def check(ctprof, path, keys):
    plain = parse(run(ctprof, "-f", "prometheus", "-t", "10000", "-g", keys, path), False)
    expect(plain == parse(run(ctprof, "-f", "openmetrics", "-t", "10000", "-g", keys, path), True),
           "the two formats differ: " + path)
    report = json.loads(run(ctprof, "-f", "json", "-g", keys, path))
    ticks = report["snapshot"]["host"].get("clock_ticks_per_second")
    seen = marks = 0
    for row in report["rows"]:
        unit = row["unit"].split("/")[0]
        if row["type"].split("_")[0] in ("ordinal", "label", "cpu") or row["metric"] not in METRICS:
            continue
        name = family_of(row["metric"], row["unit"])
        factor = FACTOR.get(unit, 1) if unit != "ticks" else (1 / ticks if ticks else None)
        single = "," not in keys
        key = tuple(sorted((COLUMNS[k], row["group"] if single else row[COLUMNS[k]]) for k in keys.split(",")))
        value = plain.get(name, {"samples": {}})["samples"].get(key)
        mark = plain.get(name + "_partial", {"samples": {}})["samples"].get(key)
        marks += mark is not None
        expect(mark == (1 if row["partial"] and value is not None else None), f"{name}{key}: mark {mark}, partial {row['partial']}")
        if row["value"] is None or factor is None:
            expect(value is None, f"{name}{key} has {value} where nothing was seen")
            continue
        expect(value is not None, f"no {name}{key}")
        expect(abs(value - row["value"] * factor) <= 1e-12 * abs(value), f"{name}{key}: {value}, not {row['value']}")
        seen += 1
    samples = sum(len(family["samples"]) for name, family in plain.items() if name not in ALONE)
    expect(seen + marks == samples > 0, f"{path}: {samples} samples, {seen} rows, {marks} marks")
    return marks


ALONE = ("ctprof_snapshot_timestamp_seconds", "ctprof_window_seconds", "ctprof_groups_left_out")
ctprof = sys.argv[1]
listing = json.loads(subprocess.run([ctprof, "metric-list", "-f", "json"], check=True, capture_output=True).stdout)
METRICS = {row["name"] for kind in ("metrics", "derived") for row in listing[kind]}
COLUMNS = {row["name"]: row.get("column", row["name"]) for row in listing["group_keys"]}
total = 0
for path in sys.argv[2:]:
    for keys in ("pcomm", "pid", "cgroup,user", "comm-exact,exe", "thread"):
        total += check(ctprof, path, keys)
expect(total > 0, "no value is partial")
top = parse(run(ctprof, "-f", "prometheus", "-t", "2", sys.argv[2]), False)
expect(len({key for name, family in top.items() if name not in ALONE for key in family["samples"]}) == 2, "--top 2")
left_out = top["ctprof_groups_left_out"]["samples"][()]
whole = parse(run(ctprof, "-f", "prometheus", "-t", "10000", sys.argv[2]), False)
expect(left_out + 2 == len(whole["ctprof_threads"]["samples"]) or "ctprof_threads_per_second" in whole, f"{left_out} left out")
print(f"{checks} checks")
