#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""seeds.py CTPROF: output does not depend on the seed of the hashes.

Each run of ctprof takes a random seed. The same command on the same files prints the same bytes in every run, in each
format, and so does window."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

import files
from run import skip

RUNS = 5
THREADS = 600
FORMATS = ["table", "markdown", "csv", "json", "ndjson"]


def rows(later):
    """Threads of many names, cgroups and users; some are there once only."""
    for i in range(later * 20, THREADS + later * 20):
        more = (
            f',"cgroup":"/pod-{i % 40}/{files.word(i % 7 + later)}","uid":{i % 9},"exe":"/bin/{files.word(i % 11)}"'
            f',"minflt":{i * 7 + later * (i % 3)},"voluntary_csw":5,"policy":"SCHED_OTHER"'
        )
        yield files.row(i + 1, i // 4 * 4 + 1, f"proc-{files.word(i // 4 % 60)}", f"w{i % 5}", start=i // 4 + 1, more=more)


def cgroups(later):
    """Values of the cgroups."""
    return [
        f'"/pod-{i % 40}/{files.word(i % 7 + later)}":{{"cpu":{{"usage_usec":{i + later}}},'
        f'"memory":{{"current":{i},"stat":{{"anon":{i},"file":{i + later}}}}}}}'
        for i in range(280)
    ]


def digests(command):
    """The digests of what RUNS runs print."""
    found = set()
    for _ in range(RUNS):
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode != 0 or not result.stdout:
            raise RuntimeError(f"{' '.join(command)}: status {result.returncode}: {result.stdout[:200]}")
        found.add(hashlib.sha256(result.stdout).hexdigest())
    return found


def main():
    if len(sys.argv) != 2:
        print("Usage: seeds.py CTPROF", file=sys.stderr)
        return 2
    ctprof = os.path.realpath(sys.argv[1])
    if not shutil.which("zstd"):
        skip("no zstd")
    failed = tried = 0
    with tempfile.TemporaryDirectory() as directory:
        a, b = (os.path.join(directory, name) for name in ("a.zst", "b.zst"))
        files.write(a, files.snapshot(rows(0), cgroups(0)))
        files.write(b, files.snapshot(rows(1), cgroups(1), boottime_ns=files.BOOTTIME_NS + 10**9))
        commands = [[ctprof, "window", a, b, "-q", "-o", "-"]]
        for form in FORMATS:
            for keys in ("pcomm", "cgroup", "cgroup,comm,user", "thread"):
                commands.append([ctprof, "show", "--format", form, "--limit", "0", "-g", keys, a])
                commands.append([ctprof, "compare", "--format", form, "--limit", "0", "-g", keys, a, b])
            commands.append([ctprof, "compare", "--format", form, "-g", "all", "-u", a, b])
        for command in commands:
            tried += 1
            if len(digests(command)) != 1:
                print(f"FAILED: {' '.join(command)}: the output is not always the same")
                failed += 1
    print(f"{tried} commands, {RUNS} runs each, {failed} with more than one output")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
