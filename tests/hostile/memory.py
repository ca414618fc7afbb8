#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""memory.py CTPROF: no file takes more memory than --read-limit memory= says, or much longer than an ordinary one.

Each worst-case file is read by show, compare and window with a small limit. They may take that much, what the program
takes for a small file, and a fixed rest. They either succeed, or end with status 1 and one line that says which limit or
which bound of a field was broken. Their user time is compared with that of an ordinary file of as much JSON."""

import os
import shutil
import sys
import tempfile

import files
from run import Run, in_child, is_sanitized, skip

LIMIT_MIB = 24
# mem_limit() of src/base/mem.h allows so much beside it for buffers, libraries and stacks.
EXTRA_MIB = 32
TIME_RATIO_MAX = 25
# User time that starting the program and rounding can account for.
TIME_FREE_SECONDS = 0.25


def names(count):
    """Names of 4 KiB, which a bound of the field refuses."""
    return files.snapshot(files.row(i + 1, i + 1, files.word(i) + "a" * 4000) for i in range(count))


def groups(count):
    """A group for each thread."""
    return files.snapshot(files.row(i + 1, i + 1, files.word(i), files.word(i)) for i in range(count))


def hexadecimal(count):
    """Names of 64 bytes that are no text."""
    return files.snapshot(
        files.row(i + 1, i + 1, "?", "?", more=f',"comm_hex":"{"ff" * 56}{i:016x}"') for i in range(count)
    )


def executables(count):
    """Paths of nearly 4 KiB."""
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"exe":"/{"a" * 3900}{files.word(i)}"') for i in range(count)
    )


def paths(count):
    """Paths of cgroups far inside one another."""
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"cgroup":"/{"a/" * 1900}{files.word(i)}"') for i in range(count)
    )


def cgroups(count):
    """Cgroups without threads, with values and lists."""
    stat = ",".join(f'"key{key}":1' for key in range(40))
    return files.snapshot(
        [], [f'"/{files.word(i)}":{{"cpu":{{"usage_usec":1}},"memory":{{"stat":{{{stat}}}}}}}' for i in range(count)]
    )


def starts(count):
    """One tid with many start times."""
    return files.snapshot(files.row(7, 7, start=start) for start in range(count))


def processes(count):
    """As many processes, each with totals and a list of its memory."""
    more = ',"smaps_rollup_kib":{"Rss":1,"Pss":1},"process_totals":{"utime_clock_ticks":5}'
    return files.snapshot(files.row(i + 1, i + 1, files.word(i), more=more) for i in range(count))


def strings(count):
    """A string of nearly 1 MiB in each row, which no key of this version has."""
    return files.snapshot(files.row(i + 1, 1, more=f',"x":"{"s" * 1000000}"') for i in range(count))


def deep(count):
    """Arrays inside arrays."""
    return files.snapshot([], tail="," + ",".join(f'"x{i}":{"[" * 60}{"]" * 60}' for i in range(count)))


def host(count):
    """As much of a host as there may be, in small pieces."""
    entries = {f"{i}": "x" for i in range(count)}
    return files.snapshot([], host={"kernel_config": entries, "x": [[] for _ in range(3 * count)]})


def unknown(count):
    """Keys that mean nothing."""
    return files.snapshot([files.row(1, 1, more="".join(f',"x{i}":1' for i in range(count)))])


def cpus(count):
    """Lists of all CPUs there can be, never the same twice in a row."""
    every = [",".join(str(cpu) for cpu in range(first, 8192)) for first in range(64)]
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"cpu_affinity":[{every[i % 64]}]') for i in range(count)
    )


FILES = [
    ("long names", names, 1000),
    ("a group for each thread", groups, 50000),
    ("names that are no text", hexadecimal, 50000),
    ("long paths of executables", executables, 5000),
    ("deep cgroups", paths, 5000),
    ("cgroups without threads", cgroups, 15000),
    ("one tid, many start times", starts, 200000),
    ("many processes", processes, 50000),
    ("giant strings", strings, 30),
    ("deep arrays", deep, 40000),
    ("a host of many entries", host, 8000),
    ("unknown keys", unknown, 1000000),
    ("many CPUs", cpus, 500),
]

# A host may have 400,000 threads. Its files are read within the default limit of 1 GiB, thread by thread, and two snapshots of
# one boot are compared by process. Compared by thread they need 2.1 GiB: there are the threads of both sides, and those of the
# interval. A tenth of it is tried, with a tenth of the limit.
HOST_THREADS = 40000
HOST_LIMIT_MIB = 102
INTERVAL_LIMIT_MIB = 216
BUSY_ONE_IN = 10
METRICS = (
    "wait_time_ns timeslices voluntary_csw nonvoluntary_csw nr_wakeups nr_wakeups_local nr_wakeups_remote nr_migrations"
    " wait_sum wait_count wait_max voluntary_sleep_ns sleep_max block_sum block_max iowait_sum iowait_count exec_max"
    " slice_max minflt majflt utime_clock_ticks stime_clock_ticks rchar wchar syscr syscw read_bytes write_bytes"
    " cpu_delay_count cpu_delay_total_ns blkio_delay_count blkio_delay_total_ns"
).split()


def whole_host(count):
    """Threads with their metrics, one in ten of them busy."""
    for i in range(count):
        bits = 34 if i % BUSY_ONE_IN == 0 else 14
        values = ",".join(
            f'"{name}":{(i + 1) * 2654435761 * (m + 1) % (1 << bits)}' for m, name in enumerate(METRICS)
        )
        yield files.row(
            i + 1,
            i // 10 * 10 + 1,
            f"proc-{files.word(i // 10 % 300)}",
            f"w{i % 10}",
            more=f',"policy":"SCHED_OTHER","cpu_affinity":[0,1,2,3],{values}',
        ).replace('"wait_time_ns":1000,', "", 1)


def check_whole_host(ctprof, directory):
    """Returns how many commands failed that need not."""
    limit = ["--read-limit", f"memory={HOST_LIMIT_MIB}M"]
    paths_of, _ = make(directory, "host", lambda count: files.snapshot(whole_host(count)), HOST_THREADS)
    failed = 0
    for command in (
        ["compare", *limit, "{a}", "{b}"],
        ["compare", "--read-limit", f"memory={INTERVAL_LIMIT_MIB}M", "-g", "thread", "{a}", "{b}"],
        ["show", *limit, "-g", "thread", "{a}"],
        ["window", *limit, "{a}", "{b}", "-q", "-o", "{out}"],
        ["compare", *limit, "-g", "thread", "{out}", "{out}"],
    ):
        result = run(ctprof, command, paths_of)
        if result.status != 0:
            print(f"FAILED: {HOST_THREADS} threads: {' '.join(command)}: {result.error}")
            failed += 1
        else:
            print(f"{HOST_THREADS} threads: {' '.join(command)}: {result.kib >> 10} MiB, {result.seconds:.2f} s", flush=True)
    return failed


EXPERIMENT_ARRAYS = 20_000_000
EXPERIMENT_LIMIT_MIB = 1024


def check_experiment(ctprof, directory):
    """Returns how many commands took more memory for a description of an experiment than they may."""
    experiment = os.path.join(directory, "experiment")
    os.mkdir(experiment)
    with open(os.path.join(experiment, "experiment.json"), "w", encoding="ascii") as file:
        file.write('{"x":[' + ",".join(["[]"] * EXPERIMENT_ARRAYS) + "]}")
    failed = 0
    for command in (["ab-report", experiment], ["ab", "--resume", experiment]):
        result = run(ctprof, command, {})
        if result.status != 1 or len(result.error.splitlines()) != 1 or result.kib > (EXPERIMENT_LIMIT_MIB + EXTRA_MIB) * 1024:
            print(f"FAILED: an experiment of arrays: {command[0]}: status {result.status}, {result.kib >> 10} MiB, {result.error}")
            failed += 1
    shutil.rmtree(experiment)
    return failed


LIMIT = ["--read-limit", f"memory={LIMIT_MIB}M"]
COMMANDS = [
    ["show", *LIMIT, "{a}"],
    ["show", *LIMIT, "-g", "cgroup,exe,pcomm,comm-exact", "--no-cg-normalize", "{a}"],
    ["show", *LIMIT, "-g", "thread", "-m", "run_time_ns", "--format", "json", "{a}"],
    ["show", *LIMIT, "--rollup", "cgroup", "--format", "json", "{a}"],
    ["compare", *LIMIT, "-g", "cgroup,exe,pcomm,comm", "{a}", "{b}"],
    ["window", *LIMIT, "{a}", "{b}", "-q", "-o", "{out}"],
]


def write(paths_of, maker, argument):
    """The file, the same captured later, and how long their text is."""
    text = "".join(maker(argument))
    begin = f'"captured_boottime_ns":{files.BOOTTIME_NS}'
    for side, later in {"a": 0, "b": 10**9}.items():
        files.write(
            paths_of[side], [text.replace(begin, f'"captured_boottime_ns":{files.BOOTTIME_NS + later}', 1)]
        )
    with open(paths_of["size"], "w", encoding="ascii") as file:
        file.write(str(len(text)))


def make(directory, name, maker, argument):
    """The names of two files, and the length of their text."""
    paths_of = {side: os.path.join(directory, f"{name}-{side}.zst") for side in ("a", "b", "out", "size")}
    in_child(write, paths_of, maker, argument)
    with open(paths_of["size"], encoding="ascii") as file:
        return paths_of, int(file.read())


def ordinary(count):
    """A snapshot of so many threads."""
    return files.snapshot(files.benign(count))


def run(ctprof, command, paths_of):
    """One command on a file."""
    return Run([ctprof] + [argument.format(**paths_of) for argument in command])


def complaint(result, base_kib):
    """What is wrong with a run, or None."""
    allowed_kib = base_kib + (LIMIT_MIB + EXTRA_MIB) * 1024
    if result.kib > allowed_kib:
        return f"{result.kib} KiB, of which {allowed_kib} are allowed"
    lines = result.error.splitlines()
    if result.status == 0:
        return None
    expected = (
        f"ctprof: over a limit (see --read-limit): more than {LIMIT_MIB} MiB of memory",
        "a name of at most 64 bytes was expected",
    )
    # One line, or one for each of two files whose fields are refused.
    if result.status == 1 and lines and all(line.endswith(expected) for line in lines) and len(set(lines)) == len(lines):
        return None
    return f"status {result.status}, and {lines}"


def main():
    if len(sys.argv) != 2:
        print("Usage: memory.py CTPROF", file=sys.stderr)
        return 2
    ctprof = os.path.realpath(sys.argv[1])
    if not shutil.which("zstd"):
        skip("no zstd")
    if is_sanitized(ctprof):
        skip("mem_limit() does nothing in an instrumented program")
    failed = limited = 0
    with tempfile.TemporaryDirectory() as directory:
        failed += check_whole_host(ctprof, directory)
        failed += check_experiment(ctprof, directory)
        small, _ = make(directory, "small", ordinary, 10)
        base_kib = max(run(ctprof, command, small).kib for command in COMMANDS)
        for name, maker, count in FILES:
            hostile, size = make(directory, "hostile", maker, count)
            rows = max(1, size // len(files.row(12345, 12345, "proc-abc", "w1")))
            benign, _ = make(directory, "benign", ordinary, rows)
            worst_kib, worst_seconds, ratio = 0, 0, 0
            for command in COMMANDS:
                result = run(ctprof, command, hostile)
                like = run(ctprof, command[:1] + command[3:], benign)
                wrong = complaint(result, base_kib)
                if result.seconds > TIME_RATIO_MAX * like.seconds + TIME_FREE_SECONDS:
                    wrong = f"{result.seconds:.2f} s of user time; an ordinary file takes {like.seconds:.2f} s"
                if wrong:
                    print(f"FAILED: {name}: {' '.join(command)}: {wrong}", flush=True)
                    failed += 1
                limited += result.status == 1
                if os.path.exists(hostile["out"]):
                    os.unlink(hostile["out"])
                left = [entry for entry in os.listdir(directory) if entry.startswith(".")]
                if left:
                    print(f"FAILED: {name}: {' '.join(command)}: left behind {left}", flush=True)
                    failed += 1
                worst_kib = max(worst_kib, result.kib)
                worst_seconds = max(worst_seconds, result.seconds)
                ratio = max(ratio, result.seconds / max(like.seconds, 0.01))
            print(
                f"{name}: {size >> 20} MiB of JSON, {os.path.getsize(hostile['a']) >> 10} KiB: at most"
                f" {worst_kib >> 10} MiB and {worst_seconds:.2f} s, {ratio:.1f} times an ordinary file",
                flush=True,
            )
    print(f"{limited} runs ended at a limit")
    if limited < 10:
        print("FAILED: the limit was hardly ever reached, so that nothing is known of it")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
