#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""growth.py CTPROF [WORD]: the time for hostile input grows in proportion to its size.

Each kind of hostile input is made in three sizes: nothing, a size that takes LEAST_SECONDS or more, and STEP times that
size. The time for nothing, such as starting the program, is subtracted from the other two, so that it hides no growth.
The growth per doubling may be at most 2.5: linear time has 2, quadratic time has 4.

Time is CPU time, user and system together. The scheduler measures the sum exactly. The kernel samples the share of
user time at ticks, which is off by some ticks: the least user time of several runs is too small, the more so the
shorter the run is, and a linear path measured that way had a growth of up to 2.45. Two doublings halve the weight of
what remains, such as caches that are too small for the larger input. WORD selects the kinds whose name contains it."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import files
from run import Run, is_sanitized, skip

GROWTH_MAX = 2.5
DOUBLINGS = 2
STEP = 2**DOUBLINGS
# The smaller input is made larger until it takes this long.
LEAST_SECONDS = 0.06
TRIES = 5
ROUNDS = 4


def collisions(bits):
    """Strings of hexadecimal digits. In strmap's former hash all of them collided, whatever its seed: flipping the bits 31
    and 63 of two words, one behind the other, took itself back."""
    plain = "61" * 16
    flipped = "616161e1616161e1616161e1616161e1"
    for number in range(1 << bits):
        yield "2f" * 8 + "".join(flipped if number >> bit & 1 else plain for bit in range(bits))


def starts(count):
    """One tid with many start times."""
    return files.snapshot(files.row(7, 7, start=start) for start in range(count))


def tids(count):
    """One start time and many tids, all of which end in the same fourteen bits."""
    return files.snapshot(files.row(tid << 14 | 1, tid << 14 | 1) for tid in range(1, count + 1))


def processes(count):
    """One tgid with many start times, each with totals of its own."""
    totals = ',"process_totals":{"utime_clock_ticks":5,"stime_clock_ticks":5}'
    return files.snapshot(files.row(7, 7, start=start, more=totals) for start in range(count))


def twins(count):
    """Threads that are all the same, which no reading can have."""
    return files.snapshot(files.row(7, 7, start=5) for _ in range(count))


def leaders(count):
    """Rows with the tid of a leader and another tgid, before the rows of its process."""
    half = count // 2
    rows = [files.row(7, tgid + 100, start=tgid) for tgid in range(half)]
    rows += [files.row(tid + 10, 7, start=9) for tid in range(half)]
    return files.snapshot(rows)


def policies(count):
    """A label for each thread."""
    return files.snapshot(files.row(tid + 1, 1, more=f',"policy":"{files.word(tid)}"') for tid in range(count))


def collide(count):
    """Paths that collided in the former hash function."""
    bits = max(count.bit_length() - 1, 0)
    return files.snapshot(
        files.row(tid + 1, 1, more=f',"cgroup":"/","cgroup_hex":"{path}"') for tid, path in enumerate(collisions(bits))
    )


def groups(count):
    """Each process has another name."""
    return files.snapshot(files.row(i + 1, i + 1, files.word(i)) for i in range(count))


def renames(side):
    """Cgroups that all have nearly the same threads, and other names on the other side."""

    def make(count):
        rows = []
        for group in range(count):
            for kind in range(12):
                name = files.word(kind if kind < 11 else 100 + group % 50)
                path = f"/{side}{files.word(group)}/x"
                rows.append(files.row(len(rows) + 1, len(rows) + 1, name, more=f',"cgroup":"{path}"'))
        return files.snapshot(rows, host={"boot_id": f"boot-{side}"})

    return make


def alike(side):
    """Cgroups with the same threads, and with paths that all end in the same long name."""

    def make(count):
        rows = []
        for group in range(count):
            path = f"/{side}{files.word(group)}/{'q' * 4000}"
            for kind in range(10):
                rows.append(files.row(len(rows) + 1, len(rows) + 1, files.word(kind), more=f',"cgroup":"{path}"'))
        return files.snapshot(rows, host={"boot_id": f"boot-{side}"})

    return make


def deep(count):
    """A path of as many cgroups inside one another as a path can have, with one more letter in each row."""
    return files.snapshot(
        files.row(i + 1, 1, more=f',"cgroup":"/{"a1/" * (i % 3 + 1200)}{files.word(i)}"') for i in range(count)
    )


def siblings(count):
    """Many cgroups of one parent, each with values of its own."""
    rows = (files.row(i + 1, 1, more=f',"cgroup":"/parent/{files.word(i)}"') for i in range(count))
    stats = (
        f'"/parent/{files.word(i)}":{{"cpu":{{"usage_usec":{i}}},"memory":{{"current":{i},"stat":{{"anon":{i}}}}}}}'
        for i in range(count)
    )
    return files.snapshot(rows, list(stats))


def digits(count):
    """Paths that are one long number each."""
    return files.snapshot(
        files.row(i + 1, 1, more=f',"cgroup":"/{"7" * 3900}{i % 10}"') for i in range(count)
    )


def letters(count):
    """Paths of one letter again and again, for globs with many stars."""
    return files.snapshot(
        files.row(i + 1, 1, more=f',"cgroup":"/{"a" * 3900}{i % 10}"') for i in range(count)
    )


def lists(count):
    """Lists of nearly as many keys as a list may have, each with keys of its own."""
    stats = (",".join(f'"k{i}_{key}":1' for key in range(30000)) for i in range(count))
    return files.snapshot([], [f'"/c{i}":{{"memory":{{"stat":{{{stat}}}}}}}' for i, stat in enumerate(stats)])


def users(count):
    """Each thread has another user, beside a list of users that is nearly as long as it may be."""
    names = {str(uid): "u" for uid in range(8000)}
    rows = (files.row(i + 1, i + 1, more=f',"uid":{i}') for i in range(count))
    return files.snapshot(rows, host={"users": names})


def cpus(count):
    """Lists of all CPUs there can be, never the same twice in a row."""
    every = [",".join(str(cpu) for cpu in range(first, 8192)) for first in range(2)]
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"cpu_affinity":[{every[i % 2]}]') for i in range(count)
    )


def unknown(count):
    """Keys that mean nothing."""
    more = "".join(f',"x{i}":{i}' for i in range(count))
    return files.snapshot([files.row(1, 1, more=more)])


def of_path(write):
    """Marks a maker that writes the file itself."""
    write.ending = write.__doc__.split()[0]
    return write


@of_path
def hosts(path, count):
    """.db: as many hosts as groups, and one fact for each."""
    count = max(count, 6)
    if os.path.exists(path):
        os.unlink(path)
    ddl = subprocess.run([os.path.realpath(sys.argv[1]), "db", "ddl", "sqlite"], check=True, capture_output=True)
    database = sqlite3.connect(path)
    database.executescript(ddl.stdout.decode())
    database.executescript("PRAGMA application_id = 0x63747066; PRAGMA user_version = 3")
    for text, row in {
        "snapshot": lambda i: (i, f"d{i}", f"h{i}", "b", "k", f'{{"arm":"{i % 2}","block":"{i}"}}', "window", 10**18, 10**9, "none"),
        "snapshot_key": lambda i: (i, "pcomm"),
        "grp": lambda i: (i, "pcomm", f"g{i}"),
        "metric": lambda i: (i, "run_time_ns" if i == 1 else f"m{i}", "ns", "t", "sum"),
        "fact": lambda i: (i, i, i % 50 + 1, 1, 1, None, i, None, None, None, None, None, None),
    }.items():
        rows = [row(i) for i in range(1, (50 if text == "metric" else count) + 1)]
        database.executemany(f"INSERT INTO {text} VALUES ({','.join('?' * len(rows[0]))})", rows)
    database.commit()
    database.close()


TIME = '{"timestamp":"2026-01-31T12:00:00+00:00"'


@of_path
def jobs(path, count):
    """usage.jsonl: one record of many processes."""
    processes = ",".join(f'"{i}":{{"rss":{i},"pcpu":1,"etime":"00:09"}}' for i in range(count + 1))
    with open(path, "w", encoding="ascii") as file:
        file.write(f'{TIME},"totals":{{"rss":1}},"processes":{{{processes}}}}}\n')


@of_path
def records(path, count):
    """usage.jsonl: many records of one moment."""
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f'{TIME},"totals":{{"rss":{i}}}}}\n' for i in range(count + 1))


@of_path
def fields(path, count):
    """info.json: many fields, in objects inside one another. They are short: a list reads no more than 16 MiB."""
    inner = ",".join(f'"{i:x}":0' for i in range(count))
    with open(path, "w", encoding="ascii") as file:
        file.write(f'{{"schema_version":"0.2.3","a":{{"b":{{{inner}}}}}}}')


@of_path
def sessions(path, count):
    """dir: an experiment with a boot for each unit. None has all arms, so that no window is read."""
    units = [
        {"state": "done", "arm": "AB"[i % 2], "block": i // 2 + 1, "session": i + 1, "file": "a", "start": i, "length_ns": 10**9, "outcomes": {}}
        for i in range(count + 1)
    ]
    text = {
        "ctprof_experiment": 1,
        "name": "x",
        "state": "complete",
        "order": "abba",
        "seed": 1,
        "arms": [{"name": "A", "lines": []}, {"name": "B", "lines": []}],
        "plan": {"margin": 0.02, "min_effect": 0.01, "blocks": 1, "primary": [], "control": [], "guard": []},
        "sessions": [{"boot_id": f"b{i}", "host": "h"} for i in range(count + 1)],
        "units": units,
    }
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "experiment.json"), "w", encoding="ascii") as file:
        json.dump(text, file)


sessions.status = 1


def frame(text):
    """A frame of zstd with blocks as they are."""
    data, most = text.encode(), 128 << 10
    blocks = [data[at:at + most] for at in range(0, len(data), most)]
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + b"".join(
        (len(block) << 3 | (i + 1 == len(blocks))).to_bytes(3, "little") + block for i, block in enumerate(blocks))


def write_recording(path, texts):
    """Makes a recording of windows of a millisecond: their text, without the times."""
    begin, length = 1700000000 * 10**9, 10**6
    os.makedirs(path, mode=0o700, exist_ok=True)
    with open(os.path.join(path, "20231114T221320Z.ctprof.zst"), "wb") as file:
        for i, (rows, version, tail) in enumerate(texts):
            head = {"begin_unix_ns": begin + i * length, "begin_boottime_ns": files.BOOTTIME_NS + i * length, "length_ns": length}
            text = "".join(files.snapshot(rows, boottime_ns=files.BOOTTIME_NS + (i + 1) * length, tail=tail))
            text = text.replace('"version":1,', f'"version":{version},', 1)
            file.write(frame(text.replace('"kind":"lifetime"', f'"kind":"window","window":{json.dumps(head)}', 1)))


@of_path
def windows(path, count):
    """dir: a recording of windows, each with a process of a new name. The others keep the number of names below that of an archive."""
    others = [files.row(10**6 + i, 10**6 + i) for i in range(20)]
    write_recording(path, (([files.row(i + 2, i + 2, files.word(i))] + others, 1, "") for i in range(count + 1)))


@of_path
def changes(path, count):
    """dir: a recording in which nothing changes behind the first window."""
    row = files.row(2, 2, more=',"window_part":"continued"')
    write_recording(path, [([row], 1, "")] + count * [([], 2, ',"ended_threads":[],"unchanged":{"threads":1,"cgroups":0}')])


def write_idle(path, threads, count):
    rows = [files.row(i + 2, i + 2, more=',"window_part":"continued"') for i in range(threads)]
    write_recording(path, [(rows, 1, "")] + count * [([], 2, f',"ended_threads":[],"unchanged":{{"threads":{threads},"cgroups":0}}')])


@of_path
def idle(path, count):
    """dir: a recording of as many windows as threads, in which nothing changes behind the first window."""
    write_idle(path, count, count)


@of_path
def idle_crowd(path, count):
    """crowd: the same with a hundred threads for each window."""
    write_idle(path, 100 * count, count)


STARS = "/" + "*a" * 60 + "*b"

# The kind of files, their number at first, and the command; {a} and {b} are two files of that kind.
KINDS = [
    ("one tid, many start times", starts, None, 4000, ["window", "{a}", "{b}", "-q", "-o", "{out}"]),
    ("one start time, many tids", tids, None, 4000, ["window", "{a}", "{b}", "-q", "-o", "{out}"]),
    ("one tgid, many processes", processes, None, 4000, ["window", "{a}", "{b}", "-q", "-o", "{out}"]),
    ("the same thread again and again", twins, None, 4000, ["window", "{a}", "{b}", "-q", "-o", "{out}"]),
    ("leaders of other processes", leaders, None, 4000, ["window", "{a}", "{b}", "-q", "-o", "{out}"]),
    ("paths that collided", collide, None, 1024, ["show", "-g", "cgroup", "--no-cg-normalize", "{a}"]),
    ("a label for each thread", policies, None, 4000, ["show", "{a}"]),
    ("a group for each thread", groups, None, 4000, ["show", "{a}"]),
    ("a group for each thread, compared", groups, None, 4000, ["compare", "{a}", "{b}"]),
    ("a group for each thread, as JSON", groups, None, 1000, ["show", "--format", "json", "--limit", "0", "{a}"]),
    ("renames of similar cgroups", renames("a"), renames("b"), 200, ["compare", "-g", "cgroup,pcomm", "{a}", "{b}"]),
    ("renames of cgroups whose long paths end alike", alike("a"), alike("b"), 200, ["compare", "-g", "cgroup,pcomm", "{a}", "{b}"]),
    ("deep cgroups", deep, None, 500, ["show", "-g", "all", "{a}"]),
    ("deep cgroups, compared", deep, None, 250, ["compare", "-g", "cgroup", "--no-cg-normalize", "{a}", "{b}"]),
    ("many cgroups of one parent", siblings, None, 2000, ["show", "-g", "cgroup", "--no-cg-normalize", "{a}"]),
    ("long numbers in paths", digits, None, 500, ["show", "-g", "cgroup", "{a}"]),
    ("globs of many stars", letters, None, 100, ["show", "-g", "cgroup", "--cgroup-flatten", STARS, "{a}"]),
    ("long lists of keys", lists, None, 1, ["show", "-g", "cgroup", "{a}"]),
    ("many users", users, None, 4000, ["show", "-g", "user", "{a}"]),
    ("many CPUs", cpus, None, 200, ["show", "{a}"]),
    ("unknown keys", unknown, None, 100000, ["show", "{a}"]),
    ("a database of a group for each host", hosts, None, 1000, ["db", "query", "outliers", "--db", "{a}"]),
    ("a database of a group for each host, in an experiment", hosts, None, 1000, ["db", "query", "arms", "--db", "{a}"]),
    ("a job of many processes", jobs, None, 10000, ["plot", "{a}"]),
    ("a job of many records", records, None, 10000, ["plot", "-f", "svg", "-o", "{out}", "{a}"]),
    ("an experiment of many boots", sessions, None, 4000, ["ab-report", "{a}"]),
    ("a recording of many processes, as an archive", windows, None, 400, ["export", "-f", "pcp", "-o", "{out}", "{a}"]),
    ("a recording without changes, as a trace", changes, None, 400, ["export", "-f", "chrome", "{a}"]),
    ("a recording of idle threads, as a trace", idle, None, 150, ["export", "-f", "chrome", "{a}"]),
    ("a recording of idle threads, as an archive", idle, None, 150, ["export", "-f", "pcp", "-o", "{out}", "{a}"]),
    ("a recording of idle threads, as a page", idle_crowd, None, 50, ["report", "-o", "{out}", "{a}"]),
    ("a job of many fields", fields, None, 10000, ["list", "-f", "ndjson", "{a}"]),
]


def make(directory, name, maker, other, count):
    """Two files of a kind, the second captured later. Returns the arguments that they stand for."""
    names = {}
    for side, (function, later) in {"a": (maker, 0), "b": (other or maker, 10**9)}.items():
        if hasattr(function, "ending"):
            names[side] = os.path.join(directory, f"{name}-{side}-{function.ending.rstrip(':')}")
            function(names[side], count)
            continue
        path = os.path.join(directory, f"{name}-{side}.zst")
        pieces = function(count)
        text = "".join(pieces)
        if later:
            begin = files.BOOTTIME_NS
            text = text.replace(f'"captured_boottime_ns":{begin}', f'"captured_boottime_ns":{begin + later}', 1)
        files.write(path, [text])
        names[side] = path
    names["out"] = os.path.join(directory, "out.zst")
    return names


def measure(command, tries, status):
    """The least CPU time of several runs, which end with @status."""
    least = None
    for _ in range(tries):
        run = Run(command)
        if run.status != status:
            raise RuntimeError(f"{' '.join(command)}: status {run.status}: {run.error}")
        least = run.cpu_seconds if least is None else min(least, run.cpu_seconds)
    return least


class Growth:
    """The growth of one kind: @count objects take @small seconds, STEP times as many take @large, none takes @nothing."""

    def __init__(self, ctprof, directory, kind, least_count):
        _, self.maker, self.other, _, self.arguments = kind
        self.ctprof, self.directory, self.count = ctprof, directory, least_count
        status = getattr(self.maker, "status", 0)
        nothing, small = self.command("nothing", 0), self.command("small", self.count)
        self.nothing = measure(nothing, TRIES, status)
        while measure(small, 2, status) - self.nothing < LEAST_SECONDS:
            self.count *= 2
            small = self.command("small", self.count)
        large = self.command("large", STEP * self.count)
        self.small = self.large = float("inf")
        for _ in range(ROUNDS):
            self.nothing = min(self.nothing, measure(nothing, TRIES, status))
            self.small = min(self.small, measure(small, TRIES, status))
            self.large = min(self.large, measure(large, TRIES - 2, status))
            if self.is_linear():
                break

    def command(self, name, count):
        names = make(self.directory, name, self.maker, self.other, count)
        return [self.ctprof] + [argument.format(**names) for argument in self.arguments]

    def of_doubling(self):
        return ((self.large - self.nothing) / (self.small - self.nothing)) ** (1 / DOUBLINGS)

    def is_linear(self):
        return self.of_doubling() <= GROWTH_MAX


def main():
    if len(sys.argv) < 2:
        print("Usage: growth.py CTPROF [WORD]", file=sys.stderr)
        return 2
    ctprof = os.path.realpath(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    if not shutil.which("zstd"):
        skip("no zstd")
    if is_sanitized(ctprof):
        skip("an instrumented program takes time of its own")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for kind in KINDS:
            if wanted not in kind[0]:
                continue
            try:
                growth = Growth(ctprof, directory, kind, kind[3])
                # A cache that is too small for the larger input may look like growth once. Real growth is there at
                # every size.
                if not growth.is_linear():
                    growth = Growth(ctprof, directory, kind, 2 * growth.count)
            except RuntimeError as error:
                if any(words in str(error) for words in ("built without", "cannot be loaded")):
                    print(f"skipped: {kind[0]}: {error}", flush=True)
                    continue
                print(f"FAILED: {kind[0]}: {error}", flush=True)
                failed += 1
                continue
            failed += not growth.is_linear()
            print(
                f"{'ok' if growth.is_linear() else 'FAILED'}: {kind[0]}: {growth.count} take {growth.small:.3f} s,"
                f" {STEP} times as many {growth.large:.3f} s, none {growth.nothing:.3f} s:"
                f" {growth.of_doubling():.2f} times for a doubling",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
