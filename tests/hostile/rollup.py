#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rollup.py CTPROF: a tree of directories costs no more than so many times what the list of them does, even if each path
has a thousand directories with nothing but the next one in them. Both are CPU times of the same file, in this run.

In machine formats each row has the whole path of its directory. A file whose paths would be far longer than those of its
processes is refused in one line, and a tree of as many real paths is not."""

import os
import shutil
import sys
import tempfile

import files
from run import Run, is_sanitized, skip

RATIO_MAX = 25
GROUPS = 400
PODS = 20000
OUTPUT_RATIO_MAX = 8
# A tree is refused before its rows are made, which take ten times as much.
REFUSED_KIB_MAX = 200 << 10
TRIES = 5


def chains():
    """Paths of a few KiB that have their first directory in common with no other."""
    return files.snapshot(
        files.row(i + 1, 1, more=f',"cgroup":"/{files.word(i)}/{"a/" * 2000}"') for i in range(GROUPS)
    )


def comb():
    """Each directory of a long path has a path of its own down from it."""
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"cgroup":"{"/a" * (2 * i)}/x{i}{"/c" * (2000 - 2 * i)}"') for i in range(GROUPS)
    )


def pods():
    """Paths of containers, as a host has them."""
    pod = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{:08d}_0a1b_2c3d.slice/cri-containerd-{:064d}.scope"
    return files.snapshot(
        files.row(i + 1, i + 1, more=f',"cgroup":"{pod.format(i // 3, i)}"') for i in range(PODS)
    )


def written(command, output):
    """The run, and how many bytes and lines it has written."""
    with open(output, "wb") as file:
        run = Run(command, file)
    with open(output, "rb") as file:
        lines = sum(1 for _ in file)
    return run, os.path.getsize(output), lines


def check_output(ctprof, directory):
    """Returns how many commands write too much, or refuse what they need not."""
    failed = 0
    output = os.path.join(directory, "output")
    for name, maker, refused in (("chains", chains, True), ("comb", comb, True), ("pods", pods, False)):
        path = os.path.join(directory, f"{name}.zst")
        text = files.write(path, maker())
        for rollup, form in (("cgroup", "json"), ("cgroup", "csv"), ("cgroup", "ndjson"), ("cgroup,depth=20", "ndjson")):
            command = [ctprof, "show", "--no-cg-normalize", "--rollup", rollup, "-f", form, path]
            run, size, lines = written(command, output)
            print(f"{name}: {text >> 10} KiB of text, {os.path.getsize(path)} bytes: {rollup} as {form}: status {run.status},"
                  f" {size >> 10} KiB, {run.kib >> 10} MiB of memory, {run.cpu_seconds:.2f} s")
            if refused and rollup == "cgroup":
                good = run.status == 1 and size == 0 and run.error.count("\n") == 1 and "--rollup cgroup,depth=20" in run.error
                good = good and run.kib < REFUSED_KIB_MAX
            else:
                good = run.status == 0 and size < OUTPUT_RATIO_MAX * text
            if name == "pods" and form == "ndjson" and rollup == "cgroup":
                # The root, two slices, and each pod and container.
                good = good and lines == 3 + (PODS + 2) // 3 + PODS
            if not good:
                print(f"FAILED: {' '.join(command)}: {run.error}")
                failed += 1
    return failed


def least(command):
    runs = [Run(command) for _ in range(TRIES)]
    for run in runs:
        if run.status != 0:
            raise RuntimeError(f"{' '.join(command)}: status {run.status}: {run.error}")
    return min(run.cpu_seconds for run in runs)


def main():
    ctprof = os.path.realpath(sys.argv[1])
    if not shutil.which("zstd"):
        skip("no zstd")
    if is_sanitized(ctprof):
        skip("an instrumented program takes time of its own")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "chains.zst")
        files.write(path, chains())
        plain = least([ctprof, "show", "-g", "cgroup", "--no-cg-normalize", path])
        tree = least([ctprof, "show", "--rollup", "cgroup", path])
        failed = check_output(ctprof, directory)
    print(f"list {plain:.3f} s, tree {tree:.3f} s, ratio {tree / plain:.1f} of at most {RATIO_MAX}")
    return 1 if failed or tree > RATIO_MAX * plain else 0


sys.exit(main())
