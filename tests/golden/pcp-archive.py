#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""'ctprof export -f pcp' read by the library of Performance Co-Pilot: every value, instance and time of an archive against the windows
that it was made of, and marks where windows do not follow at once. Exits with 77 if there is no reader.

pcp-archive.py CTPROF SNAPSHOTS
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import cpmapi
    from pcp import pmapi
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-pcp)")
    sys.exit(77)

FIRST, LENGTH = 1767225600, 10
OBSERVED = 30
METRICS = ("run_time_ns", "wait_time_ns", "write_bytes")
# Nanoseconds by which a window begins before the end of the one in front: the two are by different clocks.
EARLY = {10: 20}
# Seconds from the first window on, and the groups of it by their names: the work of each metric, None where it is not seen.
WINDOWS = (
    (0, {"steady": (4000000000, 7, 0)}),
    (10, {"steady": (4000000001, 1844674407, 512), "Web Content": (1, 2, 3), "Web Workers": (4, 5, 6)}),
    (20, {"steady": (1, None, 1), "#y x": (9, None, 9), "Web Workers": (3, None, 6)}),
    (60, {"steady": (2, 40 * 10 ** 9, 4), "br\x1b\"ief": (5, 6, 7)}),
    (70.125, {"steady": (2, 3, 4)}),
    (80.125, {"steady": (2, 3, 4)}),
    (90.125, {"steady": (2, 3, 4), "Web Content": (7, None, 9)}),
)
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def begin_ns(start):
    return FIRST * 10 ** 9 + round(start * 1000) * 10 ** 6 - EARLY.get(start, 0)


def write_windows(directory, snapshots):
    with open(os.path.join(snapshots, "window-baseline.json")) as file:
        window = json.load(file)
    paths = []
    for number, (start, groups) in enumerate(WINDOWS):
        thread = window["threads"][0]
        window["window"].update(begin_unix_ns=begin_ns(start), length_ns=LENGTH * 10 ** 9)
        window["threads"] = []
        for place, (name, values) in enumerate(groups.items()):
            made = {key: value for key, value in thread.items() if key not in METRICS}
            made.update(tgid=1000 + place, tid=1000 + place, pcomm=name, comm=name)
            made.update((metric, value) for metric, value in zip(METRICS, values) if value is not None)
            window["threads"].append(made)
        paths.append(os.path.join(directory, f"{number}"))
        with open(paths[-1], "w") as file:
            json.dump(window, file)
    subprocess.run(["zstd", "-q", "--rm", *paths], check=True)
    return [path + ".zst" for path in paths]


def instance_name(name, number):
    shown = name.replace("\x1b", "\\x1b")
    return f"#{number} {shown}" if " " in name or name.startswith("#") else shown


def expected():
    """The records: their times in microseconds, and values by metric and instance; None is a mark."""
    numbers, records, end = {}, [], None
    for place, (start, groups) in enumerate(WINDOWS):
        # A group without threads has zeros in the window behind its last one, of what any window up to then has seen, and in the
        # one in front of its next one, of what is seen there.
        neighbours = [others for _, others in WINDOWS[max(place - 1, 0):place + 2]]
        beside = {name for others in neighbours for name in others}
        if end is not None and start - end > 0.002:
            records.append(None)
        end = start + LENGTH
        for name in groups:
            numbers.setdefault(name, len(numbers) + 1)
        values = {("window.length", None): float(LENGTH * 10 ** 9)}
        for name, number in numbers.items():
            if name not in beside:
                continue
            was_there = place > 0 and name in WINDOWS[place - 1][1]
            witnesses = [others for _, others in WINDOWS[0 if was_there else place:place + 2]]
            idle = [0 if any(others.get(name, (None,) * 3)[i] is not None for others in witnesses) else None for i in range(3)]
            for metric, value in zip(METRICS, groups.get(name, idle)):
                if value is None:
                    continue
                # The readings of the fixture's threads are further apart than the windows last. No wait counts for longer than that.
                if metric == "wait_time_ns":
                    value = min(value, OBSERVED * 10 ** 9)
                values[metric, instance_name(name, number)] = round(value * LENGTH / OBSERVED) / LENGTH
        records.append((begin_ns(start) // 1000 + LENGTH * 10 ** 6, values))
    return records


def found(archive):
    context, names, records = pmapi.pmContext(cpmapi.PM_CONTEXT_ARCHIVE, archive), [], []
    context.pmTraversePMNS("ctprof", names.append)
    check(sorted(names) == sorted(f"ctprof.{name}" for name in (*METRICS, "window.length")), f"names: {names}")
    ids = {context.pmLookupName([name])[0]: name[len("ctprof."):] for name in names}
    descs = {identity: context.pmLookupDesc(identity) for identity in ids}
    while True:
        try:
            result = context.pmFetchArchive()
        except pmapi.pmErr:
            return records
        if result.contents.numpmid == 0:
            records.append(None)
            continue
        values = {}
        for i in range(result.contents.numpmid):
            identity = result.contents.get_pmid(i)
            desc = descs[identity]
            for k in range(result.contents.get_numval(i)):
                atom = context.pmExtractValue(result.contents.get_valfmt(i), result.contents.get_vlist(i, k), desc.contents.type,
                                              cpmapi.PM_TYPE_DOUBLE)
                instance = None
                if desc.contents.indom != cpmapi.PM_INDOM_NULL:
                    instance = context.pmNameInDomArchive(desc, result.contents.get_inst(i, k))
                    instance = instance.decode() if isinstance(instance, bytes) else instance
                values[ids[identity], instance] = atom.d
        time = result.contents.timestamp
        records.append((time.tv_sec * 10 ** 6 + time.tv_usec, values))


def check_refused(ctprof, paths, directory):
    """Nothing is left behind by a call that fails, and an archive that is there stays as it is."""
    path = os.path.join(directory, "refused")
    for name in ("there", "refused"):
        done = subprocess.run([ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, name), paths[1], paths[0]],
                              stderr=subprocess.PIPE, text=True, check=False)
        check(done.returncode == 1 and "begins before" in done.stderr and done.stderr.count("\n") == 1, f"{name}: {done}")
    check(not os.path.exists(path + ".meta") and sorted(os.listdir(directory)) == ["there.0", "there.index", "there.meta"],
          f"left behind: {os.listdir(directory)}")
    done = subprocess.run([ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, "none", "x"), paths[0]], stderr=subprocess.PIPE,
                          text=True, check=False)
    check(done.returncode == 1 and done.stderr.count("\n") == 1, f"no directory: {done}")


def check_link(ctprof, paths, directory):
    """A link to a file of another name gives the others no name."""
    for target in ("x", "trace-old"):
        with open(os.path.join(directory, target), "w", encoding="ascii"):
            pass
        link = os.path.join(directory, "link.0")
        os.symlink(target, link)
        names = sorted(os.listdir(directory))
        done = subprocess.run([ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, "link"), *paths], stderr=subprocess.PIPE,
                              text=True, check=False)
        check(done.returncode == 1 and "is a link to another" in done.stderr and done.stderr.count("\n") == 1, f"{target}: {done}")
        check(sorted(os.listdir(directory)) == names, f"{target}: {os.listdir(directory)}")
        os.unlink(link)
        os.unlink(os.path.join(directory, target))


def check_mount(ctprof, paths, directory):
    """The last file is a mount, which cannot be replaced: the others stay as they were."""
    archive = os.path.join(directory, "held")
    for suffix in ("0", "index", "meta"):
        with open(f"{archive}.{suffix}", "w", encoding="ascii") as file:
            file.write("old")
    mount = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$1" || exit 77; shift; exec "$@"', "sh", archive + ".meta"]
    done = subprocess.run([*mount, ctprof, "export", "-f", "pcp", "-o", archive, *paths], stderr=subprocess.PIPE, text=True, check=False)
    if os.geteuid() == 0 and done.returncode != 77:
        check(done.returncode == 1 and done.stderr.count("\n") == 1 and "held.meta: Device or resource busy" in done.stderr, f"{done}")
    for suffix in ("0", "index", "meta"):
        with open(f"{archive}.{suffix}", encoding="latin-1") as file:
            check(file.read() == "old", f"an archive of two generations: held.{suffix} is new")
    check(sorted(os.listdir(directory)) == ["held.0", "held.index", "held.meta"], f"left behind: {os.listdir(directory)}")
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))


def check_too_many(ctprof, paths, directory):
    """The time of the library would grow with the square of the number of groups."""
    window = json.loads(subprocess.run(["zstd", "-dcq", paths[0]], stdout=subprocess.PIPE, check=True).stdout)
    thread = window["threads"][0]
    window["threads"] = [{**thread, "tid": i + 1, "tgid": i + 1, "pcomm": name_of(i)} for i in range(20001)]
    path = os.path.join(directory, "many.zst")
    subprocess.run(["zstd", "-q", "-o", path], input=json.dumps(window).encode(), check=True)
    done = subprocess.run([ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, "many"), path], stderr=subprocess.PIPE, text=True,
                          check=False)
    check(done.returncode == 1 and "more than 20000 groups" in done.stderr and done.stderr.count("\n") == 1, f"too many: {done}")
    check(os.listdir(directory) == ["many.zst"], f"left behind: {os.listdir(directory)}")


def name_of(number):
    """A name of letters: digits in names are made one."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def main():
    ctprof, snapshots = os.path.realpath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as windows, tempfile.TemporaryDirectory() as directory:
        paths = write_windows(windows, snapshots)
        archive = os.path.join(directory, "there")
        words = [ctprof, "export", "-f", "pcp", "-o", archive, "-m", ",".join(METRICS), *paths]
        done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False)
        if "built without" in done.stderr or "cannot be loaded" in done.stderr:
            print(f"skipped: {done.stderr.strip()}")
            return 77
        check(done.returncode == 0 and done.stderr.endswith("left out: 4\n"), f"{done}")
        for attempt in range(2):
            read, wanted = found(archive), expected()
            check(len(read) == len(wanted), f"{attempt}: {len(read)} records, {len(wanted)} expected")
            for record, other in zip(read, wanted):
                check(record == other, f"{attempt}: {record} is not {other}")
            check(os.stat(archive + ".0").st_mode & 0o777 == 0o600, "others may read the archive")
            # It is replaced as a whole.
            subprocess.run(words, stderr=subprocess.DEVNULL, check=True)
        check_refused(ctprof, paths, directory)
        with tempfile.TemporaryDirectory() as empty:
            check_link(ctprof, paths, empty)
            check_mount(ctprof, paths, empty)
            check_too_many(ctprof, paths, empty)
    for message in failures:
        print(message)
    return 1 if failures else 0


sys.exit(main())
