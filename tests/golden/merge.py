#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Windows of many hosts in one file: each host's rows are those of its own file, sums are those computed here, any order and any tree of
merges say the same to the byte, memory does not grow with the files, and what cannot be merged is refused.

merge.py CTPROF MAKE_FLEET SNAPSHOTS
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout


def unpack(path):
    return json.loads(run("zstd", "-dcq", path))


def pack(document, path):
    subprocess.run(["zstd", "-q", "-f", "--check", "-o", path], input=json.dumps(document).encode(), check=True)


class Merging:
    def __init__(self, ctprof, directory):
        self.ctprof, self.directory, self.count = os.path.realpath(ctprof), directory, 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def merge(self, *paths):
        self.count += 1
        out = self.path(f"merged-{self.count}.zst")
        run(self.ctprof, "merge", *paths, "-o", out)
        return out

    def rows(self, path, keys):
        text = run(self.ctprof, "show", "-g", keys, "-a", "--per", "total", "-f", "csv", "--csv-raw", path).decode()
        return list(csv.DictReader(io.StringIO(text)))

    def refused(self, message, *paths):
        out = self.path("refused.zst")
        done = subprocess.run([self.ctprof, "merge", *paths, "-o", out], stderr=subprocess.PIPE)
        said = done.stderr.decode()
        check(done.returncode == 1 and message in said and said.count("\n") == 1, f"not refused with '{message}': {said}")
        check(not os.path.exists(out), f"a refused merge left a file: {message}")


def make_hosts(merging, snapshots):
    """Five hosts: the same ids and start times on each, other work, one without the source schedstat, one that was read by others' rights."""
    run(merging.ctprof, "window", os.path.join(snapshots, "v1-baseline.ctprof.zst"),
        os.path.join(snapshots, "v1-candidate.ctprof.zst"), "-o", merging.path("window.zst"))
    window, paths, made = unpack(merging.path("window.zst")), [], random.Random(5)
    for number in range(5):
        host = json.loads(json.dumps(window))
        host["host"]["hostname"] = f"web-{number}"
        host["host"]["boot_id"] = f"boot-{number}"
        host["labels"] = {"fleet": "web", "number": str(number)}
        for row in host["threads"]:
            for key in ("minflt", "voluntary_csw", "rchar"):
                if key in row:
                    row[key] = made.randrange(1 << 40)
        if number == 3:
            host["sources"]["io"] = {"rule": "denied"}
            for row in host["threads"]:
                for key in ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"):
                    row.pop(key, None)
        paths.append(merging.path(f"web-{number}.zst"))
        pack(host, paths[-1])
    return paths


def check_hosts(merging, paths):
    """What a host's rows say must not depend on the hosts beside it."""
    merged = merging.rows(merging.merge(*paths), "host,pcomm,comm-exact")
    for number, path in enumerate(paths):
        own = [row for row in merged if row["host"] == f"web-{number}"]
        alone = merging.rows(path, "host,pcomm,comm-exact")
        # A share of the CPUs of a host is not known in a file of many.
        alone = [row for row in alone if row["metric"] != "cpu_percent_host"]
        check(all(row["value"] == "" for row in own if row["metric"] == "cpu_percent_host"), "a share of unknown CPUs")
        own = [row for row in own if row["metric"] != "cpu_percent_host"]
        for row in own + alone:
            row.pop("impact", None)
        order = lambda row: (row["group"], row["metric"])
        check(len(own) > 100, f"host {number} has {len(own)} rows")
        if sorted(own, key=order) != sorted(alone, key=order):
            for a, b in zip(sorted(own, key=order), sorted(alone, key=order)):
                if a != b:
                    check(False, f"host {number}: {a} is {b} in its own file")
                    break
            else:
                check(False, f"host {number}: {len(own)} rows, {len(alone)} in its own file")


def check_sums(merging, paths):
    merged = {(row["group"], row["metric"]): row for row in merging.rows(merging.merge(*paths), "pcomm")}
    for metric in ("minflt", "voluntary_csw", "rchar"):
        sums, seen = {}, {}
        for path in paths:
            for row in unpack(path)["threads"]:
                if metric in row:
                    sums[row["pcomm"]] = sums.get(row["pcomm"], 0) + row[metric]
        known = [name for name in sums if (name, metric) in merged]
        check(len(known) > 1, f"{metric}: {len(known)} groups are named as their processes")
        for name in known:
            row = merged[name, metric]
            if row["value"] != "" and row.get("marks", "") == "":
                check(float(row["value"]) == sums[name], f"{name} {metric}: {row['value']}, not {sums[name]}")


def answers(merging, path):
    """All that does not name the file."""
    text = b""
    for keys in ("host,pcomm", "pcomm", "pid", "thread", "host", "cgroup:service,state"):
        document = json.loads(run(merging.ctprof, "show", "-g", keys, "-a", "-f", "json", path))
        document["snapshot"].pop("path")
        document["snapshot"]["cost"].pop("file_bytes")
        document["rows"].sort(key=lambda row: (row["group"], row["metric"], json.dumps(row)))
        text += json.dumps(document, sort_keys=True).encode()
    return text


def any_tree(merging, made, paths):
    paths = paths[:]
    made.shuffle(paths)
    while len(paths) > 1:
        count = made.randrange(1, min(4, len(paths)) + 1)
        paths = [merging.merge(*paths[:count])] + paths[count:]
        made.shuffle(paths)
    return paths[0]


def check_trees(merging, paths):
    made = random.Random(7)
    flat = answers(merging, merging.merge(*paths))
    for tree in range(12):
        check(answers(merging, any_tree(merging, made, paths)) == flat, f"tree {tree} has another answer")
    merged = unpack(merging.merge(merging.merge(*paths)))
    check(merged["version"] == 3 and merged["host"]["hosts"] == 5, f"head {merged['version']} {merged['host'].get('hosts')}")
    check(merged.get("labels") == {"fleet": "web"}, f"labels {merged.get('labels')}")
    check({row["host"] for row in merged["threads"]} == {f"web-{n}" for n in range(5)}, "hosts of the rows")
    own = [row.get("missing", {}).get("io", "denied") for row in unpack(paths[3])["threads"]]
    reasons = [row.get("missing", {}).get("io") for row in merged["threads"] if row["host"] == "web-3"]
    check(sorted(own) == sorted(map(str, reasons)), f"the reasons of web-3 are {reasons}")


def check_refusals(merging, paths, snapshots):
    first = unpack(paths[0])
    merging.refused("is also in", paths[0], paths[1], paths[0])
    merging.refused("is also in", merging.merge(paths[0], paths[1]), paths[1])
    merging.refused("it is no window", paths[0], os.path.join(snapshots, "v1-baseline.ctprof.zst"))
    merging.refused("needs regular ones", "/dev/null")

    def changed(name, change):
        document = json.loads(json.dumps(first))
        document["host"]["hostname"] = name
        change(document)
        pack(document, merging.path(name + ".zst"))
        return merging.path(name + ".zst")

    merging.refused("the name of its host", paths[1], changed("anonymous", lambda d: d["host"].pop("hostname")))
    merging.refused("ticks in a second", paths[1],
                    changed("hz", lambda d: d["host"].__setitem__("clock_ticks_per_second", 1000)))
    merging.refused("selected in another way", paths[1], changed("some", lambda d: d["host"].__setitem__("selection", "--pid 1")))
    document = unpack(merging.merge(*paths[:2]))
    del document["threads"][3]["host"]
    pack(document, merging.path("hostless.zst"))
    merging.refused('a row of a window of many hosts has no "host"', merging.path("hostless.zst"))
    document["threads"][3]["host"] = "web-0"
    document["version"] = 4
    pack(document, merging.path("later.zst"))
    merging.refused("reads up to 3", merging.path("later.zst"))


def peak_of(*words):
    """Bytes that the command had at most."""
    pid = os.spawnvp(os.P_NOWAIT, words[0], words)
    _, status, usage = os.wait4(pid, 0)
    check(status == 0, f"{words[:2]} ends with {status}")
    return usage.ru_maxrss * 1024


def check_memory(merging, make_fleet):
    files = merging.path("fleet")
    os.mkdir(files)
    run(make_fleet, files, "40", "1", "60", "1")
    paths = sorted(os.path.join(files, name) for name in os.listdir(files))
    few = peak_of(merging.ctprof, "merge", *paths[:4], "-o", merging.path("few.zst"))
    many = peak_of(merging.ctprof, "merge", *paths, "-o", merging.path("many.zst"))
    check(many - few < 1 << 20, f"{many} bytes for 40 files, {few} for 4")


def main():
    ctprof, make_fleet, snapshots = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        merging = Merging(ctprof, directory)
        paths = make_hosts(merging, snapshots)
        check_hosts(merging, paths)
        check_sums(merging, paths)
        check_trees(merging, paths)
        check_refusals(merging, paths, snapshots)
        # The address sanitizer keeps what was freed.
        with open(ctprof, "rb") as program:
            keeps_freed = b"__asan_init" in program.read()
        if not keeps_freed:
            check_memory(merging, os.path.realpath(make_fleet))
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
