#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema of snapshots takes what capture writes, and refuses what it never would.

schema.py CTPROF SCHEMA
"""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema for Python")
    sys.exit(77)

U64_MAX = 2**64 - 1
STAT = b"%d (%s) %s 1 1 1 0 -1 0 7 0 0 0 %s 4 0 0 %s 0 2 0 55 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 %s 0 0 0\n"
DASHES = b"-" * 67 + b"\n"
failures = []


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def thread(root, tgid, tid, *, comm=b"worker", state=b"S", utime=b"3", priority=b"20", policy=b"0",
           schedstat=b"1000 200 3\n", csw=b"8", cgroup=b"/work"):
    task = f"{root}/{tgid}/task/{tid}/"
    write(task + "stat", STAT % (tid, comm, state, utime, priority, policy))
    write(task + "schedstat", schedstat)
    write(task + "cgroup", b"0::" + cgroup + b"\n")
    write(task + "sched", b"worker (1, #threads: 2)\n" + DASHES + b"nr_voluntary_switches : " + csw + b"\n")
    write(task + "status", b"Uid:\t1\t4294967295\t3\t4\nCpus_allowed_list:\t0-2,8191\n")


def capture(ctprof, *options):
    with tempfile.NamedTemporaryFile(suffix=".zst") as file:
        subprocess.run([ctprof, "capture", "--quiet", "-o", file.name, *options], check=True)
        text = subprocess.run(["zstd", "-dcq", file.name], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)


def odd_tree(root):
    """Threads with values at their limits and values that make no sense."""
    thread(root, 10, 10)
    thread(root, 10, 11, utime=str(U64_MAX).encode(), priority=b"-2147483648", policy=b"4294967295")
    thread(root, 10, 12, comm=b"\xff\xfe) (", cgroup=b"/\xff", state=b"\"")
    thread(root, 10, 13, utime=b"many", csw=b"-1")
    thread(root, 10, 14, schedstat=b"1 2\n", state=b"long")
    os.symlink(b"/a\n\xff (deleted)", f"{root}/10/exe".encode())
    write(f"{root}/uptime", b"1234.56 2000.00\n")
    write(f"{root}/cmdline", b"quiet \xff\n")
    write(f"{root}/stat", b"cpu  1 2 3 4\n")


def changed(snapshot, change):
    copied = copy.deepcopy(snapshot)
    change(copied)
    return copied


def set_in(*path):
    """set_in(key, ..., value): a change that stores a value."""
    *way, last, value = path

    def change(snapshot):
        for key in way:
            snapshot = snapshot[key]
        snapshot[last] = value
    return change


def without(*path):
    *way, last = path

    def change(snapshot):
        for key in way:
            snapshot = snapshot[key]
        del snapshot[last]
    return change


T = ("threads", 0)
LINE = {"avg10": 10000, "avg60": 0, "avg300": 1, "total_usec": U64_MAX}
CGROUP = {
    "path_hex": "2fff",
    "cpu": {"usage_usec": 2**63 - 1, "weight_nice": -20, "max_quota_us": None, "max_period_us": 100000},
    "memory": {"current": 1, "max": None, "min": 0, "stat": {"anon": U64_MAX, "of tomorrow": 1}, "events": {}},
    "pids": {"current": 1, "max": 2},
    "cpuset": {"cpus_effective": "0-3"},
    "io": {"stat": {"8:0": {"rbytes": 1}}},
    "psi": {"irq": {"full": LINE}, "cpu": {"some": LINE, "full": LINE}},
}
V1 = {"cpuacct": {"usage_ns": 1}, "cpu": {"throttled_ns": 2}, "pids": {"max": None}, "memory": {"usage_bytes": 3}}


def cgroup_with(*path_and_value):
    """A change that stores one cgroup, which is CGROUP but for one value."""
    def change(snapshot):
        snapshot["cgroup_stats"] = {"/a": copy.deepcopy(CGROUP)}
        set_in("cgroup_stats", "/a", *path_and_value)(snapshot)
    return change


PROBE = {
    "tgids_walked": 81,
    "jemalloc_detected": 3,
    "probed_ok": 2,
    "failed": 1,
    "dominant_failure": "dwarf-parse-failure",
    "privilege_dominant": False,
    "processes": {"ok": 2, "dwarf-parse-failure": 1},
    "threads": {"ok": 40, "traced": 1},
}


def probe_with(key, value):
    """A change that stores PROBE but for one value."""
    def change(snapshot):
        snapshot["probe_summary"] = {**PROBE, key: value}
    return change


TAKEN = [
    set_in("cgroup_stats", {"/a": CGROUP, "": {}, "/\ufffd#2": {"path_hex": "ff"}}),
    set_in("cgroup_stats", {}),
    set_in("cgroup_v1_stats", {"/a": V1, "/b": {}}),
    set_in("psi", {"memory": {"some": LINE}}),
    set_in("psi", {}),
    set_in("sched_ext", None),
    set_in("sched_ext", {}),
    set_in("sched_ext", {"state": "enabled", "enable_seq": 3, "a_key_of_tomorrow": []}),
    set_in("probe_summary", None),
    set_in("probe_summary", PROBE),
    probe_with("dominant_failure", None),
    probe_with("processes", {}),
    probe_with("a_key_of_tomorrow", 1),
    set_in("cost", {}),
    set_in("cost", {"wall_ns": 1, "read_calls": 2}),
    set_in("taskstats_summary", None),
    set_in("taskstats_summary", {"ok_count": 1, "eperm_count": 0, "esrch_count": 0, "other_err_count": 0}),
    set_in("host", "kernel_config", {"SCHEDSTATS": "y"}),
    set_in("host", "mitigations", {}),
    set_in("host", "task_delayacct", "runtime_off"),
    set_in("host", "sched_schedstats", "config_off"),
    lambda snapshot: (snapshot["threads"][0].pop("cgroup"), snapshot["threads"][0].update(cgroup_v1="/a")),
    lambda snapshot: (snapshot["threads"][0].pop("cgroup"),
                      snapshot["threads"][0].update(cgroup_v1="/\ufffd", cgroup_v1_hex="2fff")),
    set_in(*T, "exe", ""),
    lambda snapshot: snapshot["threads"][0].update(exe="/\ufffd (deleted)", exe_hex="2fff2028"),
    set_in(*T, "uid", 2**32 - 1),
    lambda snapshot: (snapshot["threads"][0].pop("exe_hex"), snapshot["threads"][0].pop("exe")),
    without(*T, "uid"),
    set_in("host", "users", {"0": "root", "4294967295": "\ufffd"}),
    set_in(*T, "smaps_rollup_kib", {"Rss": U64_MAX}),
    set_in(*T, "smaps_rollup_kib", {}),
    set_in(*T, "process_totals", {"minflt": U64_MAX, "run_time_ns": 0}),
    set_in(*T, "process_totals", {}),
    set_in("kind", "window"),
    set_in("window", {"length_ns": 1, "exits": "off", "threads_lost": 3}),
    set_in(*T, "window_part", "continued"),
    set_in(*T, "interval_ns", U64_MAX),
    without("captured_boottime_ns"),
    # Keys that the first files of this version did not have.
    without("cgroup_stats"),
    without("cgroup_v1_stats"),
    without("probe_summary"),
    without("taskstats_summary"),
    without("psi"),
    without("sched_ext"),
    without("cost"),
    without("parse_summary", "cgroups"),
    without("sources", "io"),
    without(*T, "read_boottime_ns"),
    set_in("a_key_of_tomorrow", 1),
    set_in("host", "a_key_of_tomorrow", 1),
    set_in("parse_summary", "a_key_of_tomorrow", 1),
    set_in(*T, "minflt", U64_MAX),
    set_in(*T, "nice", -20),
    set_in(*T, "state", "~"),
    set_in(*T, "ext_enabled", True),
    set_in(*T, "missing", {"io": "denied", "minflt": "malformed"}),
    set_in(*T, "impossible_totals", {"run_time_ns": U64_MAX, "utime_clock_ticks": 0}),
    set_in("parse_summary", "impossible_totals", {"stime_clock_ticks": 1}),
    set_in(*T, "cpu_affinity", [0, 8191]),
    set_in("parse_summary", "dominant_read_failure", "io"),
    set_in("parse_summary", "read_failures_by_file", {"io": 1}),
    without(*T, "minflt"),
    without(*T, "cgroup"),
    without("host", "clock_ticks_per_second"),
    set_in("threads", []),
]
REFUSED = [
    set_in("cgroup_stats", None),
    set_in("cgroup_stats", []),
    set_in("cgroup_stats", {"/a": None}),
    set_in("cgroup_stats", {"/a": V1}),
    set_in("cgroup_v1_stats", {"/a": CGROUP}),
    set_in("cgroup_v1_stats", {"/a": {"psi": {}}}),
    cgroup_with("cpu", {}),
    cgroup_with("later", {}),
    cgroup_with("path_hex", "2"),
    cgroup_with("path_hex", ""),
    cgroup_with("cpu", "usage_usec", None),
    cgroup_with("cpu", "usage_usec", 2**63),
    cgroup_with("cpu", "usage", 1),
    cgroup_with("memory", "max", "max"),
    cgroup_with("memory", "stat", "anon", -1),
    cgroup_with("memory", "stat", "anon", U64_MAX + 1),
    cgroup_with("memory", "stat", None),
    cgroup_with("memory", "events", {"low": {}}),
    cgroup_with("cpuset", "cpus_effective", 1),
    cgroup_with("io", "stat", "8:0", 1),
    cgroup_with("io", "stat", "8:0", "rbytes", None),
    cgroup_with("psi", "cpu", {}),
    cgroup_with("psi", "disk", {"some": LINE}),
    cgroup_with("psi", "cpu", "some", "avg10", -1),
    cgroup_with("psi", "cpu", "some", "avg10", 2**32),
    cgroup_with("psi", "cpu", "some", {"avg10": 1}),
    cgroup_with("psi", "cpu", "most", LINE),
    set_in("psi", None),
    set_in("probe_summary", {}),
    set_in("probe_summary", 1),
    probe_with("failed", -1),
    probe_with("failed", None),
    probe_with("dominant_failure", "traced"),
    probe_with("dominant_failure", "a-tag-of-tomorrow"),
    probe_with("privilege_dominant", 1),
    probe_with("processes", None),
    probe_with("processes", {"ok": 0}),
    probe_with("threads", {"a-tag-of-tomorrow": 1}),
    set_in("sched_ext", {"state": 1}),
    set_in("sched_ext", {"enable_seq": None}),
    set_in("sched_ext", []),
    set_in("cost", None),
    set_in("cost", {"wall_ns": -1}),
    set_in("cost", {"wall_ns": 2**63}),
    set_in("taskstats_summary", {"ok_count": 1}),
    set_in("taskstats_summary", 1),
    set_in("host", "kernel_config", {"SCHEDSTATS": True}),
    set_in("host", "kernel_config", "y"),
    set_in("host", "kernel_config", {"PSI": "x"}),
    set_in("host", "task_delayacct", "yes"),
    set_in("host", "sched_schedstats", ""),
    cgroup_with("psi", "cpu", "some", "avg10", 10001),
    set_in(*T, "cgroup_v1", "/a"),
    lambda snapshot: (snapshot["threads"][0].pop("cgroup"), snapshot["threads"][0].update(cgroup_v1_hex="ff")),
    set_in(*T, "smaps_rollup_kib", {"Rss": -1}),
    set_in(*T, "smaps_rollup_kib", None),
    set_in(*T, "process_totals", {"nr_threads": 1}),
    set_in(*T, "process_totals", {"minflt": -1}),
    set_in(*T, "impossible_totals", {}),
    set_in(*T, "impossible_totals", {"wait_time_ns": 1}),
    set_in("parse_summary", "impossible_totals", {"minflt": 1}),
    set_in("host", "possible_cpus", "2"),
    set_in(*T, "process_totals", {"minflt": U64_MAX + 1}),
    without("parse_summary", "threads_unreadable"),
    set_in("format", "other"),
    set_in("version", 2),
    set_in("kind", "of tomorrow"),
    set_in("window", {"length_ns": 0}),
    set_in("window", {"exits": "off"}),
    set_in("window", {"length_ns": 1, "exits": "perhaps"}),
    set_in(*T, "window_part", "of tomorrow"),
    set_in(*T, "interval_ns", -1),
    set_in("captured_at_unix_ns", -1),
    set_in("captured_at_unix_ns", U64_MAX + 1),
    set_in("host", "online_cpus", "2"),
    set_in("host", "hostname", 1),
    set_in("threads", {}),
    set_in(*T, "minfault", 1),
    set_in(*T, "thread_count", 1),
    set_in(*T, "minflt", -1),
    set_in(*T, "minflt", U64_MAX + 1),
    set_in(*T, "minflt", 0.5),
    set_in(*T, "minflt", "1"),
    set_in(*T, "minflt", None),
    set_in(*T, "tid", 2**32),
    set_in(*T, "nice", 2**31),
    set_in(*T, "rt_priority", -1),
    set_in(*T, "policy", ""),
    set_in(*T, "policy", "S" * 32),
    set_in(*T, "state", "SS"),
    set_in(*T, "state", " "),
    set_in(*T, "ext_enabled", 1),
    set_in(*T, "cpu_affinity", [8192]),
    set_in(*T, "cpu_affinity", [1, 1]),
    set_in(*T, "cpu_affinity", []),
    set_in(*T, "cpu_affinity", "0-1"),
    set_in(*T, "comm_hex", "f"),
    set_in(*T, "comm_hex", "FF"),
    set_in(*T, "missing", {}),
    set_in(*T, "missing", {"io": "read"}),
    set_in(*T, "missing", {"io": "lost"}),
    set_in(*T, "missing", {"minflt": "denied"}),
    set_in(*T, "missing", {"minfault": "malformed"}),
    set_in("parse_summary", "threads_walked", -1),
    set_in("parse_summary", "dominant_read_failure", "minflt"),
    set_in("parse_summary", "read_failures_by_file", {"minflt": 1}),
    set_in("sources", "io", "rule", "unneeded"),
    set_in("sources", "io", "denied", 0),
    set_in("sources", "io", "lost", 1),
    set_in("sources", "no_source", {"rule": "read"}),
    without("sources", "io", "rule"),
    without("host", "source"),
    without("parse_summary", "processes_gone"),
    lambda snapshot: (snapshot["threads"][0].pop("cgroup"), snapshot["threads"][0].update(cgroup_hex="ff")),
]
REFUSED += [
    set_in(*T, "exe", 1),
    set_in(*T, "exe", None),
    set_in(*T, "uid", 2**32),
    set_in(*T, "uid", -1),
    set_in(*T, "uid", "0"),
    without(*T, "exe"),
    set_in("host", "users", ["root"]),
    set_in("host", "users", {"0": 0}),
]
REFUSED += [without(key) for key in ("format", "version", "kind", "captured_at_unix_ns",
                                     "host", "threads", "parse_summary", "sources")]
REFUSED += [without(*T, key) for key in ("tid", "tgid", "pcomm", "comm", "start_time_clock_ticks")]


def expect(what, fits, wanted):
    if fits != wanted:
        failures.append(f"{what}: {'refused' if wanted else 'taken'}")


def report(ctprof, snapshot):
    """What show says of a snapshot in JSON."""
    with tempfile.NamedTemporaryFile(suffix=".zst") as file:
        file.write(subprocess.run(["zstd", "-cq"], input=json.dumps(snapshot).encode(), check=True,
                                  stdout=subprocess.PIPE).stdout)
        file.flush()
        return json.loads(subprocess.run([ctprof, "show", "--format", "json", file.name], check=True,
                                         stdout=subprocess.PIPE).stdout)


def find(tree, key):
    """The first value of that key, at any depth."""
    for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        found = value if name == key else find(value, key)
        if found is not None:
            return found
    return None


def main():
    ctprof, schema_path = sys.argv[1:]
    if not shutil.which("zstd"):
        print("skipped: no zstd")
        sys.exit(77)
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)

    with tempfile.TemporaryDirectory() as root:
        odd_tree(root)
        odd = capture(ctprof, "--proc-root", root)
    by_tid = {row["tid"]: row for row in odd["threads"]}
    # That the odd threads are odd in the way they are meant to be.
    assert by_tid[11]["impossible"]["utime_clock_ticks"] == U64_MAX and by_tid[11]["priority"] == -2**31, by_tid[11]
    assert by_tid[14]["exe_hex"] and by_tid[14]["uid"] == 2**32 - 1, by_tid[14]
    assert by_tid[12]["comm_hex"] and by_tid[12]["cgroup_hex"] and by_tid[12]["state"] == '"', by_tid[12]
    assert by_tid[13]["missing"]["utime_clock_ticks"] == "malformed", by_tid[13]
    assert by_tid[14]["missing"]["schedstat"] == "malformed", by_tid[14]

    for what, snapshot in ("the live system", capture(ctprof)), ("the odd threads", odd):
        for error in validator.iter_errors(snapshot):
            failures.append(f"{what}: {error.json_path}: {error.message}")
    for number, change in enumerate(TAKEN):
        expect(f"change {number} of TAKEN", validator.is_valid(changed(odd, change)), True)
    for number, change in enumerate(REFUSED):
        expect(f"change {number} of REFUSED", validator.is_valid(changed(odd, change)), False)
    # The counts have the names of the file in reports as well.
    for name in set(find(report(ctprof, odd), "tally")) - set(schema["properties"]["parse_summary"]["properties"]):
        failures.append(f"show --format json: tally.{name} is not the name of a number of parse_summary")
    print("\n".join(failures) or f"{len(TAKEN)} changes taken, {len(REFUSED)} refused")
    sys.exit(1 if failures else 0)


main()
