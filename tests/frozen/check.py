# SPDX-License-Identifier: GPL-2.0-or-later
"""check.py CTPROF: the files of earlier versions in the folders beside this script mean what they meant.

The oracle is the JSON inside of each file, read with Python alone. Every value of every thread, cgroup, process and of
the host's pressure must come out of show and compare as it is in the file, and what the file does not have must not
come out as a number. Every window that an earlier version made of two of the files must be made again with the same
values. What a later version adds is not looked at: more rows, more keys, other text. One departure is allowed: a time
that is longer than the thread had lived may be refused as impossible. In a window that is made again, ticks may be one
off: parts of ticks of threads that were born or ended inside of it are added up by name."""
import functools
import json
import os
import re
import subprocess
import sys

CTPROF = os.path.realpath(sys.argv[1])
HERE = os.path.dirname(os.path.realpath(__file__))

# Keys that were renamed: name in the file -> name that show prints. The reader must have both.
RENAMED_METRICS = {}
# The same for values of cgroups: (version, object, key) in the file -> name that show prints.
RENAMED_CGROUP_VALUES = {}

# Keys of a row that are not metrics.
IDENTITY = set("tid tgid pcomm comm cgroup cgroup_v1 exe uid window_part interval_ns life_ns start_time_clock_ticks "
               "read_boottime_ns smaps_rollup_kib process_totals missing impossible ppid pgrp session cgroups_v1 cwd title wchan syscall exit "
               "process_start_time_clock_ticks jemalloc_boottime_ns jemalloc_interval_ns jemalloc_program".split())
NS_PER_SECOND = 10 ** 9
problems = []
checks = 0


def expect(holds, text):
    global checks
    checks += 1
    if not holds:
        problems.append(text() if callable(text) else text)


def run(*arguments):
    done = subprocess.run([CTPROF, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or b"error" in done.stderr.lower() or b"warning" in done.stderr.lower():
        problems.append(f"ctprof {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


@functools.lru_cache(maxsize=None)
def load(path):
    packed = subprocess.run(["zstd", "-qdc", path], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(packed)


registry = json.loads(run("metric-list", "--format", "json"))
metrics = {metric["name"]: metric for metric in registry["metrics"]}
cgroup_values = {(value["version"], value["object"], value["key"]): value["name"] for value in registry["cgroup_values"]}
io_counters = {key["name"] for entry in registry["cgroup_lists"] if entry["object"] == "io" for key in entry["keys"]}
cgroup_lists = {(entry["object"], entry["key"]) for entry in registry["cgroup_lists"]}


# --- What show and compare print, by (group, section or metric, metric).
def shown(path, *options):
    lines = run("show", "--format", "ndjson", "--per", "total", "--no-thread-normalize", "--no-cg-normalize", *options,
                path).splitlines()
    return [json.loads(line) for line in lines]


def escaped(name):
    """Whether show prints the name otherwise than as it is."""
    return any(ord(c) < 32 or 126 < ord(c) for c in name) or "\\" in name


def cpus_of(text):
    found = []
    for part in text.split(",") if text else []:
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def is_same(metric, kept, have):
    kind = metrics[metric]["type"]
    if kind == "cpu_set":
        return isinstance(have, str) and cpus_of(have) == kept
    if kind == "label_flag":
        return have == ("true" if kept else "false")
    # Nothing has happened that a minimum could be of.
    if kind == "floor_ns" and kept == 0:
        return have in (0, None)
    return type(have) is type(kept) and have == kept


def may_be_impossible(snapshot, row, metric):
    """A time above the thread's age when it was read, or above its part of the window."""
    ticks_per_second = snapshot["host"].get("clock_ticks_per_second", 100)
    value = row[metric]
    if metrics[metric]["unit"] == "ticks":
        value = value * NS_PER_SECOND // ticks_per_second
    elif metrics[metric]["unit"] != "ns":
        return False
    read = row.get("read_boottime_ns", snapshot.get("captured_boottime_ns"))
    if read is None:
        return False
    age = read - row["start_time_clock_ticks"] * NS_PER_SECOND // ticks_per_second
    return value > min(age, row.get("interval_ns", age))


def metric_keys(row):
    return [key for key in row if key not in IDENTITY and not key.endswith("_hex")]


def by_tid(snapshot):
    """Rows whose tid is theirs alone in this file."""
    rows = {}
    for row in snapshot["threads"]:
        rows.setdefault(row["tid"], []).append(row)
    return {tid: found[0] for tid, found in rows.items() if len(found) == 1}


def tid_of(group):
    found = re.match(r"[0-9]+", group)
    return int(found.group()) if found else None


def is_part_of_tick(metric, want, have):
    return metric.endswith("_clock_ticks") and None not in (want, have) and abs(want - have) <= 1


def check_thread_value(where, snapshot, row, metric, have):
    """One cell: metric is today's name."""
    kept_as = next((old for old, new in RENAMED_METRICS.items() if new == metric and old in row), metric)
    if kept_as in row:
        expect(is_same(metric, row[kept_as], have) or have is None and may_be_impossible(snapshot, row, kept_as),
               lambda: f"{where}: {metric} of thread {row['tid']} is {have!r}, and {row[kept_as]!r} in the file")
    else:
        expect(have is None, lambda: f"{where}: {metric} of thread {row['tid']} is {have!r}, and not in the file")


THREAD_SECTIONS = ("primary", "taskstats-delay")
# The group of what the exited threads of a process did, which begins with the process's id.
EXITED = " (exited threads)"


def check_threads(path, name):
    snapshot = load(path)
    for row in snapshot["threads"]:
        for key in metric_keys(row):
            expect(RENAMED_METRICS.get(key, key) in metrics, f"{name}: no metric of today is {key}; is it read, and in RENAMED_METRICS?")
    rows = by_tid(snapshot)
    seen = {}
    for cell in shown(path, "--group-by", "thread"):
        tid = tid_of(cell["group"])
        if cell["metric"] not in metrics or cell["threads"] is None or tid not in rows or cell["group"].endswith(EXITED):
            continue
        seen.setdefault(tid, {})[cell["metric"]] = cell["value"]
    if len(seen) < len(rows):
        problems.append(f"{name}: {len(rows) - len(seen)} of {len(rows)} threads are not shown")
    for tid, row in rows.items():
        cells = seen.get(tid, {})
        for key in metric_keys(row):
            metric = RENAMED_METRICS.get(key, key)
            expect(metric in cells, f"{name}: {metric} of thread {tid} is not shown")
        for metric, have in cells.items():
            if metrics[metric]["source"] != "synthetic" and metrics[metric]["section"] in THREAD_SECTIONS:
                check_thread_value(name, snapshot, row, metric, have)


# --- Cgroups, pressure and smaps_rollup.
def cgroup_expectations(version, cgroup):
    """(metric, value) of one cgroup; what is summed over devices is summed here."""
    for name, values in cgroup.items():
        if not isinstance(values, dict) or name in ("psi", "ids"):
            continue
        for key, value in values.items():
            if name == "io" and key == "stat":
                for counter in io_counters & {counter for device in value.values() for counter in device}:
                    yield f"io_{counter}", sum(device.get(counter, 0) for device in value.values())
            elif (name, key) in cgroup_lists:
                yield from value.items()
            else:
                at = (version, name, key)
                metric = RENAMED_CGROUP_VALUES.get(at, cgroup_values.get(at))
                if metric is None:
                    problems.append(f"no value of today is {at}; is it read, and in RENAMED_CGROUP_VALUES?")
                else:
                    yield metric, "max" if value is None else value


def pressure_expectations(pressure):
    for resource, rows in pressure.items():
        for row, values in rows.items():
            for key, value in values.items():
                yield f"{resource}_{row}_{key.removesuffix('_usec')}", value


def check_facts(path, name):
    snapshot = load(path)
    want = {}
    hidden = 0
    for version, member, prefix in ((2, "cgroup_stats", ""), (1, "cgroup_v1_stats", "v1:")):
        for cgroup_path, cgroup in (snapshot.get(member) or {}).items():
            group = prefix + cgroup_path
            if escaped(group) or "path_hex" in cgroup:
                hidden += any(set(cgroup) - {"path_hex"})
                continue
            want.setdefault(group, []).extend(cgroup_expectations(version, cgroup))
            want[group].extend(pressure_expectations(cgroup.get("psi", {})))
    want.setdefault("host", []).extend(pressure_expectations(snapshot.get("psi") or {}))
    cells = {}
    for cell in shown(path, "--group-by", "cgroup"):
        if cell["threads"] is None:
            cells.setdefault(cell["group"], {})[cell["metric"]] = cell["value"]
    for group, pairs in want.items():
        for metric, value in pairs:
            have = cells.get(group, {}).get(metric)
            expect(have == value, lambda: f"{name}: {metric} of {group} is {have!r}, and {value!r} in the file")
    groups = sum(group != "host" for group in cells)
    wanted = sum(bool(pairs) for group, pairs in want.items() if group != "host") + hidden
    expect(groups >= wanted, f"{name}: {groups} cgroups have values, and {wanted} in the file")


def of_one_process(snapshot):
    """Processes whose name no other one has: name -> rows."""
    processes, names = {}, {}
    for row in snapshot["threads"]:
        processes.setdefault(row["tgid"], []).append(row)
        names.setdefault(row["pcomm"], set()).add(row["tgid"])
    return {name: processes[next(iter(tgids))] for name, tgids in names.items()
            if len(tgids) == 1 and not escaped(name) and all("pcomm_hex" not in row for row in processes[next(iter(tgids))])}


def check_processes(path, name):
    snapshot = load(path)
    cells = {}
    for cell in shown(path, "--group-by", "pcomm"):
        cells.setdefault(cell["group"], {}).setdefault((cell["threads"] is None, cell["metric"]), cell["value"])
    for process, rows in of_one_process(snapshot).items():
        have = cells.get(process or "(without a name)", {})
        for key, kib in next((row["smaps_rollup_kib"] for row in rows if "smaps_rollup_kib" in row), {}).items():
            # Here each process is a group by itself.
            shown_as = cells.get(f"{process}[{rows[0]['tgid']}]", {}).get((True, key), have.get((True, key)))
            expect(shown_as == kib * 1024, lambda: f"{name}: {key} of {process} is {shown_as!r}, and {kib} KiB in the file")
        # A process is its threads and what is left of those that have exited.
        for key, total in next((row["process_totals"] for row in rows if "process_totals" in row), {}).items():
            metric = RENAMED_METRICS.get(key, key)
            if metrics[metric]["unit"] == "ticks" or not all(key in row for row in rows):
                continue
            value = max(total, sum(row[key] for row in rows))
            expect(have.get((False, metric)) == value,
                   lambda: f"{name}: {metric} of {process} is {have.get((False, metric))!r}, and {value} in the file")


# --- Two files: compare, and window.
def check_compare(first, last, name):
    sides = {"baseline": load(first), "candidate": load(last)}
    rows = {side: by_tid(snapshot) for side, snapshot in sides.items()}
    lines = run("compare", "--format", "ndjson", "--per", "total", "--unchanged", "--group-by", "thread",
                "--no-thread-normalize", first, last).splitlines()
    compared = set()
    for cell in map(json.loads, lines):
        tid = tid_of(cell["group"])
        metric = cell["metric"]
        if metric not in metrics or metrics[metric]["source"] == "synthetic" or metrics[metric]["section"] not in THREAD_SECTIONS \
                or cell["group"].endswith(EXITED):
            continue
        for side, snapshot in sides.items():
            # A thread that only one side has may have the id of another one.
            if tid in rows[side] and cell["threads_" + side] is not None:
                check_thread_value(f"{name}, {side}", snapshot, rows[side][tid], metric, cell[side])
        compared.add(tid)
    both = {tid for tid in rows["baseline"].keys() & rows["candidate"].keys()
            if all(rows["baseline"][tid][key] == rows["candidate"][tid][key] for key in ("comm", "pcomm", "start_time_clock_ticks"))}
    expect(both <= compared, lambda: f"{name}: threads {sorted(both - compared)} are not compared")


CPU_TIME = ("utime_clock_ticks", "stime_clock_ticks")


def check_totals(row, other, before, name):
    """Version 0.1.0 subtracted a total of the first file even if the sum over the threads there was above it."""
    rows = [thread for thread in before if thread["tgid"] == row["tgid"]]
    first = next((thread["process_totals"] for thread in rows if "process_totals" in thread), {})
    want, have = row.get("process_totals", {}), other.get("process_totals", {})
    was_corrected = not name.startswith("0.1.0:")
    for keys in [CPU_TIME] + [(key,) for key in want if key not in CPU_TIME]:
        lacking = 0 if was_corrected else sum(sum(thread.get(key, 0) for thread in rows) - first[key] for key in keys if key in first)
        value = [want[key] for key in keys if key in want]
        names = [RENAMED_METRICS.get(key, key) for key in keys if key in want]
        expect(all(key in have for key in names) and
               sum(have[key] for key in names) == sum(value) - min(sum(value), max(0, lacking)) and
               (lacking > 0 or [have[key] for key in names] == value),
               f"{name}: {' and '.join(names)} of the process of thread {row['tid']} differ from the file")


def is_lost(row):
    return row.get("window_part") == "exited" and "run_time_ns" not in row and "gone" in row["missing"].values()


def check_window(first, last, made, name):
    done = subprocess.run([CTPROF, "window", "-q", "-o", "-", first, last], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        problems.append(f"{name}: window ended with status {done.returncode}")
        return
    again = json.loads(subprocess.run(["zstd", "-qdc"], input=done.stdout, stdout=subprocess.PIPE, check=True).stdout)
    want, before = load(made), load(first)["threads"]
    # Version 0.1.0 had no rows for threads that left without a record.
    have = {(row["tid"], row["start_time_clock_ticks"]): row for row in again["threads"] if not is_lost(row)}
    expect(len(have) == len(want["threads"]), f"{name}: {len(have)} threads, and {len(want['threads'])} in the file")
    for row in want["threads"]:
        other = have.get((row["tid"], row["start_time_clock_ticks"]), {})
        for key, value in row.items():
            if key in ("missing", "interval_ns", "process_totals"):
                continue
            metric = RENAMED_METRICS.get(key, key)
            expect(other.get(metric) == value or is_part_of_tick(metric, value, other.get(metric)) or metric in metrics and metric not in other and may_be_impossible(want, row, key),
                   lambda: f"{name}: {metric} of thread {row['tid']} is {other.get(metric)!r}, and {value!r} in the file")
        check_totals(row, other, before, name)
    for member in ("cgroup_stats", "cgroup_v1_stats"):
        for path, cgroup in (want.get(member) or {}).items():
            other = (again.get(member) or {}).get(path, {})
            version = 2 if member == "cgroup_stats" else 1
            expect(set(cgroup_expectations(version, cgroup)) <= set(cgroup_expectations(version, other)),
                   f"{name}: values of {path} are others than in the file")


def main():
    if subprocess.run(["sh", "-c", "command -v zstd"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: no zstd")
        sys.exit(77)
    files = 0
    for version in sorted(entry.name for entry in os.scandir(HERE) if entry.is_dir() and entry.name[0].isdigit()):
        folder = os.path.join(HERE, version)
        for file in sorted(os.listdir(folder)):
            if file.endswith(".zst"):
                path, name = os.path.join(folder, file), f"{version}/{file}"
                files += 1
                check_threads(path, name)
                check_facts(path, name)
                check_processes(path, name)
        # "first last made": made is what that version's window made of the two, - where it was not kept.
        with open(os.path.join(folder, "pairs"), encoding="utf-8") as pairs:
            for line in pairs:
                first, last, made = (os.path.join(folder, word + ".zst") for word in line.split())
                name = f"{version}: {line.strip()}"
                check_compare(first, last, name)
                if not made.endswith("/-.zst"):
                    check_window(first, last, made, name)
    for text in problems[:40]:
        print(text)
    print(f"{checks} checks of {files} files, {len(problems)} problems")
    if files == 0 or checks < 10000:
        problems.append("there is too little to check")
    sys.exit(1 if problems else 0)


main()
